/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp pair: make a token for one agent and show it once.
 *
 * Only the token's hash is kept. The running gateway obeys at once, since it looks clients
 * up in the same store.
 */
#include <stdio.h>
#include <string.h>

#include <gnutls/crypto.h>

#include "base/config.h"
#include "cli/command.h"
#include "cli/ledger_options.h"
#include "http/auth.h"
#include "store/store_client.h"

enum {
	TOKEN_BYTES = 32, /* 256 bits */
	TOKEN_TEXT_BYTES = TOKEN_BYTES * 2 + 1,
	NAME_MAX_BYTES = 63,
};

static const char help[] =
	"Usage: ofono-mcp pair [--config FILE] [--state-dir DIR] NAME\n"
	"Make a token for the agent NAME and print it, once, with what the agent needs.\n"
	"\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its clients\n"
	"  --help           this text\n"
	"\n"
	"Exit codes: 0 paired; 1 could not; 2 wrong options.\n";

static const struct option options[] = {
	{ "config", required_argument, NULL, LEDGER_OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, LEDGER_OPTION_STATE_DIR },
	{ "help", no_argument, NULL, LEDGER_OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static bool make_token(char token[TOKEN_TEXT_BYTES])
{
	unsigned char random[TOKEN_BYTES];

	if (gnutls_rnd(GNUTLS_RND_KEY, random, sizeof(random)) != 0)
		return false;
	for (int i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + i * 2, 3, "%02x", random[i]);
	return true;
}

static void print_pairing(const struct config *config, const char *name,
			  const char *token)
{
	const char *address = config->listen.items[0];

	printf("%s may now use this gateway.\n\n"
	       "  URL    http://%s/mcp\n"
	       "  token  %s\n\n"
	       "The token is shown only this once. For an agent that reads "
	       "mcpServers:\n\n"
	       "  {\"mcpServers\":{\"phone\":{\"type\":\"http\","
	       "\"url\":\"http://%s/mcp\",\n"
	       "    \"headers\":{\"Authorization\":\"Bearer %s\"}}}}\n",
	       name, address, token, address, token);
}

static int pair(const struct config *config, const char *name)
{
	struct config_error problem = { "" };
	uint8_t hash[AUTH_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];
	struct store *store;
	int64_t client_id;
	int error;

	if (!make_token(token)) {
		fputs("ofono-mcp pair: no random numbers to be had\n", stderr);
		return EXIT_CODE_FAILED;
	}
	if (store_open(config->state_dir, &store, &problem) != 0) {
		fprintf(stderr, "ofono-mcp pair: %s\n", problem.text);
		return EXIT_CODE_FAILED;
	}
	auth_hash(token, hash);
	error = store_client_add(store, name, hash, &client_id);
	store_close(store);
	if (error == 0) {
		print_pairing(config, name, token);
		return EXIT_CODE_OK;
	}
	fprintf(stderr, "ofono-mcp pair: %s%s\n", name,
		error == STORE_E_EXISTS ? " is paired already; choose another name"
					: " could not be stored");
	return EXIT_CODE_FAILED;
}

static int run_pair(int argc, char **argv)
{
	static const struct ledger_command command = { "ofono-mcp pair", help, options };
	struct ledger_options given;
	int code;

	if (!ledger_options_read(&command, argc, argv, &given, &code))
		return code;
	if (strlen(given.argument) > NAME_MAX_BYTES) {
		fputs(help, stderr);
		return EXIT_CODE_USAGE;
	}
	return pair(&given.config, given.argument);
}

const struct command command_pair = {
	.name = "pair",
	.summary = "give an agent a token",
	.run = run_pair,
};
