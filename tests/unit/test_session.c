/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions without HTTP: their life, what is stored, what is bounded. */
#include "unit_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_clock.h"
#include "mcp/resource.h"
#include "mcp/session.h"
#include "fake_persistence.h"

#define DAY_MS INT64_C(86400000)
#define NOW_MS INT64_C(1795255200000)

enum { RECORDS_MAX = 1024 };

/* A store in memory */
static struct record {
	char id[SESSION_ID_BYTES];
	int64_t client_id;
	char revision[16];
	int64_t capabilities;
	int64_t used_ms;
	char subscriptions[4096];
} records[RECORDS_MAX];
static int record_count, puts_count;
static bool disk_is_full;

static struct record *find_record(const char *id)
{
	for (int at = 0; at < record_count; at++)
		if (strcmp(records[at].id, id) == 0)
			return &records[at];
	return NULL;
}

static int put(struct store *store, const struct session_record *from)
{
	struct record *to = find_record(from->id);

	puts_count++;
	if (disk_is_full)
		return -ENOSPC;
	if (!to)
		to = &records[record_count++];
	strcpy(to->id, from->id);
	to->client_id = from->client_id;
	strcpy(to->revision, from->revision);
	to->capabilities = from->capabilities;
	to->used_ms = from->used_ms;
	strcpy(to->subscriptions, from->subscriptions);
	return 0;
}

static int take_away(struct store *store, const char *id)
{
	struct record *record = find_record(id);

	if (record)
		*record = records[--record_count];
	return 0;
}

static int list(struct store *store,
		void (*visit)(void *visit_data, const struct session_record *record),
		void *visit_data)
{
	for (int at = 0; at < record_count; at++) {
		struct session_record record = {
			.id = records[at].id,
			.client_id = records[at].client_id,
			.revision = records[at].revision,
			.capabilities = records[at].capabilities,
			.used_ms = records[at].used_ms,
			.subscriptions = records[at].subscriptions,
		};

		visit(visit_data, &record);
	}
	return 0;
}

static struct persistence persistence;

static const struct client one = { 1, "one" }, other = { 2, "other" }, open = { 0, "" };
static struct observers changes;
static struct sessions sessions;

static int set_up(void **state)
{
	record_count = puts_count = 0;
	disk_is_full = false;
	fake_clock_begin(NOW_MS);
	observers_init(&changes);
	persistence = fake_persistence;
	persistence.save_session = put;
	persistence.remove_session = take_away;
	persistence.list_sessions = list;
	return sessions_init(&sessions, &persistence, &changes);
}

static int tear_down(void **state)
{
	sessions_deinit(&sessions);
	observers_deinit(&changes); /* asserts that no observer is left */
	return fake_clock_end(state);
}

static void restart(void)
{
	sessions_deinit(&sessions);
	assert_int_equal(sessions_init(&sessions, &persistence, &changes), 0);
}

static const char *begin(const struct client *client, char id[SESSION_ID_BYTES])
{
	struct session *session =
		session_begin(&sessions, client, "2025-06-18", SESSION_ELICITS_FORMS);

	assert_non_null(session);
	strcpy(id, session->id);
	return id;
}

FIXTURE(set_up, tear_down)

TEST(test_session_survives_a_restart)
{
	char id[SESSION_ID_BYTES];
	struct session *session;

	begin(&one, id);
	restart();
	session = session_find(&sessions, &one, id);
	assert_non_null(session);
	assert_string_equal(session->revision, "2025-06-18");
	assert_int_equal(session->capabilities, SESSION_ELICITS_FORMS);
	assert_null(session_find(&sessions, &other, id));
	assert_null(session_find(&sessions, &open, id));
	session_end(session_find(&sessions, &one, id));
	assert_null(session_find(&sessions, &one, id));
	restart();
	assert_null(session_find(&sessions, &one, id));
}

TEST(test_unused_session_expires)
{
	char used[SESSION_ID_BYTES], unused[SESSION_ID_BYTES];
	int day;

	begin(&one, used);
	begin(&one, unused);
	for (day = 0; day <= SESSION_DAYS; day++) {
		now_ms += DAY_MS;
		assert_non_null(session_find(&sessions, &one, used));
	}
	assert_null(session_find(&sessions, &one, unused));
	assert_null(find_record(unused)); /* its row is gone, too */
	restart();
	assert_non_null(session_find(&sessions, &one, used));
}

TEST(test_an_unset_clock_expires_nothing)
{
	char id[SESSION_ID_BYTES];

	now_ms = 5000;
	begin(&one, id);
	now_ms = NOW_MS;
	assert_non_null(session_find(&sessions, &one, id));
	now_ms = 5000; /* a restart with an unset clock */
	assert_non_null(session_find(&sessions, &one, id));
}

TEST(test_use_is_stored_once_a_day)
{
	char id[SESSION_ID_BYTES];

	begin(&one, id);
	assert_int_equal(puts_count, 1);
	for (int at = 0; at < 1000; at++)
		session_find(&sessions, &one, id);
	assert_int_equal(puts_count, 1);
	now_ms += DAY_MS + 1;
	session_find(&sessions, &one, id);
	session_find(&sessions, &one, id);
	assert_int_equal(puts_count, 2);
	assert_int_equal(find_record(id)->used_ms, now_ms);
}

TEST(test_a_full_disk_does_not_end_sessions)
{
	char id[SESSION_ID_BYTES];

	disk_is_full = true;
	begin(&one, id);
	assert_int_equal(session_subscribe(session_find(&sessions, &one, id),
					   "sms://inbox", "sms://inbox"),
			 0);
	assert_non_null(session_find(&sessions, &one, id));
}

TEST(test_the_number_of_sessions_is_bounded)
{
	char first[SESSION_ID_BYTES], id[SESSION_ID_BYTES];

	begin(&one, first);
	for (int at = 0; at < 2 * SESSIONS_MAX; at++)
		begin(&open, id);
	assert_int_equal(sessions.count, SESSIONS_MAX);
	assert_int_equal(record_count, SESSIONS_MAX);
	assert_null(session_find(&sessions, &one, first));
	assert_non_null(session_find(&sessions, &open, id));
}

TEST(test_all_sessions_of_one_client_end)
{
	char id[SESSION_ID_BYTES], kept[SESSION_ID_BYTES];

	for (int at = 0; at < 5; at++)
		begin(&one, id);
	begin(&other, kept);
	assert_int_equal(session_subscribe(session_find(&sessions, &one, id),
					   "sms://inbox", "sms://inbox"),
			 0);
	session_end_client(&sessions, one.id);
	assert_null(session_find(&sessions, &one, id));
	assert_null(find_record(id));
	assert_non_null(session_find(&sessions, &other, kept));
	assert_int_equal(sessions.count, 1);
	assert_int_equal(sessions.interest, 0);
	session_end_client(&sessions, one.id);
}

TEST(test_subscriptions_count_as_changed_after_a_restart)
{
	char id[SESSION_ID_BYTES], uri[32];
	struct session *session;
	int at;

	begin(&one, id);
	session = session_find(&sessions, &one, id);
	assert_true(TAILQ_EMPTY(&changes.list)); /* no interest, no observer */
	for (at = 0; at < SESSION_URIS_MAX; at++) {
		snprintf(uri, sizeof(uri), "x://%d", at);
		assert_int_equal(session_subscribe(session, uri, "x://subject"), 0);
		assert_int_equal(session_subscribe(session, uri, "x://subject"), 0);
	}
	assert_false(TAILQ_EMPTY(&changes.list));
	assert_int_equal(session_subscribe(session, "x://more", "x://more"), -ENOSPC);
	session_unsubscribe(session, "x://0");
	session_unsubscribe(session, "x://0");
	assert_false(TAILQ_FIRST(&session->subscriptions)->pending);
	restart();
	session = session_find(&sessions, &one, id);
	assert_int_equal(session->subscription_count, SESSION_URIS_MAX - 1);
	assert_string_equal(TAILQ_FIRST(&session->subscriptions)->uri, "x://1");
	assert_string_equal(TAILQ_FIRST(&session->subscriptions)->subject, "x://subject");
	assert_true(TAILQ_FIRST(&session->subscriptions)->pending);
}

TEST(test_a_change_without_a_stream_stays_pending)
{
	const struct resource_change change = { CHANGE_RESOURCE, "x://subject" };
	const struct resource_change elsewhere = { CHANGE_RESOURCE, "x://else" };
	const struct resource_change tools = { CHANGE_TOOLS, NULL };
	char id[SESSION_ID_BYTES];
	struct session *session;

	begin(&one, id);
	session = session_find(&sessions, &one, id);
	session_subscribe(session, "x://uri", "x://subject");
	observers_notify(&changes, &elsewhere);
	assert_false(TAILQ_FIRST(&session->subscriptions)->pending);
	observers_notify(&changes, &change);
	assert_true(TAILQ_FIRST(&session->subscriptions)->pending);
	assert_false(session->tools.pending);
	observers_notify(&changes, &tools);
	assert_true(session->tools.pending);
}

TEST(test_damaged_rows_are_ignored)
{
	char id[SESSION_ID_BYTES];
	struct session *session;

	begin(&one, id);
	strcpy(find_record(id)->subscriptions, "x://uri\nx://subject\nx://half");
	strcpy(records[record_count++].id, "short");
	restart();
	assert_int_equal(sessions.count, 1);
	session = session_find(&sessions, &one, id);
	assert_int_equal(session->subscription_count, 1);
}
