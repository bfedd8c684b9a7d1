/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp serve: options, configuration, then the daemon.
 *
 * The command line wins over the file; --listen replaces the file's addresses.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/usage.h"
#include "config/config.h"
#include "gateway/gateway.h"
#include "http/tls.h"
#include "mcp/tool_set.h"
#include "tools/tool_table.h"

static const char help[] =
	"Usage: ofono-mcp serve [OPTION]...\n"
	"Run the gateway in the foreground until SIGTERM or SIGINT; SIGHUP makes\n"
	"it read its configuration again.\n"
	"\n"
	"  --config FILE          read FILE; else, where it is there,\n"
	"                         " CONFIG_DEFAULT_PATH "\n"
	"  --listen ADDRESS:PORT  serve there (default 127.0.0.1:9531);\n"
	"                         may stand several times\n"
	"  --state-dir DIR        keep messages and clients in DIR\n"
	"  --open                 ask for no token; only where all addresses are\n"
	"                         loopback\n"
	"  --verbose              log more, with whole phone numbers\n"
	"  --check-config         check options and configuration, then exit\n"
	"  --print-config         print the configuration as it would be used,\n"
	"                         then exit\n"
	"  --help                 this text\n"
	"\n"
	"The bus is the system bus, or DBUS_SYSTEM_BUS_ADDRESS.\n"
	"Exit codes: 0 ended as asked; 1 could not start or broke;\n"
	"2 wrong options or configuration.\n";

enum option_code {
	OPTION_CONFIG = 1,
	OPTION_LISTEN,
	OPTION_STATE_DIR,
	OPTION_OPEN,
	OPTION_VERBOSE,
	OPTION_CHECK,
	OPTION_PRINT,
	OPTION_HELP,
};

static const struct option options[] = {
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
	const char *key;   /* what the option sets, NULL: nothing in the configuration */
	const char *value; /* NULL: the option's argument */
	const char *name;
} settings[] = {
	[OPTION_LISTEN] = { "server.listen", NULL, "--listen" },
	[OPTION_OPEN] = { "server.open", "yes", "--open" },
	[OPTION_VERBOSE] = { "log.verbose", "yes", "--verbose" },
	[OPTION_HELP] = { NULL },
};

enum mode { MODE_RUN, MODE_CHECK, MODE_PRINT, MODE_HELP, MODE_WRONG };

/* What a start is told by. */
struct telling {
	int argc;
	char **argv;
	const char *file;      /* NULL: the default one */
	const char *state_dir; /* NULL: the configured one */
};

/* What is to be done, and with which files. Settings are left for a second reading. */
static enum mode read_mode(int argc, char **argv, struct telling *telling)
{
	enum mode mode = MODE_RUN;
	int option;

	while ((option = usage_next_option(argc, argv, options)) != -1) {
		if (option == OPTION_HELP)
			return MODE_HELP;
		if (option == '?')
			return MODE_WRONG;
		if (option == OPTION_CONFIG)
			telling->file = optarg;
		if (option == OPTION_STATE_DIR)
			telling->state_dir = optarg;
		if (option == OPTION_CHECK)
			mode = MODE_CHECK;
		if (option == OPTION_PRINT)
			mode = MODE_PRINT;
	}
	if (optind == argc)
		return mode;
	usage_fail("unexpected argument %s", argv[optind]);
	return MODE_WRONG;
}

static int apply_options(int argc, char **argv, struct config *config,
			 struct explanation *error_out)
{
	bool listen_given = false;
	int option, error = 0;

	optind = 1;
	while (error == 0 &&
	       (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
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

static int check_tools(const struct config *config, struct explanation *error_out)
{
	const char *name;
	size_t length;

	if (tool_set_check_names(tool_table, &config->hidden_tools, &name, &length))
		return 0;
	snprintf(error_out->text, sizeof(error_out->text),
		 "server.hidden_tools: there is no tool \"%.*s\"", (int)length, name);
	return -EINVAL;
}

static int load(const void *data, struct config *config, struct explanation *error_out)
{
	const struct telling *telling = data;
	int error = config_load_for(config, telling->file, telling->state_dir, error_out);

	if (error == 0)
		error = apply_options(telling->argc, telling->argv, config, error_out);
	if (error == 0)
		error = config_check(config, error_out);
	if (error == 0)
		error = check_tools(config, error_out);
	return error;
}

/* Of files that the configuration names, what the start would refuse. */
static int check(const struct config *config)
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

static int run_serve(int argc, char **argv)
{
	struct explanation problem = { "" };
	struct telling telling = { argc, argv, NULL, NULL };
	const struct config_source source = { load, &telling };
	struct config config;
	enum mode mode = read_mode(argc, argv, &telling);

	if (mode == MODE_HELP) {
		fputs(help, stdout);
		return EXIT_CODE_OK;
	}
	if (mode == MODE_WRONG)
		return EXIT_CODE_USAGE;
	if (load(&telling, &config, &problem) != 0) {
		fprintf(stderr, "ofono-mcp: %s\n", problem.text);
		return EXIT_CODE_USAGE;
	}
	if (mode == MODE_CHECK)
		return check(&config);
	if (mode == MODE_PRINT) {
		config_print(&config, stdout);
		return EXIT_CODE_OK;
	}
	/* What a core would hold, doc/security.md tells; root can still look in. */
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		log_warning("a crash may write a core file: %s", strerror(errno));
	log_set_level(config.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	return gateway_run(&config, &source);
}

const struct command command_serve = {
	.name = "serve",
	.summary = "run the gateway",
	.run = run_serve,
};
