/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing and checking follow the same table in the same way: bounds and words of an
 * array field apply to its items, an object has fields of its own. A problem is reported
 * as one sentence that names the field, so that a model can correct its call; the first
 * problem found is the one reported.
 */
#include "mcp/schema.h"

#include <ctype.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "mcp/tool.h"

enum { SCHEMA_NAME_CHARACTERS = 40 }; /* of an unknown name that an error repeats */

static bool schema_reader_has(const struct schema_reader *reader, const struct tool *tool)
{
	for (const struct tool *const *have = reader->offered; *have; have++) {
		if (*have == tool)
			return request_scopes_cover(reader->scopes, tool->scopes);
	}
	return false;
}

static bool schema_is_part_of_name(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Returns whether this part of a text, which may begin and end anywhere in it, has the name. */
static bool schema_text_names(const char *text, size_t length, const char *name)
{
	size_t name_length = strlen(name);
	const char *end = text + length;

	for (const char *at = text;
	     (at = memmem(at, (size_t)(end - at), name, name_length)); at++) {
		bool begins = at == text || !schema_is_part_of_name(at[-1]);
		bool ends = at + name_length == end ||
			    !schema_is_part_of_name(at[name_length]);

		if (begins && ends)
			return true;
	}
	return false;
}

static bool schema_text_fits(const struct schema_reader *reader, const char *text,
			     size_t length)
{
	for (const struct tool *const *tool = reader->table; *tool; tool++) {
		if (schema_text_names(text, length, (*tool)->name) &&
		    !schema_reader_has(reader, *tool))
			return false;
	}
	return true;
}

/* The length includes the full stop, but not the space. */
static size_t schema_sentence_length(const char *text)
{
	const char *end = strstr(text, ". ");

	return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* A sentence without the remarks that the reader may not have. */
static void schema_drop_remarks(struct buffer *sentence, const char *text, size_t length,
				const struct schema_reader *reader)
{
	const char *end = text + length;

	while (text < end) {
		const char *open = memmem(text, (size_t)(end - text), " (", 2);
		const char *close = open ? memchr(open, ')', (size_t)(end - open)) : NULL;

		if (!close)
			break;
		buffer_append(sentence, text, (size_t)(open - text));
		if (schema_text_fits(reader, open, (size_t)(close - open)))
			buffer_append(sentence, open, (size_t)(close + 1 - open));
		text = close + 1;
	}
	buffer_append(sentence, text, (size_t)(end - text));
}

static void schema_adapt_text(struct buffer *adapted, const char *text,
			      const struct schema_reader *reader)
{
	struct buffer sentence = BUFFER_INIT;

	while (*text) {
		size_t length = schema_sentence_length(text);

		buffer_clear(&sentence);
		schema_drop_remarks(&sentence, text, length, reader);
		if (sentence.failed) {
			adapted->failed = true;
		} else if (schema_text_fits(reader, sentence.data, sentence.length)) {
			if (adapted->length)
				buffer_append(adapted, " ", 1);
			buffer_append(adapted, sentence.data, sentence.length);
		}
		text += length;
		text += *text == ' ';
	}
	buffer_deinit(&sentence);
}

/* Without memory the member is left out. */
bool schema_put_text(struct json_writer *writer, const char *key, const char *text,
		     const struct schema_reader *reader)
{
	struct buffer adapted = BUFFER_INIT;
	bool is_left;

	if (!reader) {
		json_put_string(writer, key, text);
		return true;
	}
	schema_adapt_text(&adapted, text, reader);
	is_left = adapted.length && !adapted.failed;
	if (is_left) {
		json_key(writer, key);
		json_write_text(writer, adapted.data, adapted.length);
	}
	buffer_deinit(&adapted);
	return is_left;
}

static const struct {
	const char *name;    /* in JSON Schema */
	const char *article; /* "a string" */
	enum json_type type; /* that the value must have */
} schema_types[] = {
	[SCHEMA_STRING] = { "string", "a string (in quotes)", JSON_STRING },
	[SCHEMA_INTEGER] = { "integer", "an integer (without quotes)", JSON_NUMBER },
	[SCHEMA_BOOLEAN] = { "boolean", "true or false", JSON_BOOLEAN },
	[SCHEMA_OBJECT] = { "object", "an object", JSON_OBJECT },
	[SCHEMA_ARRAY] = { "array", "an array", JSON_ARRAY },
	[SCHEMA_NUMBER] = { "number", "a number (without quotes)", JSON_NUMBER },
};

static const char *const schema_seen_names[] = {
	[JSON_NULL] = "null",	    [JSON_BOOLEAN] = "true or false",
	[JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
	[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
};

static const struct {
	const char *least, *most;
} schema_bounds[] = {
	[SCHEMA_STRING] = { "minLength", "maxLength" },
	[SCHEMA_INTEGER] = { "minimum", "maximum" },
};

const char *schema_type_name(enum schema_type type)
{
	return schema_types[type].name;
}

static bool schema_is_bounded(const struct schema_field *field)
{
	return field->minimum != 0 || field->maximum != 0;
}

bool schema_shows(const struct schema_field *field, unsigned scopes)
{
	return (field->scopes & ~scopes) == 0;
}

/* Returns the items of an array, as a field. */
static struct schema_field schema_item_field(const struct schema_field *field)
{
	struct schema_field item = *field;

	item.type = field->members ? SCHEMA_OBJECT : field->items;
	item.description = NULL;
	item.describe = NULL;
	return item;
}

/* Without memory the description ends early. */
static void schema_write_description(struct json_writer *writer,
				     const struct schema_field *field,
				     const struct schema_reader *reader)
{
	struct buffer text = BUFFER_INIT;

	if (!field->description)
		return;
	buffer_append_text(&text, field->description);
	if (field->describe && reader)
		field->describe(reader->services, &text);
	buffer_append(&text, "", 1);
	schema_put_text(writer, "description",
			text.failed ? field->description : text.data, reader);
	buffer_deinit(&text);
}

/* The bounds and words of an array apply to its items. */
static void schema_write_type(struct json_writer *writer,
			      const struct schema_field *field,
			      const struct schema_reader *reader)
{
	json_put_string(writer, "type", schema_types[field->type].name);
	schema_write_description(writer, field, reader);
	if (field->type == SCHEMA_ARRAY)
		return;
	if (schema_is_bounded(field)) {
		json_put_integer(writer, schema_bounds[field->type].least,
				 field->minimum);
		json_put_integer(writer, schema_bounds[field->type].most, field->maximum);
	}
	if (!field->words)
		return;
	json_open_array_at(writer, "enum");
	for (const char *const *word = field->words; *word; word++)
		json_write_string(writer, *word);
	json_close_array(writer);
}

static void schema_write_items(struct json_writer *writer,
			       const struct schema_field *field,
			       const struct schema_reader *reader)
{
	struct schema_field item = schema_item_field(field);

	json_key(writer, "items");
	if (item.type == SCHEMA_OBJECT) {
		schema_write(writer, item.members, SCHEMA_OPEN, reader);
		return;
	}
	json_open_object(writer);
	schema_write_type(writer, &item, reader);
	json_close_object(writer);
}

static void schema_write_field(struct json_writer *writer,
			       const struct schema_field *field,
			       const struct schema_reader *reader)
{
	json_key(writer, field->name);
	if (field->members && field->type == SCHEMA_OBJECT) {
		schema_write(writer, field->members, SCHEMA_OPEN, reader);
		return;
	}
	json_open_object(writer);
	schema_write_type(writer, field, reader);
	if (field->type == SCHEMA_ARRAY)
		schema_write_items(writer, field, reader);
	json_close_object(writer);
}

static void schema_write_required(struct json_writer *writer,
				  const struct schema_field *fields)
{
	/* Present even when empty: early clients of this server expect it. */
	json_open_array_at(writer, "required");
	for (; fields->name; fields++) {
		if (fields->required)
			json_write_string(writer, fields->name);
	}
	json_close_array(writer);
}

void schema_write(struct json_writer *writer, const struct schema_field *fields,
		  enum schema_kind kind, const struct schema_reader *reader)
{
	json_open_object(writer);
	json_put_string(writer, "type", "object");
	json_open_object_at(writer, "properties");
	for (const struct schema_field *field = fields; field->name; field++) {
		if (reader && field->is_offered && !field->is_offered(reader->services))
			continue;
		if (!reader || schema_shows(field, reader->scopes))
			schema_write_field(writer, field, reader);
	}
	json_close_object(writer);
	schema_write_required(writer, fields);
	if (kind == SCHEMA_CLOSED)
		json_put_boolean(writer, "additionalProperties", false);
	json_close_object(writer);
}

static bool schema_is_named(const char *const *names, const struct schema_field *field)
{
	for (; *names; names++) {
		if (strcmp(*names, field->name) == 0)
			return true;
	}
	return false;
}

void schema_write_brief(struct json_writer *writer, const struct schema_field *fields,
			const char *const *names)
{
	json_open_object(writer);
	json_put_string(writer, "type", "object");
	json_open_object_at(writer, "properties");
	for (const struct schema_field *field = fields; field->name; field++) {
		if (!schema_is_named(names, field))
			continue;
		json_open_object_at(writer, field->name);
		json_put_string(writer, "type", schema_types[field->type].name);
		json_close_object(writer);
	}
	json_close_object(writer);
	json_open_array_at(writer, "required");
	for (const struct schema_field *field = fields; field->name; field++) {
		if (field->required && schema_is_named(names, field))
			json_write_string(writer, field->name);
	}
	json_close_array(writer);
	json_close_object(writer);
}

static const char *schema_check_integer(const struct schema_field *field,
					const struct json *value, struct arena *arena)
{
	int64_t number;

	if (!json_integer(value, &number))
		return arena_printf(arena, "%s must be a whole number of 64 bits at most",
				    field->name);
	if (schema_is_bounded(field) &&
	    (number < field->minimum || number > field->maximum))
		return arena_printf(arena, "%s must be from %lld to %lld", field->name,
				    (long long)field->minimum, (long long)field->maximum);
	return NULL;
}

static const char *schema_join_words(const char *const *words, struct arena *arena)
{
	const char *list = *words;

	while (list && *++words)
		list = arena_printf(arena, "%s, %s", list, *words);
	return list;
}

static const char *schema_check_string(const struct schema_field *field,
				       const struct json *value, struct arena *arena)
{
	int64_t length = schema_is_bounded(field) ? (int64_t)utf8_count(value->text) : 0;

	if (schema_is_bounded(field) &&
	    (length < field->minimum || length > field->maximum))
		return arena_printf(arena,
				    "%s must have %lld to %lld characters, not %lld",
				    field->name, (long long)field->minimum,
				    (long long)field->maximum, (long long)length);
	for (const char *const *word = field->words; word; word++) {
		if (!*word)
			return arena_printf(arena, "%s must be one of: %s", field->name,
					    schema_join_words(field->words, arena));
		if (strcmp(*word, value->text) == 0)
			break;
	}
	return NULL;
}

const char *schema_check_value(const struct schema_field *field, const struct json *value,
			       struct arena *arena)
{
	if (value->type != schema_types[field->type].type)
		return arena_printf(arena, "%s must be %s, not %s", field->name,
				    schema_types[field->type].article,
				    schema_seen_names[value->type]);
	if (field->type == SCHEMA_STRING)
		return schema_check_string(field, value, arena);
	return field->type == SCHEMA_INTEGER ? schema_check_integer(field, value, arena)
					     : NULL;
}

/* The problem names the array and the index: "message_ids[2] must be ..." */
static const char *schema_check_items(const struct schema_field *field,
				      const struct json *array, struct arena *arena)
{
	struct schema_field item = schema_item_field(field);
	const char *problem;
	unsigned place = 0;

	json_foreach (value, array) {
		problem = schema_check_value(&item, value, arena);
		if (problem)
			return arena_printf(arena, "%s[%u]%s", field->name, place,
					    problem + strlen(field->name));
		place++;
	}
	return NULL;
}

static const char *schema_join_names(const struct schema_field *fields, unsigned scopes,
				     struct arena *arena)
{
	const char *list = fields->name;

	while (list && (++fields)->name) {
		if (schema_shows(fields, scopes))
			list = arena_printf(arena, "%s, %s", list, fields->name);
	}
	return list ? list : "none";
}

static const char *schema_check_unknown(const struct schema_field *fields,
					unsigned scopes, const struct json *object,
					struct arena *arena)
{
	json_foreach (member, object) {
		const struct schema_field *field = fields;

		while (field->name && (strcmp(field->name, member->name) != 0 ||
				       !schema_shows(field, scopes)))
			field++;
		if (!field->name)
			return arena_printf(
				arena, "unknown parameter \"%s\"; the parameters are: %s",
				escape_quote(arena, member->name, SCHEMA_NAME_CHARACTERS),
				schema_join_names(fields, scopes, arena));
	}
	return NULL;
}

const char *schema_check(const struct schema_field *fields, unsigned scopes,
			 const struct json *object, struct arena *arena)
{
	const char *problem;

	if (object && object->type != JSON_OBJECT)
		return "must be an object";
	problem = object ? schema_check_unknown(fields, scopes, object, arena) : NULL;
	for (const struct schema_field *field = fields; field->name && !problem;
	     field++) {
		const struct json *value = json_member(object, field->name);

		if (value)
			problem = schema_check_value(field, value, arena);
		else if (field->required && !field->tool_checks_absence)
			problem = arena_printf(arena, "%s is missing", field->name);
		if (value && !problem && field->type == SCHEMA_ARRAY)
			problem = schema_check_items(field, value, arena);
	}
	return problem;
}
