/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modem choice: which modems a person means, and all of them on their way on or off at once.
 *
 * A name is the path of a modem in oFono, with or without its first slash, or the last part
 * of it, or "all"; no name at all means the only one.
 */
#ifndef CLI_MODEM_CHOICE_H
#define CLI_MODEM_CHOICE_H

#include "cli/switching.h"

enum { MODEM_CHOICE_MAX = 32, MODEM_CHOICE_TEXT_BYTES = 1024 };

struct modem_choice {
	struct switching all[MODEM_CHOICE_MAX];
	unsigned count;
};

/* What is wrong with the names. */
struct modem_choice_flaw {
	const char *code;
	char message[MODEM_CHOICE_TEXT_BYTES];
	char fix[MODEM_CHOICE_TEXT_BYTES];
};

/* False, and `flaw` tells. Else each is begun, and modem_choice_end() is due. */
bool modem_choice_begin(struct modem_choice *choice, struct ofono *ofono, char **names,
			int count, const struct switching_wish *wish,
			struct modem_choice_flaw *flaw);
void modem_choice_end(struct modem_choice *choice);

#endif
