/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy on the outbox of outbox_bench.h, with a fake clock.
 */
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "outbox_bench.h"
#include "policy/policy.h"
#include "config/config.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

/* 2026-11-21T12:00:00Z */
#define NOON_MS INT64_C(1795262400000)

static struct policy *policy;
static struct arena *arena;
static int64_t boot_now_ms;   /* since the boot */
static int64_t wall_epoch_ms; /* the wall clock at the boot */
static char boot_id[16];

static int64_t bench_boot_ms(void)
{
	return boot_now_ms;
}

static int64_t bench_wall_ms(void)
{
	return wall_epoch_ms + boot_now_ms;
}

static const char *bench_boot_id(void)
{
	return boot_id;
}

static const struct clock_source bench_clock = {
	.monotonic_ms = bench_boot_ms,
	.wall_ms = bench_wall_ms,
	.boot_ms = bench_boot_ms,
	.boot_id = bench_boot_id,
};

static inline int policy_open(void)
{
	const struct policy_parts parts = {
		.loop = loop,
		.config = &bench_config,
		.store = store,
		.ofono = &fake_ofono,
		.sims = sims,
		.outbox = outbox,
	};

	return policy_new(&parts, &policy);
}

/* The program restarts; `meanwhile` (or NULL) is called in between. */
static inline void policy_restart(void (*meanwhile)(void))
{
	struct explanation error;

	policy_free(policy);
	bench_stop();
	store_close(store);
	if (meanwhile)
		meanwhile();
	assert_int_equal(store_open(bench_folder, &store, &error), 0);
	assert_int_equal(bench_start(&patient), 0);
	assert_int_equal(policy_open(), 0);
}

static inline int policy_set_up(void **state)
{
	int64_t sim_id;
	int error;

	log_set_level(LOG_LEVEL_ERROR);
	setenv("TZ", "UTC", 1);
	boot_now_ms = HOUR_MS;
	wall_epoch_ms = NOON_MS - boot_now_ms;
	strcpy(boot_id, "1");
	clock_set_source(&bench_clock);
	config_defaults(&bench_config);
	strcpy(bench_config.state_dir,
	       "/nonexistent"); /* not the folder of an installed gateway */
	arena = arena_new(1 << 24);
	error = bench_set_up(state);
	for (int i = 0; !error && i < 2; i++)
		error = store_sim_identify(store, "", i ? "232011" : "216301", &sim_id);
	return error ? error : policy_open();
}

static inline int policy_tear_down(void **state)
{
	int error;

	policy_free(policy);
	error = bench_tear_down(state);
	arena_free(arena);
	clock_set_source(NULL);
	return error;
}
