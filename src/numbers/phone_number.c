/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/phone_number.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum {
	WRITTEN_BYTES = 128,
	CODE_DIGITS_MOST = 3, /* of a calling code */
	EXTENSION_BEHIND = 7, /* digits before a "/" that begins an extension, */
	EXTENSION_DIGITS = 3, /* and most digits of the extension */
	DIGITS_LEAST = 3,     /* short codes */
	DIGITS_LEAST_INTERNATIONAL = 7,
	DIGITS_MOST = 15,	   /* E.164 */
	DIGITS_MOST_PREFIXED = 17, /* with "00" in front */
};

_Static_assert(1 + DIGITS_MOST_PREFIXED < PHONE_NUMBER_BYTES, "a number fits");

/* Completed by the next step, with an example, in base/failure.c. */
static const char *const phone_number_texts[] = {
	[PHONE_NUMBER_OK] = "is a phone number",
	[PHONE_NUMBER_EMPTY] = "is empty",
	[PHONE_NUMBER_CHARACTER] = "has a character that is not a digit",
	[PHONE_NUMBER_SHORT] =
		"is too short: a number with + has at least 7 digits, a short code 3",
	[PHONE_NUMBER_LONG] = "is too long: a number has at most 15 digits",
	[PHONE_NUMBER_COUNTRY] =
		"has 0 after the +: write no +, or the country in place of the 0",
	[PHONE_NUMBER_EXTENSION] =
		"has an extension, which is not part of a number: leave "
		"it out",
	[PHONE_NUMBER_BEGINNING] = "begins with a separator, which is not a +",
};

/* ---- what people paste */

/* Calling codes of countries where the 0 is dialled from abroad, too: "+39 (0)6" */
static const char *const phone_number_zero_stays[] = { "39",  "378", "379", "225",
						       "241", "242", NULL };

/* The ASCII character that this one is meant as; 0: it is invisible, '?': there is none. */
static char phone_number_plain(uint32_t character)
{
	static const struct {
		uint32_t first, last;
		char plain;
		bool counts; /* the second means the character after `plain`, and so on */
	} ranges[] = {
		{ 0x20, 0x7e, ' ', true },	{ 0x660, 0x669, '0', true },
		{ 0x6f0, 0x6f9, '0', true },	{ 0x966, 0x96f, '0', true },
		{ 0xff08, 0xff09, '(', true },	{ 0xff0b, 0xff0b, '+', true },
		{ 0xff0d, 0xff19, '-', true },	{ 0x09, 0x0d, ' ', false },
		{ 0xa0, 0xa0, ' ', false },	{ 0x2000, 0x200a, ' ', false },
		{ 0x2028, 0x2029, ' ', false }, { 0x202f, 0x202f, ' ', false },
		{ 0x205f, 0x205f, ' ', false }, { 0x3000, 0x3000, ' ', false },
		{ 0x2010, 0x2015, '-', false }, { 0x2212, 0x2212, '-', false },
		{ 0xfe58, 0xfe58, '-', false }, { 0xfe63, 0xfe63, '-', false },
		{ 0xad, 0xad, 0, false },	{ 0x200b, 0x200f, 0, false },
		{ 0x202a, 0x202e, 0, false },	{ 0x2060, 0x2064, 0, false },
		{ 0x2066, 0x2069, 0, false },	{ 0xfeff, 0xfeff, 0, false },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		if (character < ranges[i].first || character > ranges[i].last)
			continue;
		return ranges[i].counts ? (char)((uint32_t)ranges[i].plain + character -
						 ranges[i].first)
					: ranges[i].plain;
	}
	return '?';
}

/* False: too long. */
static bool phone_number_clean(const char *written, char cleaned[WRITTEN_BYTES])
{
	size_t length = 0;

	while (*written) {
		char plain = phone_number_plain(utf8_next(&written));

		if (length == WRITTEN_BYTES - 1)
			return false;
		if (plain)
			cleaned[length++] = plain;
	}
	while (length && cleaned[length - 1] == ' ')
		length--;
	cleaned[length] = '\0';
	return true;
}

static const char *phone_number_skip_scheme(const char *cleaned)
{
	cleaned += strspn(cleaned, " ");
	if (strncasecmp(cleaned, "tel:", 4) == 0 || strncasecmp(cleaned, "sms:", 4) == 0)
		return cleaned + 4;
	return cleaned;
}

static bool phone_number_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* The length of "(0)" or "( 0 )"; 0: something else stands there. */
static size_t phone_number_lone_zero(const char *at)
{
	const char *end = at;

	if (*end++ != '(')
		return 0;
	end += strspn(end, " ");
	if (*end++ != '0')
		return 0;
	end += strspn(end, " ");
	return *end == ')' ? (size_t)(end + 1 - at) : 0;
}

static bool phone_number_keeps_zero(const char *code, size_t length)
{
	for (size_t i = 0; phone_number_zero_stays[i]; i++) {
		if (strlen(phone_number_zero_stays[i]) == length &&
		    memcmp(phone_number_zero_stays[i], code, length) == 0)
			return true;
	}
	return false;
}

void phone_number_remove_trunk_zero(char *number)
{
	char code[CODE_DIGITS_MOST];
	size_t digits = 0;
	bool plus = false;

	for (char *at = number; *at; at++) {
		size_t zero = plus && digits ? phone_number_lone_zero(at) : 0;

		if (zero && !phone_number_keeps_zero(code, digits))
			memset(at, ' ', zero);
		if (phone_number_is_digit(*at) && digits == CODE_DIGITS_MOST)
			return;
		if (phone_number_is_digit(*at))
			code[digits++] = *at;
		plus |= *at == '+';
	}
}

static size_t phone_number_count_digits(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += phone_number_is_digit(*text);
	return count;
}

/* "/89" behind a whole number, "ext. 5", "x5", ",5", ";ext=5", "p5", "#5" */
static bool phone_number_is_extension(const char *at, size_t digits_before)
{
	size_t digits = phone_number_count_digits(at);

	if (digits > 2 * EXTENSION_DIGITS || digits_before < EXTENSION_BEHIND)
		return false;
	if (*at == '/')
		return digits && digits <= EXTENSION_DIGITS;
	return strchr(",;#", *at) || strchr("pPwWxX", *at) ||
	       strncasecmp(at, "ext", 3) == 0;
}

/* ---- digits */

struct phone_number_digits {
	bool plus;
	size_t count; /* all, including those that do not fit `text` */
	char text[DIGITS_MOST_PREFIXED + 1];
};

/* False: an invalid character. */
static bool phone_number_add(struct phone_number_digits *digits, char character)
{
	if (phone_number_is_digit(character)) {
		if (digits->count < DIGITS_MOST_PREFIXED)
			digits->text[digits->count] = character;
		digits->count++;
		return true;
	}
	if (character == '+' && !digits->plus && !digits->count) {
		digits->plus = true;
		return true;
	}
	return strchr(" -./()", character) != NULL;
}

/* Only a space or "(" may precede a number. */
static bool phone_number_begins_well(const char *written)
{
	written += strspn(written, " (");
	return !*written || !strchr("-./)", *written);
}

static enum phone_number_problem phone_number_check(
	const struct phone_number_digits *digits)
{
	bool prefixed = !digits->plus && digits->text[0] == '0' && digits->text[1] == '0';

	if (!digits->plus && !digits->count)
		return PHONE_NUMBER_EMPTY;
	if (digits->plus && digits->text[0] == '0')
		return PHONE_NUMBER_COUNTRY;
	if (digits->count < (digits->plus ? DIGITS_LEAST_INTERNATIONAL : DIGITS_LEAST))
		return PHONE_NUMBER_SHORT;
	if (digits->count > (prefixed ? DIGITS_MOST_PREFIXED : DIGITS_MOST))
		return PHONE_NUMBER_LONG;
	return PHONE_NUMBER_OK;
}

static enum phone_number_problem phone_number_read(const char *cleaned,
						   struct phone_number_digits *digits)
{
	for (; *cleaned; cleaned++) {
		if (phone_number_is_extension(cleaned, digits->count))
			return PHONE_NUMBER_EXTENSION;
		if (!phone_number_add(digits, *cleaned))
			return PHONE_NUMBER_CHARACTER;
	}
	return phone_number_check(digits);
}

enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES])
{
	struct phone_number_digits digits = { 0 };
	enum phone_number_problem problem;
	char buffer[WRITTEN_BYTES];
	const char *cleaned;

	if (!utf8_valid(written, strlen(written)))
		return PHONE_NUMBER_CHARACTER;
	if (!phone_number_clean(written, buffer))
		return PHONE_NUMBER_LONG;
	phone_number_remove_trunk_zero(buffer);
	cleaned = phone_number_skip_scheme(buffer);
	problem = phone_number_read(cleaned, &digits);
	if (problem == PHONE_NUMBER_OK && !phone_number_begins_well(cleaned))
		problem = PHONE_NUMBER_BEGINNING;
	if (problem != PHONE_NUMBER_OK)
		return problem;
	if (digits.plus)
		*number_out++ = '+';
	memcpy(number_out, digits.text, digits.count + 1);
	return PHONE_NUMBER_OK;
}

const char *phone_number_problem_text(enum phone_number_problem problem)
{
	return phone_number_texts[problem];
}
