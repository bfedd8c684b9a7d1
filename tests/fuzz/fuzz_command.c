/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the owner texts: the first byte selects the words, the rest is the message. The parts are
 * within the text and in order, a code is six digits that the mask takes out, and no code is
 * found but the one that is there. */
#include <ctype.h>

#include "base/totp.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "text/code_mask.h"
#include "text/command_text.h"

enum { NEEDS_WORD = 1, HAS_CODES = 2, HAS_ANSWERS = 4, OTHER_WORDS = 8 };

static const uint8_t secret[TOTP_SECRET_BYTES] = "12345678901234567890"; /* of RFC 6238 */

static void check_part(const struct command_text_part *part, const char *text)
{
	size_t length = strlen(text);

	FUZZ_CHECK(part->from <= length && part->length <= length - part->from);
	FUZZ_CHECK((text[part->from] & 0xc0) != 0x80);
	FUZZ_CHECK((text[part->from + part->length] & 0xc0) != 0x80);
}

/* Only the code of the time, and only once. */
static void check_totp(const char *code)
{
	char right[TOTP_CODE_BYTES];
	const int64_t step = 1000;
	int64_t found = 0;
	enum totp_verdict verdict =
		totp_check(secret, step * TOTP_STEP_MS, 0, code, &found);

	FUZZ_CHECK(verdict != TOTP_USED);
	if (verdict == TOTP_WRONG)
		return;
	FUZZ_CHECK(totp_write_code(secret, sizeof(secret), found, 6, right));
	FUZZ_CHECK(strcmp(right, code) == 0 && found >= step - TOTP_STEPS_AROUND &&
		   found <= step + TOTP_STEPS_AROUND);
	FUZZ_CHECK(totp_check(secret, step * TOTP_STEP_MS, found, code, &found) ==
		   TOTP_USED);
}

static void check_code(const struct command_text *read, const char *text)
{
	check_part(&read->code_at, text);
	FUZZ_CHECK((read->code_at.length != 0) == (*read->code != '\0'));
	if (!*read->code)
		return;
	FUZZ_CHECK(strlen(read->code) == COMMAND_TEXT_CODE_BYTES - 1);
	for (const char *at = read->code; *at; at++)
		FUZZ_CHECK(isdigit((unsigned char)*at));
	FUZZ_CHECK(read->code_at.from >= read->number_at.from + read->number_at.length);
	check_totp(read->code);
}

/* The mask replaces the parts and keeps the rest. */
static void check_mask(const struct command_text *read, const char *text)
{
	struct buffer masked = BUFFER_INIT;
	size_t masks = (read->code_at.length > 0) + (read->number_at.length > 0);

	command_text_mask(read, text, &masked);
	FUZZ_CHECK(!masked.failed);
	FUZZ_CHECK(masked.length == strlen(text) - read->code_at.length -
					    read->number_at.length +
					    masks * strlen(CODE_MASK));
	buffer_deinit(&masked);
}

static void check_kind(const struct command_text_words *words,
		       const struct command_text *read, const char *text)
{
	FUZZ_CHECK(words->approve || read->kind != COMMAND_TEXT_ANSWER);
	FUZZ_CHECK(read->kind == COMMAND_TEXT_ANSWER ||
		   (!read->number && !read->number_at.length));
	FUZZ_CHECK(read->kind != COMMAND_TEXT_NONE || !*read->code);
	FUZZ_CHECK(words->has_codes || read->kind == COMMAND_TEXT_ANSWER || !*read->code);
	if (read->kind == COMMAND_TEXT_ANSWER)
		FUZZ_CHECK(read->number >= 0 && read->number_at.length);
	check_part(&read->command, text);
	check_part(&read->number_at, text);
	if (read->code_at.length && read->command.length) /* the code is no part of it */
		FUZZ_CHECK(
			read->command.from >= read->code_at.from + read->code_at.length ||
			read->command.from + read->command.length <= read->code_at.from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	uint8_t flags = length ? data[0] : 0;
	char *text = fuzz_text(data + (length > 0), length ? length - 1 : 0);
	const struct command_text_words words = {
		.word = flags & OTHER_WORDS ? "φωνή" : "agent",
		.approve = flags & HAS_ANSWERS ? "YES" : NULL,
		.reject = flags & HAS_ANSWERS ? "NO" : NULL,
		.needs_word = flags & NEEDS_WORD,
		.has_codes = flags & HAS_CODES,
	};
	struct command_text read;

	if (utf8_valid(text, strlen(text))) {
		command_text_read(&words, text, &read);
		check_code(&read, text);
		check_kind(&words, &read, text);
		check_mask(&read, text);
	}
	free(text);
	return 0;
}
