/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/pairing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client_table.h"
#include "cli/member.h"
#include "cli/qr_code.h"
#include "cli/terminal.h"
#include "gateway/agent_url.h"

enum { CONSOLE_LINK_BYTES = 512, HOST_BYTES = 128 };

/*
 * %1$s is the URL, %2$s the token. Claude Code, VS Code and Codex each have a form of their
 * own; mcpServers is what most others read.
 */
static const char snippets[] =
	"Claude Code:\n\n"
	"  claude mcp add --transport http phone %1$s \\\n"
	"    --header \"Authorization: Bearer %2$s\"\n\n"
	"An agent that reads mcpServers, such as Cursor (~/.cursor/mcp.json):\n\n"
	"  {\"mcpServers\":{\"phone\":{\"type\":\"http\",\"url\":\"%1$s\",\n"
	"    \"headers\":{\"Authorization\":\"Bearer %2$s\"}}}}\n\n"
	"VS Code (.vscode/mcp.json):\n\n"
	"  {\"servers\":{\"phone\":{\"type\":\"http\",\"url\":\"%1$s\",\n"
	"    \"headers\":{\"Authorization\":\"Bearer %2$s\"}}}}\n\n"
	"Codex (~/.codex/config.toml), which takes the secret from its environment:\n\n"
	"  [mcp_servers.phone]\n"
	"  url = \"%1$s\"\n"
	"  bearer_token_env_var = \"OFONO_MCP_TOKEN\"\n\n"
	"  export OFONO_MCP_TOKEN=%2$s\n";

/* %1$s is http or https, %2$s HOST:PORT, %3$s the token. */
static const char scrape[] =
	"Prometheus (prometheus.yml), whose token this is for, and for nothing else:\n\n"
	"  scrape_configs:\n"
	"    - job_name: phone\n"
	"      scrape_interval: 5m\n"
	"      scheme: %1$s\n"
	"      authorization: {credentials: %3$s}\n"
	"      static_configs: [{targets: [\"%2$s\"]}]\n";
static const char scrape_trust[] = "      tls_config: {ca_file: phone.pem}\n\n"
				   "phone.pem is a copy of %1$s, there.\n";

/*
 * %s is the file on this machine. Node.js adds what it finds there to what it trusts; for
 * the others it is all that they trust.
 */
static const char trust[] =
	"The agent has to trust the certificate %1$s. Where the agent\n"
	"runs, take a copy of that file, or what the gateway shows, if the fingerprint "
	"is\n"
	"the same:\n\n"
	"  openssl s_client -connect %2$s </dev/null | openssl x509 > phone.pem\n"
	"  openssl x509 -in phone.pem -noout -fingerprint -sha256\n\n"
	"and set, with the path that it has there, for what is of Node.js (Claude Code,\n"
	"Cursor, VS Code), and for others (Codex), which then trust nothing else: for "
	"these\n"
	"append it to a copy of the system's certificates.\n\n"
	"  export NODE_EXTRA_CA_CERTS=%1$s\n"
	"  export SSL_CERT_FILE=%1$s\n\n";

/* What stands between scheme and path. */
static const char *host_of(const char *url, char host[HOST_BYTES])
{
	url = strstr(url, "//") + 2;
	snprintf(host, HOST_BYTES, "%.*s", (int)strcspn(url, "/"), url);
	return host;
}

static bool is_https(const char *url)
{
	return strncmp(url, "https:", strlen("https:")) == 0;
}

static void print_trust(const char *url, const char *certificate)
{
	char host[HOST_BYTES];

	if (certificate && is_https(url))
		printf(trust, certificate, host_of(url, host));
}

static void print_scrape(const char *url, const char *certificate, const char *token)
{
	char host[HOST_BYTES];

	printf(scrape, is_https(url) ? "https" : "http", host_of(url, host), token);
	if (certificate && is_https(url))
		printf(scrape_trust, certificate);
}

/* It is for who watches the gateway, and opens nothing of MCP. */
static bool is_for_metrics(const struct json *client)
{
	const struct json *scopes = member_list(client, "scopes");

	return scopes->count == 1 && strcmp(scopes->first->text, "metrics") == 0;
}

/* All end with AGENT_URL_PATH; `path` is shown in its place. */
static void print_urls(const struct json *urls, const char *path)
{
	const char *label = "URL";

	json_foreach (url, urls) {
		printf("  %-9s %.*s%s\n", label,
		       (int)(strlen(url->text) - strlen(AGENT_URL_PATH)), url->text,
		       path);
		label = "";
	}
}

/* There is a certificate, and an address of this machine alone is without it all the same. */
static void explain_plain(const struct json *urls)
{
	json_foreach (url, urls) {
		if (is_https(url->text))
			continue;
		puts("An http:// URL is of a loopback address, which is served without "
		     "TLS: what goes\nthere does not leave this machine. For TLS there, "
		     "too: tls_loopback = yes below [server]\nin the configuration, then "
		     "restart the gateway.");
		return;
	}
}

static void print_code(struct qr_code *code, const char *name)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);
	unsigned needed = qr_code_fit(code, columns);

	if (columns && columns < needed) {
		printf("\nFor a QR code the terminal has to be %u columns wide; it has "
		       "%u. When it is:\nofono-mcp rotate %s\n",
		       needed, columns, name);
		return;
	}
	printf("\nThe console as a QR code:\n\n");
	qr_code_print(code, isatty(STDOUT_FILENO), stdout);
}

/*
 * The owner's page with this token, at the root of the server. It stands behind the #, which
 * no browser sends to a server.
 */
static void write_console_link(const char *url, const char *token,
			       char link[CONSOLE_LINK_BYTES])
{
	int length = (int)(strlen(url) - strlen(AGENT_URL_PATH));

	snprintf(link, CONSOLE_LINK_BYTES, "%.*s/#token=%s", length, url, token);
}

static void print_qr(const char *link, const char *name)
{
	struct qr_code *code = qr_code_new(link);

	if (code)
		print_code(code, name);
	qr_code_free(code);
}

static void print_agent(const struct owner_call *call, const char *url,
			const char *certificate, const char *token)
{
	char link[CONSOLE_LINK_BYTES];

	print_trust(url, certificate);
	printf(snippets, url, token);
	write_console_link(url, token, link);
	printf("\nThe console in a browser, which shows what this client may see:\n\n"
	       "  %s\n",
	       link);
	if (owner_call_value(call, "qr") || isatty(STDOUT_FILENO))
		print_qr(link, call->operand);
}

void pairing_print(const struct owner_call *call, const struct json *result)
{
	const struct json *client = json_member(result, "client");
	const struct json *urls = json_member(result, "urls");
	const struct json *tls = json_member(result, "tls");
	const char *certificate = json_string(json_member(tls, "certificate"));
	const char *fingerprint = json_string(json_member(tls, "fingerprint"));
	const char *token = json_string(json_member(result, "token"));
	const char *url = urls && urls->first ? urls->first->text : NULL;

	client_table_print_one(client);
	if (url)
		print_urls(urls, is_for_metrics(client) ? "/metrics" : AGENT_URL_PATH);
	if (fingerprint)
		printf("  %-9s SHA-256 %s\n", "TLS", fingerprint);
	printf("  %-9s %s\n\nThe token is shown only this once.\n", "token",
	       token ? token : "");
	if (!token || !url)
		return;
	if (!agent_url_is_for_others(url))
		puts("Only programs of this machine reach that URL; for others, see "
		     "listen in ofono-mcp.conf(5).");
	if (fingerprint)
		explain_plain(urls);
	putchar('\n');
	if (is_for_metrics(client))
		print_scrape(url, certificate, token);
	else
		print_agent(call, url, certificate, token);
}
