/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Oddity: what oFono says and nobody understands, or has room for. Whoever makes it say that
 * a thousand times fills no log: of each kind one line a second, with how many were left out
 * (tests/integration/test_forks.py). Private to src/ofono.
 */
#ifndef OFONO_ODDITY_H
#define OFONO_ODDITY_H

enum oddity {
	ODDITY_MODEM,
	ODDITY_NOBODY, /* a signal of no modem */
	ODDITY_MESSAGE,
	ODDITY_STATE, /* of a message */
	ODDITY_REPORT,
	ODDITY_BROADCAST,
	ODDITY_LAST = ODDITY_BROADCAST,
};

__attribute__((format(printf, 2, 3))) void oddity_log(enum oddity oddity,
						      const char *format, ...);

#endif
