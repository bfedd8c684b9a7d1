/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phone numbers in the value of a TEL.
 *
 *   +36 20 123 4567,,12#     what follows a pause ("," ";" "p" "w") is dialled later: dropped
 *   +36 1 234 5678 ext. 9    and so is an extension
 *   0611112222 / 0622223333  two numbers, if both are whole; but 06-1/234.5678 is one
 *
 * A pause is told from two numbers by what follows it: "+", a space, or about as many digits
 * as in the number before it.
 */
#include <string.h>
#include <strings.h>

#include "numbers/phone_number.h"
#include "phone/vcard_private.h"

enum {
	VCARD_NUMBER_BYTES = 64,    /* more is no number */
	VCARD_NUMBER_WHOLE = 7,	    /* digits of a number beside another one */
	VCARD_NUMBER_EXTENDED = 3,  /* digits of a number before an extension */
	VCARD_NUMBER_CODE_MOST = 3, /* digits that only one of two numbers may have */
};

#define VCARD_NUMBER_SEPARATORS ",;|\n"
#define VCARD_NUMBER_CHARACTERS "+0123456789 \t-.()/"

/* Works in place. */
static void vcard_number_remove_escapes(char *number)
{
	char *to = number;

	for (; *number; number++) {
		if (*number == '\\' && number[1]) {
			number++;
			*to++ = *number == 'n' || *number == 'N' ? '\n' : *number;
		} else {
			*to++ = *number;
		}
	}
	*to = '\0';
}

char *vcard_number_clean(char *value)
{
	phone_number_simplify(value);
	vcard_number_remove_escapes(value);
	value += strspn(value, " \t\n");
	if (strncasecmp(value, "tel:", 4) == 0) {
		value += 4;
		value[strcspn(value, ";")] = '\0';
	}
	return value;
}

static bool vcard_number_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static size_t vcard_number_digits(const char *form)
{
	return strlen(form) - (*form == '+');
}

/* Returns the length of what introduces an extension; 0 for none. */
static size_t vcard_number_marker(const char *text)
{
	static const char *const markers[] = {
		"extension", "extn", "ext", "\xd0\xb4\xd0\xbe\xd0\xb1", /* Russian */
		"x",	     "p",    "w",   "#",
	};

	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		if (strncasecmp(text, markers[i], strlen(markers[i])) == 0)
			return strlen(markers[i]);
	}
	return 0;
}

/*
 * Are these digits and pauses alone, after a number of so many digits? "1-800-PIZZA" has no
 * extension. Without digits it is a pause after a whole number.
 */
static bool vcard_number_is_tail(const char *text, size_t digits)
{
	bool is_empty = !strpbrk(text, "0123456789");

	return digits >= (is_empty ? VCARD_NUMBER_WHOLE : VCARD_NUMBER_EXTENDED) &&
	       !text[strspn(text, "0123456789 .:=-()*#pPwWxX")];
}

/* Reads one number, maybe with an extension. */
static bool vcard_number_read_one(const char *text, size_t length,
				  char form[NUMBER_FORM_BYTES])
{
	char copy[VCARD_NUMBER_BYTES], *end;
	size_t marker;

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	text = copy + strspn(copy, " \t");
	phone_number_remove_trunk_zero(copy);
	for (size_t i = strlen(copy); i && strchr(" \t", copy[i - 1]); i--)
		copy[i - 1] = '\0';
	if (number_form(text, NULL, form))
		return true;
	end = copy + strspn(copy, VCARD_NUMBER_CHARACTERS);
	marker = vcard_number_marker(end);
	if (!marker ||
	    (*end == '#' && !vcard_number_is_digit(end[1 + strspn(end + 1, " ")])))
		return false;
	*end = '\0';
	return number_form(text, NULL, form) &&
	       vcard_number_is_tail(end + marker, vcard_number_digits(form));
}

/* Returns the digits of the number that `text` begins with; 0 if it is not a whole one. */
static size_t vcard_number_whole(const char *text)
{
	char form[NUMBER_FORM_BYTES];
	const char *at = text;
	size_t digits = 0;

	/* Without number_form() if possible: a line may hold very many numbers. */
	for (; *at && strchr(VCARD_NUMBER_CHARACTERS, *at); at++) {
		if (*at == '/' && digits >= VCARD_NUMBER_WHOLE)
			break;
		digits += vcard_number_is_digit(*at);
	}
	if (*at && !strchr(VCARD_NUMBER_SEPARATORS "/", *at)) {
		if (!vcard_number_read_one(text, strcspn(text, VCARD_NUMBER_SEPARATORS),
					   form))
			return 0;
		digits = vcard_number_digits(form);
	}
	return digits >= VCARD_NUMBER_WHOLE ? digits : 0;
}

/* Returns where a "/" or separator ends the number that `text` begins with. */
static size_t vcard_number_end(const char *text)
{
	size_t digits = 0, end = 0;

	for (; text[end] && !strchr(VCARD_NUMBER_SEPARATORS, text[end]); end++) {
		if (text[end] == '/' && digits >= VCARD_NUMBER_WHOLE &&
		    vcard_number_whole(text + end + 1))
			break;
		digits += vcard_number_is_digit(text[end]);
	}
	return end;
}

const char *vcard_number_read(const char *value, char form_out[NUMBER_FORM_BYTES])
{
	size_t end = vcard_number_end(value), digits, next_digits;
	const char *next = value + end;
	bool is_pause;

	if (!vcard_number_read_one(value, end, form_out))
		return NULL;
	is_pause = *next == ',' || *next == ';';
	next += *next != '\0';
	next_digits = vcard_number_whole(next);
	digits = vcard_number_digits(form_out);
	if (!next_digits || (is_pause && *next != '+' && *next != ' ' &&
			     next_digits + VCARD_NUMBER_CODE_MOST < digits))
		return "";
	return next;
}
