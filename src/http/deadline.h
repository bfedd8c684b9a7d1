/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines: time limits for many connections with one timer.
 *
 * Each kind has one period, so its deadlines expire in the order in which they were set: one list
 * per kind. The timer is moved only to an earlier time; if it fires too early it is set again. So
 * a busy server sets it a few times a minute, not for every request.
 */
#ifndef HTTP_DEADLINE_H
#define HTTP_DEADLINE_H

#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

enum deadline_kind {
	/* for a complete request to arrive, for its answer to be read, for the next piece of a
	 * stream to be read */
	DEADLINE_REQUEST,
	DEADLINE_IDLE,	/* for the next request on an idle connection */
	DEADLINE_DRAIN, /* for the peer to read the last answer before we close */
	DEADLINE_KINDS,
};

/* embedded in its owner */
struct deadline {
	TAILQ_ENTRY(deadline) link;
	uint64_t due_us; /* CLOCK_MONOTONIC; 0: not set */
	enum deadline_kind kind;
	void (*expired)(struct deadline *deadline); /* it is already cleared */
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

/* Starts the period of `kind` now; replaces an earlier deadline. */
void deadline_set(struct deadlines *deadlines, struct deadline *deadline,
		  enum deadline_kind kind);
void deadline_clear(struct deadlines *deadlines, struct deadline *deadline);

#endif
