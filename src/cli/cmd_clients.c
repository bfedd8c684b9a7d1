/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp clients, pair, change, rotate, revoke: which agents are paired, and what each may do.
 *
 * pair and rotate print a token, once, with all that the agent needs: URLs, certificate, lines to
 * paste, and a QR code that opens the console.  For a client that may only read metrics they print
 * what Prometheus needs.
 */
#include <qrencode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client_table.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/options.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "gateway/agent_url.h"
#include "gateway/paired_client.h"

enum {
	CONSOLE_LINK_BYTES = 512,
	HOST_BYTES = 128,
	QR_MARGIN = 4,	      /* ISO/IEC 18004, "quiet zone" */
	QR_NARROW_MARGIN = 1, /* cameras recognise it all the same */
};

/* The QR code */

struct cmd_clients_qr {
	QRcode *code;
	int margin;
};

static int cmd_clients_qr_side(const struct cmd_clients_qr *qr)
{
	return qr->code->width + 2 * qr->margin;
}

/* Reduces the margin if needed. Returns the columns needed, which may still be too many. */
static unsigned cmd_clients_qr_fit(struct cmd_clients_qr *qr, unsigned columns)
{
	if (columns && columns < (unsigned)cmd_clients_qr_side(qr))
		qr->margin = QR_NARROW_MARGIN;
	return (unsigned)cmd_clients_qr_side(qr);
}

/* The row below the last one is outside of the code, and dark. */
static bool cmd_clients_qr_is_light(const struct cmd_clients_qr *qr, int row, int column)
{
	const QRcode *code = qr->code;
	int inner_row = row - qr->margin, inner_column = column - qr->margin;

	if (row >= cmd_clients_qr_side(qr))
		return false;
	if (inner_row < 0 || inner_row >= code->width || inner_column < 0 ||
	    inner_column >= code->width)
		return true;
	return !(code->data[inner_row * code->width + inner_column] & 1);
}

/*
 * Draws two rows per line with half blocks. Light modules are drawn, which is right on a dark
 * background; on a terminal the colours are set, which is right on any.
 */
static void cmd_clients_qr_draw(const struct cmd_clients_qr *qr)
{
	/* upper half light, lower half light */
	static const char *const blocks[2][2] = { { " ", "▄" }, { "▀", "█" } };
	bool coloured = isatty(STDOUT_FILENO);
	int side = cmd_clients_qr_side(qr);

	for (int row = 0; row < side; row += 2) {
		fputs(coloured ? "\033[97;40m" : "", stdout);
		for (int column = 0; column < side; column++) {
			bool upper = cmd_clients_qr_is_light(qr, row, column);
			bool lower = cmd_clients_qr_is_light(qr, row + 1, column);

			fputs(blocks[upper][lower], stdout);
		}
		fputs(coloured ? "\033[0m\n" : "\n", stdout);
	}
}

static void cmd_clients_print_qr(const char *link, const char *name)
{
	struct cmd_clients_qr qr = {
		.code = QRcode_encodeString8bit(link, 0, QR_ECLEVEL_L),
		.margin = QR_MARGIN,
	};
	unsigned columns = terminal_columns(STDOUT_FILENO), needed;

	if (!qr.code) /* out of memory, or too long */
		return;
	needed = cmd_clients_qr_fit(&qr, columns);
	if (columns && columns < needed) {
		printf("\nThe QR code needs a terminal %u columns wide; this one has %u. "
		       "With a wider one:\nofono-mcp rotate %s\n",
		       needed, columns, name);
	} else {
		printf("\nThe console as a QR code:\n\n");
		cmd_clients_qr_draw(&qr);
	}
	QRcode_free(qr.code);
}

/* What the agent needs */

/*
 * %1$s is the URL, %2$s the token. Claude Code, VS Code and Codex each have their own format;
 * most others read mcpServers.
 */
static const char cmd_clients_snippets[] =
	"Claude Code:\n\n"
	"  claude mcp add --transport http phone %1$s \\\n"
	"    --header \"Authorization: Bearer %2$s\"\n\n"
	"An agent that reads mcpServers, such as Cursor (~/.cursor/mcp.json):\n\n"
	"  {\"mcpServers\":{\"phone\":{\"type\":\"http\",\"url\":\"%1$s\",\n"
	"    \"headers\":{\"Authorization\":\"Bearer %2$s\"}}}}\n\n"
	"VS Code (.vscode/mcp.json):\n\n"
	"  {\"servers\":{\"phone\":{\"type\":\"http\",\"url\":\"%1$s\",\n"
	"    \"headers\":{\"Authorization\":\"Bearer %2$s\"}}}}\n\n"
	"Codex (~/.codex/config.toml), which reads the token from its environment:\n\n"
	"  [mcp_servers.phone]\n"
	"  url = \"%1$s\"\n"
	"  bearer_token_env_var = \"OFONO_MCP_TOKEN\"\n\n"
	"  export OFONO_MCP_TOKEN=%2$s\n";

/* %1$s is http or https, %2$s HOST:PORT, %3$s the token. */
static const char cmd_clients_scrape[] =
	"Prometheus (prometheus.yml); this token is good for nothing else:\n\n"
	"  scrape_configs:\n"
	"    - job_name: phone\n"
	"      scrape_interval: 5m\n"
	"      scheme: %1$s\n"
	"      authorization: {credentials: %3$s}\n"
	"      static_configs: [{targets: [\"%2$s\"]}]\n";
static const char cmd_clients_scrape_trust[] =
	"      tls_config: {ca_file: phone.pem}\n\n"
	"phone.pem is a copy of %1$s.\n";

/* %1$s is the file on this machine. NODE_EXTRA_CA_CERTS adds to the trusted certificates,
 * SSL_CERT_FILE replaces them. */
static const char cmd_clients_trust[] =
	"The agent must trust the certificate %1$s. On the agent's\n"
	"machine, copy that file, or fetch the certificate and check that the "
	"fingerprint\n"
	"is the same:\n\n"
	"  openssl s_client -connect %2$s </dev/null | openssl x509 > phone.pem\n"
	"  openssl x509 -in phone.pem -noout -fingerprint -sha256\n\n"
	"Then set the first variable for Node.js programs (Claude Code, Cursor, VS "
	"Code),\n"
	"and the second for others (Codex), with the path on that machine. Others then\n"
	"trust nothing else: append the certificate to a copy of the system's.\n\n"
	"  export NODE_EXTRA_CA_CERTS=%1$s\n"
	"  export SSL_CERT_FILE=%1$s\n\n";

/* What is between scheme and path. */
static const char *cmd_clients_host(const char *url, char host[HOST_BYTES])
{
	url = strstr(url, "//") + 2;
	snprintf(host, HOST_BYTES, "%.*s", (int)strcspn(url, "/"), url);
	return host;
}

static bool cmd_clients_is_https(const char *url)
{
	return strncmp(url, "https:", strlen("https:")) == 0;
}

static void cmd_clients_print_scrape(const char *url, const char *certificate,
				     const char *token)
{
	char host[HOST_BYTES];

	printf(cmd_clients_scrape, cmd_clients_is_https(url) ? "https" : "http",
	       cmd_clients_host(url, host), token);
	if (certificate && cmd_clients_is_https(url))
		printf(cmd_clients_scrape_trust, certificate);
}

/* Such a client may not use MCP. */
static bool cmd_clients_is_for_metrics(const struct json *client)
{
	const struct json *scopes = json_field_list(client, "scopes");

	return scopes->count == 1 && strcmp(scopes->first->text, "metrics") == 0;
}

/* Every URL ends with AGENT_URL_PATH; `path` is printed instead. */
static void cmd_clients_print_urls(const struct json *urls, const char *path)
{
	const char *label = "URL";

	json_foreach (url, urls) {
		printf("  %-9s %.*s%s\n", label,
		       (int)(strlen(url->text) - strlen(AGENT_URL_PATH)), url->text,
		       path);
		label = "";
	}
}

/* With a certificate, loopback addresses are still served over plain HTTP. */
static void cmd_clients_explain_http(const struct json *urls)
{
	json_foreach (url, urls) {
		if (cmd_clients_is_https(url->text))
			continue;
		puts("An http:// URL is a loopback address, served without TLS: its "
		     "traffic never\nleaves this machine. To use TLS there too, set "
		     "tls_loopback = yes under [server]\nin the configuration and "
		     "restart the gateway.");
		return;
	}
}

/* The token follows the #, which browsers do not send to the server. */
static void cmd_clients_write_link(const char *url, const char *token,
				   char link[CONSOLE_LINK_BYTES])
{
	int length = (int)(strlen(url) - strlen(AGENT_URL_PATH));

	snprintf(link, CONSOLE_LINK_BYTES, "%.*s/#token=%s", length, url, token);
}

static void cmd_clients_print_agent(const struct owner_command_call *call,
				    const char *url, const char *certificate,
				    const char *token)
{
	char link[CONSOLE_LINK_BYTES], host[HOST_BYTES];

	if (certificate && cmd_clients_is_https(url))
		printf(cmd_clients_trust, certificate, cmd_clients_host(url, host));
	printf(cmd_clients_snippets, url, token);
	cmd_clients_write_link(url, token, link);
	printf("\nThe console in a browser, which shows what this client may see:\n\n"
	       "  %s\n",
	       link);
	if (owner_command_value(call, "qr") || isatty(STDOUT_FILENO))
		cmd_clients_print_qr(link, call->operand);
}

/* The result of pair or rotate. */
static void cmd_clients_print_pairing(const struct owner_command_call *call,
				      const struct json *result)
{
	const struct json *client = json_member(result, "client");
	const struct json *urls = json_member(result, "urls");
	const struct json *tls = json_member(result, "tls");
	const char *certificate = json_string(json_member(tls, "certificate"));
	const char *fingerprint = json_string(json_member(tls, "fingerprint"));
	const char *token = json_string(json_member(result, "token"));
	const char *url = urls && urls->first ? urls->first->text : NULL;
	bool is_for_metrics = cmd_clients_is_for_metrics(client);

	client_table_print_one(client);
	if (url)
		cmd_clients_print_urls(urls,
				       is_for_metrics ? "/metrics" : AGENT_URL_PATH);
	if (fingerprint)
		printf("  %-9s SHA-256 %s\n", "TLS", fingerprint);
	printf("  %-9s %s\n\nThe token is shown only once.\n", "token",
	       token ? token : "");
	if (!token || !url)
		return;
	if (!agent_url_is_for_others(url))
		puts("Only programs on this machine can reach that URL; for others, see "
		     "listen in ofono-mcp.conf(5).");
	if (fingerprint)
		cmd_clients_explain_http(urls);
	putchar('\n');
	if (is_for_metrics)
		cmd_clients_print_scrape(url, certificate, token);
	else
		cmd_clients_print_agent(call, url, certificate, token);
}

/* Shared by the commands */

#define CLIENTS_PERMISSIONS_HELP                                                     \
	"  --scope LIST     read, send, codes, ussd, admin, metrics, call;\n"        \
	"                   comma-separated\n"                                       \
	"  --sim LIST       IDs of the SIMs that it may use (subscription_id);\n"    \
	"                   or \"any\"\n"                                            \
	"  --allow LIST     phone numbers to which it may send, such as\n"           \
	"                   +36201234567, or prefixes, such as +3620*; or \"any\"\n" \
	"  --ask WHEN       its messages need your approval: always,\n"              \
	"                   new-recipients or never\n"                               \
	"  --per-minute N, --per-hour N, --per-day N, --segments-per-month N\n"      \
	"                   its limits; \"none\": no limit of its own;\n"            \
	"                   \"default\": the limit in the configuration\n"

#define CLIENTS_PAIRING_HELP                                                           \
	"  --tls            use TLS: creates a certificate if there is none; agents\n" \
	"                   with http:// URLs then need new ones\n"                    \
	"  --qr             print a QR code even if the output is not a terminal\n"

#define CLIENTS_COMMON_HELP \
	OPTIONS_STORE_HELP "  --json           print as JSON\n" OPTIONS_HELP_HELP

#define CLIENTS_PERMISSION_OPTIONS                                                       \
	{ .name = "scope" }, { .name = "sim" }, { .name = "allow" }, { .name = "ask" },  \
		{ .name = "per-minute" }, { .name = "per-hour" }, { .name = "per-day" }, \
		{ .name = "segments-per-month" }

#define CLIENTS_PAIRING_OPTIONS                                 \
	{ .name = "tls", .is_flag = true },                     \
	{                                                       \
		.name = "qr", .is_flag = true, .is_local = true \
	}

static const char *cmd_clients_check_name(const struct owner_command_call *call)
{
	return paired_client_name_error(call->operand);
}

/* Prints the client's name between two texts. */
static void cmd_clients_print_named(const struct json *result, const char *behind)
{
	const struct json *client = json_member(result, "client");
	const char *name = json_string(json_member(client, "name"));

	printf("%s%s\n", name ? name : "", behind);
}

/* clients */

static const char cmd_clients_list_help[] =
	"Usage: ofono-mcp clients [OPTION]...\n"
	"List the paired agents and what each may do.\n"
	"\n" CLIENTS_COMMON_HELP "\n"
	"The gateway may run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_list(const struct owner_command_call *call,
				  const struct json *result)
{
	(void)call;
	client_table_print(json_member(result, "clients"));
	return EXIT_CODE_OK;
}

static int cmd_clients_run_list(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "clients",
		.help = cmd_clients_list_help,
		.print = cmd_clients_print_list,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_clients = {
	.name = "clients",
	.summary = "list the paired agents",
	.run = cmd_clients_run_list,
};

/* pair */

static const char cmd_clients_pair_help[] =
	"Usage: ofono-mcp pair [OPTION]... NAME\n"
	"Create a token for the agent NAME and print it, once, with what the agent "
	"needs.\n"
	"By default, the agent may read and send.\n"
	"\n" CLIENTS_PERMISSIONS_HELP CLIENTS_PAIRING_HELP CLIENTS_COMMON_HELP "\n"
	"The gateway may run. Exit codes: 0 paired; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_paired(const struct owner_command_call *call,
				    const struct json *result)
{
	cmd_clients_print_named(result, " may now use this gateway.\n");
	cmd_clients_print_pairing(call, result);
	return EXIT_CODE_OK;
}

static int cmd_clients_run_pair(int argc, char **argv)
{
	static const struct owner_command_option options[] = { CLIENTS_PERMISSION_OPTIONS,
							       CLIENTS_PAIRING_OPTIONS,
							       { NULL } };
	static const struct owner_command command = {
		.name = "pair",
		.help = cmd_clients_pair_help,
		.options = options,
		.operand = "name",
		.check = cmd_clients_check_name,
		.print = cmd_clients_print_paired,
		.fix_if_lost =
			"It may be paired, with a token that was never shown: check with "
			"ofono-mcp clients, then run ofono-mcp rotate NAME",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_pair = {
	.name = "pair",
	.summary = "give an agent a token",
	.run = cmd_clients_run_pair,
};

/* change */

static const char cmd_clients_change_help[] =
	"Usage: ofono-mcp change OPTION... NAME\n"
	"Change what the agent NAME may do. Permissions that are not given stay as they\n"
	"are. Changes apply immediately.\n"
	"\n" CLIENTS_PERMISSIONS_HELP CLIENTS_COMMON_HELP "\n"
	"Exit codes: 0 changed; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_changed(const struct owner_command_call *call,
				     const struct json *result)
{
	(void)call;
	cmd_clients_print_named(result, " may now do this:\n");
	client_table_print_one(json_member(result, "client"));
	return EXIT_CODE_OK;
}

static int cmd_clients_run_change(int argc, char **argv)
{
	static const struct owner_command_option options[] = { CLIENTS_PERMISSION_OPTIONS,
							       { NULL } };
	static const struct owner_command command = {
		.name = "change",
		.help = cmd_clients_change_help,
		.options = options,
		.operand = "name",
		.print = cmd_clients_print_changed,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_change = {
	.name = "change",
	.summary = "change what an agent may do",
	.run = cmd_clients_run_change,
};

/* rotate */

static const char cmd_clients_rotate_help[] =
	"Usage: ofono-mcp rotate [OPTION]... NAME\n"
	"Create a new token for the agent NAME and print it as \"pair\" does. The old "
	"one\n"
	"stops working at once, and the agent's open requests end.\n"
	"\n" CLIENTS_PAIRING_HELP CLIENTS_COMMON_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_rotated(const struct owner_command_call *call,
				     const struct json *result)
{
	cmd_clients_print_named(
		result, " needs this token from now on; the old one is refused.\n");
	cmd_clients_print_pairing(call, result);
	return EXIT_CODE_OK;
}

static int cmd_clients_run_rotate(int argc, char **argv)
{
	static const struct owner_command_option options[] = { CLIENTS_PAIRING_OPTIONS,
							       { NULL } };
	static const struct owner_command command = {
		.name = "rotate",
		.help = cmd_clients_rotate_help,
		.options = options,
		.operand = "name",
		.print = cmd_clients_print_rotated,
		.fix_if_lost = "It may have a new token that was never shown: run this "
			       "again",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_rotate = {
	.name = "rotate",
	.summary = "give an agent a new token",
	.run = cmd_clients_run_rotate,
};

/* revoke */

static const char cmd_clients_revoke_help[] =
	"Usage: ofono-mcp revoke [OPTION]... NAME\n"
	"Revoke the access of the agent NAME; its open requests end. Messages already\n"
	"accepted from it are still sent; this reports how many are waiting.\n"
	"\n"
	"  --cancel         cancel those messages, including scheduled "
	"ones\n" CLIENTS_COMMON_HELP "\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_revoked(const struct owner_command_call *call,
				     const struct json *result)
{
	int64_t waiting = 0, cancelled = 0;

	printf("%s may no longer use this gateway.\n", call->operand);
	json_integer(json_member(result, "waiting_messages"), &waiting);
	json_integer(json_member(result, "cancelled_messages"), &cancelled);
	if (cancelled)
		printf("Cancelled messages: %lld.\n", (long long)cancelled);
	if (waiting)
		printf("Messages accepted from it that will still be sent: %lld. To stop "
		       "all sending: ofono-mcp pause\n",
		       (long long)waiting);
	if (!json_member(result, "kept"))
		return EXIT_CODE_OK;
	printf("This holds only until the gateway stops, because it could not be written "
	       "to disk.\nFree space, then run again: ofono-mcp revoke %s\n",
	       call->operand);
	return EXIT_CODE_FAILED;
}

static int cmd_clients_run_revoke(int argc, char **argv)
{
	static const struct owner_command_option options[] = {
		{ .name = "cancel", .is_flag = true }, { NULL }
	};
	static const struct owner_command command = {
		.name = "revoke",
		.help = cmd_clients_revoke_help,
		.options = options,
		.operand = "name",
		.print = cmd_clients_print_revoked,
	};

	return owner_command_run(&command, argc, argv);
}

const struct command cmd_revoke = {
	.name = "revoke",
	.summary = "revoke an agent's access",
	.run = cmd_clients_run_revoke,
};
