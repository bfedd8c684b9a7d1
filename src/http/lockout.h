/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lockout: slows down addresses that send wrong tokens.
 *
 * Each wrong token within a minute is answered later than the one before. After the fifth, wrong
 * tokens from that source get 429 for one minute, then for two, and so on. A right token is always
 * accepted and clears the count, so nobody can lock a client out by failing from its address.
 *
 * This does not stop guessing, which is hopeless anyway: a token has 256 bits. It keeps failing
 * clients cheap and visible to the owner (doc/security.md, tests/unit/test_lockout.c,
 * tests/integration/test_network.py::test_wrong_tokens_are_delayed_and_then_refused).
 *
 * A source is an IPv4 address or an IPv6 /64. Loopback is exempt, because every program on this
 * machine has that address.
 */
#ifndef HTTP_LOCKOUT_H
#define HTTP_LOCKOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/address.h"
#include "base/log.h"

enum {
	LOCKOUT_SOURCES_MAX = 64, /* a new one replaces the one that failed longest ago */
	LOCKOUT_TOKENS = 5,
	LOCKOUT_WINDOW_MS = 60 * 1000,
	LOCKOUT_FIRST_MS = 60 * 1000,
	LOCKOUT_MAX_MS = 15 * 60 * 1000,
	LOCKOUT_DELAY_MS = 100, /* of the first; the fifth waits 1.6 s */
};

struct lockout_source {
	struct address_source address;
	int64_t failed_at_ms[LOCKOUT_TOKENS]; /* a ring of the latest failures */
	unsigned failure_count;		      /* written to it so far */
	int64_t last_failed_ms;		      /* 0: unused entry */
	int64_t until_ms;		      /* 429 until then */
	int64_t length_ms;		      /* of the last lockout; 0: none */
};

/* all zero at first; embedded in its owner */
struct lockout {
	struct lockout_source sources[LOCKOUT_SOURCES_MAX];
	struct log_pace pace;
	bool has_failures; /* any since the start */
};

struct lockout_verdict {
	unsigned delay_ms;	      /* before the 401 */
	unsigned retry_after_seconds; /* not 0: answer 429 */
};

/* `peer` sent a wrong token. Logs "auth failure from ADDRESS". */
struct lockout_verdict lockout_add_failure(struct lockout *lockout,
					   const struct sockaddr *peer);
/* `peer` sent a right token. */
void lockout_clear(struct lockout *lockout, const struct sockaddr *peer);

#endif
