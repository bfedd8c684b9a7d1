/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes -> UTF-8 -> lines, unfolded -> properties: [group.]NAME[;parameter]...:value -> cards
 *
 * A line goes on in the next one when that begins with a space or tab (folding), and, in
 * quoted-printable, when it ends with "=". A card may contain another one after AGENT: only
 * the outermost is reported, and `depth` counts them.
 *
 * Each step gets the output of the step before it and fails on nothing: what it does not
 * understand is skipped. The bytes of a photograph are passed over without these steps.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "phone/vcard_private.h"

/* Most of a converted line; what is cut is longer than any name. */
enum { VCARD_TEXT_BYTES = 2 * VCARD_LINE_BYTES + 1 };

struct vcard_property {
	const char *name; /* without its group */
	size_t name_length;
	const char *parameters; /* from the first ";", or "" */
	char *value;
	size_t length; /* of the value */
};

/* ---- what was left out, in words; neither names nor numbers are kept */

static const char *const vcard_skips_words[VCARD_SKIP_KINDS][2] = {
	[VCARD_SKIP_NAMELESS] = { "vCard without a name", "vCards without a name" },
	[VCARD_SKIP_CHARSET] = { "name in an unknown character set; save it as UTF-8",
				 "names in an unknown character set; save them as UTF-8" },
	[VCARD_SKIP_NUMBER] = { "TEL that is not a phone number",
				"TELs that are not phone numbers" },
	[VCARD_SKIP_CUT] = { "phone number beyond the 32 that are kept of a vCard",
			     "phone numbers beyond the 32 that are kept of a vCard" },
	[VCARD_SKIP_NUMBERLESS] = { "vCard without a phone number",
				    "vCards without a phone number" },
	[VCARD_SKIP_PRIVATE] = { "vCard marked private", "vCards marked private" },
};

void vcard_skips_add(struct vcard_skips *skips, enum vcard_skip_kind kind, size_t line)
{
	struct vcard_skip *skip = &skips->kinds[kind];

	if (skip->count < VCARD_SKIP_LINES)
		skip->lines[skip->count] = line;
	skip->count++;
}

void vcard_skips_merge(struct vcard_skips *skips, const struct vcard_skips *other)
{
	for (unsigned kind = 0; kind < VCARD_SKIP_KINDS; kind++) {
		skips->kinds[kind].count += other->kinds[kind].count;
		memset(skips->kinds[kind].lines, 0, sizeof(skips->kinds[kind].lines));
	}
}

static void vcard_skips_describe_kind(FILE *text, const struct vcard_skip *skip,
				      const char *const words[2])
{
	bool many = skip->count > 1;

	fprintf(text, "%zu %s", skip->count, words[many]);
	if (!skip->lines[0])
		return;
	fprintf(text, " (line%s", many ? "s" : "");
	for (size_t i = 0; i < skip->count && i < VCARD_SKIP_LINES; i++)
		fprintf(text, "%s %zu", i ? "," : "", skip->lines[i]);
	if (skip->count > VCARD_SKIP_LINES)
		fprintf(text, " and %zu more", skip->count - VCARD_SKIP_LINES);
	fputc(')', text);
}

void vcard_skips_describe(const struct vcard_skips *skips, enum vcard_skip_kind first,
			  enum vcard_skip_kind end, char text_out[VCARD_SKIPS_BYTES])
{
	FILE *text = fmemopen(text_out, VCARD_SKIPS_BYTES, "w");
	const char *between = "";

	*text_out = '\0';
	if (!text)
		return;
	for (unsigned kind = first; kind < end; kind++) {
		if (!skips->kinds[kind].count)
			continue;
		fputs(between, text);
		vcard_skips_describe_kind(text, &skips->kinds[kind],
					  vcard_skips_words[kind]);
		between = ", ";
	}
	fclose(text);
}

/* ---- properties */

/*
 * Returns the colon before the value: one in quotes belongs to a parameter; NULL if there is none.
 */
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
	property->length = strlen(property->value);
	return true;
}

static bool vcard_property_is(const struct vcard_property *property, const char *name)
{
	return strlen(name) == property->name_length &&
	       strncasecmp(property->name, name, property->name_length) == 0;
}

/* Is there a parameter "NAME=WORD", or just "WORD", as in vCard 2.1? */
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

/* Is it a photograph, or other data in BASE64? */
static bool vcard_property_is_binary(const struct vcard_property *property)
{
	static const char *const names[] = { "PHOTO", "LOGO", "SOUND", "KEY" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (vcard_property_is(property, names[i]))
			return true;
	}
	return vcard_property_has(property, "BASE64") ||
	       vcard_property_has(property, "B") ||
	       strncasecmp(property->value, "data:", strlen("data:")) == 0;
}

/* Decodes quoted-printable in place. Returns the length, which a NUL does not end. */
static size_t vcard_decode_printable(char *text)
{
	char *start = text, *to = text;

	for (; *text; text++) {
		int high = *text == '=' ? escape_hex_digit(text[1]) : -1;
		int low = high >= 0 ? escape_hex_digit(text[2]) : -1;

		if (low >= 0) {
			*to++ = (char)(high << 4 | low);
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
	return (size_t)(to - start);
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

	if (character <= ' ' || (character >= 0x7f && character <= 0x9f)) {
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

/* Returns the value as UTF-8; NULL if its character set is unknown. */
static const char *vcard_property_text(struct vcard_reader *reader,
				       const struct vcard_property *property,
				       char text[VCARD_TEXT_BYTES])
{
	char charset[VCARD_CHARSET_BYTES] = "";
	const char *at = property->parameters;

	while (*at == ';') {
		size_t length = strcspn(++at, ";");

		if (length > strlen("CHARSET=") && strncasecmp(at, "CHARSET=", 8) == 0)
			snprintf(charset, sizeof(charset), "%.*s",
				 (int)(length - strlen("CHARSET=")),
				 at + strlen("CHARSET="));
		at += length;
	}
	if (*charset == '"') {
		memmove(charset, charset + 1, strlen(charset));
		charset[strcspn(charset, "\"")] = '\0';
	}
	return vcard_charsets_decode(&reader->charsets, charset, property->value,
				     property->length, text, VCARD_TEXT_BYTES);
}

/*
 * The properties that may name a card, the best one last. One that is not empty replaces the
 * name from a worse one.
 */
static const struct vcard_name_source {
	const char *property;
	char end; /* of the name in the value, '\0' for all of it */
	bool in_parts;
} vcard_name_sources[] = {
	{ "ORG", ';', false },
	{ "NICKNAME", ',', false },
	{ "N", '\0', true },
	{ "FN", '\0', false },
};

/* Returns a rank from 1; 0 if the property is no name. */
static unsigned vcard_name_rank(const struct vcard_property *property)
{
	for (unsigned i = 0; i < sizeof(vcard_name_sources) / sizeof(*vcard_name_sources);
	     i++) {
		if (vcard_property_is(property, vcard_name_sources[i].property))
			return i + 1;
	}
	return 0;
}

static void vcard_read_name(struct vcard_reader *reader,
			    const struct vcard_property *property, unsigned rank)
{
	const struct vcard_name_source *source = &vcard_name_sources[rank - 1];
	char buffer[VCARD_TEXT_BYTES], text[VCARD_NAME_BYTES] = "";
	const char *value = vcard_property_text(reader, property, buffer);
	struct vcard_name name = { .text = text };

	if (!value && rank > reader->unreadable_rank) {
		reader->unreadable_rank = rank;
		reader->unreadable_line = reader->line_number;
	}
	if (!value)
		return;
	if (source->in_parts)
		vcard_name_put_parts(&name, value);
	while (!source->in_parts && !*text && *value) {
		value = vcard_name_put_text(&name, value, source->end);
		value += *value != '\0';
	}
	if (!*text)
		return;
	strcpy(reader->card.name, text);
	reader->name_rank = rank;
}

/* ---- numbers */

/* Reads "+36 20 123 4567", or a URI: "tel:+36-20-1234567;ext=1". */
static void vcard_read_numbers(struct vcard_reader *reader, char *value)
{
	struct vcard *card = &reader->card;
	const char *at = vcard_number_clean(value);

	if (!*at)
		return;
	reader->has_tel = true;
	while (*at) {
		char form[NUMBER_FORM_BYTES];
		unsigned i = 0;

		at = vcard_number_read(at, form);
		if (!at) {
			vcard_skips_add(&reader->skips, VCARD_SKIP_NUMBER,
					reader->line_number);
			return;
		}
		while (i < card->count && strcmp(card->numbers[i], form) != 0)
			i++;
		if (i == VCARD_NUMBERS_MAX)
			vcard_skips_add(&reader->skips, VCARD_SKIP_CUT,
					reader->line_number);
		else if (i == card->count)
			strcpy(card->numbers[card->count++], form);
	}
}

/* ---- cards */

static void vcard_report(struct vcard_reader *reader)
{
	struct vcard_skips *skips = &reader->skips;

	if (reader->is_private) {
		*skips = reader->skips_before;
		vcard_skips_add(skips, VCARD_SKIP_PRIVATE, reader->card_line);
		return;
	}
	if (reader->unreadable_rank > reader->name_rank)
		vcard_skips_add(skips, VCARD_SKIP_CHARSET, reader->unreadable_line);
	else if (reader->card.count && !reader->name_rank)
		vcard_skips_add(skips, VCARD_SKIP_NAMELESS, reader->card_line);
	if (!reader->has_tel)
		vcard_skips_add(skips, VCARD_SKIP_NUMBERLESS, reader->card_line);
	if (reader->name_rank && reader->card.count)
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
		reader->is_old = reader->has_tel = reader->is_private = false;
		reader->skips_before = reader->skips;
		reader->card_line = reader->line_number;
		reader->name_rank = reader->unreadable_rank = 0;
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

/* CLASS of vCard 2.1 and 3.0: PUBLIC, PRIVATE or CONFIDENTIAL. */
static bool vcard_class_is_private(const char *value)
{
	size_t length;

	value += strspn(value, " \t");
	length = strcspn(value, " \t");
	return (length == strlen("PRIVATE") &&
		strncasecmp(value, "PRIVATE", length) == 0) ||
	       (length == strlen("CONFIDENTIAL") &&
		strncasecmp(value, "CONFIDENTIAL", length) == 0);
}

static void vcard_read_property(struct vcard_reader *reader,
				struct vcard_property *property)
{
	unsigned rank = vcard_name_rank(property);

	if (vcard_property_is_binary(property))
		return;
	if (vcard_property_has(property, "QUOTED-PRINTABLE"))
		property->length = vcard_decode_printable(property->value);
	if (vcard_property_is(property, "VERSION"))
		reader->is_old = strncmp(property->value, "2.", 2) == 0;
	else if (vcard_property_is(property, "AGENT"))
		reader->has_agent = true;
	else if (vcard_property_is(property, "CLASS"))
		reader->is_private |= vcard_class_is_private(property->value);
	else if (rank > reader->name_rank)
		vcard_read_name(reader, property, rank);
	else if (vcard_property_is(property, "TEL"))
		vcard_read_numbers(reader, property->value);
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
	/* Without a colon it is BASE64 that is not folded, as some phones write it. */
	if (!reader->binary && (reader->overlong || vcard_find_colon(line)))
		reader->text_bytes += reader->line_bytes;
	if (!reader->overlong && strlen(line) == reader->length)
		vcard_read_line(reader, line);
	reader->length = reader->line_bytes = 0;
	reader->last = reader->printable = '\0';
	reader->overlong = reader->binary = reader->ended = false;
}

/* Splits a copy of the line as far as it was read. */
static bool vcard_peek(const struct vcard_reader *reader, char line[VCARD_LINE_BYTES + 1],
		       struct vcard_property *property)
{
	memcpy(line, reader->line, reader->length);
	line[reader->length] = '\0';
	return vcard_property_split(line, property);
}

static void vcard_begin_overlong(struct vcard_reader *reader)
{
	char line[VCARD_LINE_BYTES + 1];
	struct vcard_property property;

	reader->overlong = true;
	reader->binary = vcard_peek(reader, line, &property) &&
			 vcard_property_is_binary(&property);
}

static void vcard_add_byte(struct vcard_reader *reader, char byte)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark of UTF-8 */

	reader->last = byte;
	if (!reader->line_bytes++)
		reader->line_number = reader->line_ends + 1;
	if (reader->length == VCARD_LINE_BYTES) {
		if (!reader->overlong)
			vcard_begin_overlong(reader);
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
	reader->printable =
		vcard_peek(reader, line, &property) &&
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
		reader->line_ends++;
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

/* Skips the bytes before the end of a line of a photograph. */
static size_t vcard_skip_binary(struct vcard_reader *reader, const char *bytes,
				size_t length)
{
	size_t count = 0;

	if (!reader->binary || reader->ended || reader->units.width != 1)
		return 0;
	while (count < length && bytes[count] != '\n' && bytes[count] != '\r')
		count++;
	if (count) {
		reader->last = bytes[count - 1];
		reader->returned = false;
	}
	return count;
}

void vcard_reader_feed(struct vcard_reader *reader, const char *bytes, size_t length)
{
	char text[VCARD_UNITS_OUT];

	for (size_t i = 0; i < length; i++) {
		size_t count;

		i += vcard_skip_binary(reader, bytes + i, length - i);
		if (i == length)
			break;
		count = vcard_units_put(&reader->units, bytes[i], text);
		for (size_t at = 0; at < count; at++)
			vcard_read_byte(reader, text[at]);
	}
}

size_t vcard_reader_text_bytes(const struct vcard_reader *reader)
{
	return reader->text_bytes + (reader->binary ? 0 : reader->line_bytes);
}

void vcard_reader_finish(struct vcard_reader *reader)
{
	char text[VCARD_UNITS_OUT];
	size_t count = vcard_units_finish(&reader->units, text);

	for (size_t at = 0; at < count; at++)
		vcard_read_byte(reader, text[at]);
	vcard_finish_line(reader);
	if (reader->depth == 1)
		vcard_report(reader);
	reader->depth = 0;
	vcard_charsets_close(&reader->charsets);
}

void vcard_reader_abandon(struct vcard_reader *reader)
{
	vcard_charsets_close(&reader->charsets);
}
