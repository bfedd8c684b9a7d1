/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text is a row of pieces: what stands between blanks, without the marks around it. Scripts
 * without blanks end a piece, too. A piece is a code when its shape is one and the words say
 * so; the less its shape looks like a code, the closer they have to stand:
 *
 *   called        "code is X", "code for the door: X", "X is your code", "enter X"
 *   near          a name of codes among the words of its sentence
 *   somewhere     in the text
 *
 * Runs of lines or words that are digits need no more than a name somewhere.
 */
#include "sms/code_shape.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "sms/code_context.h"
#include "sms/code_word.h"

enum {
	PIECE_LEAST = 4, /* letters and digits of a code */
	PIECE_MOST = 40,
	DIGITS_MOST = 10,
	CLAUSE_WORDS = 12, /* between a name and the colon before its code */
	CLOSE_WORDS = 5,
	RUN_LEAST = 4,	 /* digits in words */
	VERB_BEFORE = 5, /* words from "enter" to the code, */
	VERB_BEHIND = 3, /* and from the code to "enter" */
	MADE_UP_MOST = 12,
	ENDING_MOST = 7, /* bytes, with its mark */
};

struct piece {
	size_t from, to;			 /* in bytes */
	size_t word;				 /* the first in it, */
	size_t behind;				 /* and the first behind it */
	unsigned digits, uppers, lowers, others; /* others: small letters beyond ASCII */
	unsigned marks;				 /* inside of it */
	char separator;		 /* the only kind of mark in it; 0: none, or several */
	unsigned groups;	 /* between separators */
	bool has_capital_inside; /* "sunShine" */
	bool has_vowel;		 /* among capitals of ASCII */
};

struct shapes {
	const char *text;
	struct code_context context;
	void (*visit)(void *data, size_t from, size_t to);
	void *data;
	bool has_name;	   /* somewhere, */
	bool has_any_name; /* also one of booking codes and the like */
	bool has_hint;
	bool is_typed_in; /* something, by a word for that */
	bool has_lock;	  /* a door, a locker */
	bool shouts;	  /* all in capitals, which says nothing then */
};

/* ---- pieces ----------------------------------------------------------------------- */

static bool is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* It ends a piece: a blank, a letter of a script without blanks, one of its marks. */
static bool is_between(uint32_t character)
{
	return character <= ' ' || character == 0xa0 ||
	       is_within(character, 0x2000, 0x206f) ||
	       is_within(character, 0x3000, 0x9fff) ||
	       is_within(character, 0xac00, 0xd7af) ||
	       is_within(character, 0xff00, 0xff20) || character == 0xab ||
	       character == 0xbb || character == 0x60c || character == 0x61b;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_ascii_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_part(char byte)
{
	return is_digit(byte) || is_ascii_letter(byte) || (unsigned char)byte >= 0x80;
}

static size_t piece_end(const char *text, size_t at)
{
	while (text[at]) {
		const char *next = text + at;

		if (is_between(utf8_next(&next)))
			break;
		at = (size_t)(next - text);
	}
	return at;
}

/* utf8_fold() takes accents away, too. Latin, Greek and Cyrillic, but for rare ones. */
static bool is_capital(uint32_t character)
{
	return is_within(character, 'A', 'Z') ||
	       (is_within(character, 0xc0, 0xde) && character != 0xd7) ||
	       (is_within(character, 0x100, 0x137) && character % 2 == 0) ||
	       (is_within(character, 0x139, 0x148) && character % 2 == 1) ||
	       (is_within(character, 0x14a, 0x177) && character % 2 == 0) ||
	       (is_within(character, 0x179, 0x17e) && character % 2 == 1) ||
	       is_within(character, 0x391, 0x3a9) || is_within(character, 0x400, 0x42f);
}

static void count_letter(struct piece *piece, uint32_t character)
{
	if (character >= 0x80 && is_capital(character)) {
		piece->uppers++;
	} else if (character >= 0x80) {
		piece->others++;
	} else if (character >= 'A' && character <= 'Z') {
		piece->has_capital_inside |= piece->lowers > 0;
		piece->has_vowel |= strchr("AEIOUY", (char)character) != NULL;
		piece->uppers++;
	} else {
		piece->lowers++;
	}
}

static void count_mark(struct piece *piece, char mark)
{
	if (piece->marks == 0)
		piece->separator = mark;
	else if (piece->separator != mark)
		piece->separator = '\0';
	piece->marks++;
	piece->groups++;
}

static void measure(const char *text, struct piece *piece)
{
	const char *at = text + piece->from, *end = text + piece->to;

	piece->groups = 1;
	while (at < end) {
		uint32_t character = utf8_next(&at);

		if (is_within(character, '0', '9'))
			piece->digits++;
		else if (character >= 0x80 || is_ascii_letter((char)character))
			count_letter(piece, character);
		else
			count_mark(piece, (char)character);
	}
}

/* Its ends are letters or digits; false: it has none. */
static bool trim(const char *text, struct piece *piece)
{
	while (piece->from < piece->to && !is_part(text[piece->from]))
		piece->from++;
	while (piece->to > piece->from && !is_part(text[piece->to - 1]))
		piece->to--;
	return piece->from < piece->to;
}

/* Finds the words of a piece, from the word on at which it may begin. */
static void place(const struct shapes *shapes, struct piece *piece, size_t *word)
{
	const struct code_context *context = &shapes->context;

	while (*word < context->count &&
	       context->words[*word].text < shapes->text + piece->from)
		++*word;
	piece->word = piece->behind = *word;
	while (piece->behind < context->count &&
	       context->words[piece->behind].text < shapes->text + piece->to)
		piece->behind++;
}

static unsigned letters(const struct piece *piece)
{
	return piece->uppers + piece->lowers + piece->others;
}

/* ---- what the words say ----------------------------------------------------------- */

/* A name in the sentence, so many words before this one at most. */
static bool has_name_before(const struct shapes *shapes, size_t word, unsigned most)
{
	const struct code_context *context = &shapes->context;

	for (unsigned i = 1; i <= most; i++) {
		if (!code_context_shares_sentence(context, word, word - i))
			return false;
		if (code_context_is_name(context, word - i))
			return true;
	}
	return false;
}

/* The last mark that is no blank and no quotation mark before it. */
static char mark_before(const struct shapes *shapes, const struct piece *piece)
{
	size_t at = piece->from;

	while (at > 0 && strchr(" \"'([*_<\n", shapes->text[at - 1]))
		at--;
	return at > 0 ? shapes->text[at - 1] : '\0';
}

/* A colon of Chinese, too. */
static bool is_behind_colon(const struct shapes *shapes, const struct piece *piece)
{
	static const char wide[] = "\uff1a";
	char mark = mark_before(shapes, piece);
	size_t at = piece->from;

	return mark == ':' || mark == '=' ||
	       (at >= strlen(wide) &&
		memcmp(shapes->text + at - strlen(wide), wide, strlen(wide)) == 0);
}

static bool is_clause_end(const struct shapes *shapes, const struct piece *piece)
{
	const char *at = shapes->text + piece->to;

	while (*at && strchr("\"'*_)]", *at))
		at++;
	return !*at || *at == '\n' || *at == '\r' || *at == ',' || *at == ';' ||
	       (strchr(".!?", *at) && !is_part(at[1]));
}

static bool is_called_before(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	size_t head;

	return code_context_find_head(context, piece->word, &head) &&
	       code_context_is_called(context, head, piece->word);
}

/* "code for the door: X", "the code of your card is X" */
static bool is_named(const struct shapes *shapes, const struct piece *piece)
{
	if (!is_behind_colon(shapes, piece) &&
	    !code_context_is_of_kind(&shapes->context, piece->word, piece->word - 1,
				     CODE_WORD_IS))
		return false;
	return has_name_before(shapes, piece->word, CLAUSE_WORDS);
}

/* "X kodunuzdur": verbs are endings in some languages. */
static bool is_ended_by_name(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	size_t name = piece->behind;

	if (!context->words[piece->word].starts || shapes->text[piece->to] != ' ')
		return false;
	if (code_context_shares_sentence(context, piece->word, name) &&
	    !code_context_is_name(context, name))
		name++;
	return code_context_shares_sentence(context, piece->word, name) &&
	       code_context_is_name(context, name) &&
	       !code_context_shares_sentence(context, piece->word, name + 1);
}

/* "X is your Bluebird confirmation code" */
static bool is_said_to_be_one(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;

	size_t end = piece->to;

	end += strchr("\"')]*", shapes->text[end]) && shapes->text[end];
	if (shapes->text[end] != ' ' ||
	    !code_context_is_of_kind(context, piece->word, piece->behind, CODE_WORD_IS))
		return false;
	for (size_t at = piece->behind + 1; at < piece->behind + CLAUSE_WORDS; at++) {
		if (!code_context_shares_sentence(context, piece->word, at))
			return false;
		if (code_context_is_name(context, at) ||
		    context->kinds[at] & CODE_WORD_ENTER)
			return !context->is_advertisement;
	}
	return false;
}

static bool is_called_behind(const struct shapes *shapes, const struct piece *piece)
{
	return code_context_is_called_behind(&shapes->context, piece->word,
					     piece->behind) ||
	       is_said_to_be_one(shapes, piece) || is_ended_by_name(shapes, piece);
}

/* "type the word X" */
static bool is_behind_enter_and_links(const struct shapes *shapes,
				      const struct piece *piece)
{
	const struct code_context *context = &shapes->context;

	for (size_t i = 1; i <= CLOSE_WORDS; i++) {
		size_t at = piece->word - i;

		if (code_context_is_of_kind(context, piece->word, at, CODE_WORD_ENTER))
			return !(context->kinds[at] & CODE_WORD_CALL);
		if (!code_context_is_of_kind(context, piece->word, at, CODE_WORD_LINK))
			return false;
	}
	return false;
}

/* What is letters and digits needs no hint: "enter JKQ4T". */
static bool is_entered(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	bool is_made_up = piece->digits && piece->uppers && piece->lowers == 0 &&
			  piece->digits + piece->uppers > PIECE_LEAST;

	if (code_context_is_of_kind(context, piece->word, piece->word - 2,
				    CODE_WORD_ENTER) &&
	    code_context_is_of_kind(context, piece->word, piece->word - 1,
				    CODE_WORD_LINK) &&
	    shapes->has_name)
		return true; /* "geben Sie X" */
	if (shapes->has_hint && !context->is_advertisement &&
	    is_behind_enter_and_links(shapes, piece))
		return true;
	return (shapes->has_hint || is_made_up) && !context->is_advertisement &&
	       (code_context_is_of_kind(context, piece->word, piece->word - 1,
					CODE_WORD_ENTER) ||
		code_context_is_of_kind(context, piece->word, piece->behind,
					CODE_WORD_ENTER));
}

/* "Password for your account at Northwind X." */
static bool is_end_of_named_sentence(const struct shapes *shapes,
				     const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	size_t first = piece->word;

	while (piece->word - first <= CLAUSE_WORDS &&
	       code_context_shares_sentence(context, piece->word, first - 1) &&
	       context->words[first - 1].type == TEXT_WORD)
		first--;
	while (first < piece->word && context->kinds[first] & CODE_WORD_LINK &&
	       !code_context_is_name(context, first))
		first++;
	return first < piece->word && piece->word - first <= CLAUSE_WORDS &&
	       code_context_is_name(context, first) && is_clause_end(shapes, piece);
}

/* "We reset your password. The new one is X." */
static bool is_named_before(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	size_t at = piece->word;
	size_t head;

	if (!shapes->has_name ||
	    !code_context_is_of_kind(context, at, at - 1, CODE_WORD_IS) ||
	    code_context_is_of_kind(context, at, piece->behind, CODE_WORD_UNIT))
		return false;
	return !code_context_find_head(context, at, &head) ||
	       !(context->kinds[head] &
		 (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN));
}

/* "Authorise: X" */
static bool is_behind_hint(const struct shapes *shapes, const struct piece *piece)
{
	return is_behind_colon(shapes, piece) && !shapes->context.is_advertisement &&
	       code_context_is_of_kind(&shapes->context, piece->word, piece->word - 1,
				       CODE_WORD_WEAK | CODE_WORD_ENTER);
}

static bool is_alone_on_line(const struct shapes *shapes, const struct piece *piece)
{
	const char *text = shapes->text;
	char behind = text[piece->to];

	return (piece->from == 0 || text[piece->from - 1] == '\n') &&
	       (!behind || behind == '\n' || behind == '\r');
}

static bool is_called(const struct shapes *shapes, const struct piece *piece)
{
	return is_named(shapes, piece) || is_called_before(shapes, piece) ||
	       is_called_behind(shapes, piece) || is_entered(shapes, piece) ||
	       is_named_before(shapes, piece) ||
	       is_end_of_named_sentence(shapes, piece) ||
	       (shapes->has_name && is_alone_on_line(shapes, piece));
}

/* "order X", "EUR X", "X minutes", and nothing calls it a code. */
static bool is_of_something_else(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	size_t head;
	unsigned kinds = code_context_find_head(context, piece->word, &head)
				 ? context->kinds[head]
				 : 0;

	if (kinds & CODE_WORD_LOCK && has_name_before(shapes, piece->word, CLAUSE_WORDS))
		return false; /* "the code of the gate is X" */
	return kinds & (CODE_WORD_THING | CODE_WORD_CALL | CODE_WORD_BARGAIN) ||
	       code_context_is_of_kind(context, piece->word, piece->word - 1,
				       CODE_WORD_MONEY) ||
	       code_context_is_of_kind(context, piece->word, piece->behind,
				       CODE_WORD_MONEY | CODE_WORD_UNIT);
}

static bool is_near(const struct shapes *shapes, const struct piece *piece, unsigned most)
{
	return code_context_name_distance(&shapes->context, piece->word, piece->behind) <
		       most &&
	       !is_of_something_else(shapes, piece);
}

/* ---- the shapes ------------------------------------------------------------------- */

static bool is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] >= 0x80)
			return false;
	}
	return true;
}

/* "https://x.y/z", "me@home.example", "www.x.y" */
static bool is_address(const struct shapes *shapes, const struct piece *piece)
{
	const char *from = shapes->text + piece->from;
	size_t length = piece->to - piece->from;
	const char *at = memchr(from, '@', length);
	size_t words = piece->behind - piece->word;

	for (size_t i = 0; i < words; i++) {
		if (shapes->context.words[piece->word + i].type == TEXT_OTHER &&
		    is_ascii(from, length))
			return true; /* of a link */
	}
	return memmem(from, length, "://", 3) || strncasecmp(from, "www.", 4) == 0 ||
	       (at && memchr(at, '.', length - (size_t)(at - from)));
}

static unsigned number_at(const char *text, unsigned *digits_out)
{
	unsigned number = 0;

	for (*digits_out = 0; is_digit(text[*digits_out]) && *digits_out < 6;
	     ++*digits_out)
		number = 10 * number + (unsigned)(text[*digits_out] - '0');
	return number;
}

/* "20/10", "3.12": the day and the month of any year */
static bool is_day_of_month(const unsigned number[3], const unsigned digits[3])
{
	return digits[0] <= 2 && digits[1] <= 2 &&
	       ((is_within(number[0], 1, 31) && is_within(number[1], 1, 12)) ||
		(is_within(number[1], 1, 31) && is_within(number[0], 1, 12)));
}

/* "12.03.2026", "5/4/26", "2026-12-01", "482/2026": a day, or a number of a year. */
static bool is_day(const struct shapes *shapes, const struct piece *piece)
{
	const char *at = shapes->text + piece->from;
	unsigned number[3] = { 0 }, digits[3] = { 0 };

	for (unsigned i = 0; i < 3 && i < piece->groups; i++) {
		number[i] = number_at(at, &digits[i]);
		at += digits[i] + 1;
	}
	if (piece->groups == 2) /* "482/2026", "24/7", "1/2" */
		return is_within(number[1], 1900, 2099) || digits[0] + digits[1] < 4 ||
		       is_day_of_month(number, digits);
	return (is_within(number[0], 1, 31) && is_within(number[1], 1, 12) &&
		(digits[2] == 2 || is_within(number[2], 1900, 2099))) ||
	       (is_within(number[1], 1, 31) && is_within(number[0], 1, 12) &&
		is_within(number[2], 1900, 2099)) ||
	       (is_within(number[0], 1900, 2099) && is_within(number[1], 1, 12));
}

/* "14-16": hours, or the like */
static bool is_range(const struct shapes *shapes, const struct piece *piece)
{
	const char *at = shapes->text + piece->from;
	unsigned digits, left, right;

	if (piece->groups != 2 || piece->separator != '-')
		return false;
	left = number_at(at, &digits);
	right = number_at(at + digits + 1, &digits);
	return digits == 2 && left < right && right <= 24;
}

/* "1957", and numbers between it and its name: "the PIN of your card 4471 is 1957" */
static bool is_named_number(const struct shapes *shapes, const struct piece *piece)
{
	return piece->digits >= PIECE_LEAST && piece->digits <= 8 && !piece->marks &&
	       !letters(piece) && is_named(shapes, piece) &&
	       !is_of_something_else(shapes, piece);
}

/* Three pairs may be a day; called a code they are none. */
static bool may_be_day(const struct shapes *shapes, const struct piece *piece)
{
	bool is_of_pairs = piece->digits == 2 * piece->groups;

	return is_day(shapes, piece) && !(is_of_pairs && is_called_before(shapes, piece));
}

/* "482/913", "12.34.56", "91-33-07": groups of two digits or more, all of one length. */
static bool is_marked_number(const struct shapes *shapes, const struct piece *piece)
{
	unsigned length = piece->digits / piece->groups;

	if (piece->digits < PIECE_LEAST || piece->digits > DIGITS_MOST ||
	    letters(piece) || piece->groups < 2 || !piece->separator ||
	    !strchr("/.-|~+_", piece->separator))
		return false;
	if (piece->groups * length != piece->digits || may_be_day(shapes, piece))
		return false;
	return is_called(shapes, piece) || is_behind_hint(shapes, piece) ||
	       (shapes->has_name && !is_of_something_else(shapes, piece) &&
		!is_range(shapes, piece));
}

/* "the code ABCDEF", and not "code VISA:" */
static bool is_right_behind_name(const struct shapes *shapes, const struct piece *piece)
{
	return piece->uppers > PIECE_LEAST && shapes->text[piece->to] != ':' &&
	       has_name_before(shapes, piece->word, 1);
}

/* "ABCDEF" */
static bool is_capitals(const struct shapes *shapes, const struct piece *piece)
{
	static const char *const words[] = {
		"stop",	   "start",   "help",	   "info",	"code",	   "wifi",
		"wlan",	   "pass",    "login",	   "paypal",	"google",  "apple",
		"visa",	   "amazon",  "http",	   "https",	"iban",	   "android",
		"never",   "not",     "valid",	   "cancel",	"confirm", "more",
		"change",  "agree",   "accept",	   "decline",	"join",	   "yes",
		"balance", "annuler", "cancelar",  "confirmar", "annulla", "conferma",
		"storno",  "resched", "reschedule"
	};
	const char *folded = shapes->context.words[piece->word].folded;

	if (letters(piece) != piece->uppers || piece->digits || piece->marks ||
	    piece->uppers < PIECE_LEAST || piece->uppers > 12 || shapes->shouts)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(folded, words[i]) == 0)
			return false;
	}
	if (shapes->context.kinds[piece->word] &
	    ~(unsigned)(CODE_WORD_LINK | CODE_WORD_LOCK | CODE_WORD_OPEN | CODE_WORD_KEY |
			CODE_WORD_COURIER | CODE_WORD_TELL))
		return false;
	if (is_named(shapes, piece) || is_called_behind(shapes, piece))
		return true;
	if (is_entered(shapes, piece) && shapes->text[piece->to] != ':')
		return true;
	if (is_right_behind_name(shapes, piece))
		return true;
	return is_called(shapes, piece) && is_clause_end(shapes, piece);
}

/* "B3K9QX", "7f3d9a" */
static bool is_mixed(const struct shapes *shapes, const struct piece *piece)
{
	unsigned length = piece->digits + letters(piece);
	bool is_random = piece->digits > 1 && piece->uppers > 1 &&
			 piece->uppers == letters(piece) && length > PIECE_LEAST;

	if (piece->marks || !piece->digits || !letters(piece) || length < PIECE_LEAST ||
	    length > 16)
		return false;
	if (strncasecmp(shapes->text + piece->from, "xx", 2) == 0)
		return false;
	if (is_called(shapes, piece))
		return true;
	if (is_random && shapes->has_name && !is_of_something_else(shapes, piece))
		return true;
	return piece->digits > 1 && (piece->lowers == 0 || piece->uppers) &&
	       is_near(shapes, piece, CLOSE_WORDS);
}

/* "KQ7-ZPX", "ZX81-4QPL-77", "sunny-otter-71" */
static bool is_grouped(const struct shapes *shapes, const struct piece *piece)
{
	bool is_upper = piece->uppers == letters(piece);

	if (piece->groups < 2 || !piece->separator || !strchr("-_./", piece->separator) ||
	    !letters(piece) || piece->digits + letters(piece) < PIECE_LEAST + 1)
		return false;
	if (!piece->digits && (!is_upper || shapes->shouts))
		return false;
	if (strncasecmp(shapes->text + piece->from, "xx", 2) == 0)
		return false;
	return is_called(shapes, piece) ||
	       (is_upper && is_near(shapes, piece, CLOSE_WORDS)) ||
	       (is_upper && piece->digits && piece->groups > 2 && shapes->has_any_name);
}

/* "16h25", "10GB", "12:30Uhr" is no password, "Melon_7" may be one. */
static bool is_no_measure(const struct shapes *shapes, const struct piece *piece)
{
	return letters(piece) > 3 && !is_digit(shapes->text[piece->from]);
}

/* "Kx9#mP2q", "sunShine": made up, and called a password. */
static bool is_password(const struct shapes *shapes, const struct piece *piece)
{
	bool is_made_up = (piece->digits && letters(piece)) ||
			  piece->has_capital_inside ||
			  (piece->marks && letters(piece) && piece->separator != '-' &&
			   piece->separator != '.' && piece->separator != '\'' &&
			   piece->separator != '/');

	return is_made_up && piece->to - piece->from >= PIECE_LEAST &&
	       piece->to - piece->from <= PIECE_MOST &&
	       (is_named(shapes, piece) || is_called_before(shapes, piece) ||
		(piece->digits && is_named_before(shapes, piece)) ||
		(piece->digits && piece->marks && piece->uppers && piece->lowers &&
		 is_no_measure(shapes, piece) && is_near(shapes, piece, CLOSE_WORDS)) ||
		(piece->digits && has_name_before(shapes, piece->word, CLOSE_WORDS) &&
		 !is_of_something_else(shapes, piece) && is_no_measure(shapes, piece)));
}

/* Nothing but this: what else could it be? */
static bool is_all(const struct shapes *shapes, const struct piece *piece)
{
	const char *text = shapes->text;

	for (size_t at = 0; text[at]; at++) {
		if ((at < piece->from || at >= piece->to) && is_part(text[at]))
			return false;
	}
	if (letters(piece))
		return piece->lowers == 0 && piece->digits > 1 &&
		       piece->digits + letters(piece) > PIECE_LEAST;
	return piece->groups > 1 && piece->digits >= PIECE_LEAST &&
	       piece->digits <= DIGITS_MOST && piece->separator && !is_day(shapes, piece);
}

/* ---- what is typed in -------------------------------------------------------------- */

/* A word of these kinds in the sentence, so many words before the piece or behind it. */
static bool has_beside(const struct shapes *shapes, const struct piece *piece,
		       unsigned kinds)
{
	const struct code_context *context = &shapes->context;

	for (size_t i = 1; i <= VERB_BEFORE; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->word - i, kinds))
			return true;
	}
	for (size_t i = 0; i < VERB_BEHIND; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->behind + i,
					    kinds))
			return true;
	}
	return false;
}

/* "QKXWRT": no word, whatever the language. */
static bool is_unspeakable(const struct shapes *shapes, const struct piece *piece)
{
	return piece->uppers > PIECE_LEAST && piece->uppers <= DIGITS_MOST &&
	       piece->uppers == letters(piece) && !piece->digits && !piece->marks &&
	       !piece->has_vowel && !shapes->shouts &&
	       is_ascii(shapes->text + piece->from, piece->to - piece->from);
}

/* "MZ4-K8T", "KHM72P", "ЖКФ482" */
static bool is_made_up(const struct shapes *shapes, const struct piece *piece)
{
	unsigned length = piece->digits + piece->uppers;

	if (piece->lowers || piece->others || length <= PIECE_LEAST ||
	    length > MADE_UP_MOST || (piece->marks && piece->separator != '-'))
		return false;
	return (piece->digits && piece->uppers) || is_unspeakable(shapes, piece);
}

static bool is_made_up_key(const struct shapes *shapes, const struct piece *piece)
{
	return is_made_up(shapes, piece) ||
	       (piece->digits && piece->uppers && !piece->lowers && !piece->others &&
		piece->groups > 2 && piece->separator == '-' &&
		piece->to - piece->from <= PIECE_MOST);
}

/* "1204. lakas": a small letter behind the full stop */
static bool is_ordinal(const struct shapes *shapes, const struct piece *piece)
{
	const char *end = shapes->text + piece->to;

	return end[0] == '.' && end[1] == ' ' && end[2] >= 'a' && end[2] <= 'z';
}

static bool is_plain_number(const struct shapes *shapes, const struct piece *piece)
{
	return piece->digits >= PIECE_LEAST && piece->digits <= 8 && !piece->marks &&
	       !letters(piece) && !is_ordinal(shapes, piece);
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

/* "Confirm with X" */
static bool is_means(const struct shapes *shapes, const struct piece *piece)
{
	static const char *const words[] = { "with", "mit",   "avec", "con", "com",
					     "met",  "med",   "z",    "s",   "с",
					     "by",   "using", "per",  "via", "cu" };
	const struct code_context *context = &shapes->context;

	return code_context_shares_sentence(context, piece->word, piece->word - 1) &&
	       is_one_of(context->words[piece->word - 1].folded, words,
			 sizeof(words) / sizeof(words[0])) &&
	       has_beside(shapes, piece, CODE_WORD_WEAK | CODE_WORD_ENTER);
}

/* "Send it to 36180": no code, but who gets it. */
static bool is_receiver(const struct shapes *shapes, const struct piece *piece)
{
	static const char *const words[] = { "to", "au",   "al", "an", "na",
					     "на", "till", "at", "a" };
	const struct code_context *context = &shapes->context;

	if (!code_context_shares_sentence(context, piece->word, piece->word - 1))
		return false;
	return is_one_of(context->words[piece->word - 1].folded, words,
			 sizeof(words) / sizeof(words[0]));
}

/* Who is called or answered has a number without letters. */
static bool is_thing(const struct shapes *shapes, const struct piece *piece)
{
	size_t head;

	if (!is_of_something_else(shapes, piece))
		return false;
	return (!letters(piece) && !is_means(shapes, piece)) ||
	       !code_context_find_head(&shapes->context, piece->word, &head) ||
	       shapes->context.kinds[head] & (CODE_WORD_THING | CODE_WORD_BARGAIN);
}

/* "text X to 80808": what everybody sends there */
static bool is_keyword(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	struct piece receiver = { .word = piece->behind + 1 };

	return code_context_shares_sentence(context, piece->word, receiver.word) &&
	       context->words[receiver.word].type == TEXT_NUMBER &&
	       context->words[receiver.word].length >= PIECE_LEAST &&
	       is_receiver(shapes, &receiver);
}

/* "Type X to link the television", with a bargain nowhere near */
static bool is_typed(const struct shapes *shapes, const struct piece *piece)
{
	if (shapes->context.is_advertisement || is_thing(shapes, piece) ||
	    is_keyword(shapes, piece) || is_receiver(shapes, piece) ||
	    has_beside(shapes, piece, CODE_WORD_BARGAIN))
		return false;
	if (is_unspeakable(shapes, piece) && shapes->has_hint)
		return true;
	if (is_plain_number(shapes, piece) && piece->digits == 6 &&
	    is_behind_colon(shapes, piece) && has_beside(shapes, piece, CODE_WORD_WEAK))
		return true; /* "To activate your SIM: X" */
	if (!has_beside(shapes, piece, CODE_WORD_ENTER) &&
	    !is_behind_hint(shapes, piece) && !is_means(shapes, piece))
		return false;
	return is_made_up(shapes, piece) ||
	       (is_plain_number(shapes, piece) &&
		(shapes->has_hint || is_means(shapes, piece)));
}

/* "Activation key: X", "Padlock: 7719" */
static bool is_key(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	bool has_case = piece->digits && piece->lowers && is_no_measure(shapes, piece);
	bool is_number = is_plain_number(shapes, piece);

	if ((!is_number && !has_case && !is_made_up_key(shapes, piece)) ||
	    context->is_advertisement || is_of_something_else(shapes, piece))
		return false;
	for (size_t i = 1; i <= VERB_BEFORE; i++) {
		if (!code_context_is_of_kind(context, piece->word, piece->word - i,
					     CODE_WORD_KEY))
			continue;
		return !is_number || context->kinds[piece->word - i] & CODE_WORD_LOCK;
	}
	return false;
}

/* "Tell the courier X" */
static bool is_told_courier(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;

	if ((!is_plain_number(shapes, piece) && !is_made_up(shapes, piece)) ||
	    context->is_advertisement || !has_beside(shapes, piece, CODE_WORD_COURIER))
		return false;
	for (size_t i = 1; i <= CLAUSE_WORDS; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->word - i,
					    CODE_WORD_TELL) ||
		    code_context_is_of_kind(context, piece->word, piece->behind + i - 1,
					    CODE_WORD_TELL))
			return true;
	}
	return false;
}

static bool has_number_behind(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;

	for (size_t at = piece->behind;
	     code_context_shares_sentence(context, piece->word, at); at++) {
		if (context->words[at].type != TEXT_WORD)
			return true;
	}
	return false;
}

/* "The gate opens with X", "Gate: X" */
static bool opens_lock(const struct shapes *shapes, const struct piece *piece)
{
	const struct code_context *context = &shapes->context;
	bool is_of_lock = code_context_is_of_kind(context, piece->word, piece->word - 1,
						  CODE_WORD_LOCK);

	if (!shapes->has_lock || context->is_advertisement ||
	    (!is_plain_number(shapes, piece) && !is_made_up(shapes, piece)) ||
	    is_of_something_else(shapes, piece))
		return false;
	if (is_of_lock && (is_behind_colon(shapes, piece) ||
			   context->kinds[piece->word - 1] & CODE_WORD_IS))
		return true;
	if (is_of_lock && has_number_behind(shapes, piece))
		return false; /* "locker 2041 opens with 7319" */
	return has_beside(shapes, piece, CODE_WORD_OPEN | CODE_WORD_ENTER);
}

/* False: it is no code. */
static bool look_at_piece(const struct shapes *shapes, const struct piece *piece)
{
	size_t to = piece->to;

	if (is_address(shapes, piece))
		return false;
	if (is_password(shapes, piece)) {
		while (shapes->text[to] && strchr("!?#$%&*+=~@^", shapes->text[to]))
			to++;
		shapes->visit(shapes->data, piece->from, to);
	} else if (is_marked_number(shapes, piece) || is_named_number(shapes, piece) ||
		   is_capitals(shapes, piece) || is_mixed(shapes, piece) ||
		   is_grouped(shapes, piece) || is_all(shapes, piece) ||
		   is_typed(shapes, piece) || opens_lock(shapes, piece) ||
		   is_key(shapes, piece) || is_told_courier(shapes, piece)) {
		shapes->visit(shapes->data, piece->from, to);
	} else {
		return false;
	}
	return true;
}

/* "7390-nel", "7390'le": endings of some languages are no part of it. */
static bool cut_ending(const char *text, struct piece *piece)
{
	size_t mark = piece->from, at;

	while (mark < piece->to &&
	       (is_digit(text[mark]) || (text[mark] >= 'A' && text[mark] <= 'Z')))
		mark++;
	at = mark + 1;
	if (mark - piece->from < PIECE_LEAST || at >= piece->to ||
	    !strchr("-':", text[mark]))
		return false;
	while (at < piece->to &&
	       ((text[at] >= 'a' && text[at] <= 'z') || (unsigned char)text[at] >= 0x80))
		at++;
	if (at < piece->to || at - mark > ENDING_MOST)
		return false;
	*piece = (struct piece){ piece->from, mark, piece->word, piece->behind };
	return true;
}

static void look_at_pieces(const struct shapes *shapes)
{
	const char *text = shapes->text;
	size_t word = 0, at = 0;

	while (text[at]) {
		struct piece piece = { .from = at, .to = piece_end(text, at) };
		const char *next = text + at;

		utf8_next(&next);
		at = piece.to > at ? piece.to : (size_t)(next - text);
		if (!trim(text, &piece))
			continue;
		place(shapes, &piece, &word);
		if (piece.behind == piece.word)
			continue;
		measure(text, &piece);
		if (look_at_piece(shapes, &piece) || !cut_ending(text, &piece))
			continue;
		measure(text, &piece);
		look_at_piece(shapes, &piece);
	}
}

/* ---- digits over lines ------------------------------------------------------------ */

/* Digits of a line that has nothing else; 0: it has. */
static unsigned line_digits(const char *line)
{
	unsigned digits = (unsigned)strspn(line, "0123456789");
	const char *end = line + digits + strspn(line + digits, " .,\r");

	return !*end || *end == '\n' ? digits : 0;
}

static const char *next_line(const char *line)
{
	const char *feed = strchr(line, '\n');

	return feed ? feed + 1 : NULL;
}

static void look_at_lines(const struct shapes *shapes)
{
	const char *line = shapes->text;

	while (line) {
		const char *from = line, *to = line;
		unsigned digits = 0, count = 0, more;

		while (line && (more = line_digits(line)) > 0) {
			digits += more;
			count++;
			to = line + more;
			line = next_line(line);
		}
		if (count > 1 && digits >= PIECE_LEAST && digits <= DIGITS_MOST &&
		    (shapes->has_hint || shapes->is_typed_in || from == shapes->text))
			shapes->visit(shapes->data, (size_t)(from - shapes->text),
				      (size_t)(to - shapes->text));
		if (count == 0)
			line = next_line(line);
	}
}

/* ---- digits with blanks -------------------------------------------------------------- */

/* "91 28", "7 31 04": groups of up to three digits in one line, behind a name and a colon. */
static void look_at_spaced_digits(const struct shapes *shapes)
{
	const struct code_context *context = &shapes->context;
	size_t step;

	for (size_t at = 0; at < context->count; at += step) {
		struct piece piece = { .word = at, .behind = at };
		const struct text_word *word = &context->words[at], *last = word;

		step = 1;
		if (word->type != TEXT_NUMBER)
			continue;
		while (piece.behind < context->count &&
		       context->words[piece.behind].type == TEXT_NUMBER &&
		       context->words[piece.behind].length < PIECE_LEAST &&
		       (piece.behind == at || (context->words[piece.behind].text ==
						       last->text + last->length + 1 &&
					       last->behind == ' '))) {
			last = &context->words[piece.behind++];
			piece.digits += last->length;
		}
		if (piece.behind - at < 2)
			continue;
		step = piece.behind - at;
		piece.from = (size_t)(word->text - shapes->text);
		piece.to = (size_t)(last->text + last->length - shapes->text);
		if (piece.digits >= PIECE_LEAST && piece.digits <= DIGITS_MOST &&
		    !strchr("/.:-+,", (char)(word->before ? word->before : ' ')) &&
		    !is_of_something_else(shapes, &piece) &&
		    (is_named(shapes, &piece) || is_called_before(shapes, &piece) ||
		     is_end_of_named_sentence(shapes, &piece)))
			shapes->visit(shapes->data, piece.from, piece.to);
	}
}

/* ---- digits in words -------------------------------------------------------------- */

static bool is_number_word(const struct shapes *shapes, size_t at)
{
	return at < shapes->context.count &&
	       shapes->context.kinds[at] & (CODE_WORD_DIGIT | CODE_WORD_NUMBER);
}

/* Only blanks, dashes and commas are between them. */
static bool follows(const struct shapes *shapes, size_t at)
{
	const struct text_word *word = &shapes->context.words[at];
	const char *end = word->text + word->length;
	size_t gap = strspn(end, " -,\r\n");

	return at + 1 < shapes->context.count &&
	       shapes->context.words[at + 1].text == end + gap;
}

/* Words of the run from here on: "forty-eight and two nine" has four. */
static size_t run_length(const struct shapes *shapes, size_t at, bool *has_large_out)
{
	/* and ten in Turkish, which is a small word in English */
	static const char *const links[] = {
		"and", "und", "et", "y", "e", "i", "ve", "on"
	};
	size_t count = 0;

	*has_large_out = false;
	while (is_number_word(shapes, at + count)) {
		size_t last = at + count;

		*has_large_out |= (shapes->context.kinds[last] & CODE_WORD_NUMBER) != 0;
		count++;
		if (!follows(shapes, last))
			break;
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			if (strcmp(shapes->context.words[last + 1].folded, links[i]) ==
				    0 &&
			    follows(shapes, last + 1) &&
			    is_number_word(shapes, last + 2)) {
				count++;
				break;
			}
		}
	}
	return count;
}

static void look_at_number_words(const struct shapes *shapes)
{
	const struct text_word *words = shapes->context.words;
	size_t step;

	for (size_t at = 0; at < shapes->context.count; at += step) {
		bool has_large;
		size_t count = run_length(shapes, at, &has_large), last = at + count - 1;
		bool is_long = count >= RUN_LEAST || (has_large && count >= 2);

		step = count ? count : 1;
		if (is_long &&
		    (shapes->has_name || count == shapes->context.count ||
		     (!has_large && (shapes->is_typed_in || shapes->has_lock))) &&
		    !code_context_is_of_kind(&shapes->context, at, at + count,
					     CODE_WORD_MONEY | CODE_WORD_UNIT))
			shapes->visit(shapes->data,
				      (size_t)(words[at].text - shapes->text),
				      (size_t)(words[last].text + words[last].length -
					       shapes->text));
	}
}

/* Of Chinese and Japanese, which put no blanks between them. */
static bool is_digit_sign(uint32_t character)
{
	static const uint32_t signs[] = { 0x3007, 0x96f6, 0x4e00, 0x4e8c, 0x4e09, 0x56db,
					  0x4e94, 0x516d, 0x4e03, 0x516b, 0x4e5d };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (character == signs[i])
			return true;
	}
	return false;
}

static void look_at_digit_signs(const struct shapes *shapes)
{
	const char *at = shapes->text;

	while (*at) {
		const char *from = at, *to = at;
		unsigned count = 0;

		while (*at && is_digit_sign(utf8_next(&at))) {
			to = at;
			count++;
		}
		if (count >= RUN_LEAST && shapes->has_name)
			shapes->visit(shapes->data, (size_t)(from - shapes->text),
				      (size_t)(to - shapes->text));
	}
}

static bool is_in_capitals(const struct text_word *word)
{
	const char *at = word->text;

	while (at < word->text + word->length) {
		if (!is_capital(utf8_next(&at)))
			return false;
	}
	return true;
}

static void look_at_words(struct shapes *shapes)
{
	size_t capitals = 0, words = 0;

	for (size_t at = 0; at < shapes->context.count; at++) {
		const struct text_word *word = &shapes->context.words[at];
		unsigned kinds = shapes->context.kinds[at];

		shapes->has_name |= code_context_is_name(&shapes->context, at);
		shapes->has_any_name |=
			(kinds & CODE_WORD_NAME) && !shapes->context.is_advertisement;
		shapes->has_hint |= (kinds & (CODE_WORD_WEAK | CODE_WORD_KEEP)) != 0;
		shapes->is_typed_in |= (kinds & CODE_WORD_ENTER) != 0;
		shapes->has_lock |= (kinds & CODE_WORD_LOCK) != 0;
		if (word->type == TEXT_WORD && word->length > 1) {
			words++;
			capitals += is_in_capitals(word);
		}
	}
	shapes->has_hint |= shapes->has_name;
	shapes->shouts = words > 2 && 2 * capitals > words;
}

void code_shape_search(const char *text,
		       void (*visit)(void *data, size_t from, size_t to), void *data)
{
	struct shapes shapes = { .text = text, .visit = visit, .data = data };

	code_context_init(&shapes.context, text);
	look_at_words(&shapes);
	look_at_pieces(&shapes);
	look_at_lines(&shapes);
	look_at_spaced_digits(&shapes);
	look_at_number_words(&shapes);
	look_at_digit_signs(&shapes);
}
