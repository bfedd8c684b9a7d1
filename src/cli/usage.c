/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/usage.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/failing.h"
#include "cli/nearly.h"

enum { TEXT_BYTES = 1024, NAME_BYTES = 32, SHORTEST_JSON = 3 };

/* Of this process. */
static struct {
	char command[NAME_BYTES];
	bool json;
} usage;

/* Known before the options are read, for one of them may be what is wrong. */
static bool asks_for_json(int argc, char **argv)
{
	for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++) {
		size_t length = strlen(argv[at]);

		if (length >= SHORTEST_JSON && strncmp("--json", argv[at], length) == 0)
			return true;
	}
	return false;
}

void usage_begin(int argc, char **argv)
{
	snprintf(usage.command, sizeof(usage.command), "%s", argv[0]);
	usage.json = asks_for_json(argc, argv);
}

int usage_fail(const char *format, ...)
{
	char message[TEXT_BYTES], fix[2 * NAME_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	snprintf(fix, sizeof(fix), "Try: ofono-mcp %s --help", usage.command);
	failing_make_valid(message);
	if (usage.json)
		failing_write("invalid_argument", message, fix);
	fprintf(stderr, "ofono-mcp %s: %s\n%s\n", usage.command, message, fix);
	return EXIT_CODE_USAGE;
}

int usage_fail_config(const char *message)
{
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s", message);
	failing_make_valid(text);
	if (usage.json)
		failing_write("invalid_configuration", text, "");
	fprintf(stderr, "ofono-mcp %s: %s\n", usage.command, text);
	return EXIT_CODE_USAGE;
}

/* "--s" -> "--scope or --sim"; "" where none begins so. */
static void list_meant(const char *given, const struct option *options,
		       char text[TEXT_BYTES])
{
	size_t given_length = strlen(given), length = 0;

	*text = '\0';
	for (; options->name && length < TEXT_BYTES; options++) {
		if (strncmp(options->name, given, given_length) == 0)
			length += (size_t)snprintf(text + length, TEXT_BYTES - length,
						   "%s--%s", length ? " or " : "",
						   options->name);
	}
}

/* NULL: none is. */
static const char *find_near(const char *given, const struct option *options)
{
	for (; options->name; options++) {
		if (nearly(given, options->name))
			return options->name;
	}
	return NULL;
}

/* getopt_long() gave '?'. */
static void fail_option(const char *given, const struct option *options)
{
	char meant[TEXT_BYTES];
	const char *near;

	if (strncmp(given, "--", 2) == 0 && optopt) {
		usage_fail("%.*s takes no value", (int)strcspn(given, "="), given);
		return;
	}
	if (optopt) {
		usage_fail("there is no option -%c", optopt);
		return;
	}
	list_meant(given + 2, options, meant);
	near = find_near(given + 2, options);
	if (*meant)
		usage_fail("%s can mean %s", given, meant);
	else if (near)
		usage_fail("there is no option %s; the nearest is --%s", given, near);
	else
		usage_fail("there is no option %s", given);
}

int usage_next_option(int argc, char **argv, const struct option *options)
{
	int code;

	opterr = 0;
	optopt = 0;
	code = getopt_long(argc, argv, ":", options, NULL);
	if (code == '?')
		fail_option(argv[optind - 1], options);
	if (code != ':')
		return code;
	usage_fail("%s takes a value", argv[optind - 1]);
	return '?';
}
