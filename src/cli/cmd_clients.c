/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp pair, client list|set|rotate|revoke: which agents are paired, and what each may do.
 *
 * pair and rotate print a token, once, with all that the agent needs: URLs, certificate, lines to
 * paste, and a QR code that opens the console.  For a client that may only read metrics they print
 * what Prometheus needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "gateway/paired_client.h"

enum {
	CONSOLE_LINK_BYTES = 512,
	HOST_BYTES = 128,
};

/* The QR code */

static void cmd_clients_print_qr(const char *link, const char *name)
{
	unsigned needed = terminal_qr_columns(link),
		 columns = terminal_columns(STDOUT_FILENO);

	if (!needed) /* out of memory, or too long */
		return;
	if (columns && columns < needed) {
		printf("\nThe QR code needs a terminal %u columns wide; this one has %u. "
		       "With a wider one:\n" PROGRAM_NAME " client rotate %s\n",
		       needed, columns, name);
	} else {
		printf("\nThe console as a QR code:\n\n");
		terminal_print_qr(link);
	}
}

/* What the agent needs */

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
	"machine, copy that file, or fetch the certificate and check that the fingerprint\n"
	"is the same:\n\n"
	"  openssl s_client -connect %2$s </dev/null | openssl x509 > phone.pem\n"
	"  openssl x509 -in phone.pem -noout -fingerprint -sha256\n\n"
	"Then set the first variable for Node.js programs (Claude Code, Cursor, VS Code),\n"
	"and the second for others (Codex), with the path on that machine. Others then\n"
	"trust nothing else: append the certificate to a copy of the system's.\n\n"
	"  export NODE_EXTRA_CA_CERTS=%1$s\n"
	"  export SSL_CERT_FILE=%1$s\n\n";

/* Returns what is between scheme and path. */
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

/* Is it a client that may not use MCP? */
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

static void cmd_clients_print_snippet(const char *client, const char *url,
				      const char *token, bool has_certificate)
{
	struct buffer text = BUFFER_INIT;

	text.secret = true;
	client_snippet_write(&text, client, url, token, has_certificate);
	fwrite(text.data, 1, text.length, stdout);
	buffer_wipe(&text);
}

static void cmd_clients_print_agent(const struct owner_command_call *call,
				    const char *url, const char *certificate,
				    const char *token)
{
	char link[CONSOLE_LINK_BYTES], host[HOST_BYTES];

	if (certificate && cmd_clients_is_https(url))
		printf(cmd_clients_trust, certificate, cmd_clients_host(url, host));
	cmd_clients_print_snippet(owner_command_value(call, "client"), url, token,
				  certificate && cmd_clients_is_https(url));
	cmd_clients_write_link(url, token, link);
	printf("\nThe console in a browser, which shows what this client may see:\n\n"
	       "  %s\n",
	       link);
	if (owner_command_value(call, "qr") || isatty(STDOUT_FILENO))
		cmd_clients_print_qr(link, call->operand);
}

static bool cmd_clients_has_scope(const struct json *client, const char *name)
{
	json_foreach (scope, json_field_list(client, "scopes")) {
		if (strcmp(scope->text, name) == 0)
			return true;
	}
	return false;
}

/* `pair` has decided about approvals, and says why. */
static void cmd_clients_explain_asking(const struct owner_command_call *call,
				       const struct json *client)
{
	if (strcmp(call->name, "pair") != 0 || owner_command_value(call, "ask") ||
	    !cmd_clients_has_scope(client, "codes") ||
	    !cmd_clients_has_scope(client, "send"))
		return;
	printf("It may see one-time codes and send, so a message can trick it into "
	       "passing a code\non: its messages to new recipients need your approval. "
	       "To change that:\n" PROGRAM_NAME " client set --ask never %s\n",
	       json_field_text(client, "name"));
}

/* Prints the result of pair or rotate. */
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
	cmd_clients_explain_asking(call, client);
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
	"  --scope LIST     read, send, codes, ussd, admin, metrics, call, events, " \
	"hub;\n"                                                                     \
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
	"  --client NAME    print the lines for this client only:\n"                   \
	"                   " CLIENT_SNIPPET_NAMES "\n"                                \
	"  --qr             print a QR code even if the output is not a terminal\n"

#define CLIENTS_COMMON_HELP \
	OPTIONS_STORE_HELP "  --json           print as JSON\n" OPTIONS_HELP_HELP

#define CLIENTS_PERMISSION_OPTIONS                                                       \
	{ .name = "scope" }, { .name = "sim" }, { .name = "allow" }, { .name = "ask" },  \
		{ .name = "per-minute" }, { .name = "per-hour" }, { .name = "per-day" }, \
		{ .name = "segments-per-month" }

#define CLIENTS_PAIRING_OPTIONS                                                        \
	{ .name = "tls", .is_flag = true },                                            \
		{ .name = "client", .words = client_snippet_names, .is_local = true }, \
	{                                                                              \
		.name = "qr", .is_flag = true, .is_local = true                        \
	}

static const char *cmd_clients_check_name(const struct owner_command_call *call)
{
	return call->operand ? paired_client_name_error(call->operand) : NULL;
}

/* Prints the client's name between two texts. */
static void cmd_clients_print_named(const struct json *result, const char *behind)
{
	printf("%s%s\n", json_field_text(json_member(result, "client"), "name"), behind);
}

/* clients */

static const char cmd_clients_list_help[] =
	"Usage: " PROGRAM_NAME " client list [OPTION]...\n"
	"List the paired agents and what each may do.\n"
	"\n" CLIENTS_COMMON_HELP "\n"
	"The gateway may run. Exit codes: 0 listed; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_list(const struct owner_command_call *call,
				  const struct json *result)
{
	client_table_print(json_member(result, "clients"));
	return EXIT_CODE_OK;
}

const struct command cmd_clients = {
	.name = "clients",
	.title = "client list",
	.group = COMMAND_AGENTS,
	.summary = "list the paired agents",
	.example = "client list",
	.owner = {
		.help = cmd_clients_list_help,
		.print = cmd_clients_print_list,
	},
};

/* pair */

static const char cmd_clients_pair_help[] =
	"Usage: " PROGRAM_NAME " pair [OPTION]... NAME\n"
	"       " PROGRAM_NAME " pair [OPTION]... [--wait] [--code CODE] [NAME]\n"
	"Create a token for the agent NAME and print it, once, with what the agent needs.\n"
	"By default, the agent may read and send. With both codes and send, its messages\n"
	"to new recipients need your approval, unless --ask says otherwise.\n"
	"\n"
	"Without NAME, pair the computer that asks for it: it has opened /pair on the\n"
	"gateway's URL and shows a code of six digits. You type the code here, see who\n"
	"asks, and approve; the computer then gets the token. NAME is then another name\n"
	"for it than the one that it gave itself.\n"
	"\n"
	"  --wait           open that page to the network, for ten minutes at most,\n"
	"                   print its URL, and wait for a computer\n"
	"  --code CODE      approve the computer that shows CODE, without more questions\n" CLIENTS_PERMISSIONS_HELP
		CLIENTS_PAIRING_HELP CLIENTS_COMMON_HELP "\n"
	"The gateway may run, and must for a computer that asks. Exit codes: 0 paired;\n"
	"1 failed, or not approved; 2 wrong options.\n";

static int cmd_clients_print_paired(const struct owner_command_call *call,
				    const struct json *result)
{
	cmd_clients_print_named(result, " may now use this gateway.\n");
	if (!json_member(result, "token")) { /* the computer that has asked shows it */
		client_table_print_one(json_member(result, "client"));
		cmd_clients_explain_asking(call, json_member(result, "client"));
		return EXIT_CODE_OK;
	}
	cmd_clients_print_pairing(call, result);
	return EXIT_CODE_OK;
}

static const struct owner_command_option cmd_clients_pair_options[] = {
	CLIENTS_PERMISSION_OPTIONS,
	CLIENTS_PAIRING_OPTIONS,
	{ .name = "wait", .is_flag = true, .is_local = true },
	{ .name = "code", .is_local = true },
	{ NULL }
};

const struct command cmd_pair = {
	.name = "pair",
	.group = COMMAND_AGENTS,
	.summary = "give an agent a token",
	.example = "pair --scope read,send --ask new-recipients laptop",
	.owner = {
		.help = cmd_clients_pair_help,
		.options = cmd_clients_pair_options,
		.operand = "name",
		.operand_is_optional = true,
		.check = cmd_clients_check_name,
		.add = pair_request_add,
		.print = cmd_clients_print_paired,
		.fix_if_lost =
			"It may be paired, with a token that was never shown: check with "
			PROGRAM_NAME " client list, then run " PROGRAM_NAME " client rotate NAME",
	},
};

/* change */

static const char cmd_clients_change_help[] =
	"Usage: " PROGRAM_NAME " client set OPTION... NAME\n"
	"Change what the agent NAME may do. Permissions that are not given stay as they\n"
	"are. Changes apply immediately.\n"
	"\n" CLIENTS_PERMISSIONS_HELP CLIENTS_COMMON_HELP "\n"
	"Exit codes: 0 changed; 1 failed; 2 wrong options.\n";

static int cmd_clients_print_changed(const struct owner_command_call *call,
				     const struct json *result)
{
	cmd_clients_print_named(result, " may now do this:\n");
	client_table_print_one(json_member(result, "client"));
	return EXIT_CODE_OK;
}

static const struct owner_command_option cmd_clients_change_options[] = {
	CLIENTS_PERMISSION_OPTIONS, { NULL }
};

const struct command cmd_change = {
	.name = "change",
	.title = "client set",
	.group = COMMAND_AGENTS,
	.summary = "change what an agent may do",
	.example = "client set --allow '+36201234567,+3630*' laptop",
	.owner = {
		.help = cmd_clients_change_help,
		.options = cmd_clients_change_options,
		.operand = "name",
		.print = cmd_clients_print_changed,
	},
};

/* rotate */

static const char cmd_clients_rotate_help[] =
	"Usage: " PROGRAM_NAME " client rotate [OPTION]... NAME\n"
	"Create a new token for the agent NAME and print it as \"pair\" does. The old one\n"
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

static const struct owner_command_option cmd_clients_rotate_options[] = {
	CLIENTS_PAIRING_OPTIONS, { NULL }
};

const struct command cmd_rotate = {
	.name = "rotate",
	.title = "client rotate",
	.group = COMMAND_AGENTS,
	.summary = "give an agent a new token",
	.example = "client rotate laptop",
	.owner = {
		.help = cmd_clients_rotate_help,
		.options = cmd_clients_rotate_options,
		.operand = "name",
		.print = cmd_clients_print_rotated,
		.fix_if_lost = "It may have a new token that was never shown: run this again",
	},
};

/* revoke */

static const char cmd_clients_revoke_help[] =
	"Usage: " PROGRAM_NAME " client revoke [OPTION]... NAME\n"
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
		       "all sending: " PROGRAM_NAME " pause\n",
		       (long long)waiting);
	if (!json_member(result, "kept"))
		return EXIT_CODE_OK;
	printf("This holds only until the gateway stops, because it could not be written "
	       "to disk.\nFree space, then run again: " PROGRAM_NAME
	       " client revoke %s\n",
	       call->operand);
	return EXIT_CODE_FAILED;
}

static const struct owner_command_option cmd_clients_revoke_options[] = {
	{ .name = "cancel", .is_flag = true }, { NULL }
};

const struct command cmd_revoke = {
	.name = "revoke",
	.title = "client revoke",
	.group = COMMAND_AGENTS,
	.summary = "revoke an agent's access",
	.example = "client revoke --cancel laptop",
	.owner = {
		.help = cmd_clients_revoke_help,
		.options = cmd_clients_revoke_options,
		.operand = "name",
		.print = cmd_clients_print_revoked,
	},
};
