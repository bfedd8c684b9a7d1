/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message as a task: its status in every state and at every time, with a real store and a
 * fake clock.
 */
#include "unit_test.h"
#include "store_bench.h"

#include <systemd/sd-event.h>

#include "fake_clock.h"
#include "base/crypto.h"
#include "config/config.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "policy/policy.h"
#include "store/store_message.h"
#include "store/store_setting.h"
#include "tools/sms_task.h"
#include "tools/tool_table.h"

enum { CLIENT = 7, STRANGER = 8, HOUR_MS = 60 * 60 * 1000, TTL_HOURS = 72 };

static const struct task_kind *const *kinds = task_table;
static struct config config;
static sd_event *loop;
static struct ofono *ofono;
static struct sims *sims;
static struct policy *policy;

static int set_up(void **state)
{
	int failed = store_set_up_with_cards(state);

	fake_clock_begin(INT64_C(1790000000000));
	config_defaults(&config);
	if (failed || sd_event_new(&loop) < 0 ||
	    ofono_new(loop, "unix:path=/nonexistent", &ofono) ||
	    sims_new(loop, ofono, store, &sims))
		return -1;
	return policy_new(
		&(struct policy_parts){ .loop = loop, .config = &config, .store = store },
		&policy);
}

static int tear_down(void **state)
{
	policy_free(policy);
	sims_free(sims);
	ofono_free(ofono);
	sd_event_unref(loop);
	return store_tear_down(state) + fake_clock_end(state);
}

static int64_t add(int64_t send_at_ms)
{
	struct store_message_draft draft = {
		.sim_id = 1,
		.client_id = CLIENT,
		.number = "+36201234567",
		.text = "x",
		.segments = 1,
		.state = send_at_ms ? STATE_SCHEDULED : STATE_QUEUED,
		.send_at_ms = send_at_ms,
	};
	int64_t message_id = 0;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

static void move(int64_t message_id, enum message_state to, enum delivery delivery)
{
	struct store_message_transition move = { .to = to, .delivery = delivery };

	assert_int_equal(store_message_change_state(store, message_id, &move), 0);
}

static void make_sent(int64_t message_id)
{
	move(message_id, STATE_SUBMITTING, DELIVERY_NONE);
	move(message_id, STATE_SUBMITTED, DELIVERY_AWAITED);
	move(message_id, STATE_SENT, DELIVERY_NONE);
}

static void write_id(char id[TASK_ID_MAX], int64_t client_id, int64_t message_id)
{
	uint8_t key[STORE_SETTING_SECRET_BYTES];
	char text[64], mac[MAC_TEXT_BYTES];

	assert_int_equal(store_setting_secret(store, "task", key), 0);
	snprintf(text, sizeof(text), "task %lld %lld", (long long)client_id,
		 (long long)message_id);
	assert_true(crypto_mac_write(key, text, mac));
	snprintf(id, TASK_ID_MAX, "%lld-%s", (long long)message_id, mac);
}

/* The strings of the task live in `arena`. */
static int look(struct arena *arena, int64_t client_id, int64_t message_id,
		struct task *task_out)
{
	struct services services = {
		.store = store, .policy = policy, .ofono = ofono, .sims = sims
	};
	char id[TASK_ID_MAX];

	write_id(id, client_id, message_id);
	return task_find(kinds,
			 &(struct task_query){ arena_copy(arena, id, strlen(id)),
					       client_id, &services, arena },
			 task_out);
}

static void assert_found(int64_t message_id, int expected)
{
	struct arena *arena = arena_new(1 << 20);
	struct task task;

	assert_int_equal(look(arena, CLIENT, message_id, &task), expected);
	arena_free(arena);
}

/* `result`: part of the result; "": the task has none. */
static void assert_task(int64_t message_id, enum task_status status, const char *words,
			const char *result)
{
	struct arena *arena = arena_new(1 << 20);
	struct services services = {
		.store = store, .policy = policy, .ofono = ofono, .sims = sims
	};
	struct task_query query = { "", CLIENT, &services, arena };
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&body);
	struct task task;

	assert_int_equal(look(arena, CLIENT, message_id, &task), 0);
	assert_int_equal(task.status, status);
	assert_non_null(strstr(task.status_message, words));
	json_open_object(writer);
	task_write(&query, &task, writer);
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(&body, "", 1);
	if (*result)
		assert_non_null(strstr(body.data, "\"result\":{\"resultType\":"
						  "\"complete\",\"content\":["));
	else
		assert_null(strstr(body.data, "\"result\""));
	if (!strstr(body.data, result))
		fail_msg("%s\n  is without %s", body.data, result);
	buffer_deinit(&body);
	arena_free(arena);
}

FIXTURE(set_up, tear_down)

TEST(test_each_message_state_has_its_task_status_and_result)
{
	static const struct {
		enum message_state way[6]; /* after queued; 0 ends */
		enum task_status status;
		const char *words, *result;
	} cases[] = {
		{ { 0 }, TASK_WORKING, "until its SIM is back", "" },
		{ { STATE_SUBMITTING }, TASK_WORKING, "being submitted", "" },
		{ { STATE_SUBMITTING, STATE_SUBMITTED },
		  TASK_WORKING,
		  "oFono has it",
		  "" },
		{ { STATE_SUBMITTING, STATE_SUBMITTED, STATE_HELD },
		  TASK_WORKING,
		  "until modem",
		  "" },
		{ { STATE_SUBMITTING, STATE_SUBMITTED,
		    STATE_SENT }, /* no report requested */
		  TASK_COMPLETED,
		  "network accepted it",
		  "No delivery report was requested" },
		{ { STATE_SUBMITTING, STATE_FAILED },
		  TASK_COMPLETED,
		  "was not sent",
		  "\"isError\":true" },
		{ { STATE_SUBMITTING, STATE_UNKNOWN },
		  TASK_COMPLETED,
		  "It may have been sent",
		  "unknown_outcome" },
		{ { STATE_EXPIRED }, TASK_COMPLETED, "in time", "\"isError\":true" },
		{ { STATE_CANCELLED }, TASK_CANCELLED, "cancelled before", "" },
		/* once over, always over, even if the outcome becomes known later */
		{ { STATE_SUBMITTING, STATE_UNKNOWN, STATE_SUBMITTED },
		  TASK_COMPLETED,
		  "oFono has it",
		  "is not sent yet" },
		{ { STATE_SUBMITTING, STATE_UNKNOWN, STATE_DELIVERED },
		  TASK_COMPLETED,
		  "report says",
		  "SMS delivered to +36201234567" },
		{ { STATE_SUBMITTING, STATE_UNKNOWN, STATE_CANCELLED },
		  TASK_COMPLETED,
		  "cancelled before",
		  "\"isError\":true" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t id = add(0);

		for (const enum message_state *to = cases[i].way; *to; to++)
			move(id, *to, DELIVERY_NONE);
		assert_task(id, cases[i].status, cases[i].words, cases[i].result);
	}
}

static int64_t due_of(int64_t message_id)
{
	struct arena *arena = arena_new(1 << 20);
	struct task task;

	assert_int_equal(look(arena, CLIENT, message_id, &task), 0);
	arena_free(arena);
	return task.due_ms;
}

/* The task changes at due_ms, and not before. */
TEST(test_the_task_completes_when_no_report_came_in_time)
{
	int64_t silent = add(0), unknown = add(0);
	int64_t due_ms;

	assert_int_equal(due_of(silent), 0);
	make_sent(silent);
	due_ms = due_of(silent);
	assert_true(due_ms > now_ms);
	now_ms = due_ms - 1;
	assert_task(silent, TASK_WORKING, "waiting", "");
	assert_int_equal(due_of(silent), due_ms);
	now_ms = due_ms;
	assert_task(silent, TASK_COMPLETED, "accepted it", "No delivery report came");
	assert_int_equal(due_of(silent), 0);
	move(unknown, STATE_SUBMITTING, DELIVERY_NONE);
	move(unknown, STATE_UNKNOWN, DELIVERY_AWAITED);
	assert_int_equal(due_of(unknown), 0); /* already over */
}

TEST(test_a_task_expires_after_its_ttl)
{
	struct arena *arena = arena_new(1 << 20);
	int64_t start_ms = now_ms, plain = add(0), later = add(now_ms + 24 * HOUR_MS);
	struct task task;

	assert_int_equal(look(arena, CLIENT, plain, &task), 0);
	assert_int_equal(task.created_ms, start_ms);
	assert_int_equal(task.ttl_ms, TTL_HOURS * HOUR_MS);
	assert_int_equal(look(arena, CLIENT, later, &task), 0);
	assert_int_equal(task.ttl_ms, (24 + TTL_HOURS) * HOUR_MS);
	now_ms = start_ms + TTL_HOURS * HOUR_MS;
	assert_found(plain, 0);
	now_ms++;
	assert_found(plain, TASK_E_NOT_FOUND);
	assert_found(later, 0);
	now_ms = start_ms + (24 + TTL_HOURS) * HOUR_MS + 1;
	assert_found(later, TASK_E_NOT_FOUND);
	arena_free(arena);
}

/* Accepted before the clock was set, queried after. */
TEST(test_a_task_of_1970_does_not_expire)
{
	int64_t now_then_ms = now_ms, id;

	now_ms = 60000;
	id = add(0);
	now_ms = now_then_ms;
	assert_found(id, 0);
}

static int64_t poll_after(int64_t message_id, int64_t unchanged_ms)
{
	struct arena *arena = arena_new(1 << 20);
	int64_t was_ms = now_ms;
	struct task task;

	now_ms += unchanged_ms;
	assert_int_equal(look(arena, CLIENT, message_id, &task), 0);
	assert_int_equal(task.changed_ms, was_ms);
	now_ms = was_ms;
	arena_free(arena);
	return task.poll_ms;
}

TEST(test_clients_are_told_to_poll_less_often)
{
	int64_t id = add(0);

	assert_int_equal(poll_after(id, 0), 5000);
	assert_int_equal(poll_after(id, 50 * 1000), 5000);
	assert_int_equal(poll_after(id, 300 * 1000), 30000);
	assert_int_equal(poll_after(id, HOUR_MS), 60000);
	now_ms += HOUR_MS;
	move(id, STATE_SUBMITTING, DELIVERY_NONE);
	assert_int_equal(poll_after(id, 0), 5000);
}

TEST(test_a_task_id_is_valid_only_for_its_client)
{
	struct arena *arena = arena_new(1 << 20);
	struct services services = {
		.store = store, .policy = policy, .ofono = ofono, .sims = sims
	};
	struct task_query query = { NULL, STRANGER, &services, arena };
	char id[TASK_ID_MAX];
	int64_t message_id = add(0);
	struct task task;

	write_id(id, CLIENT, message_id);
	query.id = id;
	assert_int_equal(task_find(kinds, &query, &task), TASK_E_NOT_FOUND);
	/* the stranger's own ID for a message that is not theirs */
	assert_int_equal(look(arena, STRANGER, message_id, &task), TASK_E_NOT_FOUND);
	query.client_id = CLIENT;
	id[0]++; /* the MAC of another message */
	add(0);
	assert_int_equal(task_find(kinds, &query, &task), TASK_E_NOT_FOUND);
	id[0]--;
	assert_int_equal(task_find(kinds, &query, &task), 0);
	assert_string_equal(task.id, id);
	assert_string_equal(task.subject, "sms://message/1");
	assert_found(message_id + 2, TASK_E_NOT_FOUND);
	arena_free(arena);
}

TEST(test_a_received_message_is_no_task)
{
	struct store_incoming_draft draft = { .sim_id = 1,
					      .reported_ms = now_ms,
					      .number = "+36201234567",
					      .text = "x",
					      .sent_time = "" };
	int64_t message_id = 0;
	bool known;

	assert_int_equal(step_add_incoming(store, &draft, &message_id, &known), 0);
	assert_found(message_id, TASK_E_NOT_FOUND);
}
