/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is split into tokens: runs of letters and digits. The word and the number of an
 * approval are whole tokens, and a code is one token of six digits, or two of three with one
 * space or dash between them. So a code is never cut out of a longer number. Of a long text
 * only the first tokens and the last ones can matter.
 */
#include "text/command_text.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "text/code.h"
#include "text/code_mask.h"

enum {
	COMMAND_TEXT_FIRST = 5, /* tokens that are kept from the beginning */
	COMMAND_TEXT_LAST = 2,	/* and from the end */
	COMMAND_TEXT_DIGITS = COMMAND_TEXT_CODE_BYTES - 1,
	COMMAND_TEXT_NUMBER_MOST = 9,
};

struct command_text_token {
	size_t from, to; /* bytes */
	size_t count;	 /* digits; 0 if it has other characters */
	char digits[COMMAND_TEXT_NUMBER_MOST + 1];
};

struct command_text_tokens {
	const char *text;
	size_t count;
	struct command_text_token first[COMMAND_TEXT_FIRST];
	struct command_text_token
		last[COMMAND_TEXT_LAST]; /* the very last one is last[1] */
};

static bool command_text_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* Spaces, marks, symbols, emoji and invisible characters are between tokens. */
static bool command_text_is_between(uint32_t character)
{
	if (character < 0x80)
		return !command_text_is_within(character, '0', '9') &&
		       !command_text_is_within(character | 0x20, 'a', 'z');
	return character < 0xc0 || command_text_is_within(character, 0x2000, 0x206f) ||
	       command_text_is_within(character, 0x3000, 0x303f) ||
	       command_text_is_within(character, 0xff00, 0xff0f) ||
	       command_text_is_within(character, 0xff1a, 0xff20) || character == 0x60c ||
	       character == 0x61b || character == 0x61f || character == 0x6d4 ||
	       command_text_is_within(character, 0x964, 0x965) ||
	       command_text_is_within(character, 0x1f000, 0x1faff) ||
	       escape_is_needed(character);
}

static bool command_text_digit(uint32_t character, char *digit_out)
{
	if (!command_text_is_within(character, '0', '9'))
		return code_text_digit_of(character, digit_out);
	*digit_out = (char)character;
	return true;
}

/* Returns false if there are no more tokens. */
static bool command_text_next(const char *text, size_t at,
			      struct command_text_token *token_out)
{
	struct command_text_token token = { .count = 0 };
	const char *end = text + at, *next = end;
	bool only_digits = true;

	while (*next && command_text_is_between(utf8_next(&next)))
		end = next;
	token.from = (size_t)(end - text);
	for (next = end; *next; end = next) {
		uint32_t character = utf8_next(&next);
		char digit;

		if (command_text_is_between(character))
			break;
		only_digits = only_digits && token.count < COMMAND_TEXT_NUMBER_MOST &&
			      command_text_digit(character, &digit);
		if (only_digits)
			token.digits[token.count++] = digit;
	}
	token.to = (size_t)(end - text);
	if (!only_digits)
		token.count = 0;
	*token_out = token;
	return token.to > token.from;
}

static void command_text_split(const char *text, struct command_text_tokens *tokens)
{
	struct command_text_token token;

	*tokens = (struct command_text_tokens){ .text = text };
	for (size_t at = 0; command_text_next(text, at, &token); at = token.to) {
		if (tokens->count < COMMAND_TEXT_FIRST)
			tokens->first[tokens->count] = token;
		tokens->last[0] = tokens->last[1];
		tokens->last[1] = token;
		tokens->count++;
	}
}

/* utf8_fold() leaves the accents of Greek, which capital letters often lack. */
static uint32_t command_text_fold(uint32_t character)
{
	static const uint16_t greek[][2] = {
		{ 0x386, 0x3b1 }, { 0x388, 0x3b5 }, { 0x389, 0x3b7 }, { 0x38a, 0x3b9 },
		{ 0x38c, 0x3bf }, { 0x38e, 0x3c5 }, { 0x38f, 0x3c9 }, { 0x3ac, 0x3b1 },
		{ 0x3ad, 0x3b5 }, { 0x3ae, 0x3b7 }, { 0x3af, 0x3b9 }, { 0x3cc, 0x3bf },
		{ 0x3cd, 0x3c5 }, { 0x3ce, 0x3c9 }, { 0x3c2, 0x3c3 },
	};

	for (size_t i = 0; i < sizeof(greek) / sizeof(*greek); i++) {
		if (greek[i][0] == character)
			return greek[i][1];
	}
	return utf8_fold(character);
}

/* Returns the next letter without case and accents; 0 at the end. */
static uint32_t command_text_letter(const char **at, const char *end)
{
	while (*at < end && **at) {
		uint32_t character = utf8_next(at);

		if (!utf8_is_accent(character))
			return command_text_fold(character);
	}
	return 0;
}

static bool command_text_is_word(const struct command_text_tokens *tokens, size_t index,
				 const char *word)
{
	const struct command_text_token *token = &tokens->first[index];
	const char *at = tokens->text + token->from, *end = tokens->text + token->to;
	const char *word_end = word ? word + strlen(word) : NULL;
	uint32_t letter;

	if (!word || index >= tokens->count || index >= COMMAND_TEXT_FIRST)
		return false;
	do {
		letter = command_text_letter(&at, end);
		if (letter != command_text_letter(&word, word_end))
			return false;
	} while (letter);
	return true;
}

/* ---- codes */

static bool command_text_take_code(const struct command_text_token *token,
				   struct command_text *read)
{
	if (token->count != COMMAND_TEXT_DIGITS)
		return false;
	memcpy(read->code, token->digits, COMMAND_TEXT_CODE_BYTES);
	read->code_at =
		(struct command_text_part){ token->from, token->to - token->from };
	return true;
}

/* Reads "482 913" or "482-913" */
static bool command_text_take_groups(const char *text,
				     const struct command_text_token *token,
				     const struct command_text_token *next,
				     struct command_text *read)
{
	const size_t half = COMMAND_TEXT_DIGITS / 2;

	if (token->count != half || next->count != half || next->from != token->to + 1 ||
	    !strchr(" -", text[token->to]))
		return false;
	memcpy(read->code, token->digits, half);
	memcpy(read->code + half, next->digits, half + 1);
	read->code_at = (struct command_text_part){ token->from, next->to - token->from };
	return true;
}

/* Looks behind the word, whose token is not counted: `after` is the index of the next one. */
static void command_text_find_code(const struct command_text_tokens *tokens, size_t after,
				   struct command_text *read)
{
	size_t rest = tokens->count - after;

	if (!rest || command_text_take_code(&tokens->first[after], read) ||
	    command_text_take_code(&tokens->last[1], read) || rest < 2 ||
	    command_text_take_groups(tokens->text, &tokens->last[0], &tokens->last[1],
				     read))
		return;
	command_text_take_groups(tokens->text, &tokens->first[after],
				 &tokens->first[after + 1], read);
}

/* ---- what it is */

/* Reads "YES 4711 482913", and nothing else; the code may be missing. */
static bool command_text_read_answer(const struct command_text_words *words,
				     const struct command_text_tokens *tokens,
				     struct command_text *read)
{
	const struct command_text_token *number = &tokens->first[1];
	struct command_text answer = { .kind = COMMAND_TEXT_ANSWER };

	answer.approves = command_text_is_word(tokens, 0, words->approve);
	if ((!answer.approves && !command_text_is_word(tokens, 0, words->reject)) ||
	    tokens->count < 2 || tokens->count > 4 || !number->count)
		return false;
	for (size_t i = 0; i < number->count; i++)
		answer.number = answer.number * 10 + (number->digits[i] - '0');
	answer.number_at =
		(struct command_text_part){ number->from, number->to - number->from };
	if ((tokens->count == 3 && !command_text_take_code(&tokens->first[2], &answer)) ||
	    (tokens->count == 4 &&
	     !command_text_take_groups(tokens->text, &tokens->first[2], &tokens->first[3],
				       &answer)))
		return false;
	*read = answer;
	return true;
}

static bool command_text_is_blank(const char *text, size_t from, size_t to)
{
	const char *at = text + from;

	while (at < text + to) {
		if (!command_text_is_between(utf8_next(&at)))
			return false;
	}
	return true;
}

/* Returns the text behind the word, without spaces and marks before it or spaces behind it. */
static struct command_text_part command_text_trim(const char *text, size_t from,
						  size_t to)
{
	while (from < to && strchr(" \t\r\n,.:;-!", text[from]))
		from++;
	while (to > from && strchr(" \t\r\n", text[to - 1]))
		to--;
	return (struct command_text_part){ from, to - from };
}

static void command_text_find_command(const char *text, size_t from,
				      struct command_text *read)
{
	const struct command_text_part *code = &read->code_at;
	size_t behind = code->from + code->length, end = strlen(text);

	if (code->length && command_text_is_blank(text, from, code->from))
		from = behind;
	else if (code->length)
		end = code->from;
	read->command = command_text_trim(text, from, end);
}

void command_text_read(const struct command_text_words *words, const char *text,
		       struct command_text *read_out)
{
	struct command_text_tokens tokens;
	bool has_word;

	*read_out = (struct command_text){ .kind = COMMAND_TEXT_NONE };
	command_text_split(text, &tokens);
	if (!tokens.count || command_text_read_answer(words, &tokens, read_out))
		return;
	has_word = command_text_is_word(&tokens, 0, words->word);
	if (!has_word && words->needs_word)
		return;
	read_out->kind = COMMAND_TEXT_COMMAND;
	if (words->has_codes)
		command_text_find_code(&tokens, has_word, read_out);
	command_text_find_command(text, has_word ? tokens.first[0].to : 0, read_out);
}

/* ---- masking */

static void command_text_mask_part(const char *text, const struct command_text_part *part,
				   size_t *done, struct buffer *masked)
{
	if (!part->length)
		return;
	buffer_append(masked, text + *done, part->from - *done);
	buffer_append_text(masked, CODE_MASK);
	*done = part->from + part->length;
}

/* The number of an approval is before the code. */
void command_text_mask(const struct command_text *read, const char *text,
		       struct buffer *masked)
{
	size_t done = 0;

	command_text_mask_part(text, &read->number_at, &done, masked);
	command_text_mask_part(text, &read->code_at, &done, masked);
	buffer_append_text(masked, text + done);
}
