/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Header values: the exact base64 wrapper, and lists that proxies make. */
#include "unit_test.h"

#include "mcp/rpc.h"

static int set_up(void **state)
{
	*state = arena_new(64 * 1024);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	arena_free(*state);
	return 0;
}

static const struct {
	const char *value, *text;
	bool is;
} cases[] = {
	{ "send_sms", "send_sms", true },
	{ "", "", true },
	{ "Send_sms", "send_sms", false },
	{ "send_sms ", "send_sms", false },
	{ "", "send_sms", false },
	{ "send_sms", "", false },
	/* wrapped */
	{ "=?base64?c2VuZF9zbXM=?=", "send_sms", true },
	{ "=?base64?w6k=?=", "\xc3\xa9", true },
	{ "=?base64?IHg=?=", " x", true },
	{ "=?base64?"
	  "?=",
	  "", true },
	{ "=?base64?c2VuZF9zbXM=?=", "=?base64?c2VuZF9zbXM=?=", false },
	{ "=?base64?PT9iYXNlNjQ/eD89?=", "=?base64?x?=", true },
	{ "=?BASE64?c2VuZF9zbXM=?=", "send_sms", false },
	{ "=?Base64?c2VuZF9zbXM=?=", "send_sms", false },
	{ "=?base64?c2VuZF9zbXM?=", "send_sms", false },
	{ "=?base64?c2VuZF9zbXM==?=", "send_sms", false },
	{ "=?base64?c2VuZF9zb*M=?=", "send_sms", false },
	{ "=?base64? c2VuZF9zbXM=?=", "send_sms", false },
	{ "=?base64?AA==?=", "", false },
	/* half a wrapper is a literal value */
	{ "=?base64?x", "=?base64?x", true },
	{ "x?=", "x?=", true },
	{ "=?base64?=", "=?base64?=", true },
	/* values that need the wrapper */
	{ "\xc3\xa9", "\xc3\xa9", false },
	{ "a\x7f", "a\x7f", false },
	/* a list is not a name, even if its elements are equal */
	{ "a, a", "a", false },
	{ "a,a", "a", false },
	{ "=?base64?YQ==?=, =?base64?YQ==?=", "a", false },
	{ "a, b", "a", false },
	{ "b, a", "a", false },
	{ "a, aa", "a", false },
	{ "aa, a", "aa", false },
	{ "a,", "a", false },
	{ "a, A", "a", false },
	{ ",", "", false },
	/* the comma belongs to the text */
	{ "a, a", "a, a", true },
	{ "a, b", "a, b", true },
};

FIXTURE(set_up, tear_down)

TEST(test_plain_and_base64_values_are_compared)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (rpc_header_is(*state, cases[i].value, cases[i].text) != cases[i].is)
			fail_msg("\"%s\" is \"%s\": expected %d", cases[i].value,
				 cases[i].text, cases[i].is);
}

TEST(test_repeated_equal_values_collapse)
{
	assert_string_equal(rpc_header_collapse(*state, "2025-11-25"), "2025-11-25");
	assert_string_equal(rpc_header_collapse(*state, "x, x,x"), "x");
	assert_string_equal(rpc_header_collapse(*state, "a \t, \ta , a"), "a");
	assert_string_equal(rpc_header_collapse(*state, "x, y"), "x, y");
	assert_string_equal(rpc_header_collapse(*state, ""), "");
	assert_string_equal(rpc_header_collapse(*state, ", ,"), ", ,");
}

TEST(test_invalid_characters_become_question_marks)
{
	assert_string_equal(rpc_header_plain(*state, "2025-11-25"), "2025-11-25");
	assert_string_equal(rpc_header_plain(*state, "\xfc\xc3x"), "??x");
}
