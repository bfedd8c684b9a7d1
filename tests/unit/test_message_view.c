/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tools/message_view.h"

static const struct message received = {
	.id = 7,
	.direction = MESSAGE_INCOMING,
	.sim_id = 2,
	.number = "+36201234567",
	.text = "hi",
	.state = STATE_RECEIVED,
	.reason = "",
	.uuid = "",
	.created_ms = 1795246200123,
	.sent_time = "2026-11-21T08:30:00+0100",
	.idempotency_key = "",
};

static const struct message failed = {
	.id = 8,
	.direction = MESSAGE_OUTGOING,
	.sim_id = 1,
	.number = "+36201234567",
	.text = "no",
	.segments = 1,
	.state = STATE_FAILED,
	.reason = "network_refused",
	.uuid = "",
	.sent_time = "",
	.idempotency_key = "",
};

static void expect(const struct message *message, const char *expected)
{
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);

	message_view_write(writer, message);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	assert_string_equal(buffer.data, expected);
	buffer_deinit(&buffer);
}

static void test_received(void **state)
{
	(void)state;
	expect(&received,
	       "{\"message_id\":7,\"direction\":\"in\",\"phone_number\":\"+36201234567\","
	       "\"subscription_id\":2,\"text\":\"hi\",\"state\":\"received\","
	       "\"created_at\":\"2026-11-21T07:30:00.123Z\","
	       "\"sent_time\":\"2026-11-21T08:30:00+01:00\",\"read\":false,\"flags\":[]"
	       "}");
}

static void test_outgoing(void **state)
{
	(void)state;
	expect(&failed, "{\"message_id\":8,\"direction\":\"out\",\"phone_number\":\"+"
			"36201234567\","
			"\"subscription_id\":1,\"text\":\"no\",\"state\":\"failed\","
			"\"reason\":\"network_refused\","
			"\"created_at\":\"1970-01-01T00:00:00.000Z\",\"flags\":[]}");
}

static void test_what_strangers_wrote(void **state)
{
	struct message message = received;

	(void)state;
	message.sim_id = 0;
	message.number = "Ba\u202enk\x1b";
	message.text = "\u202e\"}";
	message.sent_time = "never\x07";
	message.read_ms = 1;
	message.flags = MESSAGE_REPAIRED | MESSAGE_UNREADABLE | MESSAGE_IMMEDIATE |
			MESSAGE_CLOCK_WRONG;
	message.repeats = 3;
	expect(&message,
	       "{\"message_id\":7,\"direction\":\"in\",\"phone_number\":\"Ba\\\\u202enk"
	       "\\\\u001b\",\"text\":\"\\\\u202e\\\"}\",\"state\":\"received\","
	       "\"created_at\":\"2026-11-21T07:30:00.123Z\",\"sent_time\":"
	       "\"never\\\\u0007\","
	       "\"read\":true,\"flags\":[\"repaired\",\"undecodable_or_empty\","
	       "\"immediate\",\"clock_wrong\",\"repeated 3\"]}");
}

/* A stamp that is not of the usual form is shown as it is; none is left out. */
static void test_stamps(void **state)
{
	static const char *const stamps[][2] = {
		{ "2026-11-21T08:30:00-0330", "2026-11-21T08:30:00-03:30" },
		{ "2026-11-21T08:30:00Z", "2026-11-21T08:30:00Z" },
		{ "2026-11-21T08:30:00+01:00", "2026-11-21T08:30:00+01:00" },
		{ "x", "x" },
	};
	struct message message = received;

	(void)state;
	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		struct buffer buffer = BUFFER_INIT;
		struct json_writer *writer = json_writer_new(&buffer);

		message.sent_time = stamps[i][0];
		message_view_write(writer, &message);
		json_writer_free(writer);
		buffer_append(&buffer, "", 1);
		assert_non_null(strstr(buffer.data, stamps[i][1]));
		buffer_deinit(&buffer);
	}
	message.sent_time = "";
	expect(&message,
	       "{\"message_id\":7,\"direction\":\"in\",\"phone_number\":\"+36201234567\","
	       "\"subscription_id\":2,\"text\":\"hi\",\"state\":\"received\","
	       "\"created_at\":\"2026-11-21T07:30:00.123Z\",\"read\":false,\"flags\":[]"
	       "}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_received),
		cmocka_unit_test(test_outgoing),
		cmocka_unit_test(test_what_strangers_wrote),
		cmocka_unit_test(test_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
