/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/join_code.h"

#include "unit_test.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct join_code code_example(void)
{
	struct join_code code = {
		.prefix = "ofono",
		.phone = "alfa",
		.host = "broker.example",
		.port = 8883,
		.tls = true,
		.password = "Gy7-/+pass",
		.ca = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
	};

	for (size_t at = 0; at < FLEET_KEY_BYTES; at++)
		code.secret.bytes[at] = (uint8_t)(at * 37);
	return code;
}

static char *code_text(const struct join_code *code)
{
	struct buffer text = BUFFER_INIT;

	assert_int_equal(join_code_write(code, &text), 0);
	buffer_append(&text, "", 1);
	return buffer_take(&text, &(size_t){ 0 });
}

TEST(a_code_is_read_as_it_was_written)
{
	struct join_code code = code_example(), read;
	char *text = code_text(&code);

	assert_null(join_code_read(text, &read));
	assert_memory_equal(&read.secret, &code.secret, sizeof(code.secret));
	assert_string_equal(read.prefix, code.prefix);
	assert_string_equal(read.phone, code.phone);
	assert_string_equal(read.host, code.host);
	assert_int_equal(read.port, code.port);
	assert_true(read.tls);
	assert_string_equal(read.password, code.password);
	assert_string_equal(read.ca, code.ca);
	free(text);
}

TEST(a_code_without_tls_says_so)
{
	struct join_code code = code_example(), read;
	char *text;

	code.tls = false;
	code.ca[0] = '\0';
	text = code_text(&code);
	assert_null(join_code_read(text, &read));
	assert_false(read.tls);
	assert_string_equal(read.ca, "");
	free(text);
}

TEST(a_code_is_one_word_of_safe_characters)
{
	struct join_code code = code_example();
	char *text = code_text(&code);

	for (const char *at = text; *at; at++)
		assert_true(isalnum((unsigned char)*at) || strchr("-_.", *at));
	free(text);
}

TEST(line_breaks_of_a_message_do_not_matter)
{
	struct join_code code = code_example(), read;
	char *text = code_text(&code), broken[JOIN_CODE_MAX];

	snprintf(broken, sizeof(broken), " %.20s\r\n  %.30s\n\t%s \n", text, text + 20,
		 text + 50);
	assert_null(join_code_read(broken, &read));
	assert_string_equal(read.phone, "alfa");
	free(text);
}

TEST(a_mistyped_or_cut_code_is_refused)
{
	struct join_code code = code_example(), read;
	char *text = code_text(&code);
	size_t length = strlen(text);

	for (size_t at = 0; at < length; at++) {
		char right = text[at];

		text[at] = right == 'x' ? 'y' : 'x';
		assert_non_null(join_code_read(text, &read));
		text[at] = right;
	}
	while (length) {
		text[--length] = '\0';
		assert_non_null(join_code_read(text, &read));
	}
	free(text);
}

TEST(codes_with_a_bad_member_are_not_written)
{
	struct buffer text = BUFFER_INIT;
	struct join_code code;

#define REFUSES(change)                                                   \
	do {                                                              \
		code = code_example();                                    \
		change;                                                   \
		assert_int_equal(join_code_write(&code, &text), -EINVAL); \
		assert_int_equal(text.length, 0);                         \
	} while (0)
	REFUSES(strcpy(code.phone, "hub"));
	REFUSES(strcpy(code.phone, "a/b"));
	REFUSES(strcpy(code.prefix, "a/b"));
	REFUSES(strcpy(code.host, "a host"));
	REFUSES(strcpy(code.host, ""));
	REFUSES(strcpy(code.host, "-h"));
	REFUSES(code.port = 0);
	REFUSES(code.port = 65536);
	REFUSES(strcpy(code.password, "a\nb"));
	REFUSES(strcpy(code.ca, "no certificate"));
#undef REFUSES
}

TEST(other_texts_are_refused_in_words)
{
	static char huge[JOIN_CODE_MAX + 10];
	struct join_code read;

	memset(huge, 'a', sizeof(huge) - 1);
	memcpy(huge, "ofm1.", 5);
	assert_non_null(join_code_read("", &read));
	assert_non_null(join_code_read("ofm1.", &read));
	assert_non_null(join_code_read("ofm1..", &read));
	assert_non_null(join_code_read("ofm1.AAAA.12345678", &read));
	assert_non_null(join_code_read("ofm2.AAAA.12345678", &read));
	assert_non_null(join_code_read(huge, &read));
}
