/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each function writes a stream from the runs of a text: pieces without a space between them.
 * A run that cannot be read in that way is left out. "0b1011", "DHBIAC" and "|||| ||" are rare
 * in ordinary texts, but "best" can be read as 8357: so only whole runs count.
 */
#include "text/leak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { RUN_BYTES = 80, DIGITS = 10 };

struct leak_figure_run {
	char text[RUN_BYTES];		     /* "" too long to be one */
	const struct leak_text_piece *piece; /* its first */
	size_t length;
	bool is_part; /* it has a digit or is one letter: may be a part of a code */
};

/* Is it a sign that may stand between letters without being one? */
static bool leak_figure_is_separator(const struct leak_text_piece *piece)
{
	return piece->kind == LEAK_MARK && piece->length == 1 &&
	       strchr("-_./:=,;()[]{}\"'?", *piece->text);
}

/* It goes on with letters and signs for them, or signs: "A8" and "2g" in "(A8-2g)". */
static bool leak_figure_continues(const struct leak_text *text, size_t first, size_t at)
{
	return at < text->count && text->pieces[at].is_glued &&
	       leak_figure_is_separator(&text->pieces[at]) ==
		       leak_figure_is_separator(&text->pieces[first]);
}

/* Reads the run that begins at piece `at`; returns where the next one begins. */
static size_t leak_figure_read_run(const struct leak_text *text, size_t at,
				   struct leak_figure_run *run)
{
	size_t first = at;

	*run = (struct leak_figure_run){ .piece = &text->pieces[at] };
	do {
		const struct leak_text_piece *piece = &text->pieces[at];

		if (run->length + piece->length < RUN_BYTES)
			memcpy(run->text + run->length, piece->text, piece->length);
		run->length += piece->length;
		run->is_part |= piece->kind == LEAK_NUMBER;
		at++;
	} while (leak_figure_continues(text, first, at));
	if (run->length >= RUN_BYTES)
		run->length = 0;
	run->text[run->length] = '\0';
	run->is_part |= run->length == 1;
	return at;
}

static void leak_figure_put_digits(struct leak_stream *stream, const char *digits,
				   size_t length, const struct leak_text_piece *piece)
{
	leak_stream_begin(stream);
	for (size_t i = 0; i < length; i++)
		leak_stream_put(stream, digits[i], piece);
	leak_stream_begin(stream);
}

/* Writes a run of which each character has a place in an alphabet, ten signs from 0 to 9. */
static void leak_figure_write_alphabets(const struct leak_text *text,
					struct leak_stream *stream,
					const char *const *alphabets)
{
	struct leak_figure_run run;

	for (size_t at = 0; at < text->count;) {
		char digits[RUN_BYTES];
		size_t length = 0;

		at = leak_figure_read_run(text, at, &run);
		for (size_t i = 0; i < run.length; i++) {
			for (const char *const *alphabet = alphabets; *alphabet;
			     alphabet++) {
				const char *place = strchr(*alphabet, run.text[i]);

				if (!place || *place == ' ')
					continue;
				digits[length++] = (char)('0' + (place - *alphabet));
				break;
			}
		}
		if (length < run.length)
			continue;
		if (!run.is_part)
			leak_stream_put_barrier(stream);
		leak_figure_put_digits(stream, digits, length, run.piece);
		if (!run.is_part)
			leak_stream_put_barrier(stream);
	}
}

/*
 * Writes letters that look like digits. Some look like two: each row decides otherwise about one of
 * them, and all ways to decide are read.
 */
static void leak_figure_write_looks(const struct leak_text *text,
				    struct leak_stream *stream)
{
	static const char *const doubts[][2] = {
		{ "      g   ", "         g" },
		{ "        b ", "      b   " },
		{ " l        ", "       l  " },
		{ "  z       ", "       z  " },
	};
	const unsigned ways = 1 << sizeof(doubts) / sizeof(*doubts);
	const char *alphabets[] = { "0123456789", "oi eas t q", "djr y$  xp",
				    " |  h   & ", " !  @     ", NULL,
				    NULL,	  NULL,		NULL,
				    NULL };

	for (unsigned way = 0; way < ways; way++) {
		for (size_t i = 0; i < sizeof(doubts) / sizeof(*doubts); i++)
			alphabets[5 + i] = doubts[i][way >> i & 1];
		leak_figure_write_alphabets(text, stream, alphabets);
		leak_stream_put_barrier(stream);
	}
}

/* Writes letters that count for digits: the first ten, the upper row of keys, its shifted signs. */
static void leak_figure_write_letters_from_0(const struct leak_text *text,
					     struct leak_stream *stream)
{
	static const char *const alphabets[] = { "abcdefghij", NULL };

	leak_figure_write_alphabets(text, stream, alphabets);
}

static void leak_figure_write_letters_from_1(const struct leak_text *text,
					     struct leak_stream *stream)
{
	static const char *const alphabets[] = { "jabcdefghi", "o         ", NULL };

	leak_figure_write_alphabets(text, stream, alphabets);
}

static void leak_figure_write_keys(const struct leak_text *text,
				   struct leak_stream *stream)
{
	static const char *const alphabets[] = { "pqwertyuio", NULL };

	leak_figure_write_alphabets(text, stream, alphabets);
}

static void leak_figure_write_shifted_keys(const struct leak_text *text,
					   struct leak_stream *stream)
{
	static const char keys[] = ")!@#$%^&*(";
	bool is_row = true; /* all since the last space */

	for (const char *at = text->text; *at; at++) {
		const char *key = strchr(keys, *at);

		if (key && is_row)
			leak_stream_put(stream, (char)('0' + (key - keys)), text->pieces);
		else
			leak_stream_put_barrier(stream);
		is_row = *at == ' ' || *at == '\n' || (key && is_row);
	}
	leak_stream_put_barrier(stream);
}

/* Writes the letters on the keys of a phone: "GTA" 482. */
static void leak_figure_write_phone_keys(const struct leak_text *text,
					 struct leak_stream *stream)
{
	static const char *const alphabets[] = { "  adgjmptw", "  behknqux", "  cfilorvy",
						 "       s z", NULL };

	leak_figure_write_alphabets(text, stream, alphabets);
}

/* ---- other numbers ------------------------------------------------------------------- */

/* Is the whole run a number to this base, perhaps after its prefix ("0x")? */
static bool leak_figure_read_number(const struct leak_figure_run *run, const char *prefix,
				    int base, size_t least, uint64_t *value_out)
{
	const char *digits = run->text;
	char *end;

	if (strncmp(digits, prefix, strlen(prefix)) == 0)
		digits += strlen(prefix);
	else if (strlen(digits) < least)
		return false;
	if (strlen(digits) > 40 || !strchr("0123456789abcdef", *digits) || !*digits)
		return false;
	*value_out = strtoull(digits, &end, base);
	return !*end && *value_out < UINT64_C(1) << 60;
}

static void leak_figure_write_numbers(const struct leak_text *text,
				      struct leak_stream *stream)
{
	static const struct {
		const char *prefix;
		int base;
		size_t least;
	} kinds[] = { { "0x", 16, 4 }, { "#", 16, 5 }, { "0b", 2, 10 }, { "0o", 8, 7 } };
	struct leak_figure_run run;
	uint64_t value;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		for (size_t at = 0; at < text->count;) {
			at = leak_figure_read_run(text, at, &run);
			if (leak_figure_read_number(&run, kinds[i].prefix, kinds[i].base,
						    kinds[i].least, &value))
				leak_stream_put_number(stream, value, run.piece);
			else
				leak_stream_put_barrier(stream);
		}
		leak_stream_put_barrier(stream);
	}
}

/* To bases that nobody writes a prefix for: a run with digits, and with letters if needed. */
static void leak_figure_write_bases(const struct leak_text *text,
				    struct leak_stream *stream)
{
	static const int bases[] = { 36, 32, 20, 12, 9, 7, 6, 5, 4, 3 };
	struct leak_figure_run run;

	for (size_t at = 0; at < text->count;) {
		at = leak_figure_read_run(text, at, &run);
		if (!run.is_part || run.length < 4 || run.length > 14)
			continue;
		for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
			char *end;
			uint64_t value = strtoull(run.text, &end, bases[i]);

			if (*end || *run.text == '-' || *run.text == '+' ||
			    value > UINT64_C(999999999999))
				continue;
			leak_stream_put_number(stream, value, run.piece);
			leak_stream_put_barrier(stream);
		}
	}
}

static int leak_figure_value(const struct leak_figure_run *run, size_t from,
			     size_t length, int base)
{
	char digits[16], *end;
	long value;

	if (from + length > run->length || length >= sizeof(digits))
		return -1;
	memcpy(digits, run->text + from, length);
	digits[length] = '\0';
	value = strtol(digits, &end, base);
	return *end || !strchr("0123456789abcdef", *digits) ? -1 : (int)value;
}

/* A run is any number of groups of `size` signs, each of which says a digit. */
static void leak_figure_write_groups(const struct leak_text *text,
				     struct leak_stream *stream, size_t size, int base,
				     int zero)
{
	struct leak_figure_run run;

	for (size_t at = 0; at < text->count;) {
		size_t groups = 0, from;

		at = leak_figure_read_run(text, at, &run);
		for (from = 0; from < run.length; from += size) {
			int value = leak_figure_value(&run, from, size, base);

			groups += value >= zero && value < zero + DIGITS;
		}
		if (!groups || groups * size != run.length)
			continue;
		leak_stream_begin(stream);
		for (from = 0; from < run.length; from += size)
			leak_stream_put(stream,
					(char)('0' - zero +
					       leak_figure_value(&run, from, size, base)),
					run.piece);
	}
	leak_stream_begin(stream);
}

/* Numbers of ASCII: "52 56 50", "34 38 32", "343832", "064 070", and in binary. */
static void leak_figure_write_ascii(const struct leak_text *text,
				    struct leak_stream *stream)
{
	static const struct {
		size_t size;
		int base, zero;
	} kinds[] = { { 2, 10, '0' }, { 3, 10, '0' }, { 2, 16, '0' },
		      { 3, 8, '0' },  { 8, 2, '0' },  { 7, 2, '0' },
		      { 2, 8, '0' },  { 4, 2, 0 },    { 4, 16, 0x30 } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		leak_figure_write_groups(text, stream, kinds[i].size, kinds[i].base,
					 kinds[i].zero);
		leak_stream_put_barrier(stream);
	}
}

static int leak_figure_roman(const struct leak_figure_run *run)
{
	static const char letters[] = "ivxlcdm";
	static const int values[] = { 1, 5, 10, 50, 100, 500, 1000 };
	int sum = 0, last = 0;

	for (size_t i = run->length; i > 0; i--) {
		const char *letter = strchr(letters, run->text[i - 1]);
		int value = letter ? values[letter - letters] : 0;

		if (!value)
			return 0;
		sum += value < last ? -value : value;
		last = value;
	}
	return sum;
}

/* Writes "IV VIII II", and strokes or stars: "|||| ||". */
static void leak_figure_write_counted(const struct leak_text *text,
				      struct leak_stream *stream)
{
	struct leak_figure_run run;
	size_t same;

	for (size_t at = 0; at < text->count;) {
		at = leak_figure_read_run(text, at, &run);
		if (strcmp(run.text, "0") == 0) /* the Romans had none */
			leak_stream_put_number(stream, 0, run.piece);
		else if (leak_figure_roman(&run) > 0)
			leak_stream_put_number(
				stream, (unsigned long long)leak_figure_roman(&run),
				run.piece);
	}
	leak_stream_put_barrier(stream);
	for (size_t at = 0; at < text->count;) {
		at = leak_figure_read_run(text, at, &run);
		for (same = 0; same < run.length; same++) {
			if (run.text[same] != *run.text)
				break;
		}
		if (same && same == run.length && run.piece->kind != LEAK_NUMBER)
			leak_stream_put_number(stream, same, run.piece);
	}
}

/* How often a sign stands in a row: "🍎🍎🍎 🍐🍐"; letters and punctuation do not count. */
static void leak_figure_write_repeats(const struct leak_text *text,
				      struct leak_stream *stream)
{
	const char *at = text->text;
	uint32_t last = 0;
	unsigned long long same = 0;

	while (*at || same) {
		uint32_t sign = *at ? utf8_next(&at) : 0;
		bool counts = sign >= 0x2190 && (sign < 0x2e00 || sign >= 0x1f000);

		if (same && sign != last) {
			leak_stream_put_number(stream, same, text->pieces);
			same = 0;
		}
		if (counts)
			same++;
		else if (sign > ' ')
			leak_stream_put_barrier(stream);
		last = sign;
	}
}

/* How long the words are, from one punctuation mark to another. */
static void leak_figure_write_lengths(const struct leak_text *text,
				      struct leak_stream *stream)
{
	for (size_t at = 0; at < text->count; at++) {
		const struct leak_text_piece *piece = &text->pieces[at];
		size_t letters = 0;

		if (piece->kind != LEAK_WORD) {
			leak_stream_begin(stream);
			continue;
		}
		for (size_t i = 0; i < piece->length; i++)
			letters += ((unsigned char)piece->text[i] & 0xc0) != 0x80;
		leak_stream_put(stream, (char)('0' + letters % DIGITS), piece);
	}
	leak_stream_begin(stream);
}

const struct leak_figure leak_figures[] = {
	{ leak_figure_write_looks, 0, 0 },
	{ leak_figure_write_letters_from_0, LEAK_STREAM_SHIFTS, 0 },
	{ leak_figure_write_letters_from_1, 0, 0 },
	{ leak_figure_write_keys, 0, 0 },
	{ leak_figure_write_shifted_keys, 0, 0 },
	{ leak_figure_write_phone_keys, 0, CODE_INDEX_SURE },
	{ leak_figure_write_numbers, 0, 0 },
	{ leak_figure_write_ascii, LEAK_STREAM_PAIRS, 0 },
	{ leak_figure_write_counted, 0, 0 },
	{ leak_figure_write_repeats, 0, 0 },
	{ leak_figure_write_lengths, 0, CODE_INDEX_SURE },
	{ leak_figure_write_bases, 0, CODE_INDEX_SURE },
	{ NULL, 0, 0 },
};
