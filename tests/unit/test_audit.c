/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refusals become lines: soon, merged and bounded; a clean stop loses none. */
#include "unit_test.h"
#include "fake_clock.h"
#include "config/config.h"
#include "policy/audit.h"
#include "store_bench.h"

static sd_event *loop;
static struct audit *audit;
static const struct client laptop = { .id = 3, .name = "laptop" };

static int set_up(void **state)
{
	int failed = store_set_up(state);

	open_store();
	if (!failed)
		failed = sd_event_new(&loop) < 0;
	return failed ? failed : audit_new(loop, store, &audit);
}

static int tear_down(void **state)
{
	audit_free(audit);
	audit = NULL;
	loop = sd_event_unref(loop);
	clock_set_source(NULL);
	return store_tear_down(state);
}

static int64_t lines(void)
{
	return sql("SELECT count(*) FROM audit");
}

static int64_t counted(const char *condition)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "SELECT coalesce(sum(json_extract(detail, '$.count')), 0) FROM audit"
		 " WHERE %s",
		 condition);
	return sql(text);
}

static void wait_for_lines(int64_t wanted)
{
	while (lines() < wanted)
		assert_true(sd_event_run(loop, UINT64_MAX) >= 0);
	assert_int_equal(lines(), wanted);
}

FIXTURE(set_up, tear_down)

TEST(test_questions_to_the_user_are_recorded)
{
	audit_user_asked(audit, &laptop, "+36201234567");
	audit_user_asked(audit, &laptop, "+36201234567");
	audit_send_refused(audit, &laptop, "+36201234567", "approval_rejected");
	wait_for_lines(2);
	assert_int_equal(counted("event = 'approval_asked' AND"
				 " json_extract(detail, '$.client') = 'laptop' AND"
				 " json_extract(detail, '$.number') = '+36201234567'"),
			 2);
}

static void stop(void)
{
	audit_free(audit);
	audit = NULL;
}

/* No request of a client causes a write at once. */
TEST(test_equal_refusals_become_one_line)
{
	for (int i = 0; i < 1000; i++)
		audit_send_refused(audit, &laptop, "+36201234567", "rate_limited");
	audit_send_refused(audit, &laptop, "+36201234567", "paused");
	audit_send_refused(audit, &laptop, "", "invalid_number");
	audit_auth_failed(audit, "192.0.2.1");
	audit_auth_failed(audit, "192.0.2.1");
	assert_int_equal(lines(), 0);
	wait_for_lines(4);
	assert_int_equal(counted("json_extract(detail, '$.code') = 'rate_limited' AND"
				 " json_extract(detail, '$.client') = 'laptop' AND"
				 " json_extract(detail, '$.number') = '+36201234567'"),
			 1000);
	assert_int_equal(counted("json_extract(detail, '$.code') = 'invalid_number' AND"
				 " json_extract(detail, '$.number') IS NULL"),
			 1);
	assert_int_equal(counted("event = 'auth_failed' AND"
				 " json_extract(detail, '$.source') = '192.0.2.1'"),
			 2);
}

/* Any number of different refusals is counted in few lines. */
TEST(test_the_number_of_waiting_entries_is_bounded)
{
	struct client client = { .id = 1 };
	char number[32];

	for (int i = 0; i < 5000; i++) {
		snprintf(number, sizeof(number), "+3620%07d", i);
		audit_send_refused(audit, &laptop, number, "rate_limited");
		audit_auth_failed(audit, number);
	}
	for (client.id = 10; client.id < 200; client.id++) {
		snprintf(client.name, sizeof(client.name), "c%d", (int)client.id);
		audit_send_refused(audit, &client, "+36201234567", "paused");
	}
	stop();
	assert_true(lines() <= AUDIT_COLLECTED + 10);
	assert_int_equal(counted("event = 'send_refused'"), 5000 + 190);
	assert_int_equal(counted("event = 'auth_failed'"), 5000);
	assert_true(counted("json_extract(detail, '$.client') = 'laptop' AND"
			    " json_extract(detail, '$.number') IS NULL") > 4000);
}

/* The more lines were written, the longer the next ones wait. */
TEST(test_commits_are_paced)
{
	uint64_t due_us, from_us;

	fake_clock_begin(CLOCK_SANE_MS);
	audit_send_refused(audit, &laptop, "+361", "paused");
	wait_for_lines(1);
	for (int i = 0; i < 1000; i++)
		audit_send_refused(audit, &laptop, "+361", "paused");
	assert_int_equal(sd_event_now(loop, CLOCK_MONOTONIC, &from_us), 0);
	now_ms += AUDIT_PER_LINE_MS;
	wait_for_lines(2);
	assert_int_equal(sd_event_now(loop, CLOCK_MONOTONIC, &due_us), 0);
	assert_true(due_us - from_us >= (AUDIT_PER_LINE_MS - AUDIT_SOON_MS) * 1000);
	assert_int_equal(counted("1"), 1001);
}

TEST(test_entries_wait_for_a_full_disk)
{
	fill_disk(true);
	audit_send_refused(audit, &laptop, "+361", "paused");
	assert_true(sd_event_run(loop, UINT64_MAX) > 0);
	audit_send_refused(audit, &laptop, "+361", "paused");
	fill_disk(false);
	assert_int_equal(lines(), 0);
	wait_for_lines(1);
	assert_int_equal(counted("1"), 2);
}

TEST(test_start_and_stop_are_recorded)
{
	struct config config;

	config_defaults(&config);
	audit_start(audit, &config);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'started' AND"
			     " json_extract(detail, '$.version') IS NOT NULL"),
			 1);
	audit_send_refused(audit, &laptop, "+361", "paused");
	audit_stop(audit);
	assert_int_equal(lines(), 3);
	assert_int_equal(sql("SELECT id FROM audit WHERE event = 'stopped'"), 3);
	stop();
	assert_int_equal(lines(), 3);
	audit_send_refused(NULL, &laptop, "+361", "paused");
	audit_auth_failed(NULL, "192.0.2.1");
	audit_free(NULL);
}
