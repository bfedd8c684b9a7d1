/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <string.h>

#include "tools/services.h"
#include "tools/tool_wait.h"

enum { WAITS = 5 };

static char answered[WAITS + 1]; /* the letters of the answered waits, in order */
static struct tool_wait waits[WAITS];
static const struct request_waiting *waiting; /* the same for all waits */

static void answer(void *data)
{
	answered[strlen(answered)] = *(const char *)data;
}

static void store_waiting(void *data, const struct request_waiting *how, void *wait)
{
	waiting = how;
}

/* b's client disconnects, and e is finished early: neither is answered by its timer. */
TEST(test_waits_are_answered_in_the_order_of_their_ends)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} rows[WAITS] = { { "a", 2 }, { "b", 1 }, { "c", 1 }, { "d", 1 }, { "e", 2 } };
	const struct tool_caller caller = { .waits = store_waiting };
	struct services services = { NULL };
	struct tool_call call = { .services = &services, .caller = &caller };

	assert_true(sd_event_new(&services.loop) >= 0);
	for (int i = 0; i < WAITS; i++) {
		waits[i] = (struct tool_wait){ .answer = answer,
					       .data = (void *)rows[i].name };
		assert_true(tool_wait_start(&waits[i], &call, rows[i].seconds));
	}
	assert_false(tool_wait_start(&(struct tool_wait){ .answer = answer }, &call, 0));
	waiting->abandoned(&waits[1]);
	tool_wait_finish(&waits[4]);
	assert_string_equal(answered, "e");
	while (strlen(answered) < WAITS - 1)
		assert_true(sd_event_run(services.loop, UINT64_MAX) >= 0);
	assert_string_equal(answered, "ecda");
	sd_event_unref(services.loop);
}
