/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes -> lines, unfolded -> properties: [group.]NAME[;parameter]...:value -> cards
 *
 * A line goes on in the next one when that begins with a space or tab (folding), and, in
 * quoted-printable, when it ends with "=". A card may contain another one after AGENT: only
 * the outermost is reported, and `depth` counts them.
 *
 * Each step gets the output of the step before it and fails on nothing: what it does not
 * understand is skipped.
 */
#include "phone/vcard.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

struct vcard_property {
	const char *name; /* without its group */
	size_t name_length;
	const char *parameters; /* from the first ";", or "" */
	char *value;
};

/* ---- properties */

/* The colon before the value: one in quotes belongs to a parameter. NULL: none. */
static char *vcard_find_colon(char *line)
{
	bool quoted = false;

	for (; *line; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ':' && !quoted)
			return line;
	}
	return NULL;
}

static bool vcard_property_split(char *line, struct vcard_property *property)
{
	char *colon = vcard_find_colon(line);
	size_t length;
	char *dot;

	if (!colon)
		return false;
	*colon = '\0';
	length = strcspn(line, ";");
	dot = memrchr(line, '.', length);
	property->name = dot ? dot + 1 : line;
	property->name_length = (size_t)(line + length - property->name);
	property->parameters = line + length;
	property->value = colon + 1;
	return true;
}

static bool vcard_property_is(const struct vcard_property *property, const char *name)
{
	return strlen(name) == property->name_length &&
	       strncasecmp(property->name, name, property->name_length) == 0;
}

/* A parameter "NAME=WORD", or just "WORD", as in vCard 2.1. */
static bool vcard_property_has(const struct vcard_property *property, const char *word)
{
	const char *at = property->parameters;

	while (*at == ';') {
		size_t length = strcspn(++at, ";");
		const char *equals = memchr(at, '=', length);
		const char *value = equals ? equals + 1 : at;
		size_t value_length = (size_t)(at + length - value);

		if (value_length == strlen(word) &&
		    strncasecmp(value, word, value_length) == 0)
			return true;
		at += length;
	}
	return false;
}

static int vcard_hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit = (char)tolower((unsigned char)digit);
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decodes quoted-printable in place. */
static void vcard_decode_printable(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = *text == '=' ? vcard_hex_digit(text[1]) : -1;
		int low = high >= 0 ? vcard_hex_digit(text[2]) : -1;

		if (low >= 0) {
			*to++ = (char)(high << 4 | low);
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* ---- names */

struct vcard_name {
	char *text; /* VCARD_NAME_BYTES */
	size_t length;
	bool space; /* one precedes the next character */
	bool full;
};

/* Joins spaces and control characters into one space, with none at the beginning. */
static void vcard_name_put(struct vcard_name *name, uint32_t character)
{
	char bytes[4];
	size_t count;

	if (character <= ' ' || character == 0x7f) {
		name->space = name->length > 0;
		return;
	}
	count = utf8_write(character, bytes);
	name->full |= name->length + name->space + count >= VCARD_NAME_BYTES;
	if (name->full)
		return;
	if (name->space)
		name->text[name->length++] = ' ';
	name->space = false;
	memcpy(name->text + name->length, bytes, count);
	name->length += count;
	name->text[name->length] = '\0';
}

/* Appends the text up to an unescaped `end`, without escapes. Returns where it stopped. */
static const char *vcard_name_put_text(struct vcard_name *name, const char *text,
				       char end)
{
	while (*text && *text != end) {
		bool escaped = *text == '\\' && text[1];

		text += escaped;
		if (escaped && (*text == 'n' || *text == 'N')) {
			vcard_name_put(name, ' ');
			text++;
		} else {
			vcard_name_put(name, utf8_next(&text));
		}
	}
	return text;
}

/* "Kovacs;Anna;Maria;Dr.;" becomes "Anna Maria Kovacs". */
static void vcard_name_put_parts(struct vcard_name *name, const char *text)
{
	enum { FAMILY, GIVEN, ADDITIONAL, PARTS };
	static const int order[PARTS] = { GIVEN, ADDITIONAL, FAMILY };
	const char *parts[PARTS] = { "", "", "" };
	char unused[VCARD_NAME_BYTES];

	for (size_t i = 0; i < PARTS; i++) {
		struct vcard_name nobody = { .text = unused };

		parts[i] = text;
		text = vcard_name_put_text(&nobody, text, ';');
		text += *text == ';';
	}
	for (size_t i = 0; i < PARTS; i++) {
		vcard_name_put(name, ' ');
		vcard_name_put_text(name, parts[order[i]], ';');
	}
}

/* Text that is not UTF-8 is ISO 8859-1 if the card says so, or does not say in 2.1. */
static bool vcard_is_latin(const struct vcard_reader *reader,
			   const struct vcard_property *property)
{
	return reader->is_old || vcard_property_has(property, "ISO-8859-1") ||
	       vcard_property_has(property, "WINDOWS-1252");
}

/* The value as UTF-8. NULL: in an unknown encoding. */
static const char *vcard_property_text(const struct vcard_reader *reader,
				       const struct vcard_property *property,
				       char latin[2 * VCARD_LINE_BYTES + 1])
{
	const char *text = property->value;
	size_t length = 0;

	if (utf8_valid(text, strlen(text)))
		return text;
	if (!vcard_is_latin(reader, property))
		return NULL;
	for (; *text; text++)
		length += utf8_write((unsigned char)*text, latin + length);
	latin[length] = '\0';
	return latin;
}

static void vcard_read_name(struct vcard_reader *reader,
			    const struct vcard_property *property, bool in_parts)
{
	char latin[2 * VCARD_LINE_BYTES + 1], text[VCARD_NAME_BYTES] = "";
	const char *value = vcard_property_text(reader, property, latin);
	struct vcard_name name = { .text = text };

	if (!value)
		return;
	if (in_parts)
		vcard_name_put_parts(&name, value);
	else
		vcard_name_put_text(&name, value, '\0');
	if (*text)
		strcpy(reader->card.name, text);
}

/* ---- numbers */

/* "+36 20 123 4567", or a URI: "tel:+36-20-1234567;ext=1". */
static void vcard_read_number(struct vcard_reader *reader, char *value)
{
	struct vcard *card = &reader->card;
	char form[NUMBER_FORM_BYTES];

	if (strncasecmp(value + strspn(value, " \t"), "tel:", 4) == 0)
		value[strcspn(value, ";")] = '\0';
	if (card->count == VCARD_NUMBERS_MAX || !number_form(value, NULL, form))
		return;
	for (unsigned i = 0; i < card->count; i++) {
		if (strcmp(card->numbers[i], form) == 0)
			return;
	}
	strcpy(card->numbers[card->count++], form);
}

/* ---- cards */

static void vcard_report(struct vcard_reader *reader)
{
	if (*reader->card.name && reader->card.count)
		reader->found(reader->data, &reader->card);
}

/* A card that begins inside another, but not after AGENT: END of the other is missing. */
static void vcard_begin_card(struct vcard_reader *reader)
{
	if (reader->depth && reader->has_agent) {
		reader->depth++;
	} else {
		if (reader->depth)
			vcard_report(reader);
		memset(&reader->card, 0, sizeof(reader->card));
		reader->depth = 1;
		reader->is_old = false;
	}
	reader->has_agent = false;
}

static void vcard_end_card(struct vcard_reader *reader)
{
	if (reader->depth == 1)
		vcard_report(reader);
	if (reader->depth)
		reader->depth--;
	reader->has_agent = false;
}

static void vcard_read_property(struct vcard_reader *reader,
				struct vcard_property *property)
{
	if (vcard_property_has(property, "BASE64") || vcard_property_has(property, "B"))
		return; /* binary data, such as a photograph */
	if (vcard_property_has(property, "QUOTED-PRINTABLE"))
		vcard_decode_printable(property->value);
	if (vcard_property_is(property, "VERSION"))
		reader->is_old = strncmp(property->value, "2.", 2) == 0;
	else if (vcard_property_is(property, "AGENT"))
		reader->has_agent = true;
	else if (vcard_property_is(property, "FN"))
		vcard_read_name(reader, property, false);
	else if (vcard_property_is(property, "N") && !*reader->card.name)
		vcard_read_name(reader, property, true);
	else if (vcard_property_is(property, "TEL"))
		vcard_read_number(reader, property->value);
}

static void vcard_read_line(struct vcard_reader *reader, char *line)
{
	struct vcard_property property;

	if (!vcard_property_split(line, &property))
		return;
	if (vcard_property_is(&property, "BEGIN") &&
	    strcasecmp(property.value, "VCARD") == 0)
		vcard_begin_card(reader);
	else if (vcard_property_is(&property, "END") &&
		 strcasecmp(property.value, "VCARD") == 0)
		vcard_end_card(reader);
	else if (reader->depth == 1)
		vcard_read_property(reader, &property);
}

/* ---- lines */

static void vcard_finish_line(struct vcard_reader *reader)
{
	char *line = reader->line;

	line[reader->length] = '\0';
	if (!reader->overlong && strlen(line) == reader->length)
		vcard_read_line(reader, line);
	reader->length = 0;
	reader->last = reader->printable = '\0';
	reader->overlong = reader->ended = false;
}

static void vcard_add_byte(struct vcard_reader *reader, char byte)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark of UTF-8 */

	reader->last = byte;
	if (reader->length == VCARD_LINE_BYTES) {
		reader->overlong = true;
		return;
	}
	reader->line[reader->length++] = byte;
	if (reader->length == strlen(mark) &&
	    memcmp(reader->line, mark, strlen(mark)) == 0)
		reader->length = 0;
}

/* Is the line quoted-printable? Decided once for each line, from its parameters. */
static bool vcard_is_printable(struct vcard_reader *reader)
{
	struct vcard_property property;
	char line[VCARD_LINE_BYTES + 1];

	if (reader->printable)
		return reader->printable == 'y';
	memcpy(line, reader->line, reader->length);
	line[reader->length] = '\0';
	reader->printable =
		vcard_property_split(line, &property) &&
				vcard_property_has(&property, "QUOTED-PRINTABLE")
			? 'y'
			: 'n';
	return reader->printable == 'y';
}

static void vcard_end_line(struct vcard_reader *reader)
{
	if (reader->ended || !reader->length) {
		vcard_finish_line(reader);
	} else if (reader->last == '=' && vcard_is_printable(reader)) {
		reader->length -= !reader->overlong;
		reader->last = '\0';
	} else {
		reader->ended = true;
	}
}

static void vcard_read_byte(struct vcard_reader *reader, char byte)
{
	bool after_return = reader->returned;

	reader->returned = byte == '\r';
	if (byte == '\n' && after_return)
		return;
	if (byte == '\n' || byte == '\r') {
		vcard_end_line(reader);
		return;
	}
	if (reader->ended && (byte == ' ' || byte == '\t')) {
		reader->ended = false;
		if (reader->is_old) /* in 2.1 the space is part of the value */
			vcard_add_byte(reader, ' ');
		return;
	}
	if (reader->ended)
		vcard_finish_line(reader);
	vcard_add_byte(reader, byte);
}

void vcard_reader_init(struct vcard_reader *reader,
		       void (*found)(void *data, const struct vcard *card), void *data)
{
	memset(reader, 0, sizeof(*reader));
	reader->found = found;
	reader->data = data;
}

void vcard_reader_feed(struct vcard_reader *reader, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		vcard_read_byte(reader, bytes[i]);
}

void vcard_reader_finish(struct vcard_reader *reader)
{
	vcard_finish_line(reader);
	if (reader->depth == 1)
		vcard_report(reader);
	reader->depth = 0;
}
