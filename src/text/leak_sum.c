/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of a text in the order of reading, in digits or words, each with the sign of a sum
 * before it if there is one. They are read in two ways:
 *
 *   chains       "4000 + 800 + 29", "4+1, 4+4": each partial result, and the results in a row
 *   neighbours   "add 111 to 4718", "one less than 482914", "half of 965826": what any two
 *                numbers beside each other make, and what is near a long one; only for codes
 *                that are long, since any number has many of these
 */
#include "text/leak.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAK_SUM_TERMS = 64, /* further ones are ignored */
	LEAK_SUM_DIGITS = 9,
	LEAK_SUM_LARGEST = 1000000000,
	LEAK_SUM_NEAR = 12,
	LEAK_SUM_FACTORS = 12,
};

struct leak_sum_term {
	int64_t value;
	size_t digits; /* as written */
	char sign;     /* '+', '-', '*' or '/' right before it; '\0' none */
	const struct leak_text_piece *piece;
};

struct leak_sum {
	struct leak_sum_term terms[LEAK_SUM_TERMS];
	size_t count;
};

/* Returns '\0' if it is no sign of a sum. */
static char leak_sum_sign(const struct leak_text_piece *piece)
{
	static const struct {
		const char *word;
		char sign;
	} signs[] = {
		{ "+", '+' },	    { "-", '-' },	 { "*", '*' },
		{ "/", '/' },	    { "×", '*' },	 { "x", '*' },
		{ "÷", '/' },	    { "plus", '+' },	 { "minus", '-' },
		{ "times", '*' },   { "mal", '*' },	 { "mas", '+' },
		{ "menos", '-' },   { "fois", '*' },	 { "moins", '-' },
		{ "piu", '+' },	    { "meno", '-' },	 { "less", '-' },
		{ "keer", '*' },    { "por", '*' },	 { "per", '*' },
		{ "mais", '+' },    { "and", '+' },	 { ":", '/' },
		{ "плюс", '+' },    { "минус", '-' },	 { "artı", '+' },
		{ "arti", '+' },    { "eksi", '-' },	 { "raz", '*' },
		{ "razy", '*' },    { "kali", '*' },	 { "carpi", '*' },
		{ "kere", '*' },    { "bolu", '/' },	 { "divided", '/' },
		{ "over", '/' },    { "geteilt", '/' },	 { "durch", '/' },
		{ "divise", '/' },  { "dividido", '/' }, { "diviso", '/' },
		{ "gedeeld", '/' }, { "умножить", '*' }, { "делить", '/' },
		{ "加", '+' },	    { "减", '-' },	 { "乘", '*' },
		{ "除", '/' },
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (strlen(signs[i].word) == piece->length &&
		    strncmp(signs[i].word, piece->text, piece->length) == 0)
			return signs[i].sign;
	}
	return '\0';
}

/* Reads a word such as "half" or "twice"; returns 0 if the word is none of them. */
static int64_t leak_sum_fraction(const struct leak_text_piece *piece)
{
	static const struct {
		const char *word;
		int64_t value;
	} words[] = {
		{ "half", 2 },	 { "halved", 2 },   { "halfte", 2 },  { "halb", 2 },
		{ "moitie", 2 }, { "mitad", 2 },    { "meta", 2 },    { "metade", 2 },
		{ "helft", 2 },	 { "polowa", 2 },   { "polowe", 2 },  { "половина", 2 },
		{ "yarisi", 2 }, { "doubled", 2 },  { "doppelt", 2 }, { "double", 2 },
		{ "twice", 2 },	 { "third", 3 },    { "tripled", 3 }, { "quarter", 4 },
		{ "dozen", 12 }, { "tenfold", 10 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i].word) == piece->length &&
		    strncmp(words[i].word, piece->text, piece->length) == 0)
			return words[i].value;
	}
	return 0;
}

static bool leak_sum_read_term(const struct leak_reading *reading, size_t at,
			       struct leak_sum_term *term)
{
	const struct leak_text_piece *piece = &reading->text->pieces[at];
	struct number_word word;

	*term = (struct leak_sum_term){ .digits = piece->length, .piece = piece };
	if (piece->kind == LEAK_NUMBER) {
		if (piece->length > LEAK_SUM_DIGITS || piece->date)
			return false;
		for (size_t i = 0; i < piece->length; i++)
			term->value = 10 * term->value + piece->text[i] - '0';
		return true;
	}
	if (piece->kind != LEAK_WORD)
		return false;
	term->digits = 1;
	term->value = leak_sum_fraction(piece);
	if (term->value)
		return true;
	word = number_word_find(reading->words, piece->text, piece->length);
	term->value = word.value;
	return word.kind == NUMBER_WORD_VALUE ||
	       (word.kind == NUMBER_WORD_TIMES && word.value > 100);
}

static void leak_sum_read(const struct leak_reading *reading, struct leak_sum *sum)
{
	const struct leak_text *text = reading->text;
	char sign = '\0';

	sum->count = 0;
	for (size_t at = 0; at < text->count && sum->count < LEAK_SUM_TERMS; at++) {
		struct leak_sum_term *term = &sum->terms[sum->count];
		char next = leak_sum_sign(&text->pieces[at]);

		if (!next && leak_sum_read_term(reading, at, term)) {
			term->sign = sign;
			sum->count++;
			next = '\0';
		} else if (!next && sign &&
			   (text->pieces[at].length == 1 ||
			    strncmp(text->pieces[at].text, "by", 2) == 0)) {
			next = sign; /* "divided by 2", "+ (" */
		}
		sign = next;
	}
}

/* ---- chains -------------------------------------------------------------------------- */

static int64_t leak_sum_compute(int64_t one, char sign, int64_t other)
{
	switch (sign) {
	case '+':
		return one + other;
	case '-':
		return one - other;
	case '*':
		return one * other;
	default:
		return other ? one / other : -1;
	}
}

static void leak_sum_put(struct leak_stream *stream, int64_t value,
			 const struct leak_text_piece *piece)
{
	if (value >= 0 && value <= LEAK_SUM_LARGEST)
		leak_stream_put_number(stream, (unsigned long long)value, piece);
}

/*
 * Writes the chain that begins with term `from`: partial results with products first, and from left
 * to right; returns the term behind it. With `last_only` it is only the result.
 */
static size_t leak_sum_write_chain(const struct leak_sum *sum, size_t from,
				   bool last_only, struct leak_stream *stream)
{
	const struct leak_text_piece *piece = sum->terms[from].piece;
	int64_t plain = sum->terms[from].value, product = plain, total = 0;
	size_t at = from + 1;

	for (; at < sum->count && sum->terms[at].sign; at++) {
		const struct leak_sum_term *term = &sum->terms[at];

		plain = leak_sum_compute(plain, term->sign, term->value);
		if (term->sign == '*' || term->sign == '/') {
			product = leak_sum_compute(product, term->sign, term->value);
		} else {
			total += product;
			product = term->sign == '+' ? term->value : -term->value;
		}
		if (llabs(product) > LEAK_SUM_LARGEST ||
		    llabs(plain) > LEAK_SUM_LARGEST || llabs(total) > LEAK_SUM_LARGEST)
			break;
		if (last_only)
			continue;
		leak_stream_put_barrier(stream);
		leak_sum_put(stream, plain, piece);
		leak_stream_put_barrier(stream);
		leak_sum_put(stream, total + product, piece);
		leak_stream_put_barrier(stream);
	}
	if (last_only)
		leak_sum_put(stream, total + product, piece);
	return at;
}

static void leak_sum_write_chains(const struct leak_sum *sum, struct leak_stream *stream)
{
	bool any = false;

	for (size_t at = 0; at + 1 < sum->count; at++) {
		if (!sum->terms[at + 1].sign)
			continue;
		any = true;
		leak_sum_write_chain(sum, at, false, stream);
	}
	leak_stream_put_barrier(stream);
	for (size_t at = 0; any && at < sum->count;)
		at = leak_sum_write_chain(sum, at, true, stream);
}

/* ---- neighbours ---------------------------------------------------------------------- */

static void leak_sum_put_alone(struct leak_stream *stream, int64_t value,
			       const struct leak_text_piece *piece)
{
	leak_sum_put(stream, value, piece);
	leak_stream_put_barrier(stream);
}

/* Adds digit by digit, without carrying. */
static int64_t leak_sum_without_carry(int64_t one, int64_t other, int sign)
{
	int64_t result = 0, place = 1;

	for (; one > 0 || other > 0; one /= 10, other /= 10, place *= 10)
		result += place * ((one % 10 + sign * (other % 10) + 10) % 10);
	return result;
}

static void leak_sum_write_pair(const struct leak_sum_term *one,
				const struct leak_sum_term *other,
				struct leak_stream *stream)
{
	int64_t larger = one->value > other->value ? one->value : other->value;
	int64_t smaller = one->value + other->value - larger;

	leak_sum_put_alone(stream, larger + smaller, one->piece);
	leak_sum_put_alone(stream, larger - smaller, one->piece);
	leak_sum_put_alone(stream, larger * smaller, one->piece);
	if (smaller > 1 && larger % smaller == 0)
		leak_sum_put_alone(stream, larger / smaller, one->piece);
	if (one->digits != other->digits || one->digits < CODE_INDEX_SURE)
		return;
	leak_sum_put_alone(stream, leak_sum_without_carry(one->value, other->value, 1),
			   one->piece);
	leak_sum_put_alone(stream, leak_sum_without_carry(one->value, other->value, -1),
			   one->piece);
	leak_sum_put_alone(stream, leak_sum_without_carry(other->value, one->value, -1),
			   one->piece);
}

static void leak_sum_write_near(const struct leak_sum_term *term,
				struct leak_stream *stream)
{
	int64_t power = 1;

	while (power <= term->value)
		power *= 10;
	leak_sum_put_alone(stream, power - term->value, term->piece);
	for (int by = 1; by <= LEAK_SUM_NEAR; by++) {
		leak_sum_put_alone(stream, term->value + by, term->piece);
		leak_sum_put_alone(stream, term->value - by, term->piece);
	}
	for (int by = 2; by <= LEAK_SUM_FACTORS; by++) {
		leak_sum_put_alone(stream, term->value * by, term->piece);
		if (term->value % by == 0)
			leak_sum_put_alone(stream, term->value / by, term->piece);
	}
	for (int64_t by = 100; by < power; by *= 10) {
		leak_sum_put_alone(stream, term->value + by, term->piece);
		leak_sum_put_alone(stream, term->value - by, term->piece);
	}
}

static void leak_sum_write_neighbours(const struct leak_sum *sum,
				      struct leak_stream *stream)
{
	for (size_t at = 0; at < sum->count; at++) {
		const struct leak_sum_term *term = &sum->terms[at];

		leak_stream_put_barrier(stream);
		if (term->value > 0 && term->digits >= CODE_INDEX_SURE - 1)
			leak_sum_write_near(term, stream);
		if (at + 1 < sum->count)
			leak_sum_write_pair(term, &sum->terms[at + 1], stream);
	}
}

bool leak_sum_has_code(const struct leak_reading *reading, struct leak_stream *stream)
{
	struct leak_stream_search search = {
		.index = reading->index,
		.kind = CODE_INDEX_DIGITS,
		.whole_only = true,
		.dates_count = reading->dates_count,
		.least = reading->least,
	};
	struct leak_sum sum;

	leak_sum_read(reading, &sum);
	leak_stream_clear(stream);
	leak_sum_write_chains(&sum, stream);
	if (leak_stream_has_code(stream, &search))
		return true;
	if (code_index_is_crowded(reading->index))
		return false;
	leak_stream_clear(stream);
	leak_sum_write_neighbours(&sum, stream);
	search.least = reading->is_hinted ? search.least : CODE_INDEX_SURE;
	return leak_stream_has_code(stream, &search);
}
