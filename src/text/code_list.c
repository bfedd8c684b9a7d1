/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A code is written as digits if it has no other letters than number words ("four eight"),
 * else as letters and digits. "G-482913" is both, because nobody types the G.
 *
 * A link counts if it has a token: a part of its path, query or fragment that a person would
 * not write, so six characters or more with letters and digits mixed, six digits, or twenty
 * letters. Then the whole address counts, and the token.
 */
#include "text/code_index.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "text/code.h"
#include "text/extract.h"
#include "text/leak.h"
#include "text/text.h"

enum {
	NUMBER_MOST = 12, /* digits of a text that is only a number */
	TOKEN_LEAST = 6,
	TOKEN_LETTERS_LEAST = 20,
	DIGITS_LEAST = 5, /* of a code with letters, that count alone */
	PREFIX_MOST = 2,  /* letters that nobody types */
};

struct code_list {
	const struct code_list_visit *visit;
	const char *text; /* as searched */
	bool failed;
};

struct code_list_symbols {
	char text[CODE_INDEX_MOST + 1];
	size_t length, letters;
};

static void code_list_put(struct code_list_symbols *symbols, char symbol)
{
	if (symbols->length < CODE_INDEX_MOST)
		symbols->text[symbols->length++] = symbol;
}

static void code_list_report(struct code_list *list, enum code_index_kind kind,
			     const struct code_list_symbols *symbols)
{
	if (symbols->length >= CODE_INDEX_LEAST)
		list->visit->visit(list->visit->data, kind, symbols->text,
				   symbols->length);
}

/* The digits of a text with number words; `letters` counts those of all other words. */
static void code_list_read_digits(struct code_list *list, const struct leak_text *text,
				  struct code_list_symbols *symbols)
{
	for (size_t at = 0; at < text->count; at++) {
		const struct leak_text_piece *piece = &text->pieces[at];
		struct number_word word;

		if (piece->kind == LEAK_WORD) {
			word = number_word_find(list->visit->words, piece->text,
						piece->length);
			if (word.kind == NUMBER_WORD_VALUE && word.value >= 10)
				code_list_put(symbols, (char)('0' + word.value / 10));
			if (word.kind == NUMBER_WORD_VALUE)
				code_list_put(symbols, (char)('0' + word.value % 10));
			else
				symbols->letters += piece->length;
		}
		for (size_t i = 0; piece->kind == LEAK_NUMBER && i < piece->length; i++)
			code_list_put(symbols, piece->text[i]);
	}
}

static void code_list_read_mixed(const char *text, size_t length,
				 struct code_list_symbols *symbols)
{
	for (size_t i = 0; i < length; i++) {
		char symbol = code_index_symbol(text[i]);

		if (symbol)
			code_list_put(symbols, symbol);
	}
}

static void code_list_add(struct code_list *list, const char *code)
{
	struct code_list_symbols digits = { .length = 0 }, mixed = { .length = 0 };
	struct leak_text text;

	if (leak_text_init(&text, "", code, false)) {
		list->failed = true;
		return;
	}
	code_list_read_digits(list, &text, &digits);
	code_list_read_mixed(text.text, strlen(text.text), &mixed);
	if (!digits.letters ||
	    (digits.letters <= PREFIX_MOST && digits.length >= DIGITS_LEAST))
		code_list_report(list, CODE_INDEX_DIGITS, &digits);
	if (digits.letters)
		code_list_report(list, CODE_INDEX_MIXED, &mixed);
	leak_text_deinit(&text);
}

static void code_list_add_found(void *data, const struct code_token *token, int points)
{
	struct code_list *list = data;
	const size_t length = token->to - token->from;
	char code[CODE_INDEX_MOST + 1];

	if (length >= sizeof(code))
		return;
	memcpy(code, list->text + token->from, length);
	code[length] = '\0';
	code_list_add(list, code);
}

/* ---- links --------------------------------------------------------------------------- */

static bool code_list_is_token(const char *token, size_t length)
{
	size_t letters = 0, digits = 0;

	for (size_t i = 0; i < length; i++) {
		letters += isalpha((unsigned char)token[i]) != 0;
		digits += isdigit((unsigned char)token[i]) != 0;
	}
	if (letters + digits < length)
		return false;
	return (letters && digits && length >= TOKEN_LEAST) || digits >= TOKEN_LEAST ||
	       letters >= TOKEN_LETTERS_LEAST;
}

static void code_list_add_token(struct code_list *list, const char *token, size_t length)
{
	struct code_list_symbols symbols = { .length = 0 };
	bool is_number = strspn(token, "0123456789") >= length;

	if (is_number)
		for (size_t i = 0; i < length; i++)
			code_list_put(&symbols, token[i]);
	else
		code_list_read_mixed(token, length, &symbols);
	code_list_report(list, is_number ? CODE_INDEX_DIGITS : CODE_INDEX_MIXED,
			 &symbols);
}

/* A token that is cut off or sent in two pieces is still most of a secret. */
static void code_list_add_halves(struct code_list *list, const char *token, size_t length)
{
	size_t half = length / 2;

	if (length < 2 * CODE_INDEX_SURE)
		return;
	if (code_list_is_token(token, half))
		code_list_add_token(list, token, half);
	if (code_list_is_token(token + half, length - half))
		code_list_add_token(list, token + half, length - half);
}

/* `link`: without its scheme. "-" and "_" belong to a token, too. */
static void code_list_add_link(struct code_list *list, const char *link, size_t length)
{
	static const char ends[] = "/?&=#;:,.+%~";
	struct code_list_symbols symbols = { .length = 0 };
	const char *end = link + length, *at = memchr(link, '/', length);
	bool any = false;

	while (at && at < end) {
		size_t size = 0;
		char plain[CODE_INDEX_MOST];
		size_t kept = 0;

		for (; at + size < end && !strchr(ends, at[size]); size++) {
			if (kept < sizeof(plain) && !strchr("-_", at[size]))
				plain[kept++] = at[size];
		}
		if (code_list_is_token(plain, kept)) {
			code_list_add_token(list, plain, kept);
			code_list_add_halves(list, plain, kept);
			any = true;
		}
		at += size + 1;
	}
	code_list_read_mixed(link, length, &symbols);
	if (any)
		code_list_report(list, CODE_INDEX_MIXED, &symbols);
}

static void code_list_add_links(struct code_list *list, const char *text)
{
	size_t length;

	while ((text = text_link_find(text, &length))) {
		const char *address = strchr(text, '/') + 2;

		code_list_add_link(list, address, length - (size_t)(address - text));
		text += length;
	}
}

/* "example.com/a1b2c3": phones make links of such words, too. */
static void code_list_add_bare_links(struct code_list *list, const char *text)
{
	static const char spaces[] = " \r\n\t";

	while (*text) {
		size_t length = strcspn(text, spaces), host = strcspn(text, "/");

		if (host < length && memchr(text, '.', host) && host > 3 &&
		    text[host + 1] != '/')
			code_list_add_link(list, text, length);
		text += length;
		text += strspn(text, spaces);
	}
}

/* ---- the whole text ------------------------------------------------------------------ */

/* A text that is only a number: "482910" */
static void code_list_add_lone_number(struct code_list *list)
{
	size_t digits = 0;

	for (const char *at = list->text; *at; at++) {
		if (isdigit((unsigned char)*at))
			digits++;
		else if (!strchr(" -.\r\n\t", *at))
			return;
	}
	if (digits <= NUMBER_MOST)
		code_list_add(list, list->text);
}

int code_list_read(const char *text, const struct code_list_visit *visit)
{
	struct code_list list = { .visit = visit };
	struct code_text read;
	struct extract extract;

	if (code_text_init(&read, text))
		return -ENOMEM;
	list.text = read.text;
	code_search(read.text, &(struct code_search_visit){ CODE_POINTS_LEAST,
							    code_list_add_found, &list });
	code_list_add_lone_number(&list);
	code_list_add_links(&list, text);
	code_list_add_bare_links(&list, text);
	code_text_deinit(&read);
	if (strchr(text, '@')) {
		extract_from(text, &extract);
		code_list_add(&list, extract.code);
	}
	return list.failed ? -ENOMEM : 0;
}
