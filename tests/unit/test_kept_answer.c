/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whatever a status or the list of SIMs is made of: what changed is in the next answer, and
 * nobody has to tell that it did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/event_count.h"
#include "config/config.h"
#include "fake_calls.h"
#include "policy_request.h"
#include "sms/inbox.h"
#include "tools/kept_answer.h"
#include "tools/tool_table.h"

static struct kept_answers kept;
static struct services services;
static struct inbox *inbox;
static struct modem *modem;
static int64_t sim_id;

/* ---- what fake_ofono.h leaves out */

static const char *condition = "oFono answers";
static bool available = true;

void ofono_retry(struct ofono *ofono)
{
	(void)ofono;
}

const char *ofono_condition(const struct ofono *ofono)
{
	(void)ofono;
	return condition;
}

bool ofono_has_bus(const struct ofono *ofono)
{
	(void)ofono;
	return true;
}

bool ofono_is_available(const struct ofono *ofono)
{
	(void)ofono;
	return available;
}

/* ---- one answer */

static const struct tool *tool;
static struct buffer answered;

static int set_up(void **state)
{
	int error = request_set_up(state);

	if (!error)
		error = inbox_new(loop, store, sims, &fake_ofono, &inbox);
	client.limits = (struct client_limits){ 5, 0, 0, 100 };
	kept = (struct kept_answers){ .distrusted = true };
	services = (struct services){
		.loop = loop,
		.config = &bench_config,
		.ofono = &fake_ofono,
		.store = store,
		.sims = sims,
		.outbox = outbox,
		.policy = policy,
		.inbox = inbox,
		.kept = &kept,
	};
	tool = &tool_get_gateway_status;
	condition = "oFono answers";
	available = true;
	modem = fake_modem_ready("/sim0", "1");
	turn();
	sim_id = TAILQ_FIRST(sims_list(sims))->id;
	return error;
}

static int tear_down(void **state)
{
	buffer_deinit(&answered);
	kept_answers_deinit(&kept);
	inbox_free(inbox);
	return policy_tear_down(state);
}

static void ask(void)
{
	struct arena *call_arena = arena_new(1 << 20);
	struct json_writer *writer;
	struct tool_call call = {
		.tool = tool,
		.client = &client,
		.services = &services,
		.arena = call_arena,
	};

	buffer_deinit(&answered);
	writer = json_writer_new(&answered);
	json_open_object(writer);
	call.into = writer;
	tool->run(&call);
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(&answered, "", 1);
	arena_free(call_arena);
}

static int on_served(sd_event_source *source, void *data)
{
	void (*serve)(void) = data;

	(void)source;
	event_count_serve(loop);
	if (serve)
		serve();
	ask();
	return 0;
}

static int on_happened(sd_event_source *source, void *data)
{
	void (*happen)(void) = data;

	(void)source;
	happen();
	return 0;
}

/* A turn of the loop, and those that come before it. */
static void in_turn(sd_event_handler_t handler, void (*what)(void))
{
	sd_event_source *source = NULL;
	int enabled = SD_EVENT_ON;

	assert_true(sd_event_add_defer(loop, &source, handler, (void *)what) >= 0);
	while (enabled != SD_EVENT_OFF) {
		assert_true(sd_event_run(loop, 0) >= 0);
		sd_event_source_get_enabled(source, &enabled);
	}
	sd_event_source_unref(source);
}

/* As HTTP asks; the caller frees. */
static char *answer(void)
{
	in_turn(on_served, NULL);
	return strdup(answered.data);
}

/* What it would be if nothing was kept. */
static char *fresh(void)
{
	char *text;

	services.kept = NULL;
	text = answer();
	services.kept = &kept;
	return text;
}

static const char *kept_bytes(void)
{
	return kept.status[0].answer.structured.data;
}

/* ---- the ingredients: none of these tells anybody */

static void set_operator(void)
{
	strcpy(modem->network.name, "Another");
}

static void set_strength(void)
{
	modem->network.strength = 77;
}

static void set_technology(void)
{
	strcpy(modem->network.technology, "lte");
}

static void set_registration(void)
{
	strcpy(modem->network.status, "denied");
}

static void set_power(void)
{
	modem->powered = false;
}

static void set_flight_mode(void)
{
	modem->online = false;
}

static void lock_card(void)
{
	strcpy(modem->sim.pin_required, "pin");
	modem->sim.pin_retries = 3;
}

static void lose_tries(void)
{
	strcpy(modem->sim.pin_required, "puk");
	modem->sim.pin_retries = 1;
}

static void add_modem(void)
{
	fake_modem_add("/sim1");
}

static void add_card(void)
{
	fake_modem_ready("/sim2", "2");
}

static void lose_network(void)
{
	strcpy(modem->network.status, "searching");
	fake_changed(modem);
}

static void lose_ofono(void)
{
	available = false;
	condition = "oFono is gone";
}

static void pause_it(void)
{
	assert_int_equal(policy_set_paused(policy, true), 0);
}

static void lengthen_messages(void)
{
	bench_config.max_segments = 9;
}

static void keep_quiet(void)
{
	configure("quiet_hours", "00:00-23:59");
}

static void shorten_queue(void)
{
	bench_config.queue_limit = 7;
}

static void go_deaf(void)
{
	const struct gap gap = { .from_ms = NOON_MS - HOUR_MS, .reason = "suspended" };

	assert_int_equal(store_receive_gaps_add(store, &gap), 0);
}

static void send_one(void)
{
	submit(sim_id, "one");
}

static void change_scopes(void)
{
	client.scopes &= ~(unsigned)CLIENT_SEND;
}

static void change_limits(void)
{
	client.limits.per_hour = 3;
}

static void change_cards(void)
{
	strcpy(client.sims, "99");
}

static void be_another(void)
{
	client.id++;
	strcpy(client.name, "another");
}

static void pass_a_moment(void)
{
	boot_now_ms++;
}

static void (*const ingredients[])(void) = {
	set_operator,	   set_strength,  set_technology,  set_registration, lock_card,
	lose_tries,	   set_power,	  set_flight_mode, add_modem,	     pause_it,
	lengthen_messages, keep_quiet,	  shorten_queue,   go_deaf,	     send_one,
	change_scopes,	   change_limits, change_cards,	   be_another,	     lose_ofono,
};

/* ---- tests */

static void assert_told(void (*change)(void))
{
	char *before = answer(), *after, *anew;

	in_turn(on_happened, change);
	after = answer();
	anew = fresh();
	assert_string_not_equal(after, before);
	assert_string_equal(after, anew);
	free(before);
	free(after);
	free(anew);
}

static void test_every_change_is_told_at_once(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(ingredients) / sizeof(ingredients[0]); at++)
		assert_told(ingredients[at]);
}

static void test_every_change_of_a_card_is_told_at_once(void **state)
{
	(void)state;
	tool = &tool_get_sms_subscriptions;
	assert_told(set_strength);
	assert_told(add_card);
	assert_told(lose_network);
}

/* Between two answers nothing but HTTP is served; still one request may do something. */
static void test_what_a_request_did_is_told_at_once(void **state)
{
	char *before = answer();

	(void)state;
	in_turn(on_served, send_one);
	assert_string_not_equal(answered.data, before);
	assert_non_null(strstr(answered.data, "\"waiting\":1"));
	free(before);
}

static void test_nothing_is_written_while_nothing_happens(void **state)
{
	char *first = answer(), *second;
	const char *bytes = kept_bytes();

	(void)state;
	assert_non_null(bytes);
	second = answer();
	assert_ptr_equal(kept_bytes(), bytes);
	assert_string_equal(first, second);
	free(first);
	free(second);
}

/* A limit frees a place by the clock alone, of which nothing tells. */
static void test_what_the_clock_changes_is_told_at_once(void **state)
{
	char *used, *still, *freed;

	(void)state;
	boot_now_ms += 5; /* so that it is in the middle of a second */
	in_turn(on_happened, send_one);
	used = answer();
	assert_non_null(strstr(used, "\"limit\":5,\"left\":4"));
	boot_now_ms += MINUTE_MS - 1;
	still = answer();
	assert_string_equal(still, used);
	pass_a_moment();
	freed = answer();
	assert_non_null(strstr(freed, "\"limit\":5,\"left\":5"));
	free(used);
	free(still);
	free(freed);
}

static void assert_kept(bool expected)
{
	const char *bytes = kept_bytes();
	char *text = answer();

	/* what is written anew has its memory before the old one gives its back */
	assert_int_equal(kept_bytes() == bytes, expected);
	free(text);
}

static void test_it_is_kept_for_a_moment(void **state)
{
	(void)state;
	boot_now_ms -= boot_now_ms % 1000;
	free(answer());
	boot_now_ms += KEPT_MS - 1;
	assert_kept(true);
	boot_now_ms++;
	assert_kept(false);
}

static void test_it_is_not_kept_over_a_second(void **state)
{
	(void)state;
	boot_now_ms += 999 - boot_now_ms % 1000;
	free(answer());
	assert_kept(true);
	boot_now_ms++;
	assert_kept(false);
}

static void test_it_is_not_kept_when_the_clock_is_set(void **state)
{
	(void)state;
	free(answer());
	wall_epoch_ms -= HOUR_MS;
	assert_kept(false);
	wall_epoch_ms += 2 * HOUR_MS;
	assert_kept(false);
	boot_now_ms += MINUTE_MS;
	wall_epoch_ms -= MINUTE_MS;
	assert_kept(false);
}

static void test_each_client_has_its_own(void **state)
{
	char *first = answer(), *again;

	(void)state;
	for (int i = 0; i < 2 * KEPT_CLIENTS; i++) {
		char *other;

		be_another();
		other = answer();
		assert_string_not_equal(other, first);
		free(other);
	}
	client = client_open;
	client.limits = (struct client_limits){ 5, 0, 0, 100 };
	again = answer();
	assert_string_equal(again, first);
	free(first);
	free(again);
}

/* The owner's command asks in a turn of its own. */
static void test_outside_of_http_nothing_is_kept(void **state)
{
	(void)state;
	in_turn(on_happened, ask);
	assert_null(kept_bytes());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_it_is_kept_for_a_moment, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_it_is_not_kept_over_a_second, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_it_is_not_kept_when_the_clock_is_set,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_every_change_is_told_at_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_every_change_of_a_card_is_told_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_a_request_did_is_told_at_once,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_nothing_is_written_while_nothing_happens, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_what_the_clock_changes_is_told_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_client_has_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_outside_of_http_nothing_is_kept,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
