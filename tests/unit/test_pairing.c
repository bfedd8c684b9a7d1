/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_clock.h"
#include "policy/pairing.h"

static struct pairing pairing;

static int set_up(void **state)
{
	memset(&pairing, 0, sizeof(pairing));
	fake_clock_begin(1000);
	return 0;
}

FIXTURE(set_up, fake_clock_end)

/* The key of a new request from 192.0.2.`host`. */
static const char *begin(unsigned host)
{
	char text[ADDRESS_TEXT_BYTES];
	struct address peer;
	const struct pairing_request *request;

	snprintf(text, sizeof(text), "192.0.2.%u:40000", host);
	assert_true(address_parse(text, &peer));
	request = pairing_begin(&pairing, "laptop", &peer);
	assert_non_null(request);
	return request->key;
}

static enum pairing_state state_of(const char *key)
{
	struct pairing_request *request = pairing_find(&pairing, key);

	return request ? request->state : PAIRING_FREE;
}

static unsigned waiting(void)
{
	const struct pairing_request *request = NULL;
	unsigned count = 0;

	while ((request = pairing_next(&pairing, request ? request->number : 0)))
		count++;
	return count;
}

/* A code that no request has. */
static const char *wrong_code(void)
{
	static char code[PAIRING_CODE_BYTES];
	const struct pairing_request *request = pairing_next(&pairing, 0);

	snprintf(code, sizeof(code), "%06u", (atoi(request->code) + 1) % 1000000);
	return code;
}

TEST(a_request_waits_with_a_code_and_the_address_without_its_port)
{
	const struct pairing_request *request = pairing_find(&pairing, begin(1));

	assert_int_equal(request->state, PAIRING_WAITING);
	assert_string_equal(request->address, "192.0.2.1");
	assert_int_equal(strspn(request->code, "0123456789"), 6);
	assert_int_equal(pairing_left_ms(request), PAIRING_LIFETIME_MS);
}

TEST(a_key_that_nobody_has_finds_nothing)
{
	begin(1);
	assert_null(pairing_find(&pairing, ""));
	assert_null(pairing_find(&pairing, "0123"));
	assert_int_equal(
		state_of(
			"0000000000000000000000000000000000000000000000000000000000000000"),
		PAIRING_FREE);
}

TEST(an_approved_request_that_nobody_fetches_expires_with_its_token)
{
	struct pairing_request *request = pairing_find(&pairing, begin(1));
	const struct client client = { .id = 7, .name = "kitchen" };

	pairing_approve(request, &client, "secret");
	assert_string_equal(request->token, "secret");
	assert_string_equal(request->client_name, "kitchen");
	now_ms += PAIRING_LIFETIME_MS;
	assert_int_equal(state_of(request->key), PAIRING_EXPIRED);
	assert_string_equal(request->token, "");
}

TEST(a_fetched_request_keeps_no_token)
{
	struct pairing_request *request = pairing_find(&pairing, begin(1));
	const struct client client = { .id = 7 };

	pairing_approve(request, &client, "secret");
	pairing_set_fetched(request);
	assert_int_equal(state_of(request->key), PAIRING_FETCHED);
	assert_string_equal(request->token, "");
}

TEST(the_address_with_the_most_requests_makes_room)
{
	const char *first[PAIRING_WAITING_MAX / 2];

	for (unsigned host = 0; host < PAIRING_WAITING_MAX / 2; host++)
		first[host] = begin(host);
	for (unsigned host = 0; host < PAIRING_WAITING_MAX / 2 - 1; host++)
		begin(host);
	begin(3); /* 16 wait, and 192.0.2.3 has three of them */
	assert_int_equal(waiting(), PAIRING_WAITING_MAX);
	begin(100);
	assert_int_equal(waiting(), PAIRING_WAITING_MAX);
	for (unsigned host = 0; host < PAIRING_WAITING_MAX / 2; host++)
		assert_int_equal(state_of(first[host]),
				 host == 3 ? PAIRING_PUSHED_OUT : PAIRING_WAITING);
}

TEST(a_thousand_requests_of_as_many_addresses_keep_sixteen_waiting)
{
	for (unsigned number = 0; number < 1000; number++)
		begin(number % 250);
	assert_int_equal(waiting(), PAIRING_WAITING_MAX);
}

TEST(waiting_requests_are_listed_oldest_first)
{
	const char *first = begin(1), *second = begin(2);
	const struct pairing_request *request = pairing_next(&pairing, 0);

	assert_ptr_equal(request->key, first);
	assert_ptr_equal(pairing_next(&pairing, request->number)->key, second);
}

TEST(five_wrong_codes_pause_every_code_for_a_minute)
{
	struct pairing_request *request = pairing_find(&pairing, begin(1)), *found;
	char code[PAIRING_CODE_BYTES];

	strcpy(code, request->code);
	for (unsigned at = 0; at < PAIRING_WRONG_MAX; at++)
		assert_int_equal(pairing_check_code(&pairing, wrong_code(), &found),
				 PAIRING_E_WRONG_CODE);
	assert_int_equal(pairing_check_code(&pairing, code, &found), PAIRING_E_PAUSED);
	now_ms += PAIRING_PAUSE_MS;
	assert_int_equal(pairing_check_code(&pairing, code, &found), 0);
	assert_ptr_equal(found, request);
}

TEST(a_right_code_forgives_wrong_ones)
{
	struct pairing_request *request = pairing_find(&pairing, begin(1)), *found;

	for (unsigned at = 0; at < 3 * PAIRING_WRONG_MAX; at++) {
		assert_int_equal(pairing_check_code(&pairing, wrong_code(), &found),
				 PAIRING_E_WRONG_CODE);
		assert_int_equal(pairing_check_code(&pairing, request->code, &found), 0);
	}
}

TEST(a_request_that_has_ended_has_no_code)
{
	struct pairing_request *request = pairing_find(&pairing, begin(1)), *found;
	char code[PAIRING_CODE_BYTES];

	strcpy(code, request->code);
	pairing_reject(request);
	assert_int_equal(pairing_check_code(&pairing, code, &found),
			 PAIRING_E_WRONG_CODE);
	assert_int_equal(pairing_check_code(&pairing, "", &found), PAIRING_E_WRONG_CODE);
}

TEST(a_request_that_came_from_the_network_keeps_it_until_it_ends)
{
	struct pairing_request *request;

	begin(1);
	assert_false(pairing_needs_network(&pairing));
	pairing_open_for(&pairing, 100);
	request = pairing_find(&pairing, begin(2));
	now_ms += 100;
	assert_false(pairing_is_open(&pairing));
	assert_true(pairing_needs_network(&pairing));
	pairing_reject(request);
	assert_false(pairing_needs_network(&pairing));
}

TEST(the_network_stays_open_as_long_as_the_owner_waits)
{
	assert_false(pairing_is_open(&pairing));
	pairing_open_for(&pairing, 100);
	assert_true(pairing_is_open(&pairing));
	now_ms += 100;
	assert_false(pairing_is_open(&pairing));
	pairing_open_for(&pairing, 100);
	pairing_open_for(&pairing, 0);
	assert_false(pairing_is_open(&pairing));
}
