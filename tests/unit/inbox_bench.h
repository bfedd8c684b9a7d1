/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real inbox with sims and store, a fake oFono and fake clocks. Between inbox_set_up() and
 * inbox_tear_down() the inbox runs.
 */
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "fake_ofono.h"
#include "sms/inbox.h"
#include "store_bench.h"

#define NOW_MS INT64_C(1790000000000)
#define STAMP  "2026-11-21T07:30:00+0100"
#define ICCID  "8936"
#define DAY_MS INT64_C(86400000)

/* Times are real, so they are short where a test waits for them. */
static const struct inbox_timing patient = { 60000, 60000 };

static sd_event *loop;
static struct sims *sims;
static struct inbox *inbox;
static struct observer watcher;
static char heard[2048];
static struct {
	int64_t monotonic_ms, wall_ms, boot_ms;
} now;

static inline int64_t fake_monotonic(void)
{
	return now.monotonic_ms;
}

static inline int64_t fake_wall(void)
{
	return now.wall_ms;
}

static inline int64_t fake_boot(void)
{
	return now.boot_ms;
}

static const struct clock_source fake_clock = { fake_monotonic, fake_wall, fake_boot };

/* All clocks advance: no suspend. */
static inline void pass(int64_t ms)
{
	now.monotonic_ms += ms;
	now.wall_ms += ms;
	now.boot_ms += ms;
}

static inline void on_inbox_event(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;
	size_t length = strlen(heard);

	/* It is on disk already: another connection sees it. */
	assert_int_equal(sql("SELECT max(id) FROM message") >= event->message_id, 1);
	snprintf(heard + length, sizeof(heard) - length, "%lld ",
		 (long long)event->message_id);
}

static inline void assert_heard(const char *expected)
{
	assert_string_equal(heard, expected);
	heard[0] = '\0';
}

static inline void inbox_start(void)
{
	assert_int_equal(sims_new(loop, &fake_ofono, store, &sims), 0);
	assert_int_equal(inbox_new(loop, store, sims, &fake_ofono, &inbox), 0);
	inbox_set_timing(inbox, &patient);
	observer_add(inbox_observers(inbox), &watcher, on_inbox_event, NULL);
}

static inline void inbox_stop(void)
{
	observer_remove(&watcher);
	inbox_free(inbox);
	inbox = NULL;
	sims_free(sims);
	sims = NULL;
}

/* As if the process had been killed: nothing more is written. */
static inline void crash(void)
{
	fill_disk(true);
	inbox_stop();
	fill_disk(false);
	reopen_store();
}

static inline int inbox_set_up(void **state)
{
	int failed = store_set_up(state);

	if (failed || sd_event_new(&loop) < 0)
		return -1;
	now.wall_ms = NOW_MS;
	now.monotonic_ms = now.boot_ms = 5000;
	heard[0] = '\0';
	clock_set_source(&fake_clock);
	fake_init();
	open_store();
	inbox_start();
	return 0;
}

static inline int inbox_tear_down(void **state)
{
	fill_disk(false);
	inbox_stop();
	fake_deinit();
	sd_event_unref(loop);
	clock_set_source(NULL);
	return store_tear_down(state);
}

/* Signals of oFono in this turn of the loop. */
static inline void signal_from(struct modem *modem, const char *sender, const char *text)
{
	struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = modem,
		.sender = sender,
		.text = text,
		.sent_time = STAMP,
		.local_sent_time = "2026-11-21T06:30:00+0000",
	};

	observers_notify(&fake_ofono.observers, &event);
}

/* Before the loop sleeps the inbox stores the messages of the turn (base/event_loop.h). */
static inline void end_turn(void)
{
	assert_true(sd_event_run(loop, 0) >= 0);
}

static inline void receive_from(struct modem *modem, const char *sender, const char *text)
{
	signal_from(modem, sender, text);
	end_turn();
}

static inline void receive(struct modem *modem, const char *text)
{
	receive_from(modem, "+36201234567", text);
}
