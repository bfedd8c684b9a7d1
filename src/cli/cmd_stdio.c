/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp stdio: MCP over standard input and output, for clients that start a program.
 *
 * On the phone itself it needs no token: it goes through the control socket, whose permission is
 * its group's (gateway/command.h).  With --url it reaches a gateway elsewhere, as the client
 * whose token it is given in a file or in the environment, and never in an argument, which every
 * user can see.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/explanation.h"
#include "base/log.h"
#include "base/regular_file.h"
#include "base/utf8.h"
#include "bridge/bridge.h"
#include "cli/command.h"
#include "config/config.h"
#include "gateway/control.h"

#define CMD_STDIO_TOKEN_VARIABLE "OFONO_MCP_TOKEN"

enum { CMD_STDIO_SENDERS_BYTES = 512 };

static const char cmd_stdio_help[] =
	"Usage: " PROGRAM_NAME " stdio [OPTION]...\n"
	"Speak MCP on standard input and output, for clients that start a program,\n"
	"such as Claude Desktop. Messages are passed to the gateway, answers back, one\n"
	"per line.\n"
	"\n"
	"Without --url it uses the gateway of this machine. That needs no token, only the\n"
	"right to use the control socket: root, or the socket's group. The gateway knows\n"
	"it as local:USER; see " PROGRAM_NAME " client list and " PROGRAM_NAME
	" client set.\n"
	"\n"
	"  --url URL          a gateway elsewhere, as \"" PROGRAM_NAME
	" pair\" prints it\n"
	"  --token-file FILE  its token; default: the variable OFONO_MCP_TOKEN\n"
	"  --ca-file FILE     a certificate to trust, in PEM form\n"
	"  --channel SENDERS  preview: messages from these phone numbers, separated by\n"
	"                     commas, reach a running session of Claude Code\n"
	"  --config FILE      the gateway's configuration (default, if it exists:\n"
	"                     " CONFIG_DEFAULT_PATH ")\n"
	"  --state-dir DIR    folder of the message store\n"
	"  --help             show this help\n"
	"\n"
	"A client may start it through ssh: ssh phone " PROGRAM_NAME " stdio\n"
	"\n"
	"Exit codes: 0 the input ended, or a signal came; 1 failed; 2 wrong options.\n";

struct cmd_stdio_arguments {
	struct options_store store;
	const char *url, *token_file, *ca_file, *channel;
};

/* What the bridge's options point to. */
struct cmd_stdio_place {
	char url[BRIDGE_TARGET_URL_BYTES];
	char token[BRIDGE_TARGET_TOKEN_BYTES]; /* "" if there is none */
	struct sockaddr_un socket;
	char senders[CMD_STDIO_SENDERS_BYTES]; /* each with its NUL */
};

static int cmd_stdio_read_token_file(const char *path, struct cmd_stdio_place *place)
{
	char text[BRIDGE_TARGET_TOKEN_BYTES + 2];
	const char *error;
	struct stat status;
	ssize_t length;
	int fd = regular_file_open(path, &status);

	if (fd < 0)
		return options_fail("%s: %s", path,
				    fd == -EINVAL ? "it is not a regular file"
						  : strerror(-fd));
	if (status.st_mode & (S_IRWXG | S_IRWXO))
		log_warning("stdio: other users may read %s: chmod 600", path);
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	error = bridge_target_read_token(text, place->token);
	explicit_bzero(text, sizeof(text));
	return error ? options_fail("%s %s", path, error) : 0;
}

static int cmd_stdio_find_token(const struct cmd_stdio_arguments *arguments,
				struct cmd_stdio_place *place)
{
	const char *value = getenv(CMD_STDIO_TOKEN_VARIABLE);
	const char *error;

	if (arguments->token_file)
		return cmd_stdio_read_token_file(arguments->token_file, place);
	if (!value || !*value)
		return 0;
	error = bridge_target_read_token(value, place->token);
	return error ? options_fail(CMD_STDIO_TOKEN_VARIABLE " %s", error) : 0;
}

static int cmd_stdio_take_url(const char *url, struct cmd_stdio_place *place)
{
	const char *error = bridge_target_read_url(url, place->url);

	return error ? options_fail("--url %s", error) : 0;
}

static int cmd_stdio_find_socket(const struct cmd_stdio_arguments *arguments,
				 struct cmd_stdio_place *place)
{
	struct explanation error = { "" };
	struct config config;
	int code = options_load(&arguments->store, &config);

	if (code)
		return code;
	snprintf(place->url, sizeof(place->url), "http://localhost/mcp");
	if (control_socket_address(&config, &place->socket, &error))
		return 0;
	return options_report_failure("not_reachable", "Choose a shorter path", "%s",
				      error.text);
}

/* Takes a comma-separated list. */
static int cmd_stdio_take_senders(const char *list, struct cmd_stdio_place *place,
				  struct bridge_options *options)
{
	char *rest = place->senders, *sender;

	if (strlen(list) >= sizeof(place->senders) || !utf8_valid(list, strlen(list)))
		return options_fail("--channel takes phone numbers, comma-separated");
	strcpy(place->senders, list);
	while ((sender = strsep(&rest, ","))) {
		sender += strspn(sender, " ");
		if (!*sender || options->sender_count == BRIDGE_SENDERS_MAX)
			return options_fail(
				"--channel takes 1 to %d phone numbers, comma-separated",
				BRIDGE_SENDERS_MAX);
		options->senders[options->sender_count++] = sender;
	}
	return 0;
}

static int cmd_stdio_start(const struct cmd_stdio_arguments *arguments)
{
	struct cmd_stdio_place place = { "" };
	struct bridge_options options = { .url = place.url,
					  .ca_file = arguments->ca_file };
	int error = arguments->url ? cmd_stdio_take_url(arguments->url, &place)
				   : cmd_stdio_find_socket(arguments, &place);

	if (!error && arguments->channel)
		error = cmd_stdio_take_senders(arguments->channel, &place, &options);
	if (!error && arguments->url)
		error = cmd_stdio_find_token(arguments, &place);
	if (error)
		return error;
	options.socket_path = arguments->url ? NULL : place.socket.sun_path;
	options.token = *place.token ? place.token : NULL;
	error = bridge_run(&options);
	explicit_bzero(&place, sizeof(place));
	if (!error)
		return EXIT_CODE_OK;
	return options_report_failure(
		"failed",
		error == -ELIBACC ? "Install libcurl: apt install libcurl3-gnutls"
				  : "Check the memory and the limits of files",
		"the bridge could not begin: %s", strerror(-error));
}

static int cmd_stdio_run(int argc, char **argv)
{
	struct cmd_stdio_arguments arguments = { 0 };
	const struct options_row rows[] = {
		{ "url", .text = &arguments.url },
		{ "token-file", .text = &arguments.token_file },
		{ "ca-file", .text = &arguments.ca_file },
		{ "channel", .text = &arguments.channel },
		{ "config", .text = &arguments.store.file },
		OPTIONS_STATE_DIR_ROW(&arguments.store),
		{ NULL },
	};
	const struct options_table table = { cmd_stdio_help, rows };
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	if (arguments.url && (arguments.store.file || arguments.store.state_dir))
		return options_fail("--url is for a gateway elsewhere: it needs no "
				    "--config or --state-dir");
	if (!arguments.url && (arguments.token_file || arguments.ca_file))
		return options_fail("--token-file and --ca-file belong to --url");
	return cmd_stdio_start(&arguments);
}

const struct command cmd_stdio = {
	.name = "stdio",
	.group = COMMAND_AGENTS,
	.summary = "speak MCP on standard input and output",
	.example = "stdio --url https://192.168.1.20:" PROGRAM_PORT
		   "/mcp --token-file token",
	.run = cmd_stdio_run,
};
