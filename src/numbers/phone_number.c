/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers/phone_number.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "numbers/number.h"

#define PHONE_NUMBER_SEPARATORS " -./()"

enum {
	CODE_DIGITS_MOST = 3,	/* of a calling code */
	SUBSCRIBER_DIGITS = 7,	/* a number before an extension has at least these, */
	EXTENSION_DIGITS = 3,	/* and most extensions at most these */
	PARTS_DIGITS_MOST = 10, /* before the last "/" of a national number in parts */
	NAME_MOST = 11,	  /* characters of a sender's name, 3GPP TS 23.040, 9.1.2.5 */
	DIGITS_LEAST = 3, /* short codes */
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
		"has an extension, which is not part of a number: leave it out",
	[PHONE_NUMBER_SEVERAL] =
		"has several numbers: only a list, such as to_phone_numbers, takes them",
	[PHONE_NUMBER_BEGINNING] = "begins with a separator, which is not a +",
};

/* ---- what people paste */

/* Calling codes of countries where the 0 is also dialled from abroad: "+39 (0)6" */
static const char *const phone_number_zero_stays[] = { "39",  "378", "379", "225",
						       "241", "242", NULL };

/* Returns the ASCII character that this one is meant as, or itself; 0 if it is invisible. */
static uint32_t phone_number_plain(uint32_t character)
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
		return (uint32_t)ranges[i].plain +
		       (ranges[i].counts ? character - ranges[i].first : 0);
	}
	return character;
}

void phone_number_simplify(char *text)
{
	const char *at = text;
	char *to = text;

	if (!utf8_valid(text, strlen(text)))
		return;
	while (*at) {
		uint32_t plain = phone_number_plain(utf8_next(&at));

		if (plain && (plain != ' ' || to > text))
			to += utf8_write(plain, to);
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static const char *phone_number_skip_scheme(const char *cleaned)
{
	if (strncasecmp(cleaned, "tel:", 4) == 0 || strncasecmp(cleaned, "sms:", 4) == 0)
		return cleaned + 4;
	return cleaned;
}

static bool phone_number_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Returns the length of "(0)" or "( 0 )"; 0 if something else stands there. */
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

static bool phone_number_is_assigned(const char *digits)
{
	struct number number;

	return number_read(digits, NULL, &number) && number.cost != NUMBER_INVALID &&
	       strcmp(number.form, digits) == 0;
}

/*
 * "+267 (0)800 012 345": is there such a number only with the 0? `code` has `length` digits,
 * and `rest` is what follows the "(0)".
 */
static bool phone_number_needs_zero(const char *code, size_t length, const char *rest)
{
	char with[PHONE_NUMBER_BYTES] = "+", without[PHONE_NUMBER_BYTES] = "+";
	size_t at = 1 + length;

	memcpy(with + 1, code, length);
	memcpy(without + 1, code, length);
	with[at] = '0';
	for (; *rest; rest++) {
		if (!phone_number_is_digit(*rest))
			continue;
		if (at + 2 == PHONE_NUMBER_BYTES)
			return false;
		without[at++] = *rest;
		with[at] = *rest;
	}
	return phone_number_is_assigned(with) && !phone_number_is_assigned(without);
}

void phone_number_remove_trunk_zero(char *number)
{
	char code[CODE_DIGITS_MOST];
	size_t digits = 0;
	bool plus = false;

	for (char *at = number; *at; at++) {
		size_t zero = plus && digits ? phone_number_lone_zero(at) : 0;

		if (zero && !phone_number_keeps_zero(code, digits) &&
		    !phone_number_needs_zero(code, digits, at + zero))
			memset(at, ' ', zero);
		if (phone_number_is_digit(*at) && digits == CODE_DIGITS_MOST)
			return;
		if (phone_number_is_digit(*at))
			code[digits++] = *at;
		plus |= *at == '+';
	}
}

/* ---- digits */

struct phone_number_digits {
	bool plus;
	bool has_slash;
	size_t count; /* all, including those that do not fit `text` */
	char text[DIGITS_MOST_PREFIXED + 1];
};

/* Returns false if there is an invalid character. */
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
	digits->has_slash |= character == '/';
	return strchr(PHONE_NUMBER_SEPARATORS, character) != NULL;
}

/* Has a country such a number? */
static bool phone_number_exists(const struct phone_number_digits *digits)
{
	char text[PHONE_NUMBER_BYTES] = "+";
	struct number number;

	if (digits->count > DIGITS_MOST_PREFIXED)
		return false;
	strcpy(text + digits->plus, digits->text);
	return number_read(text, NULL, &number) && number.cost != NUMBER_INVALID;
}

/* ---- extensions */

static size_t phone_number_count_digits(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += phone_number_is_digit(*text);
	return count;
}

/*
 * Does the "/" end the number, as in "+36 20 123 4567/89", or separate its parts, as in
 * "+36 30/123/45/67"? The numbering plan of the country decides; if both are numbers, or the
 * country is unknown, how many digits stand before and behind.
 */
static bool phone_number_ends_at_slash(const char *slash,
				       const struct phone_number_digits *before)
{
	size_t behind = phone_number_count_digits(slash);
	bool is_brief = behind <= EXTENSION_DIGITS;
	struct phone_number_digits whole = *before;

	if (!behind || slash[strspn(slash, PHONE_NUMBER_SEPARATORS "0123456789")])
		return false;
	if (!before->plus && strncmp(before->text, "00", 2) != 0)
		return before->count > PARTS_DIGITS_MOST ||
		       (is_brief ? !before->has_slash : behind >= SUBSCRIBER_DIGITS);
	for (const char *at = slash; *at; at++)
		phone_number_add(&whole, *at);
	if (phone_number_exists(&whole))
		return is_brief && !before->has_slash && phone_number_exists(before);
	return is_brief || phone_number_exists(before);
}

/* Accepts "/89" behind a whole number, "ext. 5", "x5", ",5", ";ext=5", "p5", "#5" */
static bool phone_number_is_extension(const char *at,
				      const struct phone_number_digits *before)
{
	if (before->count < SUBSCRIBER_DIGITS)
		return false;
	if (*at == '/')
		return phone_number_ends_at_slash(at, before);
	return phone_number_count_digits(at) <= 2 * EXTENSION_DIGITS &&
	       (strchr(",;#", *at) || strchr("pPwWxX", *at) ||
		strncasecmp(at, "ext", 3) == 0);
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

/* Does another number follow at `at`, behind that of `digits`? */
static bool phone_number_is_another(const char *at,
				    const struct phone_number_digits *digits)
{
	return strchr(",;", *at) && digits->count >= SUBSCRIBER_DIGITS &&
	       phone_number_count_digits(at) >= SUBSCRIBER_DIGITS;
}

static enum phone_number_problem phone_number_read(const char *cleaned,
						   struct phone_number_digits *digits)
{
	for (; *cleaned; cleaned++) {
		if (phone_number_is_extension(cleaned, digits))
			return PHONE_NUMBER_EXTENSION;
		if (!phone_number_add(digits, *cleaned))
			return phone_number_is_another(cleaned, digits)
				       ? PHONE_NUMBER_SEVERAL
				       : PHONE_NUMBER_CHARACTER;
	}
	return phone_number_check(digits);
}

/* Removes "tel:" and the "(0)". Returns PHONE_NUMBER_OK, or why it cannot be read. */
static enum phone_number_problem phone_number_clean(
	const char *written, char cleaned_out[PHONE_NUMBER_WRITTEN_BYTES])
{
	const char *number;

	if (!utf8_valid(written, strlen(written)))
		return PHONE_NUMBER_CHARACTER;
	if (strlen(written) >= PHONE_NUMBER_WRITTEN_BYTES)
		return PHONE_NUMBER_LONG;
	strcpy(cleaned_out, written);
	phone_number_simplify(cleaned_out);
	phone_number_remove_trunk_zero(cleaned_out);
	number = phone_number_skip_scheme(cleaned_out);
	memmove(cleaned_out, number, strlen(number) + 1);
	return PHONE_NUMBER_OK;
}

/* A spreadsheet took it for an amount: "36201234567.0". */
static void phone_number_drop_decimal(char *cleaned)
{
	char *number = cleaned + (*cleaned == '+');
	size_t digits = strspn(number, "0123456789");

	if (digits >= SUBSCRIBER_DIGITS && strcmp(number + digits, ".0") == 0)
		number[digits] = '\0';
}

/*
 * "+49 0171 1234567" and "+36 06 20 123 4567" are dialled without the trunk prefix. Only 0 is
 * dropped from a number that is in no plan, because none begins with it.
 */
static void phone_number_drop_trunk(char *number)
{
	char without[PHONE_NUMBER_BYTES];
	size_t length, trunk;
	const struct country *country = country_of_digits(number + 1, &length);
	char *national;

	trunk = country ? strlen(country->trunk) : 0;
	if (!trunk || phone_number_keeps_zero(number + 1, length))
		return;
	national = number + 1 + length;
	while (strncmp(national, country->trunk, trunk) == 0 &&
	       strlen(number) - trunk > DIGITS_LEAST_INTERNATIONAL &&
	       !phone_number_is_assigned(number)) {
		snprintf(without, sizeof(without), "%.*s%s", (int)(1 + length), number,
			 national + trunk);
		if (*country->trunk != '0' && !phone_number_is_assigned(without))
			return;
		strcpy(number, without);
	}
}

enum phone_number_problem phone_number_parse(const char *written,
					     char number_out[PHONE_NUMBER_BYTES])
{
	struct phone_number_digits digits = { 0 };
	char cleaned[PHONE_NUMBER_WRITTEN_BYTES];
	enum phone_number_problem problem = phone_number_clean(written, cleaned);

	if (problem == PHONE_NUMBER_OK) {
		phone_number_drop_decimal(cleaned);
		problem = phone_number_read(cleaned, &digits);
	}
	if (problem == PHONE_NUMBER_OK && !phone_number_begins_well(cleaned))
		problem = PHONE_NUMBER_BEGINNING;
	if (problem != PHONE_NUMBER_OK)
		return problem;
	snprintf(number_out, PHONE_NUMBER_BYTES, "%s%s", digits.plus ? "+" : "",
		 digits.text);
	if (digits.plus)
		phone_number_drop_trunk(number_out);
	return PHONE_NUMBER_OK;
}

bool phone_number_parse_beginning(const char *written,
				  char beginning_out[PHONE_NUMBER_BYTES])
{
	struct phone_number_digits digits = { 0 };
	char cleaned[PHONE_NUMBER_WRITTEN_BYTES];
	char *star;

	if (phone_number_clean(written, cleaned) != PHONE_NUMBER_OK)
		return false;
	star = strchr(cleaned, '*');
	if (!star || star[1] || !phone_number_begins_well(cleaned))
		return false;
	for (const char *at = cleaned; at < star; at++) {
		if (!phone_number_add(&digits, *at))
			return false;
	}
	if (digits.count > DIGITS_MOST_PREFIXED || (digits.plus && !digits.count))
		return false;
	if (digits.plus)
		*beginning_out++ = '+';
	strcpy(beginning_out, digits.text);
	return true;
}

/* What begins like a number and has its digits is meant as one; "3Mobile" is a name. */
static bool phone_number_is_name(const char *text)
{
	bool has_letter = false;

	if (*text == '+' || !utf8_valid(text, strlen(text)) ||
	    utf8_count(text) > NAME_MOST)
		return false;
	for (const char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ')
			return false;
		has_letter |= (unsigned char)*at >= 0x80 || (*at >= 'A' && *at <= 'Z') ||
			      (*at >= 'a' && *at <= 'z');
	}
	return has_letter && (!phone_number_is_digit(*text) ||
			      phone_number_count_digits(text) < SUBSCRIBER_DIGITS);
}

bool phone_number_may_send(const char *text)
{
	char number[PHONE_NUMBER_BYTES];

	switch (phone_number_parse(text, number)) {
	case PHONE_NUMBER_OK:
		return true;
	case PHONE_NUMBER_SHORT:
		return phone_number_count_digits(text) > 0;
	case PHONE_NUMBER_CHARACTER:
		return phone_number_is_name(text);
	case PHONE_NUMBER_EMPTY:
	case PHONE_NUMBER_LONG:
	case PHONE_NUMBER_COUNTRY:
	case PHONE_NUMBER_EXTENSION:
	case PHONE_NUMBER_SEVERAL:
	case PHONE_NUMBER_BEGINNING:
		return false;
	}
	return false;
}

const char *phone_number_problem_text(enum phone_number_problem problem)
{
	return phone_number_texts[problem];
}
