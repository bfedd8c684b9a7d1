/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tools/list is written once per set of scopes, on first use, and kept until the offered
 * tools change, because clients ask for it in every conversation.
 */
#include "config/config_list.h"
#include "mcp/tool_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"

#define TOOL_SET_SEPARATORS " \t,"

static bool tool_set_is_offered(const struct tool_set *set, const struct tool *tool)
{
	for (size_t i = 0; set->hidden && i < set->hidden->count; i++) {
		if (word_list_has(set->hidden->items[i], tool->name) ||
		    (tool->former_name &&
		     word_list_has(set->hidden->items[i], tool->former_name)))
			return false;
	}
	return !tool->usable || tool->usable(set->services);
}

static const struct tool **tool_set_choose(const struct tool_set *set)
{
	const struct tool **chosen;
	size_t count = 0;

	while (set->table[count])
		count++;
	chosen = calloc(count + 1, sizeof(struct tool *));
	if (!chosen)
		return NULL;
	count = 0;
	for (const struct tool *const *tool = set->table; *tool; tool++) {
		if (tool_set_is_offered(set, *tool))
			chosen[count++] = *tool;
	}
	return chosen;
}

static bool tool_set_lists_match(const struct tool *const *some,
				 const struct tool *const *others)
{
	while (*some && *some == *others) {
		some++;
		others++;
	}
	return *some == *others;
}

static void tool_set_describe(const struct tool_set *set, const struct tool *const *tool,
			      struct buffer *described)
{
	for (; *tool; tool++) {
		for (const struct schema_field *field = (*tool)->input; field->name;
		     field++) {
			if (field->describe)
				field->describe(set->services, described);
		}
	}
}

static bool tool_set_buffers_match(const struct buffer *one, const struct buffer *other)
{
	return one->length == other->length &&
	       (!one->length || memcmp(one->data, other->data, one->length) == 0);
}

/* Returns all scopes on which it depends what a client sees of the tool. */
static unsigned tool_set_scopes_of(const struct tool *tool)
{
	unsigned scopes = tool->scopes;

	for (const struct schema_field *field = tool->input; field->name; field++)
		scopes |= field->scopes;
	return scopes;
}

int tool_set_review(struct tool_set *set)
{
	const struct tool **offered = tool_set_choose(set);
	struct buffer described = BUFFER_INIT;

	if (offered)
		tool_set_describe(set, offered, &described);
	if (!offered || described.failed) {
		free(offered);
		buffer_deinit(&described);
		return -ENOMEM;
	}
	if (set->offered && tool_set_lists_match(offered, set->offered) &&
	    tool_set_buffers_match(&described, &set->described)) {
		free(offered);
		buffer_deinit(&described);
		return 0;
	}
	tool_set_deinit(set);
	set->offered = offered;
	set->described = described;
	set->scopes = 0;
	for (; *offered; offered++)
		set->scopes |= tool_set_scopes_of(*offered);
	return 1;
}

int tool_set_init(struct tool_set *set, const struct tool *const *table,
		  const struct config_list *hidden, const struct services *services)
{
	int changed;

	*set = (struct tool_set){
		.table = table,
		.hidden = hidden,
		.services = services,
	};
	changed = tool_set_review(set);
	return changed < 0 ? changed : 0;
}

void tool_set_deinit(struct tool_set *set)
{
	for (size_t i = 0; i < sizeof(set->lists) / sizeof(set->lists[0]); i++)
		buffer_deinit(&set->lists[i]);
	buffer_deinit(&set->described);
	free(set->offered);
	set->offered = NULL;
}

/* The fourth, idempotentHint, says nothing about a tool that only reads, or if false. */
static void tool_set_write_annotations(struct json_writer *writer,
				       const struct tool *tool)
{
	bool reads = tool->flags & TOOL_READ_ONLY;

	json_open_object_at(writer, "annotations");
	json_put_boolean(writer, "readOnlyHint", reads);
	json_put_boolean(writer, "destructiveHint", tool->flags & TOOL_DESTRUCTIVE);
	if (!reads && (tool->flags & TOOL_IDEMPOTENT))
		json_put_boolean(writer, "idempotentHint", true);
	json_put_boolean(writer, "openWorldHint", tool->flags & TOOL_OPEN_WORLD);
	json_close_object(writer);
}

/*
 * Writes, for MCP Apps, the page that shows the tool, and who sees it if not the model as well.
 * Early hosts read the flat key.
 */
static void tool_set_write_page(struct json_writer *writer, const struct tool *tool)
{
	json_open_object_at(writer, "_meta");
	json_open_object_at(writer, "ui");
	json_put_string(writer, "resourceUri", tool->page);
	if (tool->flags & TOOL_FOR_PAGES) {
		json_open_array_at(writer, "visibility");
		json_write_string(writer, "app");
		json_close_array(writer);
	}
	json_close_object(writer);
	json_put_string(writer, "ui/resourceUri", tool->page);
	json_close_object(writer);
}

static void tool_set_write_tool(struct json_writer *writer, const struct tool *tool,
				const struct schema_reader *reader)
{
	json_open_object(writer);
	json_put_string(writer, "name", tool->name);
	json_put_string(writer, "title", tool->title);
	schema_put_text(writer, "description", tool->description, reader);
	json_key(writer, "inputSchema");
	schema_write(writer, tool->input, SCHEMA_CLOSED, reader);
	json_key(writer, "outputSchema");
	if (reader && tool->listed)
		schema_write_brief(writer, tool->output, tool->listed);
	else
		schema_write(writer, tool->output, SCHEMA_OPEN, reader);
	tool_set_write_annotations(writer, tool);
	if (tool->page)
		tool_set_write_page(writer, tool);
	json_close_object(writer);
}

struct schema_reader tool_set_reader(const struct tool_set *set, unsigned scopes)
{
	return (struct schema_reader){ set->table, set->offered, scopes, set->services };
}

void tool_set_write_catalogue(struct json_writer *writer, const struct tool *const *tools)
{
	json_open_array(writer);
	for (; *tools; tools++)
		tool_set_write_tool(writer, *tools, NULL);
	json_close_array(writer);
}

static bool tool_set_make_list(const struct tool_set *set, unsigned scopes,
			       struct buffer *list)
{
	const struct schema_reader reader = tool_set_reader(set, scopes);
	struct json_writer *writer = json_writer_new(list);

	if (!writer)
		return false;
	json_open_array(writer);
	for (const struct tool **tool = set->offered; *tool; tool++) {
		if (request_scopes_cover(scopes, (*tool)->scopes))
			tool_set_write_tool(writer, *tool, &reader);
	}
	json_close_array(writer);
	json_writer_free(writer);
	return !list->failed;
}

/* Numbers the sets of those scopes that matter: a bit for each of them. */
static unsigned tool_set_index(const struct tool_set *set, unsigned scopes)
{
	unsigned index = 0, bit = 1;

	for (unsigned scope = 1; scope & CLIENT_SCOPES_ALL; scope <<= 1) {
		if (!(set->scopes & scope))
			continue;
		if (scopes & scope)
			index |= bit;
		bit <<= 1;
	}
	assert(bit <= TOOL_SET_LISTS_MAX);
	return index;
}

const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes)
{
	struct buffer *list = &set->lists[tool_set_index(set, scopes)];

	if (list->length || tool_set_make_list(set, scopes, list))
		return list;
	buffer_deinit(list);
	return NULL;
}

bool tool_set_looks_same(const struct tool_set *set, unsigned scopes, unsigned others)
{
	for (const struct tool **tool = set->offered; *tool; tool++) {
		if (request_scopes_cover(scopes, (*tool)->scopes) !=
		    request_scopes_cover(others, (*tool)->scopes))
			return false;
		for (const struct schema_field *field = (*tool)->input; field->name;
		     field++) {
			if (schema_shows(field, scopes) != schema_shows(field, others))
				return false;
		}
	}
	return true;
}

static bool tool_set_is_name(const char *name, const char *text, size_t length)
{
	return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

const struct tool *tool_set_find(const struct tool *const *tools, const char *name,
				 size_t length)
{
	for (; *tools; tools++) {
		if (tool_set_is_name((*tools)->name, name, length) ||
		    tool_set_is_name((*tools)->former_name, name, length))
			return *tools;
	}
	return NULL;
}

bool tool_set_check_names(const struct tool *const *table,
			  const struct config_list *hidden, const char **name_out,
			  size_t *length_out)
{
	for (size_t i = 0; i < hidden->count; i++) {
		const char *name = hidden->items[i];
		size_t length;

		for (;; name += length) {
			name += strspn(name, TOOL_SET_SEPARATORS);
			length = strcspn(name, TOOL_SET_SEPARATORS);
			if (!length)
				break;
			if (tool_set_find(table, name, length))
				continue;
			*name_out = name;
			*length_out = length;
			return false;
		}
	}
	return true;
}
