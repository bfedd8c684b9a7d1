/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lockout: what becomes of those who send wrong tokens.
 *
 * Each wrong token within a minute is answered later than the one before; after the fifth,
 * wrong tokens of that source get 429 for a minute, then for two, and so on. A right token is
 * always taken, and clears what was counted: nobody can shut a client out by failing from
 * its address. Guesses are not what this stops, a token has 256 bits; it keeps
 * those who try from costing much, and tells the owner (doc/security.md,
 * tests/unit/test_lockout.c,
 * tests/integration/test_network.py::test_wrong_tokens_wait_and_then_are_told_for_how_long).
 *
 * A source is an IPv4 address or an IPv6 /64. Loopback is exempt: every program of the
 * machine has that address.
 */
#ifndef HTTP_LOCKOUT_H
#define HTTP_LOCKOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/address.h"
#include "base/log_pace.h"

enum {
	LOCKOUT_SOURCES_MAX =
		64, /* of more, the one that failed longest ago is forgotten */
	LOCKOUT_TOKENS = 5,
	LOCKOUT_WINDOW_MS = 60 * 1000,
	LOCKOUT_FIRST_MS = 60 * 1000,
	LOCKOUT_MOST_MS = 15 * 60 * 1000,
	LOCKOUT_DELAY_MS = 100, /* of the first; the fifth waits 1.6 s */
};

struct lockout_source {
	struct address_source who;
	int64_t wrong_ms[LOCKOUT_TOKENS]; /* a ring: when */
	unsigned wrong_count;		  /* written into it so far */
	int64_t failed_ms;		  /* last; 0: unused */
	int64_t until_ms;		  /* 429 until then */
	int64_t length_ms;		  /* of the last lockout; 0: none */
};

/* all zero at first; embedded in its owner */
struct lockout {
	struct lockout_source sources[LOCKOUT_SOURCES_MAX];
	struct log_pace pace;
	bool has_failed; /* somebody, since the start */
};

struct lockout_verdict {
	unsigned delay_ms;	      /* before the 401 */
	unsigned retry_after_seconds; /* not 0: answer 429 */
};

/* `peer` sent a token that is no client's; logs "auth failure from ADDRESS". */
struct lockout_verdict lockout_wrong(struct lockout *lockout,
				     const struct sockaddr *peer);
/* ... and this one was right. */
void lockout_right(struct lockout *lockout, const struct sockaddr *peer);

#endif
