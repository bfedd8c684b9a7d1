/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/code_mask.h"

#include <stdlib.h>
#include <string.h>

#include "text/code.h"
#include "text/extract.h"

enum { NUMBER_LEAST = 4, NUMBER_MOST = 10, CODE_BYTES = 64 };

struct code_mask_state {
	struct code_text read;
	bool *hidden; /* for each byte of the original */
	bool any;
};

static void code_mask_hide(struct code_mask_state *masking, size_t from, size_t to)
{
	if (from == to)
		return;
	from = masking->read.from[from];
	to = masking->read.to[to - 1];
	memset(masking->hidden + from, true, to - from);
	masking->any = true;
}

static bool code_mask_is_between(char byte)
{
	return byte == ' ' || byte == '-' || byte == '.';
}

static char code_mask_to_small(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* Length in bytes if the code stands here, ignoring spaces and dashes; 0: it does not. */
static size_t code_mask_match_at(const char *text, const char *code)
{
	const char *at = text;

	if (code_mask_is_between(*text))
		return 0;
	while (*code) {
		if (code_mask_is_between(*code)) {
			code++;
			continue;
		}
		if (code_mask_to_small(*at) == code_mask_to_small(*code))
			code++;
		else if (!code_mask_is_between(*at))
			return 0;
		at++;
	}
	return (size_t)(at - text);
}

/* A code bound to a site may begin with any character. */
static void code_mask_hide_exactly(struct code_mask_state *masking, const char *code)
{
	const char *text = masking->read.text, *at = text;

	while ((at = strstr(at, code))) {
		code_mask_hide(masking, (size_t)(at - text),
			       (size_t)(at - text) + strlen(code));
		at++;
	}
}

static void code_mask_hide_everywhere(struct code_mask_state *masking, const char *code)
{
	const char *text = masking->read.text;

	for (size_t at = 0; at < masking->read.length; at++) {
		size_t length = code_mask_match_at(text + at, code);

		code_mask_hide(masking, at, at + length);
	}
}

static void code_mask_hide_found(void *data, const struct code_token *token, int points)
{
	struct code_mask_state *masking = data;
	const size_t length = token->to - token->from;
	char code[CODE_BYTES];

	code_mask_hide(masking, token->from, token->to);
	if (length >= sizeof(code))
		return;
	memcpy(code, masking->read.text + token->from, length);
	code[length] = '\0';
	code_mask_hide_everywhere(masking, code);
}

/* A text that is only a number: "482910" */
static void code_mask_hide_lone_number(struct code_mask_state *masking)
{
	const char *text = masking->read.text;
	size_t digits = 0;

	for (size_t at = 0; text[at]; at++) {
		if (text[at] >= '0' && text[at] <= '9')
			digits++;
		else if (!strchr(" -.\r\n\t", text[at]))
			return;
	}
	if (digits >= NUMBER_LEAST && digits <= NUMBER_MOST)
		code_mask_hide(masking, 0, masking->read.length);
}

/* A run of letters, digits and single marks between them: "778 30 1", "KQ7-ZPX" */
static size_t code_mask_run_end(const char *text, size_t at, bool *is_like_a_code_out)
{
	size_t digits = 0, capitals = 0, others = 0;

	for (;; at++) {
		char byte = text[at];

		if (byte >= '0' && byte <= '9')
			digits++;
		else if (byte >= 'A' && byte <= 'Z')
			capitals++;
		else if (code_text_is_part(byte))
			others++;
		else if (!code_mask_is_between(byte) || !code_text_is_part(text[at + 1]))
			break;
		else if (byte == ' ' &&
			 (!code_text_is_digit(text[at + 1]) || capitals || others))
			break;
	}
	*is_like_a_code_out = !others && digits + capitals >= NUMBER_LEAST;
	return at;
}

/*
 * Nobody reads what the words behind the last one say (TEXT_WORDS_MAX): there all that may be a
 * code is hidden.
 */
static void code_mask_hide_behind_last_word(struct code_mask_state *masking)
{
	const char *text = masking->read.text;
	struct text_word words[TEXT_WORDS_MAX];
	const struct text_word *last = &words[TEXT_WORDS_MAX - 1];

	if (masking->read.length < TEXT_WORDS_MAX ||
	    text_word_split(text, words) < TEXT_WORDS_MAX)
		return;
	for (size_t at = (size_t)(last->text + last->length - text); text[at];) {
		bool is_like_a_code;
		size_t end;

		if (!code_text_is_part(text[at])) {
			at++;
			continue;
		}
		end = code_mask_run_end(text, at, &is_like_a_code);
		if (is_like_a_code)
			code_mask_hide(masking, at, end);
		at = end;
	}
}

static void code_mask_find_all(struct code_mask_state *masking, const char *text)
{
	struct extract extract;

	code_search(masking->read.text,
		    &(struct code_search_visit){ CODE_POINTS_LEAST, code_mask_hide_found,
						 masking });
	code_mask_hide_lone_number(masking);
	code_mask_hide_behind_last_word(masking);
	if (!strchr(text, '@'))
		return;
	extract_from(text, &extract);
	if (!*extract.code)
		return;
	code_mask_hide_exactly(masking, extract.code);
	code_mask_hide_everywhere(masking, extract.code);
}

static void code_mask_write(const struct code_mask_state *masking, const char *text,
			    struct buffer *masked)
{
	for (size_t at = 0; text[at];) {
		size_t from = at;
		bool hidden = masking->hidden[at];

		while (text[at] && masking->hidden[at] == hidden)
			at++;
		if (hidden)
			buffer_append_text(masked, CODE_MASK);
		else
			buffer_append(masked, text + from, at - from);
	}
}

bool code_mask(const char *text, struct buffer *masked)
{
	struct code_mask_state masking = { .any = false };

	masking.hidden = calloc(strlen(text) + 1, 1);
	if (!masking.hidden || code_text_init(&masking.read, text)) {
		free(masking.hidden);
		masked->failed = true;
		return true;
	}
	code_mask_find_all(&masking, text);
	if (masking.any)
		code_mask_write(&masking, text, masked);
	code_text_deinit(&masking.read);
	free(masking.hidden);
	return masking.any;
}
