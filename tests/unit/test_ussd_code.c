/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit_test.h"
#include "base/explanation.h"
#include "config/config_list.h"
#include "base/buffer.h"
#include "config/ussd_code.h"

TEST(test_codes_have_one_form)
{
	static const char *const codes[] = { "*100#",  "#100#",	     "*#100#",
					     "**1*2#", "*133*1234#", "*100*1#2#" };
	static const char *const others[] = { "",	    "#",    "*#",     "**#",
					      "100#",	    "*100", "*100# ", "*10a#",
					      "+36201#",    "112",  "*1 00#", "*100#*",
					      "*\xd9\xa1#", "*10?#" };
	char longest[USSD_CODE_BYTES + 1];

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_true(ussd_code_is_valid(codes[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(ussd_code_is_valid(others[i]));
	assert_true(ussd_code_pattern_is_valid("*133*????#"));
	assert_true(ussd_code_pattern_is_valid("#??#"));
	assert_false(ussd_code_pattern_is_valid("**#"));
	assert_false(ussd_code_pattern_is_valid("????"));
	memset(longest, '1', sizeof(longest));
	longest[0] = '*';
	longest[USSD_CODE_BYTES - 1] = '#';
	longest[USSD_CODE_BYTES] = '\0';
	assert_false(ussd_code_is_valid(longest));
	strcpy(longest + USSD_CODE_BYTES - 2, "#");
	assert_true(ussd_code_is_valid(longest));
}

/* Each service of annex B, in every way to write it: 6.5.2 */
TEST(test_mmi_codes_are_recognised)
{
	static const char *const services[] = {
		"21",  "67",  "61",  "62",  "002", "004", "66",	 "214", "33",  "331",
		"332", "35",  "351", "330", "333", "353", "43",	 "30",	"31",  "76",
		"77",  "300", "03",  "04",  "042", "05",  "052", "06",	"37",  "96",
		"360", "361", "362", "363", "88",  "591", "594", "75",	"754",
	};
	static const char *const ways[] = { "*%s#",	 "**%s#",     "#%s#",
					    "##%s#",	 "*#%s#",     "*%s*+#",
					    "**%s*1*2#", "##%s**11#", "*#*%s#*1#" };
	char code[USSD_CODE_BYTES];

	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(code, sizeof(code), ways[k], services[i]);
#pragma GCC diagnostic pop
			assert_true(ussd_code_is_mmi(code));
		}
	}
	assert_false(ussd_code_is_mmi("*100#"));
	assert_false(ussd_code_is_mmi("*210#"));
	assert_false(ussd_code_is_mmi("*2*1#"));
	assert_false(ussd_code_is_mmi("*100*21#"));
	assert_false(ussd_code_is_mmi("*121#"));
}

/* oFono puts it between quotes into AT+CUSD=1,"...",15, in the GSM alphabet. */
TEST(test_only_safe_replies_are_valid)
{
	static const char *const good[] = { "1",  "*",		"#",
					    "0",  "Yes, 12.50", "+36201234567",
					    "*1", "#9",		"a*1" };
	static const char *const bad[] = {
		"1\",15;+CFUN=0;+CUSD=1,\"2",
		"\"",
		"1\r",
		"1\r\nATD1;\r",
		"1\n2",
		"1;2",
		"\x1a",
		"\b",
		"\xce\x9e", /* Xi is 0x1a there */
		"\xc3\xb2",
		"@",
		"_",
		"1\x7f",
		"\t",
		"\xf0\x9f\x98\x80",
	};
	static const char *const codes[] = { "*21#",   "**21*+3620#", "#31#",  "*100#",
					     " *#06#", "*31#123",     "##002#" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(ussd_code_reply_is_valid(good[i]));
		assert_false(ussd_code_reply_is_code(good[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(ussd_code_reply_is_valid(bad[i]));
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_true(ussd_code_reply_is_code(codes[i]));
}

TEST(test_a_list_allows_codes_and_patterns)
{
	const struct config_list none = { 0 };
	const struct config_list list = { 2, { "*100#, *133*????#", "#??#" } };

	assert_false(ussd_code_is_in(&none, "*100#"));
	assert_true(ussd_code_is_in(&list, "*100#"));
	assert_true(ussd_code_is_in(&list, "*133*1234#"));
	assert_false(ussd_code_is_in(&list, "*133*12345#"));
	assert_false(ussd_code_is_in(&list, "*133*123#"));
	assert_false(ussd_code_is_in(&list, "*133*123*#"));
	assert_false(ussd_code_is_in(&list, "*100"));
	assert_false(ussd_code_is_in(&list, "*100##"));
	assert_false(ussd_code_is_in(&list, ""));
}

TEST(test_a_list_is_checked)
{
	const struct config_list good = { 2, { "*100#, *133*????#", "*2??#" } };
	const struct config_list bad = { 1, { "*100# 100" } };
	const struct config_list mmi = { 2, { "*100#", "**21*????????#" } };
	struct explanation error = { "" };

	assert_int_equal(ussd_code_check_list(&good, &error), 0);
	assert_string_equal(error.text, "");
	assert_int_equal(ussd_code_check_list(&bad, &error), -EINVAL);
	assert_non_null(strstr(error.text, "ussd.allow: \"100\" is not a code such as"));
	assert_int_equal(ussd_code_check_list(&mmi, &error), -EINVAL);
	assert_non_null(strstr(error.text, "\"**21*????????#\" is a code that changes"));
}

static void assert_described(const struct config_list *list, const char *expected)
{
	struct buffer text = BUFFER_INIT;

	ussd_code_describe(list, &text);
	buffer_append(&text, "", 1);
	assert_string_equal(text.data, expected);
	buffer_deinit(&text);
}

TEST(test_a_code_may_have_a_purpose)
{
	const struct config_list list = {
		2, { "*100# (balance, in EUR), *101#", "*133*????#(top up) #12# ()" }
	};
	const struct config_list open = { 1, { "*100# (balance" } };
	const struct config_list alone = { 1, { "(balance) *100#" } };
	struct explanation error = { "" };

	assert_int_equal(ussd_code_check_list(&list, &error), 0);
	assert_true(ussd_code_is_in(&list, "*100#"));
	assert_true(ussd_code_is_in(&list, "*101#"));
	assert_true(ussd_code_is_in(&list, "*133*1234#"));
	assert_true(ussd_code_is_in(&list, "#12#"));
	assert_false(ussd_code_is_in(&list, "balance,"));
	assert_described(&list,
			 "*100# (balance, in EUR), *101#, *133*????# (top up), #12#");
	assert_int_equal(ussd_code_check_list(&open, &error), -EINVAL);
	assert_non_null(strstr(error.text, "the purpose of \"*100#\" has no )"));
	assert_int_equal(ussd_code_check_list(&alone, &error), -EINVAL);
	assert_non_null(strstr(error.text, "too long or missing"));
}

TEST(test_a_long_list_is_described_in_part)
{
	const struct config_list list = {
		2,
		{ "*1# *2# *3# *4# *5# *6# *7# *8# *9# *10#",
		  "*11# *12# *13# *14# *15# *16# *17# *18# *19# *20# *101#" }
	};

	assert_true(ussd_code_is_in(&list, "*101#"));
	assert_described(&list,
			 "*1#, *2#, *3#, *4#, *5#, *6#, *7#, *8#, *9#, *10#, *11#, *12#, "
			 "*13#, *14#, *15#, *16#, *17#, *18#, *19#, *20# and others");
}
