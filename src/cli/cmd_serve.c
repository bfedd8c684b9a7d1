/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp serve: options and configuration, then the daemon.
 * The command line overrides the file; --listen replaces the file's addresses. The
 * options are read twice: first for the mode and the files, then, on top of the file,
 * for the settings. A reload repeats the second reading.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/explanation.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/options.h"
#include "config/config.h"
#include "gateway/gateway.h"
#include "http/tls.h"
#include "mcp/tool_set.h"
#include "tools/tool_table.h"

static const char cmd_serve_help[] =
	"Usage: ofono-mcp serve [OPTION]...\n"
	"Run the gateway in the foreground until SIGTERM or SIGINT. SIGHUP reloads the\n"
	"configuration.\n"
	"\n"
	"  --config FILE          configuration file (default, if it exists:\n"
	"                         " CONFIG_DEFAULT_PATH ")\n"
	"  --listen ADDRESS:PORT  listen there (default 127.0.0.1:9531); may be "
	"repeated\n"
	"  --state-dir DIR        state folder, with messages and clients\n"
	"  --open                 require no token; only if all addresses are loopback\n"
	"  --verbose              log more, with complete phone numbers\n"
	"  --check-config         check options and configuration, then exit\n"
	"  --print-config         print the resulting configuration, then exit\n"
	"  --help                 show this help\n"
	"\n"
	"The bus is the system bus, or DBUS_SYSTEM_BUS_ADDRESS.\n"
	"Exit codes: 0 stopped normally; 1 failed to start, or broke;\n"
	"2 wrong options or configuration.\n";

enum cmd_serve_option {
	OPTION_CONFIG = 1,
	OPTION_LISTEN,
	OPTION_STATE_DIR,
	OPTION_OPEN,
	OPTION_VERBOSE,
	OPTION_CHECK,
	OPTION_PRINT,
	OPTION_HELP,
};

static const struct option cmd_serve_options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "listen", required_argument, NULL, OPTION_LISTEN },
	{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
	{ "open", no_argument, NULL, OPTION_OPEN },
	{ "verbose", no_argument, NULL, OPTION_VERBOSE },
	{ "check-config", no_argument, NULL, OPTION_CHECK },
	{ "print-config", no_argument, NULL, OPTION_PRINT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *key;   /* set by the option; NULL: none */
	const char *value; /* NULL: the option's argument */
	const char *name;
} settings[] = {
	[OPTION_LISTEN] = { "server.listen", NULL, "--listen" },
	[OPTION_OPEN] = { "server.open", "yes", "--open" },
	[OPTION_VERBOSE] = { "log.verbose", "yes", "--verbose" },
	[OPTION_HELP] = { NULL },
};

enum cmd_serve_mode { MODE_RUN, MODE_CHECK, MODE_PRINT, MODE_HELP, MODE_WRONG };

/* What the configuration is loaded from. */
struct cmd_serve_arguments {
	int argc;
	char **argv;
	const char *file;      /* NULL: the default file */
	const char *state_dir; /* NULL: the configured folder */
};

/* The first reading of the options: the mode and the files. */
static enum cmd_serve_mode cmd_serve_read_mode(int argc, char **argv,
					       struct cmd_serve_arguments *arguments)
{
	enum cmd_serve_mode mode = MODE_RUN;
	int option;

	while ((option = options_next(argc, argv, cmd_serve_options)) != -1) {
		if (option == OPTION_HELP)
			return MODE_HELP;
		if (option == '?')
			return MODE_WRONG;
		if (option == OPTION_CONFIG)
			arguments->file = optarg;
		if (option == OPTION_STATE_DIR)
			arguments->state_dir = optarg;
		if (option == OPTION_CHECK)
			mode = MODE_CHECK;
		if (option == OPTION_PRINT)
			mode = MODE_PRINT;
	}
	if (optind == argc)
		return mode;
	options_fail("unexpected argument \"%s\"", argv[optind]);
	return MODE_WRONG;
}

static int cmd_serve_apply_options(int argc, char **argv, struct config *config,
				   struct explanation *error_out)
{
	bool listen_given = false;
	int option, error = 0;

	optind = 1;
	while (error == 0 &&
	       (option = getopt_long(argc, argv, "", cmd_serve_options, NULL)) != -1) {
		if (option == OPTION_LISTEN && !listen_given) {
			config_list_clear(&config->listen);
			listen_given = true;
		}
		if (settings[option].key)
			error = config_set(config, settings[option].key,
					   settings[option].value ? settings[option].value
								  : optarg,
					   settings[option].name, error_out);
	}
	return error;
}

static int cmd_serve_check_tools(const struct config *config,
				 struct explanation *error_out)
{
	const char *name;
	size_t length;

	if (tool_set_check_names(tool_table, &config->hidden_tools, &name, &length))
		return 0;
	snprintf(error_out->text, sizeof(error_out->text),
		 "server.hidden_tools: there is no tool \"%.*s\"", (int)length, name);
	return -EINVAL;
}

static int cmd_serve_load(const void *data, struct config *config,
			  struct explanation *error_out)
{
	const struct cmd_serve_arguments *arguments = data;
	int error =
		config_load_for(config, arguments->file, arguments->state_dir, error_out);

	if (error == 0)
		error = cmd_serve_apply_options(arguments->argc, arguments->argv, config,
						error_out);
	if (error == 0)
		error = config_check(config, error_out);
	if (error == 0)
		error = cmd_serve_check_tools(config, error_out);
	return error;
}

/* Checks the files named in the configuration, as a start would. */
static int cmd_serve_check(const struct config *config)
{
	struct explanation problem = { "" };

	if (*config->tls_certificate && tls_load(config, &problem) < 0) {
		fprintf(stderr, "ofono-mcp: %s\n", problem.text);
		return EXIT_CODE_USAGE;
	}
	tls_unload();
	puts("The configuration is good.");
	return EXIT_CODE_OK;
}

static int cmd_serve_run(int argc, char **argv)
{
	struct explanation problem = { "" };
	struct cmd_serve_arguments arguments = { argc, argv, NULL, NULL };
	const struct gateway_config_source source = { cmd_serve_load, &arguments };
	struct config config;
	enum cmd_serve_mode mode = cmd_serve_read_mode(argc, argv, &arguments);

	if (mode == MODE_HELP) {
		fputs(cmd_serve_help, stdout);
		return EXIT_CODE_OK;
	}
	if (mode == MODE_WRONG)
		return EXIT_CODE_USAGE;
	if (cmd_serve_load(&arguments, &config, &problem) != 0) {
		fprintf(stderr, "ofono-mcp: %s\n", problem.text);
		return EXIT_CODE_USAGE;
	}
	if (mode == MODE_CHECK)
		return cmd_serve_check(&config);
	if (mode == MODE_PRINT) {
		config_print(&config, stdout);
		return EXIT_CODE_OK;
	}
	/*
	 * doc/security.md says what a core file would hold. Root can still debug the
	 * process.
	 */
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		log_warning("a crash may write a core file: %s", strerror(errno));
	log_set_level(config.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	return gateway_run(&config, &source);
}

const struct command cmd_serve = {
	.name = "serve",
	.summary = "run the gateway",
	.run = cmd_serve_run,
};
