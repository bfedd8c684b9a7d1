/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes -> lines, unfolded -> properties: [group.]NAME[;parameter]...:value -> cards
 *
 * A line goes on where the next one begins with a blank, and, quoted-printable, where it ends
 * with "=".
 */
#include "phone/vcard.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

struct property {
	const char *name; /* without its group */
	size_t name_length;
	const char *parameters; /* from the first ";" or the colon on */
	char *value;
};

/* ---- properties */

/* A colon in quotes is part of a parameter. */
static char *find_colon(char *line)
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

static bool property_split(char *line, struct property *property)
{
	char *colon = find_colon(line);
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

static bool property_is(const struct property *property, const char *name)
{
	return strlen(name) == property->name_length &&
	       strncasecmp(property->name, name, property->name_length) == 0;
}

/* "ENCODING=WORD", or the word alone, as vCard 2.1 has it. */
static bool property_has(const struct property *property, const char *word)
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

static int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit = (char)tolower((unsigned char)digit);
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* In place. */
static void decode_printable(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = *text == '=' ? hex_digit(text[1]) : -1;
		int low = high >= 0 ? hex_digit(text[2]) : -1;

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

struct name {
	char *text; /* VCARD_NAME_BYTES */
	size_t length;
	bool blank; /* one is due before the next character */
	bool full;
};

/* Blanks and control characters become one blank; the first character has none before it. */
static void name_put(struct name *name, uint32_t character)
{
	char bytes[4];
	size_t count;

	if (character <= ' ' || character == 0x7f) {
		name->blank = name->length > 0;
		return;
	}
	count = utf8_write(character, bytes);
	name->full |= name->length + name->blank + count >= VCARD_NAME_BYTES;
	if (name->full)
		return;
	if (name->blank)
		name->text[name->length++] = ' ';
	name->blank = false;
	memcpy(name->text + name->length, bytes, count);
	name->length += count;
	name->text[name->length] = '\0';
}

/* Up to a bare `end`, or the text's; what is escaped becomes itself. Gives where it stopped. */
static const char *name_put_text(struct name *name, const char *text, char end)
{
	while (*text && *text != end) {
		bool escaped = *text == '\\' && text[1];

		text += escaped;
		if (escaped && (*text == 'n' || *text == 'N')) {
			name_put(name, ' ');
			text++;
		} else {
			name_put(name, utf8_next(&text));
		}
	}
	return text;
}

/* "Kovacs;Anna;Maria;Dr.;" is Anna Maria Kovacs. */
static void name_put_parts(struct name *name, const char *text)
{
	enum { FAMILY, GIVEN, ADDITIONAL, PARTS };
	static const int order[PARTS] = { GIVEN, ADDITIONAL, FAMILY };
	const char *parts[PARTS] = { "", "", "" };
	char unused[VCARD_NAME_BYTES];

	for (size_t i = 0; i < PARTS; i++) {
		struct name nobody = { .text = unused };

		parts[i] = text;
		text = name_put_text(&nobody, text, ';');
		text += *text == ';';
	}
	for (size_t i = 0; i < PARTS; i++) {
		name_put(name, ' ');
		name_put_text(name, parts[order[i]], ';');
	}
}

/* What vCard 2.1 says nothing of is ISO 8859-1 when it is no UTF-8. */
static bool is_latin(const struct vcard_reader *reader, const struct property *property)
{
	return reader->is_old || property_has(property, "ISO-8859-1") ||
	       property_has(property, "WINDOWS-1252");
}

/* NULL: nobody can tell what it says. */
static const char *property_text(const struct vcard_reader *reader,
				 const struct property *property,
				 char latin[2 * VCARD_LINE_BYTES + 1])
{
	const char *text = property->value;
	size_t length = 0;

	if (utf8_valid(text, strlen(text)))
		return text;
	if (!is_latin(reader, property))
		return NULL;
	for (; *text; text++)
		length += utf8_write((unsigned char)*text, latin + length);
	latin[length] = '\0';
	return latin;
}

static void take_name(struct vcard_reader *reader, const struct property *property,
		      bool in_parts)
{
	char latin[2 * VCARD_LINE_BYTES + 1], text[VCARD_NAME_BYTES] = "";
	const char *value = property_text(reader, property, latin);
	struct name name = { .text = text };

	if (!value)
		return;
	if (in_parts)
		name_put_parts(&name, value);
	else
		name_put_text(&name, value, '\0');
	if (*text)
		strcpy(reader->card.name, text);
}

/* ---- numbers */

/* Blanks, dashes and marks that address books put into numbers: U+00A0, U+2000 to U+206F. */
static bool is_ornament(uint32_t character)
{
	return character == 0xa0 || (character >= 0x2000 && character <= 0x206f);
}

/* In place. */
static void take_ornaments_out(char *number)
{
	const char *at = number;
	char *to = number;

	if (!utf8_valid(number, strlen(number)))
		return;
	while (*at) {
		uint32_t character = utf8_next(&at);

		if (!is_ornament(character))
			to += utf8_write(character, to);
	}
	*to = '\0';
}

/* "+44 (0)20 ...": nobody abroad dials that 0. */
static void take_trunk_out(char *number)
{
	char *trunk = *number == '+' ? strstr(number, "(0)") : NULL;

	if (trunk)
		memset(trunk, ' ', strlen("(0)"));
}

/* "+36 20 123 4567", or a URI, "tel:+36-20-1234567;ext=1" */
static void take_number(struct vcard_reader *reader, char *value)
{
	struct vcard *card = &reader->card;
	char form[NUMBER_FORM_BYTES];

	take_ornaments_out(value);
	value += strspn(value, " \t");
	if (strncasecmp(value, "tel:", 4) == 0) {
		value += 4;
		value[strcspn(value, ";")] = '\0';
	}
	take_trunk_out(value);
	if (card->count == VCARD_NUMBERS_MAX || !number_form(value, NULL, form))
		return;
	for (unsigned i = 0; i < card->count; i++) {
		if (strcmp(card->numbers[i], form) == 0)
			return;
	}
	strcpy(card->numbers[card->count++], form);
}

/* ---- cards */

static void tell_card(struct vcard_reader *reader)
{
	if (*reader->card.name && reader->card.count)
		reader->found(reader->data, &reader->card);
}

/* One that begins before the other's end, and is not in it, means that the end is missing. */
static void begin_card(struct vcard_reader *reader)
{
	if (reader->depth && reader->has_agent) {
		reader->depth++;
	} else {
		if (reader->depth)
			tell_card(reader);
		memset(&reader->card, 0, sizeof(reader->card));
		reader->depth = 1;
		reader->is_old = false;
	}
	reader->has_agent = false;
}

static void end_card(struct vcard_reader *reader)
{
	if (reader->depth == 1)
		tell_card(reader);
	if (reader->depth)
		reader->depth--;
	reader->has_agent = false;
}

static void take_property(struct vcard_reader *reader, struct property *property)
{
	if (property_has(property, "BASE64") || property_has(property, "B"))
		return; /* a picture */
	if (property_has(property, "QUOTED-PRINTABLE"))
		decode_printable(property->value);
	if (property_is(property, "VERSION"))
		reader->is_old = strncmp(property->value, "2.", 2) == 0;
	else if (property_is(property, "AGENT"))
		reader->has_agent = true;
	else if (property_is(property, "FN"))
		take_name(reader, property, false);
	else if (property_is(property, "N") && !*reader->card.name)
		take_name(reader, property, true);
	else if (property_is(property, "TEL"))
		take_number(reader, property->value);
}

static void take_line(struct vcard_reader *reader, char *line)
{
	struct property property;

	if (!property_split(line, &property))
		return;
	if (property_is(&property, "BEGIN") && strcasecmp(property.value, "VCARD") == 0)
		begin_card(reader);
	else if (property_is(&property, "END") &&
		 strcasecmp(property.value, "VCARD") == 0)
		end_card(reader);
	else if (reader->depth == 1)
		take_property(reader, &property);
}

/* ---- lines */

static void finish_line(struct vcard_reader *reader)
{
	char *line = reader->line;

	line[reader->length] = '\0';
	if (!reader->overlong && strlen(line) == reader->length)
		take_line(reader, line);
	reader->length = 0;
	reader->last = reader->printable = '\0';
	reader->overlong = reader->ended = false;
}

static void add_byte(struct vcard_reader *reader, char byte)
{
	static const char mark[] = "\xef\xbb\xbf"; /* that a file is UTF-8 */

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

/* Looked at once: its parameters stand at its beginning. */
static bool is_printable(struct vcard_reader *reader)
{
	struct property property;
	char line[VCARD_LINE_BYTES + 1];

	if (reader->printable)
		return reader->printable == 'y';
	memcpy(line, reader->line, reader->length);
	line[reader->length] = '\0';
	reader->printable = property_split(line, &property) &&
					    property_has(&property, "QUOTED-PRINTABLE")
				    ? 'y'
				    : 'n';
	return reader->printable == 'y';
}

static void end_line(struct vcard_reader *reader)
{
	if (reader->ended || !reader->length) {
		finish_line(reader);
	} else if (reader->last == '=' && is_printable(reader)) {
		reader->length -= !reader->overlong;
		reader->last = '\0';
	} else {
		reader->ended = true;
	}
}

static void take_byte(struct vcard_reader *reader, char byte)
{
	bool after_return = reader->returned;

	reader->returned = byte == '\r';
	if (byte == '\n' && after_return)
		return;
	if (byte == '\n' || byte == '\r') {
		end_line(reader);
		return;
	}
	if (reader->ended && (byte == ' ' || byte == '\t')) {
		reader->ended = false;
		if (reader->is_old) /* there the blank is not of the fold */
			add_byte(reader, ' ');
		return;
	}
	if (reader->ended)
		finish_line(reader);
	add_byte(reader, byte);
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
		take_byte(reader, bytes[i]);
}

void vcard_reader_finish(struct vcard_reader *reader)
{
	finish_line(reader);
	if (reader->depth == 1)
		tell_card(reader);
	reader->depth = 0;
}
