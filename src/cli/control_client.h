/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control client: has the gateway run one of the owner's commands.
 *
 * If no gateway runs, this program runs the command itself, on the message store and under its
 * lock (tests/integration/test_control.py). A gateway that is starting or stopping holds the
 * lock without serving its socket: this waits for it, CONTROL_CLIENT_LOCK_WAIT_MS at most.
 */
#ifndef CLI_CONTROL_CLIENT_H
#define CLI_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct explanation;

enum {
	CONTROL_CLIENT_LOCK_WAIT_MS = 5000,
	CONTROL_CLIENT_TIMEOUT_S = 180, /* tools take 120 s at most */
};

struct control_client_request {
	const struct config *config;
	const char *command; /* "status" */
	const char *line;    /* gateway/control_call.h; without a line feed */
	size_t length;
	/* Receives each line of the answer, without its line feed. False: stop. */
	bool (*on_line)(void *data, const char *line, size_t length);
	/* Called for each second without a line; or NULL. */
	void (*on_second)(void *data);
	void *data;
	unsigned timeout_s; /* for the next line; 0: CONTROL_CLIENT_TIMEOUT_S */
	bool is_endless;    /* no timeout */
	bool *was_sent;	    /* set when the gateway may have begun the command; or NULL */
	bool *timed_out;    /* set after a timeout; or NULL */
};

/* False: no complete answer; the error's text says why. */
bool control_client_run(const struct control_client_request *request,
			struct explanation *error);

/*
 * Makes root act as the owner of the state folder, until the process ends: the gateway could not
 * open files that root creates there. Does nothing for other users or without such a folder.
 * False, with the error's text: failed.
 */
bool control_client_become_owner(const char *folder, struct explanation *error);

#endif
