/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask gateway: has a command of the owner done by the gateway that runs, or, when none does,
 * by this program on the store, under its lock (tests/integration/test_control.py).
 *
 * A gateway that is just starting or stopping has the lock and no socket: it is waited for.
 */
#ifndef CLI_ASK_GATEWAY_H
#define CLI_ASK_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct explanation;

enum {
	ASK_GATEWAY_PATIENCE_MS = 5000,
	ASK_GATEWAY_SILENCE_S =
		180, /* longer than any command takes: tools wait for 120 s at most */
};

struct gateway_question {
	const struct config *config;
	const char *command; /* "status" */
	const char *line;    /* see gateway/control_call.h; without a line feed */
	size_t length;
	/* Each line of the answer, without its line feed, in order. False: no more. */
	bool (*told)(void *data, const char *line, size_t length);
	/* Of each second in which there is none. NULL: nobody cares. */
	void (*second)(void *data);
	void *data;
	unsigned
		silence_s; /* for so long it is waited for the next line; 0: ASK_GATEWAY_SILENCE_S */
	bool is_endless; /* ... for ever */
	bool *was_asked; /* set when it may have begun to do it; NULL: nobody cares */
	bool *is_silent; /* set when it was silent for longer; NULL: nobody cares */
};

/* False: nobody answered to the end; the error's text tells why. */
bool ask_gateway(const struct gateway_question *question, struct explanation *error);

#endif
