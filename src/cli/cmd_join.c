/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp join, leave: puts this phone into a fleet, and takes it out again.
 *
 * join pairs the client "hub" (a new token if it is paired already), writes the configuration of
 * ofono-mcp-link, and starts its unit.  The token goes into that file and nowhere else.  leave
 * stops the unit, revokes the client and removes the files.  The link is a program and a package
 * of its own; this one needs no library for it.
 */
#include <errno.h>
#include <pwd.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/explanation.h"
#include "base/json_reader.h"
#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "fleet/link_config.h"
#include "gateway/paired_client.h"

#define CMD_JOIN_CLIENT	 "hub"
#define CMD_JOIN_SCOPES	 "read,send,codes,ussd,call,hub"
#define CMD_JOIN_CA_PATH LINK_CONFIG_FOLDER "/ca.pem"
#define CMD_JOIN_UNIT	 "ofono-mcp-link.service"

enum { CMD_JOIN_LINE_BYTES = 256 };

extern char **environ;

struct cmd_join_arguments {
	struct options_store store;
	const char *scopes;
};

/* The gateway's answer. The texts live in the arena. */
struct cmd_join_answer {
	struct arena *arena;
	const struct json *result, *error;
};

static bool cmd_join_on_line(void *data, const char *line, size_t length)
{
	struct cmd_join_answer *answer = data;
	const struct json *root = NULL;

	if (json_reader_read(answer->arena, line, length, &root) != 0)
		return true;
	answer->result = json_member(root, "result");
	answer->error = json_member(root, "error");
	return !answer->result && !answer->error;
}

/* Returns false, after reporting it, if there is no answer. */
static bool cmd_join_ask(const struct config *config, const char *command,
			 const char *line, struct cmd_join_answer *answer)
{
	struct explanation error = { "" };
	const struct control_client_request request = {
		.config = config,
		.command = command,
		.line = line,
		.length = strlen(line),
		.on_line = cmd_join_on_line,
		.data = answer,
	};

	answer->result = answer->error = NULL;
	if (control_client_run(&request, &error) && (answer->result || answer->error))
		return true;
	options_report_failure("gateway", "Check with: " PROGRAM_NAME " status", "%s",
			       error.text[0] ? error.text : "the gateway did not answer");
	return false;
}

/* Returns 0, or an exit code after reporting. Pairs the client, or gives it a new token. */
static int cmd_join_pair(const struct config *config, const char *scopes,
			 struct cmd_join_answer *answer)
{
	char line[CMD_JOIN_LINE_BYTES];

	snprintf(line, sizeof(line),
		 "{\"command\":\"pair\",\"arguments\":{\"name\":\"" CMD_JOIN_CLIENT
		 "\",\"scope\":\"%s\",\"ask\":\"never\"}}",
		 scopes);
	if (!cmd_join_ask(config, "pair", line, answer))
		return EXIT_CODE_FAILED;
	if (answer->error &&
	    strcmp(json_field_text(answer->error, "code"), "exists") == 0 &&
	    !cmd_join_ask(config, "rotate",
			  "{\"command\":\"rotate\",\"arguments\":{\"name\":"
			  "\"" CMD_JOIN_CLIENT "\"}}",
			  answer))
		return EXIT_CODE_FAILED;
	if (!answer->error)
		return 0;
	return options_report_failure(json_field_text(answer->error, "code"),
				      json_field_text(answer->error, "fix"), "%s",
				      json_field_text(answer->error, "message"));
}

/* The loopback address without TLS among the gateway's URLs. Returns false if there is none. */
static bool cmd_join_find_gateway(const struct json *urls,
				  char gateway[LINK_CONFIG_GATEWAY_BYTES])
{
	json_foreach (url, urls) {
		const char *host = url->text + strlen("http://");

		if (strncmp(url->text, "http://127.", strlen("http://127.")) != 0 &&
		    strncmp(url->text, "http://[::1]", strlen("http://[::1]")) != 0)
			continue;
		snprintf(gateway, LINK_CONFIG_GATEWAY_BYTES, "%.*s",
			 (int)strcspn(host, "/"), host);
		return true;
	}
	return false;
}

/*
 * systemctl's own words go to standard error. Returns false if there is no systemd, or systemctl
 * failed.
 */
static bool cmd_join_systemctl(char *verb)
{
	char program[] = "systemctl", now[] = "--now", unit[] = CMD_JOIN_UNIT;
	char *arguments[] = { program, verb, now, unit, NULL };
	int status = -1;
	pid_t pid;

	if (access("/run/systemd/system", F_OK) < 0)
		return false;
	/* A link that runs already reads what is new. */
	if (strcmp(verb, "restart") == 0)
		arguments[2] = unit, arguments[3] = NULL;
	return posix_spawnp(&pid, program, NULL, NULL, arguments, environ) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

/* Returns false if the owner has to start it. */
static bool cmd_join_start_unit(void)
{
	char enable[] = "enable", restart[] = "restart";

	return cmd_join_systemctl(enable) && cmd_join_systemctl(restart);
}

/* Returns false if memory runs out, with --json only. */
static bool cmd_join_print(const struct cmd_join_arguments *arguments,
			   const struct join_code *code, bool is_started)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer;

	if (arguments->store.json) {
		writer = json_field_begin(&text);
		if (!writer)
			return false;
		json_put_string(writer, "fleet", code->prefix);
		json_put_string(writer, "broker", code->host);
		json_put_string(writer, "phone", code->phone);
		json_put_string(writer, "client", CMD_JOIN_CLIENT);
		json_put_boolean(writer, "link_started", is_started);
		return json_field_end(writer, &text);
	}
	printf("This phone joins the fleet \"%s\" at %s as \"%s\".\n"
	       "The client \"" CMD_JOIN_CLIENT
	       "\" may use it; within its limits: " PROGRAM_NAME " client list\n",
	       code->prefix, code->host, code->phone);
	puts(is_started ? "The link is started. To see whether it is "
			  "connected: " PROGRAM_NAME " status"
			: "Start the link now, as user " LINK_CONFIG_USER
			  ": ofono-mcp-link");
	return true;
}

/* Returns 0, or an exit code after reporting. */
static int cmd_join_write(const struct join_code *code, const char *gateway,
			  const char *token, const struct passwd *user)
{
	struct link_config config = { .join = *code };
	int error = 0;

	snprintf(config.gateway, sizeof(config.gateway), "%s", gateway);
	snprintf(config.token, sizeof(config.token), "%s", token);
	if (code->ca[0]) {
		snprintf(config.ca_file, sizeof(config.ca_file), "%s", CMD_JOIN_CA_PATH);
		error = link_config_write_file(CMD_JOIN_CA_PATH, code->ca, user->pw_uid,
					       user->pw_gid);
	}
	if (!error)
		error = link_config_write(LINK_CONFIG_DEFAULT_PATH, &config, user->pw_uid,
					  user->pw_gid);
	explicit_bzero(&config, sizeof(config));
	if (!error)
		return 0;
	return options_report_failure("file",
				      "Free space or check permissions, then join again",
				      LINK_CONFIG_FOLDER ": %s", strerror(-error));
}

static int cmd_join_with(const struct config *config,
			 const struct cmd_join_arguments *arguments,
			 const struct join_code *code, const struct passwd *user)
{
	struct cmd_join_answer answer = { .arena = arena_new(CONTROL_ARENA_MAX) };
	char gateway[LINK_CONFIG_GATEWAY_BYTES];
	int exit_code = EXIT_CODE_FAILED;

	if (!answer.arena)
		return options_report_failure("memory", "Try again later",
					      "out of memory");
	exit_code = cmd_join_pair(config, arguments->scopes, &answer);
	/* Without a gateway, the command ran here, as the user of its store. */
	if (!exit_code && geteuid() != 0)
		exit_code = options_report_failure(
			"gateway", "Start it, and join again: systemctl start ofono-mcp",
			"the gateway is not running");
	if (!exit_code &&
	    !cmd_join_find_gateway(json_field_list(answer.result, "urls"), gateway))
		exit_code = options_report_failure(
			"no_loopback",
			"Add 127.0.0.1:9531 to listen, and set "
			"tls_loopback = no, under [server] in the "
			"configuration; restart the gateway, and join again",
			"the gateway answers on no loopback address without TLS, which the link uses");
	if (!exit_code)
		exit_code = cmd_join_write(code, gateway,
					   json_field_text(answer.result, "token"), user);
	arena_wipe(answer.arena);
	if (!exit_code && !cmd_join_print(arguments, code, cmd_join_start_unit()))
		exit_code = options_report_failure("memory", "The phone has joined",
						   "out of memory");
	return exit_code;
}

/*
 * Returns NULL, after reporting it, if the caller is not root, or the package of the link is
 * missing.
 */
static const struct passwd *cmd_join_find_user(void)
{
	const struct passwd *user = getpwnam(LINK_CONFIG_USER);

	if (geteuid() != 0)
		options_report_failure("root", "Run it with sudo",
				       "only root may join or leave a fleet");
	else if (!user || access(LINK_CONFIG_FOLDER, F_OK) < 0)
		options_report_failure("no_link",
				       "Install it: apt install ofono-mcp-link",
				       "ofono-mcp-link is not installed");
	else
		return user;
	return NULL;
}

static const char cmd_join_help[] =
	"Usage: " PROGRAM_NAME " join [OPTION]... [CODE]\n"
	"Put this phone into a fleet: a hub then uses its SIMs through an MQTT broker.\n"
	"On the hub, \"ofono-mcp-hub enrol NAME\" prints the code, which works once.\n"
	"Needs root, and the package ofono-mcp-link.\n"
	"\n"
	"Without CODE, it asks for the code on a terminal, without showing it, or reads a\n"
	"line of standard input. As an argument it is visible to other users, and stays\n"
	"in the shell's history.\n"
	"\n"
	"  --scope LIST     what the hub may do here; default:\n"
	"                   " CMD_JOIN_SCOPES "\n" OPTIONS_STORE_HELP
	"  --json           as a JSON object\n" OPTIONS_HELP_HELP "\n"
	"The limits of this phone apply to the hub as to any client.\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options or code.\n";

/* Returns 0, or an exit code after reporting. `given` is the operand, or NULL. */
static int cmd_join_read_code(const char *given, struct join_code *code)
{
	char text[JOIN_CODE_MAX + 1];
	const char *wrong;

	if (!given && !secret_read("Code from the hub: ", text, sizeof(text)))
		return options_fail("no code was entered");
	wrong = join_code_read(given ? given : text, code);
	explicit_bzero(text, sizeof(text));
	return wrong ? options_fail("%s", wrong) : 0;
}

static int cmd_join_run(int argc, char **argv)
{
	struct cmd_join_arguments arguments = { .scopes = CMD_JOIN_SCOPES };
	const struct options_row rows[] = { { "scope", .text = &arguments.scopes },
					    OPTIONS_STORE_ROWS(&arguments.store),
					    { 0 } };
	const struct options_table table = { cmd_join_help, rows, 0, 1 };
	const struct passwd *user;
	struct join_code code = { 0 };
	struct config config;
	int exit_code;

	if (!options_read(&table, argc, argv, &exit_code))
		return exit_code;
	if (strspn(arguments.scopes, "abcdefghijklmnopqrstuvwxyz,") !=
		    strlen(arguments.scopes) ||
	    strlen(arguments.scopes) > CMD_JOIN_LINE_BYTES / 2)
		return options_fail("\"%s\" is not a list of scopes", arguments.scopes);
	exit_code = options_load(&arguments.store, &config);
	if (exit_code)
		return exit_code;
	user = cmd_join_find_user();
	if (!user)
		return EXIT_CODE_FAILED;
	exit_code = cmd_join_read_code(optind < argc ? argv[optind] : NULL, &code);
	if (!exit_code)
		exit_code = cmd_join_with(&config, &arguments, &code, user);
	explicit_bzero(&code, sizeof(code));
	return exit_code;
}

const struct command cmd_join = {
	.name = "join",
	.group = COMMAND_SETUP,
	.summary = "put this phone into a fleet",
	.example = "join < code.txt",
	.run = cmd_join_run,
};

/* leave */

static const char cmd_join_leave_help[] =
	"Usage: " PROGRAM_NAME " leave [OPTION]...\n"
	"Take this phone out of its fleet: stop the link, revoke the client \"hub\", and\n"
	"delete the link's key. On the hub, \"ofono-mcp-hub expel NAME\" forgets the\n"
	"phone. Needs root.\n"
	"\n" OPTIONS_STORE_HELP "  --json           as a JSON object\n" OPTIONS_HELP_HELP
	"\n"
	"Exit codes: 0 done; 1 failed; 2 wrong options.\n";

static bool cmd_join_print_left(bool json)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer;

	if (!json) {
		puts("This phone no longer belongs to a fleet.");
		return true;
	}
	writer = json_field_begin(&text);
	if (!writer)
		return false;
	json_put_string(writer, "revoked", CMD_JOIN_CLIENT);
	return json_field_end(writer, &text);
}

static int cmd_join_revoke(const struct config *config)
{
	struct cmd_join_answer answer = { .arena = arena_new(CONTROL_ARENA_MAX) };
	int exit_code = EXIT_CODE_FAILED;

	if (!answer.arena)
		return options_report_failure("memory", "Try again later",
					      "out of memory");
	if (cmd_join_ask(config, "revoke",
			 "{\"command\":\"revoke\",\"arguments\":{\"name\":"
			 "\"" CMD_JOIN_CLIENT "\"}}",
			 &answer))
		exit_code = EXIT_CODE_OK; /* it may have been revoked before */
	arena_free(answer.arena);
	return exit_code;
}

static int cmd_join_run_leave(int argc, char **argv)
{
	struct options_store store = { 0 };
	const struct options_row rows[] = { OPTIONS_STORE_ROWS(&store), { 0 } };
	const struct options_table table = { cmd_join_leave_help, rows, 0, 0 };
	char disable[] = "disable";
	struct config config;
	int exit_code;

	if (!options_read(&table, argc, argv, &exit_code))
		return exit_code;
	exit_code = options_load(&store, &config);
	if (exit_code)
		return exit_code;
	if (!cmd_join_find_user())
		return EXIT_CODE_FAILED;
	cmd_join_systemctl(disable);
	if ((unlink(LINK_CONFIG_DEFAULT_PATH) < 0 && errno != ENOENT) ||
	    (unlink(CMD_JOIN_CA_PATH) < 0 && errno != ENOENT))
		return options_report_failure("file", "Delete it by hand",
					      LINK_CONFIG_FOLDER ": %s", strerror(errno));
	exit_code = cmd_join_revoke(&config);
	if (!exit_code && !cmd_join_print_left(store.json))
		exit_code = options_report_failure("memory", "The phone has left",
						   "out of memory");
	return exit_code;
}

const struct command cmd_leave = {
	.name = "leave",
	.group = COMMAND_SETUP,
	.summary = "take this phone out of its fleet",
	.example = "leave",
	.run = cmd_join_run_leave,
};
