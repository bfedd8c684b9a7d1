/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleaning goes in four steps:
 *
 *     characters -> "tel:" -> an optional trunk zero is dropped -> an extension is refused
 *
 * Line ends and tabs are dropped only around a number: between digits they may separate two
 * numbers, so they stay, and the number is refused.
 */
#include "numbers/number_text.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "numbers/number.h"

#define DIGITS	   "0123456789"
#define SEPARATORS " -./()"

enum {
	FULLWIDTH_FIRST = 0xff01, /* "!" to "~" */
	FULLWIDTH_LAST = 0xff5e,
	FULLWIDTH_OFFSET = 0xfee0,
	EXTENSION_DIGITS_LEAST = 3,  /* before an extension: a short code */
	SUBSCRIBER_DIGITS_LEAST = 7, /* of a whole number */
	PARTS_DIGITS_MOST = 11,
};

/* Characters that stand for an ASCII one; 0: they are dropped. */
static const struct {
	uint32_t first, last;
	char ascii;
} number_text_likenesses[] = {
	{ '\t', '\r', '\n' },	 { 0x85, 0x85, '\n' },	  { 0xa0, 0xa0, ' ' },
	{ 0xad, 0xad, 0 },	 { 0x34f, 0x34f, 0 },	  { 0x61c, 0x61c, 0 },
	{ 0x1680, 0x1680, ' ' }, { 0x180e, 0x180e, 0 },	  { 0x2000, 0x200a, ' ' },
	{ 0x200b, 0x200f, 0 },	 { 0x2010, 0x2015, '-' }, { 0x2028, 0x2029, '\n' },
	{ 0x202a, 0x202e, 0 },	 { 0x202f, 0x202f, ' ' }, { 0x2044, 0x2044, '/' },
	{ 0x205f, 0x205f, ' ' }, { 0x2060, 0x206f, 0 },	  { 0x2212, 0x2212, '-' },
	{ 0x2215, 0x2215, '/' }, { 0x3000, 0x3000, ' ' }, { 0x30fc, 0x30fc, '-' },
	{ 0xfe00, 0xfe0f, 0 },	 { 0xfe58, 0xfe58, '-' }, { 0xfe63, 0xfe63, '-' },
	{ 0xfeff, 0xfeff, 0 },
};

/* ---- characters */

/* The next character, replaced if it stands for another; 0: it is dropped. */
static uint32_t number_text_next(const char **at)
{
	uint32_t character = utf8_next(at);

	if (character >= ' ' && character <= '~')
		return character;
	if (character >= FULLWIDTH_FIRST && character <= FULLWIDTH_LAST)
		return character - FULLWIDTH_OFFSET;
	for (size_t i = 0;
	     i < sizeof(number_text_likenesses) / sizeof(number_text_likenesses[0]);
	     i++) {
		if (character >= number_text_likenesses[i].first &&
		    character <= number_text_likenesses[i].last)
			return (uint32_t)number_text_likenesses[i].ascii;
	}
	return character;
}

void number_text_simplify(char *text)
{
	const char *at = text;

	if (!utf8_valid(text, strlen(text)))
		return;
	while (*at) {
		uint32_t character = number_text_next(&at);

		if (character)
			text += utf8_write(character, text);
	}
	*text = '\0';
}

/* Without spaces and line ends around it; runs of them become one. False: no room. */
static bool number_text_compact(const char *written, char text_out[NUMBER_TEXT_BYTES])
{
	size_t length = 0;
	uint32_t gap = 0; /* ' ' or '\n', before the next character */

	while (*written) {
		uint32_t character = number_text_next(&written);
		char bytes[4];
		size_t count;

		if (!character)
			continue;
		if (character == ' ' || character == '\n') {
			gap = gap == '\n' ? gap : character;
			continue;
		}
		if (gap && length)
			text_out[length++] = (char)gap;
		gap = 0;
		count = utf8_write(character, bytes);
		if (length + count + 1 >= NUMBER_TEXT_BYTES)
			return false;
		memcpy(text_out + length, bytes, count);
		length += count;
	}
	text_out[length] = '\0';
	return true;
}

/* A URI (RFC 3966), which some write with slashes. */
static void number_text_drop_scheme(char *text)
{
	const char *number = text + strlen("tel:");

	if (strncasecmp(text, "tel:", strlen("tel:")) != 0)
		return;
	if (strncmp(number, "//", 2) == 0)
		number += 2;
	number += *number == ' ';
	memmove(text, number, strlen(number) + 1);
}

/* The digits of the first `length` bytes. Returns their number. */
static size_t number_text_digits(const char *text, size_t length, char *digits_out)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			digits_out[count++] = text[i];
	}
	digits_out[count] = '\0';
	return count;
}

/* The length of the + or 00 that an international number begins with; 0: a national one. */
static size_t number_text_abroad_length(const char *text)
{
	size_t opening = strspn(text, " (");

	if (text[opening] == '+')
		return opening + 1;
	return strncmp(text + opening, "00", 2) == 0 ? opening + 2 : 0;
}

static bool number_text_read(const char *before, const char *after, struct number *number)
{
	char text[2 * NUMBER_TEXT_BYTES + 1] = "+";

	strcat(strcat(text, before), after);
	return number_read(text, NULL, number) && number->cost != NUMBER_INVALID;
}

/* ---- extensions */

/* libphonenumber's words for an extension, some more, and the pauses that phones store. */
static const char *const number_text_extensions[] = {
	"extension", "extensi\xc3\xb3n",
	"extn",	     "ext",
	"e-x-t",     "x",
	"#",	     "~",
	"int",	     "interno",
	"anexo",     "poste",
	"ramal",     "durchwahl",
	"dw",	     "klappe",
	"wew",	     "mell\xc3\xa9k",
	"m",	     "\xd0\xb4\xd0\xbe\xd0\xb1",
	"p",	     "w",
	",",	     ";",
};

/* "ext. 5", ";ext=5", ",,5": does a digit follow the word? */
static bool number_text_is_extension(const char *rest)
{
	rest += strspn(rest, " ;,");
	for (size_t i = 0;
	     i < sizeof(number_text_extensions) / sizeof(number_text_extensions[0]);
	     i++) {
		const char *word = number_text_extensions[i];
		const char *after = rest + strlen(word);

		if (strncasecmp(rest, word, strlen(word)) != 0)
			continue;
		after += strspn(after, " .:=#,;pPwW-");
		if (*after && strchr(DIGITS, *after))
			return true;
	}
	return *rest && strchr(DIGITS, *rest);
}

/*
 * "+36 20 123 4567/89": is the number complete before the last slash? An international one is
 * if its country has such a number. Without a country the digits decide: several slashes are
 * separators unless there are more digits before the last than any number in parts has.
 */
static bool number_text_ends_at_slash(const char *text)
{
	const char *slash = strrchr(text, '/');
	size_t abroad = number_text_abroad_length(text), before, after;
	char digits[NUMBER_TEXT_BYTES];
	struct number number;

	if (!slash || slash[1 + strspn(slash + 1, DIGITS " ")])
		return false;
	after = number_text_digits(slash, strlen(slash), digits);
	before = number_text_digits(text + abroad, (size_t)(slash - text) - abroad,
				    digits);
	if (!after || before < SUBSCRIBER_DIGITS_LEAST)
		return false;
	if (abroad && number_text_read(digits, "", &number))
		return true;
	if (strchr(text, '/') != slash)
		return before >= PARTS_DIGITS_MOST;
	return !abroad && (after <= 3 || after >= SUBSCRIBER_DIGITS_LEAST ||
			   (before > SUBSCRIBER_DIGITS_LEAST && after <= 5));
}

static bool number_text_has_extension(const char *text)
{
	size_t length = strspn(text, "+" DIGITS SEPARATORS);
	char digits[NUMBER_TEXT_BYTES];

	if (!text[length])
		return number_text_ends_at_slash(text);
	return number_text_digits(text, length, digits) >= EXTENSION_DIGITS_LEAST &&
	       number_text_is_extension(text + length);
}

/* ---- the optional trunk zero */

/*
 * In "+44 (0)20" the zero is dialled only inside the country, but in "+39 (0)6" it is part of
 * the number. The country's numbering plan decides. False: both are numbers.
 */
static bool number_text_drop_trunk_zero(char *text)
{
	char *zero = strstr(text, "(0)");
	char code[NUMBER_TEXT_BYTES], national[NUMBER_TEXT_BYTES] = "0";
	size_t abroad = number_text_abroad_length(text), length, count;
	struct number with, without;
	bool is_with, is_without;

	if (!zero || !abroad)
		return true;
	count = number_text_digits(text + abroad, (size_t)(zero - text) - abroad, code);
	if (!country_of_digits(code, &length) || length != count)
		return true;
	number_text_digits(zero + 3, strlen(zero + 3), national + 1);
	is_with = number_text_read(code, national, &with);
	is_without = number_text_read(code, national + 1, &without);
	if (is_with && is_without && strcmp(with.form, without.form) != 0)
		return false;
	if (!is_with || is_without)
		memset(zero, ' ', 3);
	return true;
}

enum phone_number_problem number_text_clean(const char *written,
					    char text_out[NUMBER_TEXT_BYTES])
{
	size_t plain = strspn(written, "+" DIGITS);

	if (!written[plain] && plain < NUMBER_TEXT_BYTES) {
		strcpy(text_out, written);
		return PHONE_NUMBER_OK;
	}
	if (!utf8_valid(written, strlen(written)))
		return PHONE_NUMBER_CHARACTER;
	if (!number_text_compact(written, text_out))
		return PHONE_NUMBER_LONG;
	number_text_drop_scheme(text_out);
	if (number_text_has_extension(text_out))
		return PHONE_NUMBER_EXTENSION;
	if (!number_text_drop_trunk_zero(text_out))
		return PHONE_NUMBER_TRUNK_ZERO;
	/* it may be a complete number only now */
	return number_text_has_extension(text_out) ? PHONE_NUMBER_EXTENSION
						   : PHONE_NUMBER_OK;
}

bool number_text_read_beginning(const char *written, char text_out[PHONE_NUMBER_BYTES])
{
	char text[NUMBER_TEXT_BYTES];
	size_t length = 0, star;

	if (number_text_clean(written, text) != PHONE_NUMBER_OK || !*text)
		return false;
	star = strlen(text) - 1;
	if (text[star] != '*' || strspn(text, "+" DIGITS SEPARATORS) != star ||
	    strrchr(text, '+') > text + strspn(text, " ("))
		return false;
	for (size_t i = 0; i < star; i++) {
		if (strchr(SEPARATORS, text[i]))
			continue;
		if (length == PHONE_NUMBER_BYTES - 1)
			return false;
		text_out[length++] = text[i];
	}
	text_out[length] = '\0';
	return strcmp(text_out, "+") != 0;
}
