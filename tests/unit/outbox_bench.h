/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of the outbox stand on: a real store, real sims and a real outbox on the
 * fake oFono of fake_ofono.h.
 */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"
#include "fake_ofono.h"
#include "full_disk.h"
#include "patience.h"
#include "scratch.h"
#include "sms/outbox.h"

/* Times are real: short where a test waits for them, a minute where they must not end. */
static const struct outbox_timing patient = { 60000, 60000, 60000, 60000, 60000 };

static char bench_folder[64];
static struct config bench_config;
static sd_event *loop;
static struct store *store;
static struct sims *sims;
static struct outbox *outbox;
static char heard[512];

/*
 * Between them the clock stands still, so that nothing becomes due while a test prepares it; the
 * kernel's timers run on.
 */
static struct {
	int64_t monotonic_ms, wall_ms, boot_ms;
} frozen_at;

static inline int64_t frozen_monotonic_ms(void)
{
	return frozen_at.monotonic_ms;
}

static inline int64_t frozen_wall_ms(void)
{
	return frozen_at.wall_ms;
}

static inline int64_t frozen_boot_ms(void)
{
	return frozen_at.boot_ms;
}

static inline void freeze(void)
{
	static const struct clock_source frozen = { frozen_monotonic_ms, frozen_wall_ms,
						    frozen_boot_ms, NULL };

	clock_set_source(NULL);
	frozen_at.monotonic_ms = clock_monotonic_ms();
	frozen_at.wall_ms = clock_wall_ms();
	frozen_at.boot_ms = clock_boot_ms();
	clock_set_source(&frozen);
}

static inline void thaw(void)
{
	clock_set_source(NULL);
}

/* Handles everything that is due now, and what follows from it. */
static inline void turn(void)
{
	while (sd_event_run(loop, 0) > 0)
		;
}

/* The same for `ms` milliseconds. */
static inline void turn_ms(int64_t ms)
{
	uint64_t now, end;

	sd_event_now(loop, CLOCK_MONOTONIC, &now);
	for (end = now + (uint64_t)ms * 1000; now < end;) {
		sd_event_run(loop, end - now);
		sd_event_now(loop, CLOCK_MONOTONIC, &now);
	}
	turn();
}

/* Turns of 1 ms before a condition counts as never true. */
#define TURNS_MAX (patience_ms(20000))

#define turn_until(condition)                                                       \
	do {                                                                        \
		for (int64_t turns = TURNS_MAX; turns > 0 && !(condition); turns--) \
			turn_ms(1);                                                 \
		turn();                                                             \
		assert_true(condition);                                             \
	} while (0)

static inline int bench_start(const struct outbox_timing *timing)
{
	int error = sims_new(loop, &fake_ofono, store, &sims);

	if (!error)
		error = outbox_new(loop, &bench_config, store, sims, &fake_ofono,
				   &outbox);
	if (!error)
		outbox_set_timing(outbox, timing);
	return error;
}

/* Calls under way end with the process; oFono goes on. */
static inline void bench_stop(void)
{
	outbox_free(outbox);
	sims_free(sims);
}

static inline void bench_restart(const struct outbox_timing *timing)
{
	bench_stop();
	assert_int_equal(bench_start(timing), 0);
}

static inline int bench_set_up(void **state)
{
	struct explanation error;

	heard[0] = '\0';
	fake_init();
	bench_config.queue_limit = 1000;
	bench_config.approval_hours = 24;
	bench_config.delivery_reports = false;
	if (!mkdtemp(scratch_template(bench_folder, sizeof(bench_folder),
				      "test_outbox")) ||
	    sd_event_new(&loop) < 0 || store_open(bench_folder, &store, &error))
		return -1;
	return bench_start(&patient);
}

static inline int bench_remove(const char *name, const struct stat *status, int type,
			       struct FTW *place)
{
	return remove(name);
}

static inline int bench_tear_down(void **state)
{
	fill_disk(false);
	bench_stop();
	assert_true(TAILQ_EMPTY(&fake_sends));
	assert_true(TAILQ_EMPTY(&fake_listings));
	assert_true(TAILQ_EMPTY(&fake_cancels));
	store_close(store);
	sd_event_unref(loop);
	fake_deinit();
	return nftw(bench_folder, bench_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline int try_submit(int64_t sim_id, const char *text, int64_t *id_out)
{
	struct store_message_draft draft = { sim_id, 0, "+36201234567", text, 1 };

	return outbox_accept(outbox, &draft, id_out);
}

static inline int64_t submit(int64_t sim_id, const char *text)
{
	int64_t id = 0;

	assert_int_equal(try_submit(sim_id, text, &id), 0);
	return id;
}

static inline enum message_state state_of(int64_t id)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	arena_free(arena);
	return message.state;
}

static inline void assert_message(int64_t id, enum message_state state,
				  const char *reason)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, id, arena, &message), 0);
	assert_string_equal(message_state_name(message.state), message_state_name(state));
	assert_string_equal(message.reason, reason);
	arena_free(arena);
}

/* Its modem takes no messages any more. */
static inline void bench_take_away(struct modem *modem)
{
	modem->interfaces = 0;
	fake_changed(modem);
	turn();
}

static inline unsigned sends_pending(void)
{
	struct message_send *send;
	unsigned count = 0;

	TAILQ_FOREACH (send, &fake_sends, link)
		count++;
	return count;
}

/* The only call under way. */
static inline struct message_send *only_send(void)
{
	assert_int_equal(sends_pending(), 1);
	return TAILQ_FIRST(&fake_sends);
}

static inline struct message_listing *only_listing(void)
{
	assert_false(TAILQ_EMPTY(&fake_listings));
	assert_null(TAILQ_NEXT(TAILQ_FIRST(&fake_listings), link));
	return TAILQ_FIRST(&fake_listings);
}

/* The events that observers have seen. */
static inline void hear(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	size_t length = strlen(heard);

	snprintf(heard + length, sizeof(heard) - length, "%lld:%s(%s) ",
		 (long long)event->message_id, message_state_name(event->state),
		 event->reason);
}

static inline void assert_heard(const char *expected)
{
	assert_string_equal(heard, expected);
	heard[0] = '\0';
}
