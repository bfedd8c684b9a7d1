/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a text into tokens, counts what each consists of, and finds its shapes.
 *
 * A piece ends at a space, at punctuation of wide scripts, and at a letter of a script that
 * puts no spaces between words (Chinese, Japanese, Korean), so that a code inside such a
 * sentence is a piece of its own. Punctuation at both ends is cut off; inside it counts as a
 * mark, and if all marks are the same they separate groups. "KQ7-ZPX" is one piece of two
 * groups and two words. Addresses, days and words that everybody writes in capitals have no
 * shape. The thresholds are tuned on the messages of tests/unit/code_corpus.
 */
#include "text/code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum {
	ENDING_MOST = 7,   /* bytes of a case ending, with its mark */
	PLAIN_MOST = 8,	   /* digits that are no phone number */
	MADE_UP_MOST = 12, /* letters and digits */
	MIXED_MOST = 16,
	PASSWORD_MOST = 40, /* bytes */
	CAPITALS_LEAST = 3, /* "WQX", right behind its name */
	SPELLED_LEAST = 4,  /* digits in words */
};

static bool code_token_is_within(uint32_t character, uint32_t first, uint32_t last)
{
	return character >= first && character <= last;
}

/* It ends a piece: a blank, a letter of a script without blanks, one of its marks. */
static bool code_token_is_between(uint32_t character)
{
	return character <= ' ' || character == 0xa0 ||
	       code_token_is_within(character, 0x2000, 0x206f) ||
	       code_token_is_within(character, 0x3000, 0x9fff) ||
	       code_token_is_within(character, 0xac00, 0xd7af) ||
	       code_token_is_within(character, 0xff00, 0xff20) || character == 0xab ||
	       character == 0xbb || character == 0x60c || character == 0x61b;
}

static size_t code_token_end(const char *text, size_t at)
{
	while (text[at]) {
		const char *next = text + at;

		if (code_token_is_between(utf8_next(&next)))
			break;
		at = (size_t)(next - text);
	}
	return at;
}

static void code_token_count_letter(struct code_token *token, uint32_t character)
{
	if (character >= 0x80 && text_word_is_capital(character)) {
		token->uppers++;
	} else if (character >= 0x80) {
		token->others++;
	} else if (character >= 'A' && character <= 'Z') {
		token->has_capital_inside |= token->lowers > 0;
		token->has_vowel |= strchr("AEIOUY", (char)character) != NULL;
		token->uppers++;
	} else {
		token->lowers++;
	}
}

static void code_token_count_mark(struct code_token *token, char mark)
{
	if (token->marks == 0)
		token->separator = mark;
	else if (token->separator != mark)
		token->separator = '\0';
	token->marks++;
	token->groups++;
}

static void code_token_measure(const char *text, struct code_token *token)
{
	const char *at = text + token->from, *end = text + token->to;

	token->groups = 1;
	while (at < end) {
		uint32_t character = utf8_next(&at);

		if (code_token_is_within(character, '0', '9'))
			token->digits++;
		else if (character >= 0x80 || isalpha((int)character))
			code_token_count_letter(token, character);
		else
			code_token_count_mark(token, (char)character);
	}
}

/* Its ends are letters or digits; false: it has none. */
static bool code_token_trim(const char *text, struct code_token *token)
{
	while (token->from < token->to && !code_text_is_part(text[token->from]))
		token->from++;
	while (token->to > token->from && !code_text_is_part(text[token->to - 1]))
		token->to--;
	return token->from < token->to;
}

/* Finds the words of a token, from the word on at which it may begin. */
static void code_token_find_words(const struct code_context *context,
				  struct code_token *token, size_t *word)
{
	while (*word < context->count &&
	       context->words[*word].text < context->text + token->from)
		++*word;
	token->word = token->behind = *word;
	while (token->behind < context->count &&
	       context->words[token->behind].text < context->text + token->to)
		token->behind++;
}

unsigned code_token_letters(const struct code_token *token)
{
	return token->uppers + token->lowers + token->others;
}

static bool code_token_is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] >= 0x80)
			return false;
	}
	return true;
}

/* "https://x.y/z", "me@home.example", "www.x.y" */
static bool code_token_is_address(const struct code_context *context,
				  const struct code_token *token)
{
	const char *from = context->text + token->from;
	size_t length = token->to - token->from;
	const char *at = memchr(from, '@', length);

	for (size_t i = token->word; i < token->behind; i++) {
		if (context->words[i].type == TEXT_OTHER &&
		    code_token_is_ascii(from, length))
			return true; /* of a link */
	}
	return memmem(from, length, "://", 3) || strncasecmp(from, "www.", 4) == 0 ||
	       (at && memchr(at, '.', length - (size_t)(at - from)));
}

static unsigned code_token_number_at(const char *text, unsigned *digits_out)
{
	unsigned number = 0, digits = 0;

	for (; digits < 6 && code_text_is_digit(text[digits]); digits++)
		number = 10 * number + (unsigned)(text[digits] - '0');
	*digits_out = digits;
	return number;
}

static bool code_token_is_day_and_month(unsigned day, unsigned month)
{
	return code_token_is_within(day, 1, 31) && code_token_is_within(month, 1, 12);
}

/* "12.03.2026", "5/4/26", "2026-12-01", "482/2026": a day, or a number of a year. */
static bool code_token_is_day(const char *at, unsigned groups)
{
	unsigned number[3] = { 0 }, digits[3] = { 0 };
	bool is_american, is_year;

	for (unsigned i = 0; i < 3 && i < groups; i++) {
		number[i] = code_token_number_at(at, &digits[i]);
		at += digits[i] + 1;
	}
	is_american = code_token_is_day_and_month(number[1], number[0]);
	if (groups == 2) /* "482/2026", "24/7", "1/2", "20/10" */
		return code_token_is_within(number[1], 1900, 2099) ||
		       digits[0] + digits[1] < 4 ||
		       (digits[0] <= 2 && digits[1] <= 2 &&
			(is_american ||
			 code_token_is_day_and_month(number[0], number[1])));
	is_year = code_token_is_within(number[2], 1900, 2099);
	return (code_token_is_day_and_month(number[0], number[1]) &&
		(digits[2] == 2 || is_year)) ||
	       (is_american && is_year) ||
	       (code_token_is_within(number[0], 1900, 2099) &&
		code_token_is_within(number[1], 1, 12));
}

/* "14-16": hours, or the like */
static bool code_token_is_range(const char *at, const struct code_token *token)
{
	unsigned digits, left, right;

	if (token->groups != 2 || token->separator != '-')
		return false;
	left = code_token_number_at(at, &digits);
	right = code_token_number_at(at + digits + 1, &digits);
	return digits == 2 && left < right && right <= 24;
}

/* "1204. lakas": a small letter behind the full stop */
static bool code_token_is_ordinal(const char *end)
{
	return end[0] == '.' && end[1] == ' ' && end[2] >= 'a' && end[2] <= 'z';
}

/* Nothing else is in the text. */
static bool code_token_is_whole(const char *text, const struct code_token *token)
{
	for (size_t at = 0; text[at]; at++) {
		if ((at < token->from || at >= token->to) && code_text_is_part(text[at]))
			return false;
	}
	return true;
}

static bool code_token_has_separator(const struct code_token *token,
				     const char *separators)
{
	return token->separator && strchr(separators, token->separator);
}

/* The shapes of digits, with marks between them or without. */
static uint64_t code_token_digit_shapes(const char *text, const struct code_token *token)
{
	const char *number = text + token->from;
	const unsigned digits = token->digits, length = digits / token->groups;
	bool is_day = token->groups > 1 && code_token_is_day(number, token->groups),
	     is_of_year =
		     (strncmp(number, "19", 2) == 0 || strncmp(number, "20", 2) == 0) &&
		     strspn(number, "0123456789") == 4,
	     is_grouped = code_token_has_separator(token, "-/") &&
			  digits > CODE_TOKEN_LEAST && !is_of_year && !is_day;
	uint64_t shapes = 0;

	if (digits < CODE_TOKEN_LEAST || digits > CODE_TOKEN_DIGITS_MOST)
		return 0;
	if (!token->marks)
		shapes |= CODE_SHAPE_DIGITS;
	if (digits <= PLAIN_MOST && (!token->marks || is_grouped) &&
	    !code_token_is_ordinal(text + token->to))
		shapes |= CODE_SHAPE_PLAIN |
			  (digits == 6 || token->groups > 1 ? CODE_SHAPE_LONG : 0);
	if (token->groups < 2 || !token->separator)
		return shapes;
	if (!is_day && code_token_is_whole(text, token))
		shapes |= CODE_SHAPE_WHOLE;
	if (digits == token->groups && token->separator == ',')
		return shapes | CODE_SHAPE_LISTED;
	if (!code_token_has_separator(token, "/.-|~+_") ||
	    token->groups * length != digits)
		return shapes;
	if (is_day)
		return shapes | (digits == 2 * token->groups ? CODE_SHAPE_MARKED_DAY : 0);
	return shapes | CODE_SHAPE_MARKED |
	       (code_token_is_range(number, token) ? 0 : CODE_SHAPE_MARKED_CLEARLY);
}

/* Words that everybody writes in capitals. */
static bool code_token_is_known_word(const char *folded)
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

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(folded, words[i]) == 0)
			return true;
	}
	return false;
}

/* The shapes of capitals alone. */
static uint64_t code_token_capital_shapes(const struct code_context *context,
					  const struct code_token *token)
{
	uint64_t shapes = 0;

	if (token->uppers <= CODE_TOKEN_DIGITS_MOST && !token->has_vowel &&
	    token->uppers >= CODE_TOKEN_LEAST &&
	    code_token_is_ascii(context->text + token->from, token->to - token->from))
		shapes |= token->uppers > CODE_TOKEN_LEAST
				  ? CODE_SHAPE_UNSPEAKABLE | CODE_SHAPE_MADE_UP |
					    CODE_SHAPE_KEY
				  : CODE_SHAPE_CONSONANTS;
	if (token->uppers < CAPITALS_LEAST || token->uppers > MADE_UP_MOST ||
	    code_token_is_known_word(context->words[token->word].folded))
		return shapes;
	if (token->uppers < CODE_TOKEN_LEAST)
		return shapes | CODE_SHAPE_FEW_CAPITALS;
	return shapes | CODE_SHAPE_CAPITALS |
	       (token->uppers > CODE_TOKEN_LEAST ? CODE_SHAPE_MANY_CAPITALS : 0);
}

/* Digits begin and end more than twice: neither a flight ("BA2490") nor a plate ("XK14RWD"). */
static bool code_token_is_zigzag(const char *text, const struct code_token *token)
{
	unsigned turns = 0;

	for (size_t at = token->from + 1; at < token->to; at++) {
		if ((unsigned char)text[at] < 0x80 || (unsigned char)text[at] >= 0xc0)
			turns += code_text_is_digit(text[at]) !=
				 code_text_is_digit(text[at - 1]);
	}
	return turns > 2;
}

/* The shapes of letters with digits, without marks. */
static uint64_t code_token_mixed_shapes(const char *text, const struct code_token *token)
{
	const unsigned letters = code_token_letters(token),
		       length = letters + token->digits;
	bool is_upper = token->uppers == letters;
	uint64_t shapes = 0;

	if (is_upper && length > CODE_TOKEN_LEAST && length <= CODE_TOKEN_DIGITS_MOST &&
	    code_token_is_zigzag(text, token))
		shapes |= CODE_SHAPE_ZIGZAG;
	if (length < CODE_TOKEN_LEAST || length > MIXED_MOST ||
	    strncasecmp(text + token->from, "xx", 2) == 0)
		return shapes;
	shapes |= CODE_SHAPE_MIXED;
	if (token->digits > 1 && (token->lowers == 0 || token->uppers))
		shapes |= CODE_SHAPE_MIXED_CASE;
	if (token->digits > 1 && token->uppers > 1 && is_upper &&
	    length > CODE_TOKEN_LEAST)
		shapes |= CODE_SHAPE_RANDOM;
	return shapes;
}

/* The shapes of letters with digits or marks. */
static uint64_t code_token_other_shapes(const char *text, const struct code_token *token)
{
	const unsigned letters = code_token_letters(token),
		       length = letters + token->digits;
	const size_t bytes = token->to - token->from;
	bool is_upper = token->uppers == letters, has_digits = token->digits > 0,
	     /* "16h25", "10GB", "12:30Uhr" is no password, "Melon_7" may be one */
		is_no_measure = has_digits && letters > 3 &&
				!code_text_is_digit(text[token->from]);
	uint64_t shapes = 0;

	if (token->lowers == 0 && token->digits > 1 && length > CODE_TOKEN_LEAST &&
	    code_token_is_whole(text, token))
		shapes |= CODE_SHAPE_WHOLE;
	if (has_digits && is_upper && length > CODE_TOKEN_LEAST &&
	    length <= MADE_UP_MOST && (!token->marks || token->separator == '-'))
		shapes |= CODE_SHAPE_MADE_UP | CODE_SHAPE_KEY |
			  (token->groups > 1 ? CODE_SHAPE_LONG : 0);
	if ((is_no_measure && token->lowers) ||
	    (has_digits && is_upper && token->groups > 2 && token->separator == '-' &&
	     bytes <= PASSWORD_MOST))
		shapes |= CODE_SHAPE_KEY;
	if (token->groups > 1 && code_token_has_separator(token, "-_./") &&
	    length > CODE_TOKEN_LEAST && (has_digits || is_upper) &&
	    strncasecmp(text + token->from, "xx", 2) != 0)
		shapes |= CODE_SHAPE_GROUPED |
			  (is_upper ? CODE_SHAPE_GROUPED_CAPITALS : 0) |
			  (is_upper && has_digits && token->groups > 2
				   ? CODE_SHAPE_GROUPED_KEY
				   : 0);
	if (bytes < CODE_TOKEN_LEAST || bytes > PASSWORD_MOST ||
	    (!has_digits && !token->has_capital_inside &&
	     (!token->marks || code_token_has_separator(token, "-.'/"))))
		return shapes;
	shapes |= CODE_SHAPE_PASSWORD;
	if (has_digits)
		shapes |= CODE_SHAPE_PASSWORD_DIGITS;
	if (is_no_measure)
		shapes |= CODE_SHAPE_PASSWORD_LETTERS;
	if (is_no_measure && token->marks && token->uppers && token->lowers)
		shapes |= CODE_SHAPE_PASSWORD_STRONG;
	return shapes;
}

static uint64_t code_token_shapes(const struct code_context *context,
				  const struct code_token *token)
{
	const unsigned letters = code_token_letters(token);
	uint64_t shapes;

	if ((!token->digits && !token->uppers && !token->marks) ||
	    code_token_is_address(context, token))
		return 0;
	if (!letters)
		return code_token_digit_shapes(context->text, token);
	shapes = code_token_other_shapes(context->text, token);
	if (token->marks)
		return shapes;
	if (token->digits)
		return shapes | code_token_mixed_shapes(context->text, token);
	return token->uppers == letters
		       ? shapes | code_token_capital_shapes(context, token)
		       : shapes;
}

bool code_token_next(const struct code_context *context,
		     struct code_token_position *position, struct code_token *token_out)
{
	const char *text = context->text;

	while (text[position->at]) {
		struct code_token token = { .from = position->at,
					    .to = code_token_end(text, position->at) };
		const char *next = text + position->at;

		utf8_next(&next);
		position->at = token.to > position->at ? token.to : (size_t)(next - text);
		if (!code_token_trim(text, &token))
			continue;
		code_token_find_words(context, &token, &position->word);
		if (token.behind == token.word)
			continue;
		code_token_measure(text, &token);
		token.shapes = code_token_shapes(context, &token);
		*token_out = token;
		return true;
	}
	return false;
}

bool code_token_join(const struct code_context *context, struct code_token *token)
{
	const char *text = context->text;
	const size_t first = token->behind;
	uint32_t before = context->words[token->word].before;

	if (token->marks || code_token_letters(token) ||
	    (token->from > 1 && code_text_is_digit(text[token->from - 2])))
		return false;
	while (token->behind < context->count) {
		const struct text_word *next = &context->words[token->behind];

		if (next->type != TEXT_NUMBER || text[token->to] != ' ' ||
		    next->text != text + token->to + 1)
			break;
		token->digits += next->length;
		token->to += 1 + next->length;
		token->groups++;
		token->behind++;
	}
	if (token->behind == first ||
	    (text[token->to] && text[token->to] != ' ' &&
	     code_text_is_part(text[token->to + 1])) ||
	    token->digits < CODE_TOKEN_LEAST || token->digits > CODE_TOKEN_DIGITS_MOST ||
	    (before && before < 0x80 && strchr("/.:-+,", (char)before)))
		return false;
	token->shapes = CODE_SHAPE_SPACED;
	if (token->digits <= PLAIN_MOST && !code_token_is_ordinal(text + token->to))
		token->shapes |= CODE_SHAPE_SPACED_PLAIN;
	if (token->digits <= PLAIN_MOST && token->digits > CODE_TOKEN_LEAST &&
	    token->groups > 2)
		token->shapes |= CODE_SHAPE_SPACED_GROUPS;
	return true;
}

bool code_token_cut_ending(const struct code_context *context, struct code_token *token)
{
	const char *text = context->text;
	size_t mark = token->from, at;

	while (mark < token->to && (code_text_is_digit(text[mark]) ||
				    (text[mark] >= 'A' && text[mark] <= 'Z')))
		mark++;
	at = mark + 1;
	if (mark - token->from < CODE_TOKEN_LEAST || at >= token->to ||
	    !strchr("-':", text[mark]))
		return false;
	while (at < token->to &&
	       ((text[at] >= 'a' && text[at] <= 'z') || (unsigned char)text[at] >= 0x80))
		at++;
	if (at < token->to || at - mark > ENDING_MOST)
		return false;
	*token = (struct code_token){ token->from, mark, token->word, token->behind };
	code_token_measure(text, token);
	token->shapes = code_token_shapes(context, token);
	return true;
}

/* ---- spelled ------------------------------------------------------------------------- */

static void code_token_report(const struct code_context *context,
			      const struct code_token_visit *visit, const char *from,
			      const char *to, struct code_token token)
{
	token.from = (size_t)(from - context->text);
	token.to = (size_t)(to - context->text);
	visit->visit(visit->data, &token);
}

/* Digits of a line that has nothing else; 0: it has. */
static unsigned code_token_line_digits(const char *line)
{
	unsigned digits = (unsigned)strspn(line, "0123456789");
	const char *end = line + digits + strspn(line + digits, " .,\r");

	return !*end || *end == '\n' ? digits : 0;
}

static void code_token_search_lines(const struct code_context *context,
				    const struct code_token_visit *visit)
{
	const char *line = context->text;

	while (*line) {
		const char *from = line, *to = line;
		unsigned digits = 0, count = 0, more;
		const struct code_token lines = { .shapes = line == context->text
								    ? CODE_SHAPE_WHOLE
								    : CODE_SHAPE_LINES };

		while ((more = code_token_line_digits(line)) > 0) {
			digits += more;
			count++;
			to = line + more;
			line += strcspn(line, "\n");
			line += *line == '\n';
		}
		if (count > 1 && digits >= CODE_TOKEN_LEAST &&
		    digits <= CODE_TOKEN_DIGITS_MOST)
			code_token_report(context, visit, from, to, lines);
		if (count == 0) {
			line += strcspn(line, "\n");
			line += *line == '\n';
		}
	}
}

static bool code_token_is_number_word(const struct code_context *context, size_t at)
{
	return at < context->count &&
	       context->kinds[at] & (CODE_WORD_DIGIT | CODE_WORD_NUMBER);
}

/* Only blanks, dashes and commas are between them. */
static bool code_token_is_followed(const struct code_context *context, size_t at)
{
	const struct text_word *word = &context->words[at];
	const char *end = word->text + word->length;
	size_t gap = strspn(end, " -,\r\n");

	return at + 1 < context->count && context->words[at + 1].text == end + gap;
}

/* Words of the run from here on: "forty-eight and two nine" has four. */
static size_t code_token_run_length(const struct code_context *context, size_t at,
				    bool *has_large_out)
{
	/* and ten in Turkish, which is a small word in English */
	static const char *const links[] = {
		"and", "und", "et", "y", "e", "i", "ve", "on"
	};
	size_t count = 0;

	*has_large_out = false;
	while (code_token_is_number_word(context, at + count)) {
		size_t last = at + count;

		*has_large_out |= (context->kinds[last] & CODE_WORD_NUMBER) != 0;
		count++;
		if (!code_token_is_followed(context, last))
			break;
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			if (strcmp(context->words[last + 1].folded, links[i]) == 0 &&
			    code_token_is_followed(context, last + 1) &&
			    code_token_is_number_word(context, last + 2)) {
				count++;
				break;
			}
		}
	}
	return count;
}

static void code_token_search_words(const struct code_context *context,
				    const struct code_token_visit *visit)
{
	const struct text_word *words = context->words;
	struct code_token token;
	size_t step;

	for (size_t at = 0; at < context->count; at += step) {
		bool has_large;
		size_t count = code_token_run_length(context, at, &has_large),
		       last = at + count - 1;

		step = count ? count : 1;
		if (count < SPELLED_LEAST && (!has_large || count < 2))
			continue;
		token = (struct code_token){ .word = at, .behind = at + count };
		token.shapes = CODE_SHAPE_SPELLED |
			       (has_large ? 0 : CODE_SHAPE_SPELLED_DIGITS) |
			       (count == context->count ? CODE_SHAPE_WHOLE : 0);
		code_token_report(context, visit, words[at].text,
				  words[last].text + words[last].length, token);
	}
}

/* Of Chinese and Japanese, which put no blanks between them. */
static bool code_token_is_digit_sign(uint32_t character)
{
	static const uint32_t signs[] = { 0x3007, 0x96f6, 0x4e00, 0x4e8c, 0x4e09, 0x56db,
					  0x4e94, 0x516d, 0x4e03, 0x516b, 0x4e5d };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (character == signs[i])
			return true;
	}
	return false;
}

static void code_token_search_signs(const struct code_context *context,
				    const struct code_token_visit *visit)
{
	const struct code_token token = { .shapes = CODE_SHAPE_SPELLED };
	const char *at = context->text;

	while (*at) {
		const char *from = at, *to = at;
		unsigned count = 0;

		while (*at && code_token_is_digit_sign(utf8_next(&at))) {
			to = at;
			count++;
		}
		if (count >= SPELLED_LEAST)
			code_token_report(context, visit, from, to, token);
	}
}

void code_token_spelled(const struct code_context *context,
			const struct code_token_visit *visit)
{
	code_token_search_lines(context, visit);
	code_token_search_words(context, visit);
	code_token_search_signs(context, visit);
}
