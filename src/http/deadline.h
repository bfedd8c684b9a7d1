/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines: by when something must have happened, whatever trickles in meanwhile.
 *
 * Each kind has one period, so its deadlines are due in the order in which they were set:
 * a list per kind and one timer for all. The timer is moved only to an earlier time; when it
 * fires early it is set again. A busy server thus sets it a few times a minute, not
 * with every request.
 */
#ifndef HTTP_DEADLINE_H
#define HTTP_DEADLINE_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

enum deadline_kind {
	DEADLINE_REQUEST, /* for a request to arrive whole, and for its answer to be read; of
			     a stream, for the next piece */
	DEADLINE_IDLE,	  /* for a kept connection to ask again */
	DEADLINE_DRAIN, /* for the peer to read the last answer */
	DEADLINE_KINDS,
};

/* embedded in its owner */
struct deadline {
	TAILQ_ENTRY(deadline) link;
	uint64_t due_us; /* CLOCK_MONOTONIC; 0: not set */
	enum deadline_kind kind;
	void (*expired)(struct deadline *deadline); /* it is no longer set by then */
};

struct deadlines {
	sd_event *loop;
	sd_event_source *timer;
	uint64_t timer_us; /* when the timer fires; UINT64_MAX: never */
	struct {
		uint64_t period_us;
		TAILQ_HEAD(deadline_list, deadline) list;
	} kinds[DEADLINE_KINDS];
};

/* -errno */
int deadlines_init(struct deadlines *deadlines, sd_event *loop,
		   const uint64_t period_ms[DEADLINE_KINDS]);
void deadlines_deinit(struct deadlines *deadlines); /* asserts that none is set */

/* Counts anew from now on; replaces what was set. */
void deadline_set(struct deadlines *deadlines, struct deadline *deadline,
		  enum deadline_kind kind);
void deadline_clear(struct deadlines *deadlines, struct deadline *deadline);

#endif
