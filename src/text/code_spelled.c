/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of lines, groups or words that are digits. A run by itself looks so much like a code that
 * a name of codes anywhere in the text is enough; groups of digits between spaces also look like
 * phone numbers, so they need a name and a colon before them.
 */
#include "text/code.h"

#include <string.h>

#include "base/utf8.h"

enum { CODE_SPELLED_RUN_LEAST = 4 }; /* digits in words */

/* Digits of a line that has nothing else; 0: it has. */
static unsigned code_spelled_line_digits(const char *line)
{
	unsigned digits = (unsigned)strspn(line, "0123456789");
	const char *end = line + digits + strspn(line + digits, " .,\r");

	return !*end || *end == '\n' ? digits : 0;
}

static const char *code_spelled_next_line(const char *line)
{
	const char *feed = strchr(line, '\n');

	return feed ? feed + 1 : NULL;
}

static void code_spelled_search_lines(const struct code_context *context,
				      void (*visit)(void *data, size_t from, size_t to),
				      void *data)
{
	const char *line = context->text;

	while (line) {
		const char *from = line, *to = line;
		unsigned digits = 0, count = 0, more;

		while (line && (more = code_spelled_line_digits(line)) > 0) {
			digits += more;
			count++;
			to = line + more;
			line = code_spelled_next_line(line);
		}
		if (count > 1 && digits >= CODE_PIECE_LEAST &&
		    digits <= CODE_PIECE_DIGITS_MOST &&
		    (context->has_hint || context->is_typed_in || from == context->text))
			visit(data, (size_t)(from - context->text),
			      (size_t)(to - context->text));
		if (line == from)
			line = code_spelled_next_line(line);
	}
}

static bool code_spelled_is_number_word(const struct code_context *context, size_t at)
{
	return at < context->count &&
	       context->kinds[at] & (CODE_WORD_DIGIT | CODE_WORD_NUMBER);
}

/* Only blanks, dashes and commas are between them. */
static bool code_spelled_is_followed(const struct code_context *context, size_t at)
{
	const struct text_word *word = &context->words[at];
	const char *end = word->text + word->length;
	size_t gap = strspn(end, " -,\r\n");

	return at + 1 < context->count && context->words[at + 1].text == end + gap;
}

/* Words of the run from here on: "forty-eight and two nine" has four. */
static size_t code_spelled_run_length(const struct code_context *context, size_t at,
				      bool *has_large_out)
{
	/* and ten in Turkish, which is a small word in English */
	static const char *const links[] = {
		"and", "und", "et", "y", "e", "i", "ve", "on"
	};
	size_t count = 0;

	*has_large_out = false;
	while (code_spelled_is_number_word(context, at + count)) {
		size_t last = at + count;

		*has_large_out |= (context->kinds[last] & CODE_WORD_NUMBER) != 0;
		count++;
		if (!code_spelled_is_followed(context, last))
			break;
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			if (strcmp(context->words[last + 1].folded, links[i]) == 0 &&
			    code_spelled_is_followed(context, last + 1) &&
			    code_spelled_is_number_word(context, last + 2)) {
				count++;
				break;
			}
		}
	}
	return count;
}

static void code_spelled_search_words(const struct code_context *context,
				      void (*visit)(void *data, size_t from, size_t to),
				      void *data)
{
	const struct text_word *words = context->words;
	size_t step;

	for (size_t at = 0; at < context->count; at += step) {
		bool has_large;
		size_t count = code_spelled_run_length(context, at, &has_large),
		       last = at + count - 1;
		bool is_long =
			count >= CODE_SPELLED_RUN_LEAST || (has_large && count >= 2);

		step = count ? count : 1;
		if (is_long &&
		    (context->has_name || count == context->count ||
		     (!has_large && (context->is_typed_in || context->has_lock))) &&
		    !code_context_is_of_kind(context, at, at + count,
					     CODE_WORD_MONEY | CODE_WORD_UNIT))
			visit(data, (size_t)(words[at].text - context->text),
			      (size_t)(words[last].text + words[last].length -
				       context->text));
	}
}

/* Of Chinese and Japanese, which put no blanks between them. */
static bool code_spelled_is_digit_sign(uint32_t character)
{
	static const uint32_t signs[] = { 0x3007, 0x96f6, 0x4e00, 0x4e8c, 0x4e09, 0x56db,
					  0x4e94, 0x516d, 0x4e03, 0x516b, 0x4e5d };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (character == signs[i])
			return true;
	}
	return false;
}

static void code_spelled_search_signs(const struct code_context *context,
				      void (*visit)(void *data, size_t from, size_t to),
				      void *data)
{
	const char *at = context->text;

	while (*at) {
		const char *from = at, *to = at;
		unsigned count = 0;

		while (*at && code_spelled_is_digit_sign(utf8_next(&at))) {
			to = at;
			count++;
		}
		if (count >= CODE_SPELLED_RUN_LEAST && context->has_name)
			visit(data, (size_t)(from - context->text),
			      (size_t)(to - context->text));
	}
}

void code_spelled_search(const struct code_context *context,
			 void (*visit)(void *data, size_t from, size_t to), void *data)
{
	code_spelled_search_lines(context, visit, data);
	code_spelled_search_words(context, visit, data);
	code_spelled_search_signs(context, visit, data);
}
