/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A name resembles a parameter if it is the same word by word (toPhoneNumber, to-phone-number),
 * if one has all words of the other and at least half of its words (phone_number,
 * to_phone_number), if two letters differ at most, or if the table lists it, word by word, among
 * the parameter's other names. It is refused only while that parameter
 * itself is not given: a host's toolCallId beside call_id is a member of the host.
 */
#include "mcp/tool_arguments.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/spelling.h"
#include "base/word_list.h"

enum {
	TOOL_ARGUMENTS_NAME_BYTES = 48, /* longer names resemble no parameter */
	TOOL_ARGUMENTS_WORDS_MAX = 8,
	TOOL_ARGUMENTS_IGNORED_MAX = 16, /* named in an answer; so for those misspelt */
	TOOL_ARGUMENTS_SHOWN_CHARACTERS = 40,
	TOOL_ARGUMENTS_SHORT = 4, /* of such a name one letter may differ */
};

/* A name in lower case, and its words. */
struct tool_arguments_name {
	char text[2 * TOOL_ARGUMENTS_NAME_BYTES];
	const char *words[TOOL_ARGUMENTS_WORDS_MAX];
	size_t count; /* 0 if it is too long, or nothing that could be a parameter */
};

static void tool_arguments_split(const char *given, struct tool_arguments_name *name)
{
	char *end = name->text;
	bool in_word = false;

	name->count = 0;
	if (strlen(given) >= TOOL_ARGUMENTS_NAME_BYTES)
		return;
	for (const char *at = given; *at; at++) {
		bool begins = !in_word || (isupper((unsigned char)*at) &&
					   islower((unsigned char)at[-1]));

		if (!isalnum((unsigned char)*at)) {
			in_word = false;
			continue;
		}
		if (begins && name->count == TOOL_ARGUMENTS_WORDS_MAX) {
			name->count = 0;
			return;
		}
		if (begins) {
			*end++ = '\0';
			name->words[name->count++] = end;
		}
		*end++ = (char)tolower((unsigned char)*at);
		in_word = true;
	}
	*end = '\0';
}

static bool tool_arguments_has_word(const struct tool_arguments_name *name,
				    const char *word)
{
	for (size_t i = 0; i < name->count; i++) {
		if (strcmp(name->words[i], word) == 0)
			return true;
	}
	return false;
}

/* Has `name` all words of `part`, and are these half of its words or more? */
static bool tool_arguments_contain(const struct tool_arguments_name *name,
				   const struct tool_arguments_name *part)
{
	for (size_t i = 0; i < part->count; i++) {
		if (!tool_arguments_has_word(name, part->words[i]))
			return false;
	}
	return part->count && 2 * part->count >= name->count;
}

static bool tool_arguments_resemble(const char *given, const char *known)
{
	unsigned may_differ = strlen(known) > TOOL_ARGUMENTS_SHORT ? 2 : 1;
	struct tool_arguments_name name, parameter;

	tool_arguments_split(given, &name);
	tool_arguments_split(known, &parameter);
	if (!name.count || !parameter.count)
		return false;
	return tool_arguments_contain(&parameter, &name) ||
	       tool_arguments_contain(&name, &parameter) ||
	       spelling_distance(given, known) <= may_differ;
}

/* "sendTime" is "send_time". */
static bool tool_arguments_is_other_name(const char *given, const char *other_names)
{
	char joined[2 * TOOL_ARGUMENTS_NAME_BYTES], *end = joined;
	struct tool_arguments_name name;

	tool_arguments_split(given, &name);
	for (size_t i = 0; i < name.count; i++)
		end += sprintf(end, "%s%s", i ? "_" : "", name.words[i]);
	return name.count && word_list_has(other_names, joined);
}

/* Clients with other scopes may have a parameter of the same name. */
static const struct schema_field *tool_arguments_find(const struct schema_field *fields,
						      unsigned scopes, const char *name,
						      bool *is_hidden_out)
{
	*is_hidden_out = false;
	for (; fields->name; fields++) {
		if (strcmp(fields->name, name) != 0)
			continue;
		if (schema_shows(fields, scopes))
			return fields;
		*is_hidden_out = true;
	}
	return NULL;
}

/* Returns the parameter that `name` was probably meant to be; NULL if there is none. */
static const char *tool_arguments_meant(const struct schema_field *fields,
					unsigned scopes, const struct json *given,
					const char *name)
{
	for (; fields->name; fields++) {
		if (schema_shows(fields, scopes) && !json_member(given, fields->name) &&
		    (tool_arguments_is_other_name(name, fields->other_names) ||
		     tool_arguments_resemble(name, fields->name)))
			return fields->name;
	}
	return NULL;
}

static bool tool_arguments_is_absent(const struct schema_field *field,
				     const struct json *value)
{
	bool is_empty = value->type == JSON_STRING && !value->length;

	return value->type == JSON_NULL ||
	       (is_empty && !field->required &&
		(field->minimum > 0 || field->words || field->type == SCHEMA_INTEGER));
}

/* Some hosts fill in 0 for what they leave out: no ID is 0, nor a number with a greater minimum. */
static bool tool_arguments_is_stray_zero(const struct schema_field *field,
					 const struct json *value)
{
	size_t length = strlen(field->name);
	bool is_id = length > 3 && strcmp(field->name + length - 3, "_id") == 0;
	int64_t number;

	return !field->required && field->type == SCHEMA_INTEGER &&
	       json_integer(value, &number) && number == 0 &&
	       (is_id || field->minimum > 0);
}

/* Returns false if memory runs out. */
static bool tool_arguments_append(struct json *list, struct json **last,
				  const struct json *value, struct arena *arena)
{
	struct json *copy = arena_alloc(arena, sizeof(*copy));

	if (!copy)
		return false;
	*copy = *value;
	copy->next = NULL;
	*(*last ? &(*last)->next : &list->first) = copy;
	*last = copy;
	list->count++;
	return true;
}

static bool tool_arguments_ignore(struct json *ignored, struct json **last,
				  const char *name, struct arena *arena)
{
	const char *shown = escape_quote(arena, name, TOOL_ARGUMENTS_SHOWN_CHARACTERS);
	const struct json text = { .type = JSON_STRING,
				   .text = shown,
				   .length = shown ? strlen(shown) : 0 };

	if (ignored->count == TOOL_ARGUMENTS_IGNORED_MAX)
		return true;
	return shown && tool_arguments_append(ignored, last, &text, arena);
}

/* Returns what is wrong with a member, whatever its value; NULL if it is a parameter or ignored. */
static const char *tool_arguments_misuse(const struct schema_field *fields,
					 unsigned scopes, const struct json *given,
					 const struct json *member, struct arena *arena)
{
	bool is_hidden;
	const struct schema_field *field =
		tool_arguments_find(fields, scopes, member->name, &is_hidden);
	const char *meant =
		field ? NULL : tool_arguments_meant(fields, scopes, given, member->name);
	const char *problem = NULL;

	if (meant)
		problem = arena_printf(arena, "unknown parameter \"%s\"; use \"%s\"",
				       escape_quote(arena, member->name,
						    TOOL_ARGUMENTS_SHOWN_CHARACTERS),
				       meant);
	else if (!field && is_hidden)
		problem = arena_printf(arena, "unknown parameter \"%s\"", member->name);
	else if (field && tool_arguments_is_stray_zero(field, member))
		problem = arena_printf(arena, "%s can't be 0; leave it out", field->name);
	else
		return NULL;
	return problem ? problem : "out of memory";
}

/* Adds to what is wrong with the names: all of it is said, so that one more call mends it. */
static const char *tool_arguments_add_misuse(const char *all, const char *misuse,
					     struct arena *arena)
{
	const char *joined =
		all ? arena_printf(arena, "%s, and %s", all, misuse) : misuse;

	return joined ? joined : "out of memory";
}

const char *tool_arguments_read(const struct schema_field *fields, unsigned scopes,
				const struct json *given, struct arena *arena,
				struct tool_arguments *arguments_out)
{
	struct json *last = NULL, *last_ignored = NULL;
	struct json *object, *ignored;
	const char *misuses = NULL;
	size_t misused = 0;
	bool has_memory = true;

	*arguments_out = (struct tool_arguments){ .object = given };
	if (!given || given->type != JSON_OBJECT)
		return schema_check(fields, scopes, given, arena);
	object = arena_alloc(arena, sizeof(*object));
	ignored = arena_alloc(arena, sizeof(*ignored));
	if (!object || !ignored)
		return "out of memory";
	*object = *given;
	object->first = NULL;
	object->count = 0;
	*ignored = (struct json){ .type = JSON_ARRAY };
	json_foreach (member, given) {
		bool is_hidden;
		const struct schema_field *field =
			tool_arguments_find(fields, scopes, member->name, &is_hidden);
		const char *misuse = misused < TOOL_ARGUMENTS_IGNORED_MAX
					     ? tool_arguments_misuse(fields, scopes,
								     given, member, arena)
					     : NULL;

		if (misuse) {
			misuses = tool_arguments_add_misuse(misuses, misuse, arena);
			misused++;
		} else if (!field) {
			has_memory &= tool_arguments_ignore(ignored, &last_ignored,
							    member->name, arena);
		} else if (!tool_arguments_is_absent(field, member)) {
			has_memory &= tool_arguments_append(object, &last, member, arena);
		}
	}
	if (!has_memory)
		return "out of memory";
	arguments_out->object = object;
	if (ignored->count)
		arguments_out->ignored = ignored;
	if (misuses)
		return misuses;
	return schema_check(fields, scopes, object, arena);
}
