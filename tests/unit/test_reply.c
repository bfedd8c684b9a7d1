/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies without HTTP: what is kept, for how long, and for whom. */
#include "unit_test.h"
#include "fake_exchange.h"
#include "patience.h"

#include <stdio.h>

#include "mcp/session.h"

enum { PATIENCE_MS = 20 };

#define WAIT_US (patience_us(10 * 1000 * 1000))

static sd_event *loop;
static struct sessions sessions;
static struct session *session, *other;
static struct exchange first, second; /* a POST, and the GET that resumes it */
static int abandoned, stopped;

static void on_abandoned(void *data)
{
	assert_ptr_equal(data, &first);
	abandoned++;
}

static void on_stopping(void *data)
{
	assert_ptr_equal(data, &first);
	stopped++;
}

static const struct reply_owner owner = { on_abandoned, on_stopping, &first };

static int set_up(void **state)
{
	static const struct client client = { 1, "one" };

	assert_true(sd_event_default(&loop) >= 0);
	assert_int_equal(sessions_init(&sessions, NULL, NULL), 0);
	sessions.loop = loop;
	sessions.reply_timeout_ms = PATIENCE_MS;
	session = session_begin(&sessions, &client, "2025-11-25", 0);
	other = session_begin(&sessions, &client, "2025-11-25", 0);
	first = second = (struct exchange){ 0 };
	abandoned = stopped = 0;
	return session && other ? 0 : -1;
}

static int tear_down(void **state)
{
	sessions_deinit(&sessions);
	fake_exchange_free(&first);
	fake_exchange_free(&second);
	sd_event_unref(loop);
	return 0;
}

static struct reply *open_reply(void)
{
	struct reply *reply = reply_open(&first, session, &owner);

	assert_non_null(reply);
	return reply;
}

static struct buffer text_of(const char *text)
{
	struct buffer body = BUFFER_INIT;

	buffer_append_text(&body, text);
	return body;
}

static bool push(struct reply *reply, const char *text)
{
	struct buffer body = text_of(text);

	return reply_push(reply, &body);
}

static void finish(struct reply *reply, const char *text)
{
	struct buffer body = text_of(text);

	reply_finish(reply, &body);
	assert_int_equal(body.length, 0);
	buffer_deinit(&body);
}

/* The stream number of the only reply. */
static uint64_t number(void)
{
	return (uint64_t)sessions.epoch << 32 | sessions.last_stream;
}

/* What a GET receives after it read up to `event`. */
static const char *read_on(uint64_t event)
{
	struct reply *reply = reply_find(session, number());

	if (!reply)
		return NULL;
	stream_free(second.stream);
	second.status = 0;
	reply_resume(reply, event, exchange_stream(&second));
	return fake_events(&second);
}

static void run_until(const int *flag)
{
	while (!*flag)
		assert_true(sd_event_run(loop, WAIT_US) > 0);
}

/* Runs the loop until the timeout has freed the replies. */
static void run_until_gone(void)
{
	while (!TAILQ_EMPTY(&sessions.replies))
		assert_true(sd_event_run(loop, WAIT_US) > 0);
}

static const char *event_text(uint64_t event, const char *data)
{
	static char text[256];
	char id[SESSION_EVENT_ID_BYTES];

	session_event_id_write((struct session_event_id){ number(), event }, id);
	snprintf(text, sizeof(text), "id: %s\nevent: message\ndata: %s\n\n", id, data);
	return text;
}

FIXTURE(set_up, tear_down)

TEST(test_event_ids_read_back_as_written)
{
	static const char *const bad[] = { "",
					   "1-1",
					   "000000010000000a-",
					   "-1",
					   "000000010000000A-1",
					   "000000010000000a-1 ",
					   "a--1",
					   "000000010000000a-01",
					   "000000010000000a-1x" };
	struct session_event_id id = { 7, 7 };
	char text[SESSION_EVENT_ID_BYTES];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(session_event_id_read(bad[i], &id));
	assert_int_equal(id.stream, 7);
	session_event_id_write((struct session_event_id){ 0x10000000aU, UINT64_MAX },
			       text);
	assert_string_equal(text, "000000010000000a-18446744073709551615");
	assert_true(session_event_id_read(text, &id));
	assert_true(id.stream == 0x10000000aU && id.event == UINT64_MAX);
}

TEST(test_a_resumable_stream_is_primed_and_numbered)
{
	struct reply *reply = open_reply();
	const char *told;

	assert_true(push(reply, "{\"n\":1}"));
	finish(reply, "{\"n\":2}");
	told = fake_events(&first);
	assert_non_null(strstr(told, "-0\nretry: 1000\ndata: \n\n"));
	assert_non_null(strstr(told, event_text(1, "{\"n\":1}")));
	assert_non_null(strstr(told, event_text(2, "{\"n\":2}")));
	assert_true(stream_is_ended(first.stream));
}

/* Such a reply ends with its connection. */
TEST(test_other_streams_end_with_their_connection)
{
	struct reply *reply = reply_open(&first, NULL, &owner);

	assert_false(first.held);
	assert_true(push(reply, "1"));
	assert_false(reply_close_connection(reply));
	assert_string_equal(fake_events(&first), "event: message\ndata: 1\n\n");
	assert_false(reply_lose(reply));
	assert_true(TAILQ_EMPTY(&sessions.replies));
	assert_int_equal(abandoned, 0); /* reply_lose() returned false instead */
}

TEST(test_without_a_loop_nothing_is_resumable)
{
	sessions.loop = NULL;
	finish(open_reply(), "1");
	assert_false(first.held);
	assert_string_equal(fake_events(&first), "event: message\ndata: 1\n\n");
}

TEST(test_a_lost_stream_can_be_resumed)
{
	struct reply *reply = open_reply();

	push(reply, "1");
	assert_true(reply_lose(reply));
	assert_true(push(reply, "2"));
	assert_non_null(strstr(read_on(1), event_text(2, "2")));
	assert_null(strstr(second.events, "data: 1"));
	push(reply, "3");
	assert_string_equal(fake_events(&second), event_text(3, "3"));
	finish(reply, "4");
	assert_string_equal(fake_events(&second), event_text(4, "4"));
	assert_true(stream_is_ended(second.stream));
	assert_non_null(strstr(read_on(0), "data: 1"));
	assert_non_null(strstr(second.events, event_text(4, "4")));
	assert_true(stream_is_ended(second.stream));
	assert_int_equal(abandoned, 0);
}

TEST(test_only_its_session_finds_a_reply)
{
	struct reply *reply = open_reply();

	assert_ptr_equal(reply_find(session, number()), reply);
	assert_null(reply_find(other, number()));
	assert_null(reply_find(session, number() + 1));
	assert_null(reply_find(session, 0));
}

TEST(test_a_lost_reply_is_abandoned_after_the_timeout)
{
	struct reply *reply = open_reply();

	assert_true(first.held);
	reply_lose(reply);
	run_until(&abandoned);
	assert_false(first.held);
	assert_true(TAILQ_EMPTY(&sessions.replies));
	assert_null(read_on(0));
}

/* A resumed stream stops the timeout, and the next loss starts it anew. */
TEST(test_the_timeout_restarts_at_each_loss)
{
	struct reply *reply = open_reply();
	int turns = 0;

	reply_lose(reply);
	read_on(0);
	while (sd_event_run(loop, 3 * PATIENCE_MS * 1000) > 0 && turns++ < 10)
		;
	assert_int_equal(abandoned, 0);
	reply_detach(&sessions, number(),
		     first.stream); /* another stream is connected by now */
	assert_int_equal(abandoned, 0);
	reply_detach(&sessions, number(), second.stream);
	run_until(&abandoned);
}

TEST(test_the_answer_is_kept_until_the_timeout)
{
	finish(open_reply(), "1");
	assert_true(first.held); /* the caller may still use the exchange's arena */
	assert_true(sd_event_run(loop, WAIT_US) > 0);
	assert_false(first.held);
	assert_non_null(strstr(read_on(0), event_text(1, "1")));
	run_until_gone();
	assert_int_equal(abandoned, 0);
}

TEST(test_a_closed_connection_can_be_resumed)
{
	struct reply *reply = open_reply();

	assert_true(reply_close_connection(reply));
	assert_true(stream_is_ended(first.stream));
	assert_false(reply_close_connection(reply)); /* no connection */
	finish(reply, "1");
	assert_non_null(strstr(read_on(0), event_text(1, "1")));
}

TEST(test_a_reply_may_end_without_an_answer)
{
	finish(open_reply(), "");
	assert_null(strstr(read_on(0), "event: message"));
	assert_true(stream_is_ended(second.stream));
}

TEST(test_kept_events_are_bounded)
{
	static char long_text[REPLY_BYTES_MAX / 2], longer[REPLY_BYTES_MAX + 2];
	struct reply *reply = open_reply();

	memset(long_text, 'x', sizeof(long_text) - 1);
	memset(longer, 'x', sizeof(longer) - 1);
	reply_lose(reply);
	for (int i = 0; i < REPLY_EVENTS_MAX + 1; i++)
		push(reply, "y");
	assert_null(strstr(read_on(0), event_text(1, "y")));
	assert_non_null(strstr(second.events, event_text(2, "y")));
	for (int i = 0; i < 3; i++)
		push(reply, long_text);
	push(reply, "z");
	reply_detach(&sessions, number(), second.stream);
	read_on(REPLY_EVENTS_MAX);
	assert_false(stream_is_ended(second.stream));
	push(reply, longer); /* too long to be kept, but sent */
	reply_detach(&sessions, number(), second.stream);
	assert_null(strstr(read_on(0), "data: x"));
}

TEST(test_resumable_replies_are_bounded)
{
	struct exchange exchanges[REPLIES_PER_SESSION + 1] = { 0 };
	struct reply *replies[REPLIES_PER_SESSION + 1];
	uint64_t number_of_other;

	sessions.reply_timeout_ms = 10 * 1000 * 1000;
	finish(reply_open(&second, other, &owner), "1");
	number_of_other = number();
	while (second.held)
		assert_true(sd_event_run(loop, WAIT_US) > 0);
	for (int i = 0; i < REPLIES_PER_SESSION + 1; i++) {
		replies[i] = reply_open(&exchanges[i], session, &owner);
		assert_int_equal(exchanges[i].held, i < REPLIES_PER_SESSION);
	}
	finish(replies[REPLIES_PER_SESSION], "1");
	finish(replies[0], "1");
	while (exchanges[0].held)
		assert_true(sd_event_run(loop, WAIT_US) > 0);
	assert_non_null(
		reply_open(&first, session, &owner)); /* an ended reply makes room */
	assert_true(first.held);
	assert_non_null(reply_find(other, number_of_other)); /* not for another session */
	sessions_deinit(&sessions);
	assert_int_equal(abandoned, REPLIES_PER_SESSION);
	assert_int_equal(sessions_init(&sessions, NULL, NULL), 0);
	for (int i = 0; i < REPLIES_PER_SESSION + 1; i++) {
		assert_false(exchanges[i].held);
		fake_exchange_free(&exchanges[i]);
	}
}

TEST(test_replies_end_with_their_session)
{
	open_reply();
	session_end(session);
	assert_int_equal(abandoned, 1);
	assert_true(stream_is_ended(first.stream));
	assert_true(first.held); /* until the loop runs: this code may be its request */
	run_until_gone();
	assert_false(first.held);
}

TEST(test_stopping_reaches_the_owner)
{
	struct reply *reply = open_reply();

	reply_stop(&sessions, number() + 1);
	assert_int_equal(stopped, 0);
	reply_stop(&sessions, number());
	assert_int_equal(stopped, 1);
	finish(reply, "1");
	reply_stop(&sessions, number());
	assert_int_equal(stopped, 1);
}
