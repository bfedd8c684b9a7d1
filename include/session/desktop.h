/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Desktop: what the owner's desktop shows of the gateway.
 *
 * Each message and webhook that waits for approval is a notification with the whole text and
 * with the buttons Approve and Reject; it goes away when it is decided anywhere. What the user
 * approves is the revision that the notification showed, it must have been there for
 * DESKTOP_READ_MS, and the screen must not be locked. A message whose text a notification may cut
 * has no buttons (tests/integration/test_session.py).
 *
 * A gateway that cannot send, or that is away, is a notification once, until that is over.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

/* Where the package's gateway has it. */
#define DESKTOP_CONTROL_SOCKET "/run/ofono-mcp/control"

struct desktop;

enum {
	DESKTOP_READ_MS = 500, /* nobody reads a message faster than this */
	/* a text that every desktop shows as a whole, and the narrowest lines */
	DESKTOP_TEXT_LINES = 15,
	DESKTOP_LINE_CHARACTERS = 40,
	DESKTOP_SHOWN_MAX = 20, /* approvals that are shown at once */
};

struct desktop_options {
	const char *control_socket;
	const char *session_bus, *system_bus; /* addresses */
	const char *state_file;		      /* what it has dealt with; NULL for none */
	bool shows_received;		      /* incoming messages, too */
	bool hides_contacts; /* tells the gateway nothing of the address books */
};

/* Returns 0 or -errno. */
int desktop_new(sd_event *loop, const struct desktop_options *options,
		struct desktop **desktop_out);
void desktop_free(struct desktop *desktop); /* NULL is fine */
