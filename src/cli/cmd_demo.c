/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp demo: a complete gateway to try, without a phone.
 * The demo is a Python program that uses the emulated modems of our tests. It is in
 * share/ofono-mcp beside the bin folder of this program, or, in a source tree, in
 * "tests" beside "build". This command checks that everything is there that it needs,
 * then replaces itself with it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"

#define PYTHON "/usr/bin/python3"
#define AGAIN  "ofono-mcp demo --port "

enum {
	PORT_TEXT_BYTES = 8,
	PACKAGES_BYTES = 128,
};

static const char cmd_demo_help[] =
	"Usage: ofono-mcp demo [OPTION]...\n"
	"Run a gateway to try, without a phone: a private D-Bus, the real ofonod, two\n"
	"emulated modems with SIM cards, and this program. It shows an agent that sends a\n"
	"message, prints lines to paste for your own agents, and shows what they send,\n"
	"until Ctrl-C. It changes nothing on this machine, sends nothing and leaves\n"
	"nothing behind. It needs no root where users may create user namespaces.\n"
	"\n"
	"  --port PORT  serve on 127.0.0.1:PORT (default 9531)\n"
	"  --once       end after the first message; with --json, when it has started\n"
	"  --json       for programs: one object per line, \"up\" with the URL, \"sms\" for\n"
	"               each message that a modem was given to send, \"ended\"; sends no\n"
	"               message of its own\n"
	"  --help       show this help\n"
	"\n"
	"Exit codes: 0 ended normally; 1 failed; 2 wrong options.\n";

struct cmd_demo_arguments {
	const char *port;
	bool once;
	bool json;
};

/* Requirements */

/* ofonod is in /usr/sbin, which is not in every user's PATH. */
static void cmd_demo_widen_path(void)
{
	const char *path = getenv("PATH");
	char wide[PATH_MAX];

	if (snprintf(wide, sizeof(wide), "%s:/usr/sbin:/sbin",
		     path && *path ? path : "/usr/bin:/bin") < (int)sizeof(wide))
		setenv("PATH", wide, 1);
}

static bool cmd_demo_is_in_path(const char *program)
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

/* Returns true if Python finds its module "dbus". */
static bool cmd_demo_has_python_dbus(const char *unused)
{
	pid_t child = fork();
	int status = 1;

	if (child == 0) {
		execl(PYTHON, PYTHON, "-I", "-c",
		      "import importlib.util as u, sys; sys.exit(not u.find_spec('dbus'))",
		      (char *)NULL);
		_exit(1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool cmd_demo_has_python(const char *file)
{
	return access(file, X_OK) == 0;
}

static const struct cmd_demo_need {
	const char *package;
	bool (*is_met)(const char *name);
	const char *name;
} needs[] = {
	{ "python3", cmd_demo_has_python, PYTHON },
	{ "python3-dbus", cmd_demo_has_python_dbus, NULL },
	{ "ofono", cmd_demo_is_in_path, "ofonod" },
	{ "dbus-daemon", cmd_demo_is_in_path, "dbus-daemon" },
	{ "util-linux", cmd_demo_is_in_path, "unshare" },
};

/* Lists " python3 ofono"; "" if there is none. */
static void cmd_demo_list_missing(char packages[PACKAGES_BYTES])
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

static int cmd_demo_fail_missing(const char *packages)
{
	char fix[2 * PACKAGES_BYTES];

	snprintf(fix, sizeof(fix), "Install them%s apt install --no-install-recommends%s",
		 cmd_demo_is_in_path("sudo") ? ": sudo" : ", as root:", packages);
	return options_report_failure("missing_packages", fix,
				      "these Debian packages are missing:%s", packages);
}

/* Finding the demo */

/* Returns false if it is unknown. */
static bool cmd_demo_find_program(char program[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);

	if (length < 0)
		return false;
	program[length] = '\0';
	return true;
}

/* Returns false if it is not found. */
static bool cmd_demo_find_folder(const char *program, char folder[PATH_MAX])
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

/* Returns only after an error. */
static void cmd_demo_exec(const struct cmd_demo_arguments *arguments, const char *program,
			  const char *folder)
{
	char as_root[PATH_MAX + 16], demo[PATH_MAX + 16];
	const char *words[] = { as_root,  PYTHON,	   "-B", demo, "--again", AGAIN,
				"--port", arguments->port, NULL, NULL, NULL };
	size_t count = 8;

	snprintf(as_root, sizeof(as_root), "%s/as-root", folder);
	snprintf(demo, sizeof(demo), "%s/demo/demo.py", folder);
	if (arguments->once)
		words[count++] = "--once";
	if (arguments->json)
		words[count++] = "--json";
	setenv("GATEWAY_BINARY", program, 1);
	execv(as_root, (char *const *)words);
}

static int cmd_demo_start(const struct cmd_demo_arguments *arguments)
{
	char program[PATH_MAX], folder[PATH_MAX], packages[PACKAGES_BYTES];

	cmd_demo_widen_path();
	cmd_demo_list_missing(packages);
	if (*packages)
		return cmd_demo_fail_missing(packages);
	if (cmd_demo_find_program(program) && cmd_demo_find_folder(program, folder))
		cmd_demo_exec(arguments, program, folder);
	return options_report_failure(
		"not_installed",
		"Install all of ofono-mcp: make install, or the Debian package",
		"the demo is not installed beside this program (%m)");
}

static bool cmd_demo_is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	long port = digits && digits < PORT_TEXT_BYTES && !text[digits]
			    ? strtol(text, NULL, 10)
			    : 0;

	return port >= 1 && port <= 65535;
}

static int cmd_demo_run(int argc, char **argv)
{
	struct cmd_demo_arguments arguments = { .port = "9531" };
	const struct options_row rows[] = {
		{ "port", .text = &arguments.port },
		{ "once", .flag = &arguments.once },
		{ "json", .flag = &arguments.json },
		{ NULL },
	};
	const struct options_table table = { cmd_demo_help, rows };
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	if (!cmd_demo_is_port(arguments.port))
		return options_fail("--port takes a number from 1 to 65535");
	return cmd_demo_start(&arguments);
}

const struct command cmd_demo = {
	.name = "demo",
	.group = COMMAND_SETUP,
	.summary = "try a gateway with emulated modems",
	.example = "demo --once",
	.run = cmd_demo_run,
};
