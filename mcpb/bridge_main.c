/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program of the MCPB bundle: "ofono-mcp stdio" alone, for a computer that has nothing else of
 * ofono-mcp. The host passes what its user entered in the environment (manifest in build.py):
 *
 *   OFONO_MCP_URL      http://HOST:PORT/mcp, https://..., or ssh://HOST, which needs no token
 *   OFONO_MCP_TOKEN    the token
 *   OFONO_MCP_CA_FILE  a certificate to trust
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge/bridge.h"

/* NULL: not entered. Hosts leave "${user_config.token}" there for what is optional. */
static const char *bridge_main_value(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strncmp(value, "${", 2) != 0 ? value : NULL;
}

static int bridge_main_fail(const char *name, const char *problem)
{
	fprintf(stderr, "ofono-mcp: %s %s.\n", name, problem);
	return 2;
}

/* A host that begins with a dash would be an option. Returns only after an error. */
static int bridge_main_exec_ssh(const char *host)
{
	if (*host == '-' || !*host)
		return bridge_main_fail("OFONO_MCP_URL", "names no host");
	execlp("ssh", "ssh", "-o", "BatchMode=yes", "--", host, "ofono-mcp", "stdio",
	       (char *)NULL);
	return bridge_main_fail("ssh", "cannot be started");
}

int main(void)
{
	static const char ssh[] = "ssh://";
	const char *given = bridge_main_value("OFONO_MCP_URL");
	const char *token_given = bridge_main_value("OFONO_MCP_TOKEN");
	char url[BRIDGE_TARGET_URL_BYTES], token[BRIDGE_TARGET_TOKEN_BYTES];
	struct bridge_options options = {
		.url = url,
		.ca_file = bridge_main_value("OFONO_MCP_CA_FILE"),
	};
	const char *problem;
	int error;

	if (given && strncmp(given, ssh, strlen(ssh)) == 0)
		return bridge_main_exec_ssh(given + strlen(ssh));
	problem = given ? bridge_target_read_url(given, url) : "is missing";
	if (problem)
		return bridge_main_fail("OFONO_MCP_URL", problem);
	if (token_given) {
		problem = bridge_target_read_token(token_given, token);
		if (problem)
			return bridge_main_fail("OFONO_MCP_TOKEN", problem);
		options.token = token;
	}
	error = bridge_run(&options);
	if (error)
		fprintf(stderr, "ofono-mcp: the bridge could not begin: %s.\n",
			strerror(-error));
	return error ? 1 : 0;
}
