/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client reads of a text that names tools. */
#include "unit_test.h"
#include <string.h>

#include "mcp/tool.h"

static const struct tool list_all = { .name = "list_all", .scopes = CLIENT_READ };
static const struct tool send_one = { .name = "send_one", .scopes = CLIENT_SEND };
static const struct tool gone = { .name = "gone_now" };
static const struct tool *const table[] = { &list_all, &send_one, &gone, NULL };
static const struct tool *const offered[] = { &list_all, &send_one, NULL };

static void expect_read(unsigned scopes, const char *text, const char *expected)
{
	const struct schema_reader reader = { table, offered, scopes };
	struct buffer buffer = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&buffer);

	json_open_object(writer);
	assert_int_equal(schema_put_text(writer, "t", text, &reader),
			 strcmp(expected, "{}") != 0);
	json_close_object(writer);
	json_writer_free(writer);
	buffer_append(&buffer, "", 1);
	assert_string_equal(buffer.data, expected);
	buffer_deinit(&buffer);
}

TEST(test_a_sentence_about_a_missing_tool_is_dropped)
{
	const char *text =
		"Does it. Call list_all before. Costs 0.5 or so. Then send_one";

	expect_read(
		CLIENT_READ | CLIENT_SEND, text,
		"{\"t\":\"Does it. Call list_all before. Costs 0.5 or so. Then send_one\"}");
	expect_read(CLIENT_READ, text,
		    "{\"t\":\"Does it. Call list_all before. Costs 0.5 or so.\"}");
	expect_read(CLIENT_SEND, text,
		    "{\"t\":\"Does it. Costs 0.5 or so. Then send_one\"}");
	expect_read(0, text, "{\"t\":\"Does it. Costs 0.5 or so.\"}");
	expect_read(CLIENT_READ, "First gone_now. Then more.", "{\"t\":\"Then more.\"}");
}

TEST(test_a_remark_about_a_missing_tool_is_dropped_alone)
{
	const char *text =
		"A SIM (list_all has them) or two (of any); send_one (it) sends.";

	expect_read(
		CLIENT_READ | CLIENT_SEND, text,
		"{\"t\":\"A SIM (list_all has them) or two (of any); send_one (it) sends.\"}");
	expect_read(CLIENT_SEND, text,
		    "{\"t\":\"A SIM or two (of any); send_one (it) sends.\"}");
	expect_read(CLIENT_SEND, "Open (list_all and no end", "{}");
}

TEST(test_only_a_whole_name_counts)
{
	expect_read(0, "resend_one, send_ones and list_all_too.",
		    "{\"t\":\"resend_one, send_ones and list_all_too.\"}");
	expect_read(0, "Not \"send_one\".", "{}");
	expect_read(0, "send_ones and send_one", "{}");
}

TEST(test_a_text_of_which_nothing_is_left_is_no_member)
{
	expect_read(0, "Call list_all. Then send_one.", "{}");
	expect_read(0, "", "{}");
}
