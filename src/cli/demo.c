/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp demo: a whole gateway to try, without a phone.
 *
 * The demo itself is a program in Python with the emulated modems of our tests. It stands in
 * share/ofono-mcp beside bin, where this program is installed, wherever that is; in the
 * tree it is "tests", beside "build". This command looks whether all is there that it needs,
 * and becomes it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/failing.h"
#include "cli/usage.h"

#define PYTHON "/usr/bin/python3"
#define AGAIN  "ofono-mcp demo --port "

enum {
	PORT_TEXT_BYTES = 8,
	PACKAGES_BYTES = 128,
	OPTION_PORT = 1,
	OPTION_ONCE,
	OPTION_JSON,
	OPTION_HELP,
};

static const char help[] =
	"Usage: ofono-mcp demo [OPTION]...\n"
	"Run a gateway to try, without a phone: a private D-Bus, the real ofonod, two\n"
	"emulated modems with SIM cards, and this program. It shows an agent that sends "
	"a\n"
	"message, prints lines to paste for agents of your own, and shows what they "
	"send,\n"
	"until Ctrl-C. Nothing of the machine is touched, nothing is sent, and nothing "
	"is\n"
	"left. It needs no root where users may make user namespaces.\n"
	"\n"
	"  --port PORT  serve on 127.0.0.1:PORT, 9531 when left out\n"
	"  --once       end after the first message; with --json, when it is up\n"
	"  --json       for programs: an object a line, \"up\" with the URL, \"sms\" "
	"for\n"
	"               each message that a modem was given to send, \"ended\"; no "
	"message\n"
	"               of its own\n"
	"  --help       this text\n"
	"\n"
	"Exit codes: 0 ended as asked; 1 it could not start, or broke; 2 wrong "
	"options.\n";

static const struct option options[] = {
	{ "port", required_argument, NULL, OPTION_PORT },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct asked {
	const char *port;
	bool once;
	bool json;
};

/* What it needs */

/* "/usr/sbin", where ofonod is, is not in everybody's path. */
static void widen_path(void)
{
	const char *path = getenv("PATH");
	char wide[PATH_MAX];

	if (snprintf(wide, sizeof(wide), "%s:/usr/sbin:/sbin",
		     path && *path ? path : "/usr/bin:/bin") < (int)sizeof(wide))
		setenv("PATH", wide, 1);
}

static bool is_in_path(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path && *path) {
		int length = (int)strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", length, path, program);
		if (access(file, X_OK) == 0)
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* Python knows its module "dbus". */
static bool has_python_dbus(const char *unused)
{
	pid_t child = fork();
	int status = 1;

	(void)unused;
	if (child == 0) {
		execl(PYTHON, PYTHON, "-I", "-c",
		      "import importlib.util as u, sys; sys.exit(not "
		      "u.find_spec('dbus'))",
		      (char *)NULL);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool has_python(const char *file)
{
	return access(file, X_OK) == 0;
}

static const struct need {
	const char *package;
	bool (*is_met)(const char *name);
	const char *name;
} needs[] = {
	{ "python3", has_python, PYTHON },
	{ "python3-dbus", has_python_dbus, NULL },
	{ "ofono", is_in_path, "ofonod" },
	{ "dbus-daemon", is_in_path, "dbus-daemon" },
	{ "util-linux", is_in_path, "unshare" },
};

/* " python3 ofono"; "" none. */
static void list_missing(char packages[PACKAGES_BYTES])
{
	size_t length = 0;

	*packages = '\0';
	for (size_t at = 0; at < sizeof(needs) / sizeof(needs[0]); at++) {
		if (!needs[at].is_met(needs[at].name))
			length += (size_t)snprintf(packages + length,
						   PACKAGES_BYTES - length, " %s",
						   needs[at].package);
	}
}

static int fail_missing(const struct asked *asked, const char *packages)
{
	char fix[2 * PACKAGES_BYTES];
	const struct failing failing = { "demo", "missing_packages", fix, asked->json };

	snprintf(fix, sizeof(fix), "Install them%s apt install --no-install-recommends%s",
		 is_in_path("sudo") ? ": sudo" : ", as root:", packages);
	return failing_tell(&failing, "these Debian packages are missing:%s", packages);
}

/* Where it is */

/* False: it cannot be told. */
static bool find_program(char program[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);

	if (length < 0)
		return false;
	program[length] = '\0';
	return true;
}

/* False: it is not there. */
static bool find_folder(const char *program, char folder[PATH_MAX])
{
	static const char *const places[] = { "../share/ofono-mcp", "../tests" };
	int length = (int)(strrchr(program, '/') - program);
	char file[PATH_MAX + 16];

	for (size_t at = 0; at < sizeof(places) / sizeof(places[0]); at++) {
		if (snprintf(folder, PATH_MAX, "%.*s/%s", length, program, places[at]) >=
		    PATH_MAX)
			continue;
		snprintf(file, sizeof(file), "%s/demo/demo.py", folder);
		if (access(file, R_OK) == 0)
			return true;
	}
	return false;
}

/* Only returns when it could not. */
static void become(const struct asked *asked, const char *program, const char *folder)
{
	char as_root[PATH_MAX + 16], demo[PATH_MAX + 16];
	const char *words[] = { as_root,  PYTHON,      "-B", demo, "--again", AGAIN,
				"--port", asked->port, NULL, NULL, NULL };
	size_t count = 8;

	snprintf(as_root, sizeof(as_root), "%s/as-root", folder);
	snprintf(demo, sizeof(demo), "%s/demo/demo.py", folder);
	if (asked->once)
		words[count++] = "--once";
	if (asked->json)
		words[count++] = "--json";
	setenv("GATEWAY_BINARY", program, 1);
	execv(as_root, (char *const *)words);
}

static int run_it(const struct asked *asked)
{
	const struct failing absent = {
		"demo", "not_installed",
		"Install ofono-mcp as a whole: make install, or the Debian package",
		asked->json
	};
	char program[PATH_MAX], folder[PATH_MAX], packages[PACKAGES_BYTES];

	widen_path();
	list_missing(packages);
	if (*packages)
		return fail_missing(asked, packages);
	if (find_program(program) && find_folder(program, folder))
		become(asked, program, folder);
	return failing_tell(&absent, "the demo is not beside this program (%m)");
}

static bool is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	long port = digits && digits < PORT_TEXT_BYTES && !text[digits]
			    ? strtol(text, NULL, 10)
			    : 0;

	return port >= 1 && port <= 65535;
}

static int run_demo(int argc, char **argv)
{
	struct asked asked = { .port = "9531" };
	int option;

	while ((option = usage_next_option(argc, argv, options)) != -1) {
		if (option == '?')
			return EXIT_CODE_USAGE;
		if (option == OPTION_HELP) {
			fputs(help, stdout);
			return EXIT_CODE_OK;
		}
		if (option == OPTION_PORT)
			asked.port = optarg;
		asked.once |= option == OPTION_ONCE;
		asked.json |= option == OPTION_JSON;
	}
	if (optind < argc)
		return usage_fail("that is one argument too many");
	if (!is_port(asked.port))
		return usage_fail("--port takes a number between 1 and 65535");
	return run_it(&asked);
}

const struct command command_demo = {
	.name = "demo",
	.summary = "run a gateway to try, with emulated modems",
	.run = run_demo,
};
