/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp-link: lets a hub reach the gateway of this phone through an MQTT broker.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/event_loop.h"
#include "base/log.h"
#include "fleet/link_config.h"
#include "link/link.h"

/* Exit codes, as those of ofono-mcp. */
enum { MAIN_LINK_OK = 0, MAIN_LINK_FAILED = 1, MAIN_LINK_USAGE = 2 };

static const char main_link_help[] =
	"Usage: ofono-mcp-link [OPTION]...\n"
	"Let a hub reach the gateway of this phone through an MQTT broker. systemd starts\n"
	"it; \"sudo ofono-mcp join CODE\" sets it up.\n"
	"\n"
	"  --config FILE  the configuration that \"ofono-mcp join\" wrote; default:\n"
	"                 " LINK_CONFIG_DEFAULT_PATH "\n"
	"  --state FILE   the file in which to show the state; default:\n"
	"                 " LINK_CONFIG_STATE_PATH "\n"
	"  --version      print the version\n"
	"  --help         show this help\n"
	"\n"
	"Exit codes: 0 stopped by a signal; 1 failed; 2 wrong options or configuration.\n";

struct main_link_options {
	const char *config, *state;
};

/* Returns -1 to go on, else the exit code. */
static int main_link_read_options(int argc, char **argv,
				  struct main_link_options *options)
{
	static const struct option rows[] = { { "config", required_argument, NULL, 'c' },
					      { "state", required_argument, NULL, 's' },
					      { "version", no_argument, NULL, 'v' },
					      { "help", no_argument, NULL, 'h' },
					      { 0 } };

	for (int option; (option = getopt_long(argc, argv, "h", rows, NULL)) != -1;) {
		if (option == 'c')
			options->config = optarg;
		else if (option == 's')
			options->state = optarg;
		else if (option == 'v')
			return puts("ofono-mcp-link " OFONO_MCP_VERSION) < 0;
		else if (option == 'h')
			return fputs(main_link_help, stdout) < 0;
		else
			return MAIN_LINK_USAGE;
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "ofono-mcp-link: unexpected argument \"%s\"\n", argv[optind]);
	return MAIN_LINK_USAGE;
}

static int main_link_run(sd_event *loop, const struct main_link_options *options)
{
	char error[LINK_CONFIG_ERROR_BYTES];
	struct link_config config;
	struct link *link;
	int code;

	if (link_config_read(options->config, &config, error)) {
		fprintf(stderr,
			"ofono-mcp-link: %s: %s.\nTo join a fleet: sudo ofono-mcp join CODE\n",
			options->config, error);
		return MAIN_LINK_USAGE;
	}
	link = link_new(loop, &config, options->config, options->state, error);
	explicit_bzero(&config, sizeof(config));
	if (!link) {
		fprintf(stderr, "ofono-mcp-link: %s\n", error);
		return MAIN_LINK_FAILED;
	}
	code = event_loop_run(loop) ? MAIN_LINK_OK : MAIN_LINK_FAILED;
	link_free(link);
	return code;
}

int main(int argc, char **argv)
{
	struct main_link_options options = { LINK_CONFIG_DEFAULT_PATH,
					     LINK_CONFIG_STATE_PATH };
	int code = main_link_read_options(argc, argv, &options);
	sd_event *loop;

	if (code >= 0)
		return code;
	umask(022); /* anybody may read the state; the configuration has a mode of its own */
	loop = event_loop_new();
	if (!loop) {
		fputs("ofono-mcp-link: out of memory\n", stderr);
		return MAIN_LINK_FAILED;
	}
	code = main_link_run(loop, &options);
	sd_event_unref(loop);
	return code;
}
