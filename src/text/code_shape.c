/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piece of a text is a code if its shape is one and the words around it say so. The less its
 * shape looks like a code, the more the words have to say:
 *
 *   "482/913", "B3K9QX"       a name of codes near it
 *   "ABCDEF", "Kx9#mP2q"      called a code or a password
 *   "771204"                  named, entered, opening a lock, or told to a courier
 *
 * Addresses, days, ranges and words that everybody writes in capitals are not codes. The
 * thresholds are tuned on the messages of tests/unit/code_corpus.
 */
#include "text/code.h"

#include <string.h>

enum {
	CODE_SHAPE_MOST = 40, /* bytes of a password */
	CODE_SHAPE_CLOSE_WORDS = 5,
	CODE_SHAPE_VERB_BEFORE = 5,
	CODE_SHAPE_MADE_UP_MOST = 12,
	CODE_SHAPE_CAPITALS_LEAST = 3, /* "WQX", right behind its name */
};

static bool code_shape_is_within(unsigned value, unsigned first, unsigned last)
{
	return value >= first && value <= last;
}

static bool code_shape_is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] >= 0x80)
			return false;
	}
	return true;
}

/* "https://x.y/z", "me@home.example", "www.x.y" */
static bool code_shape_is_address(const struct code_context *context,
				  const struct code_piece *piece)
{
	const char *from = context->text + piece->from;
	size_t length = piece->to - piece->from;
	const char *at = memchr(from, '@', length);
	size_t words = piece->behind - piece->word;

	for (size_t i = 0; i < words; i++) {
		if (context->words[piece->word + i].type == TEXT_OTHER &&
		    code_shape_is_ascii(from, length))
			return true; /* of a link */
	}
	return memmem(from, length, "://", 3) || strncasecmp(from, "www.", 4) == 0 ||
	       (at && memchr(at, '.', length - (size_t)(at - from)));
}

static unsigned code_shape_number_at(const char *text, unsigned *digits_out)
{
	unsigned number = 0;

	for (*digits_out = 0; code_piece_is_digit(text[*digits_out]) && *digits_out < 6;
	     ++*digits_out)
		number = 10 * number + (unsigned)(text[*digits_out] - '0');
	return number;
}

/* "20/10", "3.12": the day and the month of any year */
static bool code_shape_is_day_of_month(const unsigned number[3], const unsigned digits[3])
{
	return digits[0] <= 2 && digits[1] <= 2 &&
	       ((code_shape_is_within(number[0], 1, 31) &&
		 code_shape_is_within(number[1], 1, 12)) ||
		(code_shape_is_within(number[1], 1, 31) &&
		 code_shape_is_within(number[0], 1, 12)));
}

/* "12.03.2026", "5/4/26", "2026-12-01", "482/2026": a day, or a number of a year. */
static bool code_shape_is_day(const struct code_context *context,
			      const struct code_piece *piece)
{
	const char *at = context->text + piece->from;
	unsigned number[3] = { 0 }, digits[3] = { 0 };

	for (unsigned i = 0; i < 3 && i < piece->groups; i++) {
		number[i] = code_shape_number_at(at, &digits[i]);
		at += digits[i] + 1;
	}
	if (piece->groups == 2) /* "482/2026", "24/7", "1/2" */
		return code_shape_is_within(number[1], 1900, 2099) ||
		       digits[0] + digits[1] < 4 ||
		       code_shape_is_day_of_month(number, digits);
	return (code_shape_is_within(number[0], 1, 31) &&
		code_shape_is_within(number[1], 1, 12) &&
		(digits[2] == 2 || code_shape_is_within(number[2], 1900, 2099))) ||
	       (code_shape_is_within(number[1], 1, 31) &&
		code_shape_is_within(number[0], 1, 12) &&
		code_shape_is_within(number[2], 1900, 2099)) ||
	       (code_shape_is_within(number[0], 1900, 2099) &&
		code_shape_is_within(number[1], 1, 12));
}

/* "14-16": hours, or the like */
static bool code_shape_is_range(const struct code_context *context,
				const struct code_piece *piece)
{
	const char *at = context->text + piece->from;
	unsigned digits, left, right;

	if (piece->groups != 2 || piece->separator != '-')
		return false;
	left = code_shape_number_at(at, &digits);
	right = code_shape_number_at(at + digits + 1, &digits);
	return digits == 2 && left < right && right <= 24;
}

/*
 * "1957", and numbers between it and its name: "the PIN of your card 4471 is 1957"; at the end
 * of a sentence or a line that names it, or on a line of its own.
 */
static bool code_shape_is_named_number(const struct code_context *context,
				       const struct code_piece *piece)
{
	return piece->digits >= CODE_PIECE_LEAST &&
	       piece->digits <= CODE_PIECE_DIGITS_MOST && !piece->marks &&
	       !code_piece_letters(piece) &&
	       (code_phrase_names(context, piece) ||
		code_phrase_is_alone_below_name(context, piece) ||
		code_phrase_is_end_of_named_sentence(context, piece)) &&
	       !code_phrase_is_of_something_else(context, piece);
}

/* Three pairs may be a day; called a code they are none. */
static bool code_shape_may_be_day(const struct code_context *context,
				  const struct code_piece *piece)
{
	bool is_of_pairs = piece->digits == 2 * piece->groups;

	return code_shape_is_day(context, piece) &&
	       !(is_of_pairs && code_phrase_is_called_before(context, piece));
}

/* "482/913", "12.34.56", "91-33-07": groups of two digits or more, all of one length. */
static bool code_shape_is_marked_number(const struct code_context *context,
					const struct code_piece *piece)
{
	unsigned length = piece->digits / piece->groups;

	if (piece->digits < CODE_PIECE_LEAST || piece->digits > CODE_PIECE_DIGITS_MOST ||
	    code_piece_letters(piece) || piece->groups < 2 || !piece->separator ||
	    !strchr("/.-|~+_", piece->separator))
		return false;
	if (piece->groups * length != piece->digits ||
	    code_shape_may_be_day(context, piece))
		return false;
	return code_phrase_is_called(context, piece) ||
	       code_phrase_is_behind_hint(context, piece) ||
	       (context->has_name && !code_phrase_is_of_something_else(context, piece) &&
		!code_shape_is_range(context, piece));
}

/* "the code ABCDEF", and not "code VISA:" */
static bool code_shape_is_right_behind_name(const struct code_context *context,
					    const struct code_piece *piece)
{
	return piece->uppers > CODE_PIECE_LEAST && context->text[piece->to] != ':' &&
	       code_phrase_has_name_before(context, piece->word, 1);
}

/* "ABCDEF" */
static bool code_shape_is_capitals(const struct code_context *context,
				   const struct code_piece *piece)
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
	const char *folded = context->words[piece->word].folded;

	if (code_piece_letters(piece) != piece->uppers || piece->digits || piece->marks ||
	    piece->uppers < CODE_SHAPE_CAPITALS_LEAST || piece->uppers > 12 ||
	    context->shouts)
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(folded, words[i]) == 0)
			return false;
	}
	if (context->kinds[piece->word] &
	    ~(unsigned)(CODE_WORD_LINK | CODE_WORD_LOCK | CODE_WORD_OPEN | CODE_WORD_KEY |
			CODE_WORD_COURIER | CODE_WORD_TELL))
		return false;
	if (piece->uppers < CODE_PIECE_LEAST)
		return code_phrase_names(context, piece) &&
		       code_phrase_is_clause_end(context, piece);
	if (code_phrase_names(context, piece) ||
	    code_phrase_is_called_behind(context, piece))
		return true;
	if (code_phrase_is_entered(context, piece) && context->text[piece->to] != ':')
		return true;
	if (code_shape_is_right_behind_name(context, piece))
		return true;
	return code_phrase_is_called(context, piece) &&
	       code_phrase_is_clause_end(context, piece);
}

/* "B3K9QX", "7f3d9a" */
static bool code_shape_is_mixed(const struct code_context *context,
				const struct code_piece *piece)
{
	unsigned length = piece->digits + code_piece_letters(piece);
	bool is_random = piece->digits > 1 && piece->uppers > 1 &&
			 piece->uppers == code_piece_letters(piece) &&
			 length > CODE_PIECE_LEAST;

	if (piece->marks || !piece->digits || !code_piece_letters(piece) ||
	    length < CODE_PIECE_LEAST || length > 16)
		return false;
	if (strncasecmp(context->text + piece->from, "xx", 2) == 0)
		return false;
	if (code_phrase_is_called(context, piece))
		return true;
	if (is_random && context->has_name &&
	    !code_phrase_is_of_something_else(context, piece))
		return true;
	return piece->digits > 1 && (piece->lowers == 0 || piece->uppers) &&
	       code_phrase_is_near(context, piece, CODE_SHAPE_CLOSE_WORDS);
}

/* "KQ7-ZPX", "ZX81-4QPL-77", "sunny-otter-71" */
static bool code_shape_is_grouped(const struct code_context *context,
				  const struct code_piece *piece)
{
	bool is_upper = piece->uppers == code_piece_letters(piece);

	if (piece->groups < 2 || !piece->separator || !strchr("-_./", piece->separator) ||
	    !code_piece_letters(piece) ||
	    piece->digits + code_piece_letters(piece) < CODE_PIECE_LEAST + 1)
		return false;
	if (!piece->digits && (!is_upper || context->shouts))
		return false;
	if (strncasecmp(context->text + piece->from, "xx", 2) == 0)
		return false;
	return code_phrase_is_called(context, piece) ||
	       (is_upper &&
		code_phrase_is_near(context, piece, CODE_SHAPE_CLOSE_WORDS)) ||
	       (is_upper && piece->digits && piece->groups > 2 && context->has_any_name);
}

/* "16h25", "10GB", "12:30Uhr" is no password, "Melon_7" may be one. */
static bool code_shape_is_no_measure(const struct code_context *context,
				     const struct code_piece *piece)
{
	return code_piece_letters(piece) > 3 &&
	       !code_piece_is_digit(context->text[piece->from]);
}

/* "Kx9#mP2q", "sunShine": made up, and called a password. */
static bool code_shape_is_password(const struct code_context *context,
				   const struct code_piece *piece)
{
	bool is_made_up = (piece->digits && code_piece_letters(piece)) ||
			  piece->has_capital_inside ||
			  (piece->marks && code_piece_letters(piece) &&
			   piece->separator != '-' && piece->separator != '.' &&
			   piece->separator != '\'' && piece->separator != '/');

	return is_made_up && piece->to - piece->from >= CODE_PIECE_LEAST &&
	       piece->to - piece->from <= CODE_SHAPE_MOST &&
	       (code_phrase_names(context, piece) ||
		code_phrase_is_called_before(context, piece) ||
		(piece->digits && code_phrase_is_named_before(context, piece)) ||
		(piece->digits && piece->marks && piece->uppers && piece->lowers &&
		 code_shape_is_no_measure(context, piece) &&
		 code_phrase_is_near(context, piece, CODE_SHAPE_CLOSE_WORDS)) ||
		(piece->digits &&
		 code_phrase_has_name_before(context, piece->word,
					     CODE_SHAPE_CLOSE_WORDS) &&
		 !code_phrase_is_of_something_else(context, piece) &&
		 code_shape_is_no_measure(context, piece)));
}

/* Nothing but this: what else could it be? */
static bool code_shape_is_whole_text(const struct code_context *context,
				     const struct code_piece *piece)
{
	const char *text = context->text;

	for (size_t at = 0; text[at]; at++) {
		if ((at < piece->from || at >= piece->to) && code_piece_is_part(text[at]))
			return false;
	}
	if (code_piece_letters(piece))
		return piece->lowers == 0 && piece->digits > 1 &&
		       piece->digits + code_piece_letters(piece) > CODE_PIECE_LEAST;
	return piece->groups > 1 && piece->digits >= CODE_PIECE_LEAST &&
	       piece->digits <= CODE_PIECE_DIGITS_MOST && piece->separator &&
	       !code_shape_is_day(context, piece);
}

static bool code_shape_is_without_vowels(const struct code_context *context,
					 const struct code_piece *piece)
{
	return piece->uppers <= CODE_PIECE_DIGITS_MOST &&
	       piece->uppers == code_piece_letters(piece) && !piece->digits &&
	       !piece->marks && !piece->has_vowel && !context->shouts &&
	       code_shape_is_ascii(context->text + piece->from, piece->to - piece->from);
}

/* "QKXWRT": no word, whatever the language. */
static bool code_shape_is_unspeakable(const struct code_context *context,
				      const struct code_piece *piece)
{
	return piece->uppers > CODE_PIECE_LEAST &&
	       code_shape_is_without_vowels(context, piece);
}

/* "XK4R9", but neither a flight ("BA2490") nor a licence plate ("XK14RWD") */
static bool code_shape_is_zigzag(const struct code_context *context,
				 const struct code_piece *piece)
{
	const char *text = context->text;
	unsigned turns = 0;

	for (size_t at = piece->from + 1; at < piece->to; at++) {
		if ((unsigned char)text[at] < 0x80 || (unsigned char)text[at] >= 0xc0)
			turns += code_piece_is_digit(text[at]) !=
				 code_piece_is_digit(text[at - 1]);
	}
	return turns > 2 && !piece->marks && !piece->lowers && !piece->others &&
	       piece->digits + piece->uppers > CODE_PIECE_LEAST &&
	       piece->digits + piece->uppers <= CODE_PIECE_DIGITS_MOST;
}

/* "MZ4-K8T", "KHM72P", "ЖКФ482" */
static bool code_shape_is_made_up(const struct code_context *context,
				  const struct code_piece *piece)
{
	unsigned length = piece->digits + piece->uppers;

	if (piece->lowers || piece->others || length <= CODE_PIECE_LEAST ||
	    length > CODE_SHAPE_MADE_UP_MOST || (piece->marks && piece->separator != '-'))
		return false;
	return (piece->digits && piece->uppers) ||
	       code_shape_is_unspeakable(context, piece);
}

static bool code_shape_is_made_up_key(const struct code_context *context,
				      const struct code_piece *piece)
{
	return code_shape_is_made_up(context, piece) ||
	       (piece->digits && piece->uppers && !piece->lowers && !piece->others &&
		piece->groups > 2 && piece->separator == '-' &&
		piece->to - piece->from <= CODE_SHAPE_MOST);
}

/* "1204. lakas": a small letter behind the full stop */
static bool code_shape_is_ordinal(const struct code_context *context,
				  const struct code_piece *piece)
{
	const char *end = context->text + piece->to;

	return end[0] == '.' && end[1] == ' ' && end[2] >= 'a' && end[2] <= 'z';
}

static bool code_shape_is_plain_number(const struct code_context *context,
				       const struct code_piece *piece)
{
	const char *number = context->text + piece->from;
	bool is_of_year =
		(strncmp(number, "19", 2) == 0 || strncmp(number, "20", 2) == 0) &&
		strspn(number, "0123456789") == 4;
	bool is_grouped = (piece->separator == '-' || piece->separator == '/') &&
			  piece->digits > CODE_PIECE_LEAST && !is_of_year &&
			  !code_shape_is_day(context, piece);

	return piece->digits >= CODE_PIECE_LEAST && piece->digits <= 8 &&
	       (!piece->marks || is_grouped) && !code_piece_letters(piece) &&
	       !code_shape_is_ordinal(context, piece);
}

/* "Type X to link the television", with a bargain nowhere near */
static bool code_shape_is_typed(const struct code_context *context,
				const struct code_piece *piece)
{
	if (context->is_advertisement || code_phrase_is_other_number(context, piece) ||
	    code_phrase_is_keyword(context, piece) ||
	    code_phrase_is_receiver(context, piece) ||
	    code_phrase_has_beside(context, piece, CODE_WORD_BARGAIN))
		return false;
	if (code_shape_is_unspeakable(context, piece) && context->has_hint)
		return true;
	if (((code_shape_is_plain_number(context, piece) &&
	      (piece->digits == 6 || piece->groups > 1)) ||
	     (code_shape_is_made_up(context, piece) && piece->groups > 1)) &&
	    (code_phrase_is_behind_colon(context, piece) ||
	     code_context_is_of_kind(context, piece->word, piece->word - 1,
				     CODE_WORD_IS) ||
	     (piece->groups > 1 && !code_piece_letters(piece) && !piece->marks)) &&
	    code_phrase_has_beside(context, piece, CODE_WORD_WEAK))
		return true; /* "To activate your SIM: X", "your login number is X" */
	if ((code_shape_is_plain_number(context, piece) ||
	     code_shape_is_zigzag(context, piece) ||
	     (piece->uppers == CODE_PIECE_LEAST &&
	      code_shape_is_without_vowels(context, piece))) &&
	    code_phrase_is_typed(context, piece))
		return true;
	if (code_shape_is_zigzag(context, piece) &&
	    (context->words[piece->word].starts ||
	     code_phrase_is_behind_with(context, piece)) &&
	    !code_context_is_of_kind(context, piece->word, piece->behind,
				     CODE_WORD_THING))
		return true; /* "7K3PM gets you into the app" */
	if (!code_phrase_has_beside(context, piece, CODE_WORD_ENTER) &&
	    !code_phrase_is_behind_hint(context, piece) &&
	    !code_phrase_is_means(context, piece))
		return false;
	return code_shape_is_made_up(context, piece) ||
	       (code_shape_is_plain_number(context, piece) &&
		(context->has_hint || context->is_asked ||
		 code_phrase_is_behind_hint(context, piece) ||
		 code_phrase_is_means(context, piece)));
}

/* "Activation key: X", "Padlock: 7719" */
static bool code_shape_is_key(const struct code_context *context,
			      const struct code_piece *piece)
{
	bool has_case = piece->digits && piece->lowers &&
			code_shape_is_no_measure(context, piece);
	bool is_number = code_shape_is_plain_number(context, piece);

	if ((!is_number && !has_case && !code_shape_is_made_up_key(context, piece)) ||
	    context->is_advertisement || code_phrase_is_of_something_else(context, piece))
		return false;
	for (size_t i = 1; i <= CODE_SHAPE_VERB_BEFORE; i++) {
		if (!code_context_is_of_kind(context, piece->word, piece->word - i,
					     CODE_WORD_KEY))
			continue;
		return !is_number || context->kinds[piece->word - i] & CODE_WORD_LOCK;
	}
	return false;
}

/* "Tell the courier X" */
static bool code_shape_is_told_courier(const struct code_context *context,
				       const struct code_piece *piece)
{

	if ((!code_shape_is_plain_number(context, piece) &&
	     !code_shape_is_made_up(context, piece)) ||
	    context->is_advertisement ||
	    !code_phrase_has_beside(context, piece, CODE_WORD_COURIER))
		return false;
	for (size_t i = 1; i <= CODE_PHRASE_CLAUSE_WORDS; i++) {
		if (code_context_is_of_kind(context, piece->word, piece->word - i,
					    CODE_WORD_TELL) ||
		    code_context_is_of_kind(context, piece->word, piece->behind + i - 1,
					    CODE_WORD_TELL))
			return true;
	}
	return false;
}

/* "The gate opens with X", "Gate: X" */
static bool code_shape_opens_lock(const struct code_context *context,
				  const struct code_piece *piece)
{
	bool is_of_lock = code_context_is_of_kind(context, piece->word, piece->word - 1,
						  CODE_WORD_LOCK);

	if (!context->has_lock || context->is_advertisement ||
	    (!code_shape_is_plain_number(context, piece) &&
	     !code_shape_is_made_up(context, piece)) ||
	    code_phrase_is_of_something_else(context, piece))
		return false;
	if (is_of_lock && (code_phrase_is_behind_colon(context, piece) ||
			   context->kinds[piece->word - 1] & CODE_WORD_IS))
		return true;
	if (is_of_lock && code_phrase_has_number_behind(context, piece))
		return false; /* "locker 2041 opens with 7319" */
	return code_phrase_has_beside(context, piece, CODE_WORD_OPEN | CODE_WORD_ENTER);
}

/* "778 30 1", "91 28": numbers with spaces between, which may also be a phone number */
static bool code_shape_is_spaced(const struct code_context *context,
				 const struct code_piece *piece)
{
	uint32_t before = context->words[piece->word].before;

	if (piece->digits < CODE_PIECE_LEAST || piece->digits > CODE_PIECE_DIGITS_MOST ||
	    (before && before < 0x80 && strchr("/.:-+,", (char)before)))
		return false;
	if (code_phrase_is_of_something_else(context, piece))
		return false;
	return code_phrase_names(context, piece) ||
	       code_phrase_is_called_before(context, piece) ||
	       code_phrase_is_end_of_named_sentence(context, piece) ||
	       (piece->digits <= 8 && code_shape_is_typed(context, piece));
}

/* False: it is no code. */
static bool code_shape_search_piece(const struct code_context *context,
				    const struct code_piece *piece,
				    void (*visit)(void *data, size_t from, size_t to),
				    void *data)
{
	size_t to = piece->to;

	if (code_shape_is_address(context, piece))
		return false;
	if (code_shape_is_password(context, piece)) {
		while (context->text[to] && strchr("!?#$%&*+=~@^", context->text[to]))
			to++;
		visit(data, piece->from, to);
	} else if (code_shape_is_marked_number(context, piece) ||
		   code_shape_is_named_number(context, piece) ||
		   code_shape_is_capitals(context, piece) ||
		   code_shape_is_mixed(context, piece) ||
		   code_shape_is_grouped(context, piece) ||
		   code_shape_is_whole_text(context, piece) ||
		   code_shape_is_typed(context, piece) ||
		   code_shape_opens_lock(context, piece) ||
		   code_shape_is_key(context, piece) ||
		   code_shape_is_told_courier(context, piece)) {
		visit(data, piece->from, to);
	} else {
		return false;
	}
	return true;
}

void code_shape_search(const char *text,
		       void (*visit)(void *data, size_t from, size_t to), void *data)
{
	struct code_context context;
	struct code_piece_position position = { 0 };
	struct code_piece piece;

	code_context_init(&context, text);
	while (code_piece_next(&context, &position, &piece)) {
		struct code_piece row = piece;

		if (code_piece_join(&context, &row) &&
		    code_shape_is_spaced(&context, &row)) {
			visit(data, row.from, row.to);
			position.at = row.to;
			continue;
		}
		if (!code_shape_search_piece(&context, &piece, visit, data) &&
		    code_piece_cut_ending(&context, &piece))
			code_shape_search_piece(&context, &piece, visit, data);
	}
	code_spelled_search(&context, visit, data);
}
