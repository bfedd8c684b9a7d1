/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a message, written by a stranger: split into segments, repaired, escaped,
 * searched for codes, links, STOP and START. */
#include "base/buffer.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "config/balance_pattern.h"
#include "config/config.h"
#include "fuzz.h"
#include "text/code_mask.h"
#include "text/extract.h"
#include "sms/mended_text.h"
#include "sms/opt_word.h"
#include "text/segments.h"
#include "text/service_text.h"

static void check_segments(const char *text)
{
	struct segments segments;
	unsigned whole, part, most;

	segments_measure(text, &segments);
	FUZZ_CHECK(segments_encoding_name(segments.encoding));
	whole = segments.encoding == SEGMENTS_GSM7 ? 160 : 70;
	part = segments.encoding == SEGMENTS_GSM7 ? 153 : 67;
	most = segments.count == 1 ? whole : segments.count * part;
	FUZZ_CHECK(segments.count >= 1);
	FUZZ_CHECK(segments.units <= most);
	FUZZ_CHECK(segments.room <= (segments.count == 1 ? whole : part));
	FUZZ_CHECK((segments.culprit != 0) == (segments.encoding == SEGMENTS_UCS2));
	/* no segment is wasted, except for one septet before a pair */
	FUZZ_CHECK(segments.count == 1 || segments.units > whole - 1);
}

/* As the answer to a USSD code. */
static void check_balance(const char *text)
{
	static const struct config_list list = {
		.count = 2,
		.items = { "*1# ([A-Z]*) ?([-0-9., ]+)", "*1# ([-0-9., ]+) ?(.*)" },
	};
	char written[AMOUNT_BYTES];
	struct balance balance;

	if (!balance_pattern_read(&list, "*1#", text, &balance))
		return;
	amount_write(&balance.amount, written);
	FUZZ_CHECK(strlen(written) < AMOUNT_BYTES - 1);
	FUZZ_CHECK(escape_is_plain(balance.currency));
	FUZZ_CHECK(!strpbrk(balance.currency, " \"\\{}\n"));
}

/* The escaped text, in which a line feed replaces each carriage return. */
static char *without_returns(const char *text)
{
	char *plain = strdup(text), *to = plain;

	for (const char *from = plain; *from; from++) {
		if (from[0] != '\r' || from[1] != '\n')
			*to++ = *from;
	}
	*to = '\0';
	return plain;
}

static void check_shown(const char *text)
{
	char *plain = without_returns(text);
	struct buffer shown = BUFFER_INIT;
	bool escaped = escape_text(&shown, text);

	buffer_append(&shown, "", 1);
	FUZZ_CHECK(!shown.failed && strlen(shown.data) == shown.length - 1);
	FUZZ_CHECK(utf8_valid(shown.data, shown.length));
	FUZZ_CHECK(!escaped || !escape_is_plain(text));
	escape_undo(shown.data);
	FUZZ_CHECK(strcmp(shown.data, plain) == 0);
	buffer_deinit(&shown);
	free(plain);
}

static void check_mended(const char *text)
{
	unsigned flags = 0, again = 0;
	char *once = mended_text(text, &flags), *twice;

	FUZZ_CHECK(once && utf8_valid(once, strlen(once)));
	FUZZ_CHECK(!(flags & MESSAGE_REPAIRED) == (strcmp(once, text) == 0));
	twice = mended_text(once, &again);
	FUZZ_CHECK(!(again & MESSAGE_REPAIRED) && strcmp(once, twice) == 0);
	free(once);
	free(twice);
}

/* The text around the masks. */
static void take_out_masks(char *masked)
{
	while ((masked = strstr(masked, CODE_MASK)))
		memset(masked, '\1', strlen(CODE_MASK));
}

static void check_code(const char *text)
{
	struct buffer masked = BUFFER_INIT;
	struct extract extract;
	bool has_code;

	extract_from(text, &extract);
	extract_has_link(text);
	has_code = code_mask(text, &masked);
	buffer_append(&masked, "", 1);
	FUZZ_CHECK(!masked.failed && utf8_valid(masked.data, masked.length));
	/* what one client receives is what another may not see */
	FUZZ_CHECK(!*extract.code || has_code);
	take_out_masks(masked.data);
	if (*extract.code)
		FUZZ_CHECK(!strstr(masked.data, extract.code));
	FUZZ_CHECK(!*extract.link || strstr(text, extract.link));
	buffer_deinit(&masked);
}

/* A masked text has nothing more to mask. A password in XML may hide what made it one. */
static void check_service(const char *text)
{
	struct buffer once = BUFFER_INIT, twice = BUFFER_INIT;

	if (service_text_mask(text, &once)) {
		buffer_append(&once, "", 1);
		FUZZ_CHECK(!once.failed && utf8_valid(once.data, strlen(once.data)));
		FUZZ_CHECK(service_text_kind(text));
		if (service_text_mask(once.data, &twice)) {
			buffer_append(&twice, "", 1);
			FUZZ_CHECK(strcmp(once.data, twice.data) == 0);
		}
	}
	buffer_deinit(&once);
	buffer_deinit(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	char *text = fuzz_text(data, length);
	const char *word;

	if (utf8_valid(text, length) && strlen(text) == length) {
		check_segments(text);
		check_balance(text);
		check_shown(text);
		check_mended(text);
		check_code(text);
		check_service(text);
		if (opt_word_find(text, &word) != OPT_NONE)
			FUZZ_CHECK(*word);
	}
	free(text);
	return 0;
}
