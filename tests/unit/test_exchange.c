/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/exchange_carrier.h"

struct seen {
	int begun, completed, abandoned, stopping, ended;
	int pieces;
	size_t smallest; /* piece, except the last */
	size_t last;
	struct buffer body;
	int answer_in_piece; /* answer with this piece; 0: never */
	bool answer_in_begin;
	bool answer_at_end;
	/* seen by the carrier */
	int answers;
	unsigned status;
};

static void answer(struct exchange *exchange, unsigned status)
{
	struct buffer body = BUFFER_INIT;

	buffer_append_text(&body, "{}");
	exchange_answer(exchange, status, "application/json", &body);
	assert_null(body.data);
}

static void on_begin(void *data, struct exchange *exchange)
{
	struct seen *seen = data;

	seen->begun++;
	if (seen->answer_in_begin)
		answer(exchange, 200);
}

static void on_body(void *data, struct exchange *exchange, const char *piece,
		    size_t length)
{
	struct seen *seen = data;

	assert_true(length > 0);
	if (seen->pieces && seen->last < seen->smallest)
		seen->smallest = seen->last;
	seen->last = length;
	buffer_append(&seen->body, piece, length);
	if (++seen->pieces == seen->answer_in_piece)
		answer(exchange, 400);
}

static void on_complete(void *data, struct exchange *exchange)
{
	struct seen *seen = data;

	seen->completed++;
	if (seen->answer_at_end)
		answer(exchange, 200);
}

static void on_abandoned(void *data, struct exchange *exchange)
{
	((struct seen *)data)->abandoned++;
}

static void on_stopping(void *data, struct exchange *exchange)
{
	((struct seen *)data)->stopping++;
	answer(exchange, 503);
}

static void on_ended(void *data, struct exchange *exchange)
{
	assert_non_null(exchange_arena(exchange));
	((struct seen *)data)->ended++;
}

static const struct exchange_handler handler = {
	.begin = on_begin,
	.body = on_body,
	.complete = on_complete,
	.abandoned = on_abandoned,
	.stopping = on_stopping,
	.ended = on_ended,
};

static const char *header(void *data, const char *name, bool *conflict_out)
{
	if (strcmp(name, "Twice") == 0)
		*conflict_out = true;
	return strcmp(name, "Absent") == 0 ? NULL : "value";
}

static void answered(void *data, unsigned status, const char *content_type,
		     struct buffer *body)
{
	struct seen *seen = data;

	assert_string_equal(content_type, "application/json");
	buffer_deinit(body);
	seen->answers++;
	seen->status = status;
}

static const struct exchange_carrier carrier = { .header = header, .answered = answered };

static struct exchange *start_within(struct arena_budget *budget, struct seen *seen,
				     uint64_t body_length)
{
	static const struct client client = { 7, "laptop" };
	const struct address peer = { .length = 0 };
	const struct exchange_carrier_request request = {
		.peer = &peer,
		.handler = &handler,
		.handler_data = seen,
		.method = "POST",
		.client = &client,
		.body_length = body_length,
		.budget = budget,
	};
	struct exchange *exchange = exchange_new(&carrier, seen, &request);

	assert_non_null(exchange);
	seen->smallest = SIZE_MAX;
	exchange_begin(exchange);
	return exchange;
}

static struct exchange *start(struct seen *seen, uint64_t body_length)
{
	return start_within(NULL, seen, body_length);
}

static void receive(struct exchange *exchange, size_t total, size_t step)
{
	char bytes[EXCHANGE_BODY_MAX];
	size_t at, length;

	for (at = 0; at < total; at++)
		bytes[at] = (char)('a' + at % 26);
	for (at = 0; at < total; at += length) {
		length = total - at < step ? total - at : step;
		assert_int_equal(exchange_receive(exchange, bytes + at, length), 0);
	}
}

TEST(test_pieces_are_joined)
{
	static const struct {
		size_t total, step;
		uint64_t told;
		int pieces;
	} rows[] = {
		{ 60 * 1024, 1, 60 * 1024, 15 },
		{ 60 * 1024, 1, UINT64_MAX, 15 },
		{ EXCHANGE_BODY_MAX, 1, EXCHANGE_BODY_MAX, 16 },
		{ EXCHANGE_BODY_MAX, 4096, UINT64_MAX, 16 },
		{ 10000, 3000, 10000, 2 },
		{ 100, 100, 100, 1 },
		{ 100, 100, UINT64_MAX, 1 },
		{ 0, 1, 0, 0 },
	};
	size_t at;

	for (at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
		struct seen seen = { .answer_at_end = true };
		struct exchange *exchange = start(&seen, rows[at].told);
		size_t byte;

		receive(exchange, rows[at].total, rows[at].step);
		exchange_complete(exchange);
		assert_int_equal(seen.pieces, rows[at].pieces);
		assert_true(seen.smallest >= EXCHANGE_PIECE_MIN);
		assert_int_equal(seen.body.length, rows[at].total);
		for (byte = 0; byte < seen.body.length; byte++)
			assert_int_equal(seen.body.data[byte], 'a' + byte % 26);
		exchange_free(exchange);
		assert_int_equal(seen.completed, 1);
		assert_int_equal(seen.ended, 1);
		assert_int_equal(seen.abandoned, 0);
		buffer_deinit(&seen.body);
	}
}

TEST(test_a_long_body_is_refused)
{
	struct seen seen = { 0 };
	struct exchange *exchange = start(&seen, UINT64_MAX);

	receive(exchange, EXCHANGE_BODY_MAX, 4000);
	assert_int_equal(exchange_receive(exchange, "x", 1), -EMSGSIZE);
	exchange_free(exchange);
	assert_int_equal(seen.completed, 0);
	assert_int_equal(seen.abandoned, 1);
	assert_int_equal(seen.ended, 1);
	buffer_deinit(&seen.body);
}

TEST(test_after_an_early_answer_the_body_is_dropped)
{
	struct seen seen = { .answer_in_begin = true };
	struct seen midway = { .answer_in_piece = 1 };
	struct exchange *exchange;

	exchange = start(&seen, 9000);
	receive(exchange, 9000, 4096);
	exchange_complete(exchange);
	exchange_free(exchange);
	assert_int_equal(seen.answers, 1);
	assert_int_equal(seen.pieces + seen.completed + seen.abandoned, 0);
	assert_int_equal(seen.ended, 1);

	exchange = start(&midway, 9000);
	receive(exchange, 9000, 4096);
	exchange_complete(exchange);
	exchange_stop(exchange);
	exchange_abandon(exchange);
	exchange_free(exchange);
	assert_int_equal(midway.status, 400);
	assert_int_equal(midway.pieces, 1);
	assert_int_equal(midway.completed + midway.abandoned + midway.stopping, 0);
	assert_int_equal(midway.ended, 1);
	buffer_deinit(&midway.body);
}

TEST(test_a_waiting_exchange_answers_stops_or_is_abandoned)
{
	struct seen later = { 0 }, gone = { 0 }, stopped = { 0 };
	struct exchange *exchange;

	exchange = start(&later, 0);
	exchange_stop(exchange); /* still arriving: no call */
	exchange_complete(exchange);
	assert_false(exchange_is_answered(exchange));
	answer(exchange, 200);
	assert_true(exchange_is_answered(exchange));
	exchange_free(exchange);
	assert_int_equal(later.answers, 1);
	assert_int_equal(later.stopping + later.abandoned, 0);

	exchange = start(&gone, 0);
	exchange_complete(exchange);
	exchange_abandon(exchange);
	exchange_abandon(exchange);
	exchange_stop(exchange);
	assert_int_equal(gone.ended, 0);
	exchange_free(exchange);
	assert_int_equal(gone.abandoned, 1);
	assert_int_equal(gone.ended, 1);
	assert_int_equal(gone.stopping + gone.answers, 0);

	exchange = start(&stopped, 0);
	exchange_complete(exchange);
	exchange_stop(exchange);
	exchange_stop(exchange);
	assert_int_equal(stopped.stopping, 1);
	assert_int_equal(stopped.status, 503);
	exchange_free(exchange);
	assert_int_equal(stopped.abandoned, 0);
	exchange_free(NULL);
}

TEST(test_a_handler_sees_method_client_and_headers)
{
	struct seen seen = { 0 };
	struct exchange *exchange = start(&seen, 0);
	bool conflict = false;

	assert_string_equal(exchange_method(exchange), "POST");
	assert_int_equal(exchange_client(exchange)->id, 7);
	assert_string_equal(exchange_client(exchange)->name, "laptop");
	assert_null(exchange_header(exchange, "Absent", NULL));
	assert_string_equal(exchange_header(exchange, "Present", NULL), "value");
	exchange_header(exchange, "Present", &conflict);
	assert_false(conflict);
	exchange_header(exchange, "Twice", &conflict);
	assert_true(conflict);
	assert_null(exchange_context(exchange));
	exchange_set_context(exchange, &seen);
	assert_ptr_equal(exchange_context(exchange), &seen);
	exchange_free(exchange);
}

/* In either order. */
TEST(test_a_held_exchange_ends_when_both_sides_let_it_go)
{
	struct seen seen = { 0 };
	struct exchange *exchange = start(&seen, 0);

	exchange_complete(exchange);
	exchange_hold(exchange);
	exchange_free(exchange); /* by its carrier */
	assert_int_equal(seen.abandoned, 1);
	assert_int_equal(seen.ended, 0);
	assert_string_equal(exchange_method(exchange), "POST");
	assert_int_equal(exchange_client(exchange)->id, 7);
	assert_non_null(arena_alloc(exchange_arena(exchange), 100));
	assert_null(exchange_header(exchange, "Present", NULL));
	exchange_release(exchange);
	assert_int_equal(seen.ended, 1);

	exchange = start(&seen, 0);
	exchange_complete(exchange);
	exchange_hold(exchange);
	exchange_release(exchange);
	assert_int_equal(seen.ended, 1);
	exchange_free(exchange);
	assert_int_equal(seen.ended, 2);
}

/* The server and its budget may be freed before a held exchange. */
TEST(test_a_held_exchange_outlives_the_server)
{
	struct arena_budget *budget = arena_budget_new(100000);
	struct seen seen = { 0 };
	struct exchange *exchange = start_within(budget, &seen, 20000);

	receive(exchange, 20000, 1000);
	assert_non_null(arena_alloc(exchange_arena(exchange), 20000));
	assert_in_range(budget->left_bytes, 1, 99999);
	exchange_complete(exchange);
	exchange_hold(exchange);
	exchange_free(exchange);
	arena_budget_drop(budget);
	assert_int_equal(budget->keepers, 1);
	exchange_release(exchange); /* a sanitizer reports it if this frees too early */
	assert_int_equal(seen.ended, 1);
	buffer_deinit(&seen.body);
}
