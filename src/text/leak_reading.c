/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each reading is a table row: a function that writes a stream of symbols from the pieces of
 * the text, and how that stream is searched (text/leak.h). What stands between the
 * pieces is left out, so "4x8, then 2" reads as 482.
 *
 * Number words are read four times: the sure ones; with those that are often no number
 * ("one", "to"); as the numbers they say together; and, for each language alone, from the
 * letters without anything between them ("f-o-u-r", "achtundvierzig"). Together with earlier
 * messages a text is read in fewer ways: several texts are long.
 */
#include "text/leak.h"

#include <stdlib.h>
#include <string.h>

#include "text/spelled_number.h"

enum { SHORT_RUN = 3, COMPOUND_PARTS = 12, COMPOUND_LETTERS = 6 };

struct leak_reading_row {
	void (*write)(const struct leak_reading *reading, struct leak_stream *stream);
	enum code_index_kind kind;
	unsigned ways;
	size_t least;
};

static void leak_reading_put_digits(struct leak_stream *stream,
				    const struct leak_text_piece *piece)
{
	leak_stream_begin(stream);
	for (size_t i = 0; i < piece->length; i++)
		leak_stream_put(stream, piece->text[i], piece);
	leak_stream_begin(stream);
}

static void leak_reading_write_digits(const struct leak_reading *reading,
				      struct leak_stream *stream)
{
	for (size_t at = 0; at < reading->text->count; at++) {
		if (reading->text->pieces[at].kind == LEAK_NUMBER)
			leak_reading_put_digits(stream, &reading->text->pieces[at]);
	}
}

/* ---- number words -------------------------------------------------------------------- */

static void leak_reading_write_words(const struct leak_reading *reading,
				     struct leak_stream *stream, bool with_doubtful)
{
	unsigned times = 1;

	for (size_t at = 0; at < reading->text->count; at++) {
		const struct leak_text_piece *piece = &reading->text->pieces[at];
		struct number_word word = { .kind = NUMBER_WORD_NONE };

		if (piece->kind == LEAK_WORD)
			word = number_word_find(reading->words, piece->text,
						piece->length);
		if (word.is_doubtful && !with_doubtful)
			continue;
		if (word.kind == NUMBER_WORD_TWICE)
			times = word.value;
		for (; times > 0 && piece->kind == LEAK_NUMBER; times--)
			leak_reading_put_digits(stream, piece);
		for (; times > 0 && word.kind == NUMBER_WORD_VALUE; times--)
			leak_stream_put_number(stream, word.value, piece);
		if (times == 0)
			times = 1;
	}
}

static void leak_reading_write_sure_words(const struct leak_reading *reading,
					  struct leak_stream *stream)
{
	leak_reading_write_words(reading, stream, false);
}

static void leak_reading_write_all_words(const struct leak_reading *reading,
					 struct leak_stream *stream)
{
	leak_reading_write_words(reading, stream, true);
}

static void leak_reading_end_number(struct spelled_number *number,
				    struct leak_stream *stream,
				    const struct leak_text_piece *piece)
{
	if (!spelled_number_is_empty(number))
		leak_stream_put_number(stream, spelled_number_value(number), piece);
	*number = (struct spelled_number){ .style = number->style };
}

static void leak_reading_add_to_number(struct spelled_number *number,
				       const struct number_word *word,
				       struct leak_stream *stream,
				       const struct leak_text_piece *piece)
{
	struct spelled_number next;

	if (word->kind == NUMBER_WORD_NONE || word->kind == NUMBER_WORD_TWICE) {
		leak_reading_end_number(number, stream, piece);
		return;
	}
	if (spelled_number_add(number, word))
		return;
	if (spelled_number_split(number, word, &next)) {
		leak_reading_end_number(number, stream, piece);
		*number = next;
		if (spelled_number_add(number, word))
			return;
	}
	leak_reading_end_number(number, stream, piece);
	spelled_number_add(number, word);
}

/* Divides all letters into words of a language. Returns how many; 0 if that cannot be done. */
static size_t leak_reading_take_apart(const struct leak_reading *reading,
				      unsigned language,
				      const struct leak_text_piece *letters, size_t room,
				      struct number_word *parts_out)
{
	size_t size = letters->length;

	while (room > 0 && (size = number_word_begins(reading->words, language,
						      letters->text, size, parts_out))) {
		const struct leak_text_piece rest = {
			.text = letters->text + size,
			.length = letters->length - size,
		};
		size_t count = rest.length
				       ? leak_reading_take_apart(reading, language, &rest,
								 room - 1, parts_out + 1)
				       : 1;

		if (count)
			return rest.length ? count + 1 : 1;
		size--;
	}
	return 0;
}

/* Adds a word that is no number word itself, but may consist of some: "sechsundvierzig". */
static void leak_reading_add_compound(const struct leak_reading *reading,
				      const struct leak_text_piece *piece,
				      struct spelled_number *number,
				      struct leak_stream *stream)
{
	const struct number_word none = { .kind = NUMBER_WORD_NONE };
	struct number_word parts[COMPOUND_PARTS];
	size_t count = 0;

	for (unsigned language = 0; !count && piece->length >= COMPOUND_LETTERS &&
				    language < number_words_languages();
	     language++)
		count = leak_reading_take_apart(reading, language, piece, COMPOUND_PARTS,
						parts);
	for (size_t i = 0; i < count; i++)
		leak_reading_add_to_number(number, &parts[i], stream, piece);
	if (!count)
		leak_reading_add_to_number(number, &none, stream, piece);
}

static bool leak_reading_is_multiplied(const struct leak_reading *reading, size_t at)
{
	const struct leak_text_piece *next = &reading->text->pieces[at + 1];

	return at + 1 < reading->text->count && next->kind == LEAK_WORD &&
	       number_word_find(reading->words, next->text, next->length).kind ==
		       NUMBER_WORD_TIMES;
}

/* "482 thousand 913": digits are also a word of such a number. */
static bool leak_reading_counts_as_word(const struct leak_reading *reading, size_t at,
					const struct spelled_number *number,
					struct number_word *word_out)
{
	const struct leak_text_piece *piece = &reading->text->pieces[at];
	unsigned value = 0;

	if (piece->length > 3 || *piece->text == '0')
		return false;
	for (size_t i = 0; i < piece->length; i++)
		value = 10 * value + (unsigned)(piece->text[i] - '0');
	*word_out = (struct number_word){ NUMBER_WORD_VALUE, value, false, 0 };
	return number->last.kind == NUMBER_WORD_TIMES ||
	       leak_reading_is_multiplied(reading, at);
}

static void leak_reading_write_numbers(const struct leak_reading *reading,
				       struct leak_stream *stream,
				       enum spelled_number_style style)
{
	struct spelled_number number = { .style = style };
	const struct leak_text_piece *piece = reading->text->pieces;

	for (size_t at = 0; at < reading->text->count; at++) {
		struct number_word word;

		piece = &reading->text->pieces[at];
		if (piece->kind == LEAK_MARK)
			continue;
		if (piece->kind == LEAK_WORD) {
			word = number_word_find(reading->words, piece->text,
						piece->length);
			if (word.kind == NUMBER_WORD_NONE)
				leak_reading_add_compound(reading, piece, &number,
							  stream);
			else
				leak_reading_add_to_number(&number, &word, stream, piece);
		} else if (leak_reading_counts_as_word(reading, at, &number, &word)) {
			leak_reading_add_to_number(&number, &word, stream, piece);
		} else {
			leak_reading_end_number(&number, stream, piece);
			leak_reading_put_digits(stream, piece);
		}
	}
	leak_reading_end_number(&number, stream, piece);
}

static void leak_reading_write_said(const struct leak_reading *reading,
				    struct leak_stream *stream)
{
	leak_reading_write_numbers(reading, stream, SPELLED_LONG);
}

static void leak_reading_write_said_unit_ahead(const struct leak_reading *reading,
					       struct leak_stream *stream)
{
	leak_reading_write_numbers(reading, stream, SPELLED_UNIT_AHEAD);
}

static void leak_reading_write_said_hundred_alone(const struct leak_reading *reading,
						  struct leak_stream *stream)
{
	leak_reading_write_numbers(reading, stream, SPELLED_HUNDRED_ALONE);
}

/* ---- letters without anything between them ------------------------------------------- */

struct leak_reading_letters {
	char *text;
	const struct leak_text_piece **pieces; /* of each byte */
	unsigned short *covered; /* by words that follow each other from here */
	unsigned char *take;	 /* bytes of the word that begins here; 0 if none does */
	size_t length;
};

static void leak_reading_free_letters(struct leak_reading_letters *letters)
{
	free(letters->text);
	free(letters->pieces);
	free(letters->covered);
	free(letters->take);
}

/* Returns false if memory runs out. */
static bool leak_reading_collect(const struct leak_text *text,
				 struct leak_reading_letters *letters)
{
	size_t room = strlen(text->text) + 1;

	*letters = (struct leak_reading_letters){
		.text = malloc(room),
		.pieces = calloc(room, sizeof(struct leak_text_piece *)),
		.covered = malloc(room * sizeof(*letters->covered)),
		.take = malloc(room),
	};
	if (!letters->text || !letters->pieces || !letters->covered || !letters->take)
		return false;
	for (size_t at = 0; at < text->count; at++) {
		const struct leak_text_piece *piece = &text->pieces[at];

		if (piece->kind == LEAK_MARK)
			continue;
		memcpy(letters->text + letters->length, piece->text, piece->length);
		for (size_t i = 0; i < piece->length; i++)
			letters->pieces[letters->length++] = piece;
	}
	letters->text[letters->length] = '\0';
	return true;
}

/*
 * Decides which word begins at each place: the one behind which most letters are covered by
 * further words ("cent" in "centottanta", though "cento" is longer), of equal ones the longest.
 */
static void leak_reading_divide(const struct leak_reading *reading,
				struct leak_reading_letters *letters, unsigned language)
{
	unsigned short *covered = letters->covered;

	covered[letters->length] = 0;
	for (size_t at = letters->length; at-- > 0;) {
		struct number_word word;
		size_t size = letters->length - at;

		letters->take[at] = 0;
		covered[at] = 0;
		if (letters->pieces[at]->kind == LEAK_NUMBER) {
			covered[at] = (unsigned short)(covered[at + 1] + 1);
			continue;
		}
		while (size > 0 &&
		       (size = number_word_begins(reading->words, language,
						  letters->text + at, size, &word))) {
			if (covered[at + size] + size > covered[at]) {
				covered[at] = (unsigned short)(covered[at + size] + size);
				letters->take[at] = (unsigned char)size;
			}
			size--;
		}
	}
}

/* With the style SPELLED_STYLES each word stands for itself. */
static void leak_reading_write_joined(const struct leak_reading *reading,
				      const struct leak_reading_letters *letters,
				      unsigned language, enum spelled_number_style style,
				      struct leak_stream *stream)
{
	struct spelled_number number = { .style = style };
	const struct leak_text_piece *piece = NULL;

	for (size_t at = 0; at < letters->length;) {
		struct number_word word = { .kind = NUMBER_WORD_NONE };
		size_t length = letters->take[at];

		piece = letters->pieces[at];
		if (piece->kind == LEAK_NUMBER) {
			leak_reading_end_number(&number, stream, piece);
			leak_stream_put(stream, letters->text[at++], piece);
			continue;
		}
		leak_stream_begin(stream);
		if (length)
			number_word_begins(reading->words, language, letters->text + at,
					   length, &word);
		at += length ? length : 1;
		if (length && style != SPELLED_STYLES) {
			leak_reading_add_to_number(&number, &word, stream, piece);
		} else if (length && word.kind == NUMBER_WORD_VALUE) {
			leak_stream_put_number(stream, word.value, piece);
		} else if (!length) {
			leak_reading_end_number(&number, stream, piece);
			leak_stream_put_barrier(stream);
		}
	}
	if (piece)
		leak_reading_end_number(&number, stream, piece);
}

/* ---- letters and digits -------------------------------------------------------------- */

static void leak_reading_put_symbols(struct leak_stream *stream,
				     const struct leak_text_piece *piece)
{
	if (!piece->is_glued)
		leak_stream_begin(stream);
	for (size_t i = 0; i < piece->length; i++) {
		char symbol = code_index_symbol(piece->text[i]);

		if (symbol)
			leak_stream_put(stream, symbol, piece);
	}
}

static void leak_reading_write_symbols(const struct leak_reading *reading,
				       struct leak_stream *stream)
{
	for (size_t at = 0; at < reading->text->count; at++) {
		const struct leak_text_piece *piece = &reading->text->pieces[at];

		if (piece->kind == LEAK_MARK)
			leak_stream_begin(stream);
		else
			leak_reading_put_symbols(stream, piece);
	}
}

/* Finds the pieces from `at` that are glued together, and whether they have a digit. */
static size_t leak_reading_run(const struct leak_text *text, size_t at,
			       size_t *length_out, bool *has_digit_out)
{
	size_t end = at;

	*length_out = 0;
	*has_digit_out = false;
	do {
		*length_out += text->pieces[end].length;
		*has_digit_out |= text->pieces[end].kind == LEAK_NUMBER;
		end++;
	} while (end < text->count && text->pieces[end].is_glued &&
		 text->pieces[end].kind != LEAK_MARK);
	return end;
}

/* Writes "A7K", but "alpha", "seven", "kilo" as well; other words are left out. */
static void leak_reading_write_short(const struct leak_reading *reading,
				     struct leak_stream *stream, size_t most,
				     bool as_spoken)
{
	const struct leak_text *text = reading->text;
	struct spelled_number number = { .last = { .kind = NUMBER_WORD_NONE } };
	const struct leak_text_piece *piece = text->pieces;

	for (size_t at = 0; at < text->count;) {
		struct number_word word = { .kind = NUMBER_WORD_NONE };
		size_t end, length;
		bool has_digit;
		char letter;

		piece = &text->pieces[at];
		if (piece->kind == LEAK_MARK) {
			at++;
			continue;
		}
		end = leak_reading_run(text, at, &length, &has_digit);
		if (!has_digit)
			word = number_word_find(reading->words, piece->text, length);
		letter = number_word_letter(piece->text, length, as_spoken);
		leak_stream_begin(stream);
		if (!letter && word.kind == NUMBER_WORD_VALUE && !word.is_doubtful) {
			leak_reading_add_to_number(&number, &word, stream, piece);
			at = end;
			continue;
		}
		leak_reading_end_number(&number, stream, piece);
		if (letter)
			leak_stream_put(stream, code_index_symbol(letter), piece);
		else if (length <= most || has_digit)
			for (; at < end; at++)
				leak_reading_put_symbols(stream, &text->pieces[at]);
		at = end;
	}
	leak_reading_end_number(&number, stream, piece);
}

static void leak_reading_write_short_runs(const struct leak_reading *reading,
					  struct leak_stream *stream)
{
	leak_reading_write_short(reading, stream, SHORT_RUN, false);
}

static void leak_reading_write_single_letters(const struct leak_reading *reading,
					      struct leak_stream *stream)
{
	leak_reading_write_short(reading, stream, 1, false);
}

static void leak_reading_write_spoken_letters(const struct leak_reading *reading,
					      struct leak_stream *stream)
{
	leak_reading_write_short(reading, stream, 1, true);
}

/* Numbers, and the first letter of each word: "Konrad 7 Theodor". */
static void leak_reading_write_initials(const struct leak_reading *reading,
					struct leak_stream *stream)
{
	for (size_t at = 0; at < reading->text->count; at++) {
		const struct leak_text_piece *piece = &reading->text->pieces[at];
		struct number_word word = { .kind = NUMBER_WORD_NONE };
		char symbol = code_index_symbol(*piece->text);

		leak_stream_begin(stream);
		if (piece->kind == LEAK_WORD)
			word = number_word_find(reading->words, piece->text,
						piece->length);
		if (piece->kind == LEAK_NUMBER)
			leak_reading_put_digits(stream, piece);
		else if (word.kind == NUMBER_WORD_VALUE && !word.is_doubtful)
			leak_stream_put_number(stream, word.value, piece);
		else if (piece->kind == LEAK_WORD && !piece->is_glued && symbol)
			leak_stream_put(stream, symbol, piece);
	}
}

static const struct leak_reading_row leak_reading_rows[] = {
	{ leak_reading_write_digits, CODE_INDEX_DIGITS,
	  LEAK_STREAM_SKIPS | LEAK_STREAM_PAIRS | LEAK_STREAM_SHIFTS | LEAK_STREAM_ORDERS,
	  0 },
	{ leak_reading_write_sure_words, CODE_INDEX_DIGITS,
	  LEAK_STREAM_SKIPS | LEAK_STREAM_PAIRS | LEAK_STREAM_SHIFTS | LEAK_STREAM_ORDERS,
	  0 },
	{ leak_reading_write_all_words, CODE_INDEX_DIGITS, LEAK_STREAM_SKIPS, 0 },
	{ leak_reading_write_said, CODE_INDEX_DIGITS,
	  LEAK_STREAM_PAIRS | LEAK_STREAM_ORDERS, 0 },
	{ leak_reading_write_said_unit_ahead, CODE_INDEX_DIGITS, 0, 0 },
	{ leak_reading_write_said_hundred_alone, CODE_INDEX_DIGITS, 0, 0 },
	{ leak_reading_write_symbols, CODE_INDEX_MIXED,
	  LEAK_STREAM_SKIPS | LEAK_STREAM_PAIRS | LEAK_STREAM_ORDERS, 0 },
	{ leak_reading_write_short_runs, CODE_INDEX_MIXED, LEAK_STREAM_ORDERS, 0 },
	{ leak_reading_write_single_letters, CODE_INDEX_MIXED,
	  LEAK_STREAM_SKIPS | LEAK_STREAM_ORDERS, 0 },
	{ leak_reading_write_spoken_letters, CODE_INDEX_MIXED, 0, 0 },
	{ leak_reading_write_initials, CODE_INDEX_MIXED, 0, CODE_INDEX_SURE },
};

static bool leak_reading_has_joined(const struct leak_reading *reading,
				    struct leak_stream *stream)
{
	const struct leak_stream_search search = {
		.index = reading->index,
		.kind = CODE_INDEX_DIGITS,
		.dates_count = reading->dates_count,
		.has_earlier = reading->has_earlier,
		.least = reading->least,
	};
	const unsigned styles = SPELLED_STYLES + 1;
	unsigned rounds = styles * number_words_languages();
	struct leak_reading_letters letters;
	bool found = !leak_reading_collect(reading->text, &letters);

	for (unsigned round = 0; !found && round < rounds; round++) {
		if (round % styles == 0)
			leak_reading_divide(reading, &letters, round / styles);
		leak_stream_clear(stream);
		leak_reading_write_joined(reading, &letters, round / styles,
					  round % styles, stream);
		found = leak_stream_has_code(stream, &search);
	}
	leak_reading_free_letters(&letters);
	return found;
}

static bool leak_reading_has_figure(const struct leak_reading *reading,
				    struct leak_stream *stream)
{
	struct leak_stream_search search = {
		.index = reading->index,
		.kind = CODE_INDEX_DIGITS,
		.whole_only = true,
		.dates_count = reading->dates_count,
		.has_earlier = reading->has_earlier,
		.least = reading->least,
	};

	for (const struct leak_figure *figure = leak_figures; figure->write; figure++) {
		if (figure->least && code_index_is_crowded(reading->index))
			continue;
		leak_stream_clear(stream);
		figure->write(reading->text, stream);
		search.ways = figure->ways;
		search.least =
			figure->least > reading->least ? figure->least : reading->least;
		if (leak_stream_has_code(stream, &search))
			return true;
	}
	return false;
}

bool leak_reading_has_code(const struct leak_reading *reading)
{
	const size_t rows = sizeof(leak_reading_rows) / sizeof(*leak_reading_rows);
	struct leak_stream_search search = {
		.index = reading->index,
		.dates_count = reading->dates_count,
		.has_earlier = reading->has_earlier,
		.least = reading->least,
	};
	struct leak_stream stream;
	bool found = false;

	leak_stream_init(&stream);
	for (size_t i = 0; !found && i < rows; i++) {
		leak_stream_clear(&stream);
		leak_reading_rows[i].write(reading, &stream);
		search.kind = leak_reading_rows[i].kind;
		search.ways = leak_reading_rows[i].ways;
		search.least = leak_reading_rows[i].least > reading->least
				       ? leak_reading_rows[i].least
				       : reading->least;
		if (reading->is_cipher || reading->has_earlier)
			search.ways &= ~(unsigned)LEAK_STREAM_ORDERS;
		found = leak_stream_has_code(&stream, &search);
	}
	if (!found && !reading->has_earlier)
		found = leak_reading_has_joined(reading, &stream) ||
			(!reading->is_cipher &&
			 (leak_reading_has_figure(reading, &stream) ||
			  leak_sum_has_code(reading, &stream)));
	leak_stream_deinit(&stream);
	return found;
}
