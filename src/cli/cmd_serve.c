/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp serve: options and configuration, then the daemon.
 * The command line overrides the file, also after a reload; --listen replaces the
 * file's addresses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/explanation.h"
#include "base/log.h"
#include "cli/command.h"
#include "config/config.h"
#include "gateway/gateway.h"
#include "http/tls.h"
#include "mcp/tool_set.h"
#include "tools/tool_table.h"

static const char cmd_serve_help[] =
	"Usage: " PROGRAM_NAME " serve [OPTION]...\n"
	"Run the gateway in the foreground until SIGTERM or SIGINT. SIGHUP reloads the\n"
	"configuration.\n"
	"\n"
	"  --config FILE          configuration file (default, if it exists:\n"
	"                         " CONFIG_DEFAULT_PATH ")\n"
	"  --listen ADDRESS:PORT  listen there (default 127.0.0.1:" PROGRAM_PORT
	"); may be repeated\n"
	"  --state-dir DIR        state folder, with messages and clients\n"
	"  --open                 require no token; only if all addresses are loopback\n"
	"  --verbose              log more, with complete phone numbers\n"
	"  --check-config         check options and configuration, then exit\n"
	"  --print-config         print the resulting configuration, then exit\n"
	"  --help                 show this help\n"
	"\n"
	"Exit codes: 0 stopped normally; 1 failed to start, or broke;\n"
	"2 wrong options or configuration.\n";

struct cmd_serve_arguments {
	struct options_store files;
	const char *listen[CONFIG_LIST_MAX + 1]; /* one more shows that it is too many */
	unsigned listen_count;
	bool open, verbose, checks, prints;
};

static const char *cmd_serve_read_listen(void *data, const char *value)
{
	struct cmd_serve_arguments *arguments = data;

	if (arguments->listen_count <= CONFIG_LIST_MAX)
		arguments->listen[arguments->listen_count++] = value;
	return NULL;
}

static int cmd_serve_apply_options(const struct cmd_serve_arguments *arguments,
				   struct config *config, struct explanation *error_out)
{
	int error = 0;

	if (arguments->listen_count)
		config_list_clear(&config->listen);
	for (unsigned at = 0; !error && at < arguments->listen_count; at++)
		error = config_set(config, "server.listen", arguments->listen[at],
				   "--listen", error_out);
	if (!error && arguments->open)
		error = config_set(config, "server.open", "yes", "--open", error_out);
	if (!error && arguments->verbose)
		error = config_set(config, "log.verbose", "yes", "--verbose", error_out);
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
	int error = config_load_for(config, arguments->files.file,
				    arguments->files.state_dir, error_out);

	if (error == 0)
		error = cmd_serve_apply_options(arguments, config, error_out);
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
	struct tls tls = { 0 };

	if (*config->tls_certificate && tls_load(&tls, config, &problem) < 0)
		return options_fail_configuration(&problem);
	tls_unload(&tls);
	puts("The configuration is good.");
	return EXIT_CODE_OK;
}

static int cmd_serve_run(int argc, char **argv)
{
	struct cmd_serve_arguments arguments = { .listen_count = 0 };
	const struct options_row rows[] = {
		{ "config", .text = &arguments.files.file },
		{ "listen", .read = cmd_serve_read_listen, .data = &arguments },
		OPTIONS_STATE_DIR_ROW(&arguments.files),
		{ "open", .flag = &arguments.open },
		{ "verbose", .flag = &arguments.verbose },
		{ "check-config", .flag = &arguments.checks },
		{ "print-config", .flag = &arguments.prints },
		{ NULL },
	};
	const struct options_table table = { cmd_serve_help, rows };
	const struct gateway_config_source source = { cmd_serve_load, &arguments };
	struct explanation problem = { "" };
	struct config config;
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	if (cmd_serve_load(&arguments, &config, &problem) != 0)
		return options_fail_configuration(&problem);
	if (arguments.checks)
		return cmd_serve_check(&config);
	if (arguments.prints) {
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
	.group = COMMAND_SETUP,
	.summary = "run the gateway",
	.example = "serve --listen 127.0.0.1:" PROGRAM_PORT,
	.run = cmd_serve_run,
};
