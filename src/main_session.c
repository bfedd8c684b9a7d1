/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp-session: shows the owner's desktop what waits for approval.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "base/event_loop.h"
#include "bus/bus.h"
#include "session/desktop.h"

/* Exit codes, as those of ofono-mcp. */
enum { MAIN_SESSION_OK = 0, MAIN_SESSION_FAILED = 1, MAIN_SESSION_USAGE = 2 };

static const char main_session_help[] =
	"Usage: ofono-mcp-session [OPTION]...\n"
	"Show what agents want to send as notifications of the desktop, with buttons to\n"
	"approve or reject it, and tell the gateway who is in the desktop's address\n"
	"books, so that agents see names. The user must be in the group ofono-mcp, which\n"
	"may decide about agents: sudo adduser USER ofono-mcp. systemd starts it with\n"
	"the session.\n"
	"\n"
	"  --control SOCKET  the gateway's control socket; default:\n"
	"                    " DESKTOP_CONTROL_SOCKET "\n"
	"  --state FILE      keeps what is in the phone's messages; default:\n"
	"                    \"seen\" in STATE_DIRECTORY\n"
	"  --received        show incoming messages, too\n"
	"  --no-contacts     tell the gateway nothing of the desktop's address books\n"
	"  --version         print the version\n"
	"  --help            show this help\n"
	"\n"
	"Exit codes: 0 stopped by a signal; 1 failed; 2 wrong options.\n";

/* Returns -1 to go on, else the exit code. */
static int main_session_read_options(int argc, char **argv,
				     struct desktop_options *options)
{
	static const struct option rows[] = { { "control", required_argument, NULL, 'c' },
					      { "state", required_argument, NULL, 's' },
					      { "received", no_argument, NULL, 'r' },
					      { "no-contacts", no_argument, NULL, 'n' },
					      { "version", no_argument, NULL, 'v' },
					      { "help", no_argument, NULL, 'h' },
					      { 0 } };

	for (int option; (option = getopt_long(argc, argv, "h", rows, NULL)) != -1;) {
		if (option == 'c')
			options->control_socket = optarg;
		else if (option == 's')
			options->state_file = optarg;
		else if (option == 'r')
			options->shows_received = true;
		else if (option == 'n')
			options->hides_contacts = true;
		else if (option == 'v')
			return puts("ofono-mcp-session " OFONO_MCP_VERSION) < 0;
		else if (option == 'h')
			return fputs(main_session_help, stdout) < 0;
		else
			return MAIN_SESSION_USAGE;
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "ofono-mcp-session: unexpected argument \"%s\"\n", argv[optind]);
	return MAIN_SESSION_USAGE;
}

/* Writes the address of the session's bus; false if nothing names it. */
static bool main_session_find_bus(char *address, size_t bytes)
{
	const char *given = getenv("DBUS_SESSION_BUS_ADDRESS");
	const char *folder = getenv("XDG_RUNTIME_DIR");

	if (given && *given)
		snprintf(address, bytes, "%s", given);
	else if (folder && *folder)
		snprintf(address, bytes, "unix:path=%s/bus", folder);
	else
		return false;
	return true;
}

/* Under systemd; otherwise nothing is kept unless --state says where. */
static void main_session_find_state(struct desktop_options *options, char *path,
				    size_t bytes)
{
	const char *folder = getenv("STATE_DIRECTORY");

	if (options->state_file || !folder || !*folder)
		return;
	snprintf(path, bytes, "%s/seen", folder);
	options->state_file = path;
}

int main(int argc, char **argv)
{
	char session_bus[512], state_file[4096];
	struct desktop_options options = {
		.control_socket = DESKTOP_CONTROL_SOCKET,
		.session_bus = session_bus,
		.system_bus = bus_default_address(),
	};
	int code = main_session_read_options(argc, argv, &options);
	struct desktop *desktop = NULL;
	sd_event *loop;

	if (code >= 0)
		return code;
	if (!main_session_find_bus(session_bus, sizeof(session_bus))) {
		fputs("ofono-mcp-session: there is no desktop session: neither "
		      "DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set\n",
		      stderr);
		return MAIN_SESSION_FAILED;
	}
	main_session_find_state(&options, state_file, sizeof(state_file));
	loop = event_loop_new();
	if (!loop || desktop_new(loop, &options, &desktop) < 0) {
		fputs("ofono-mcp-session: out of memory\n", stderr);
		sd_event_unref(loop);
		return MAIN_SESSION_FAILED;
	}
	code = event_loop_run(loop) ? MAIN_SESSION_OK : MAIN_SESSION_FAILED;
	desktop_free(desktop);
	sd_event_unref(loop);
	return code;
}
