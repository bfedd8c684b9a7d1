/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tools/list is written once per set of scopes, on first use, and kept until the offered
 * tools change, because clients ask for it in every conversation.
 */
#include "config/config_list.h"
#include "mcp/tool_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"

#define TOOL_SET_SEPARATORS " \t,"

static bool tool_set_is_offered(const struct tool_set *set, const struct tool *tool)
{
	for (size_t i = 0; set->hidden && i < set->hidden->count; i++) {
		if (word_list_has(set->hidden->items[i], tool->name))
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

int tool_set_review(struct tool_set *set)
{
	const struct tool **offered = tool_set_choose(set);

	if (!offered)
		return -ENOMEM;
	if (set->offered && tool_set_lists_match(offered, set->offered)) {
		free(offered);
		return 0;
	}
	tool_set_deinit(set);
	set->offered = offered;
	set->scopes = 0;
	for (; *offered; offered++)
		set->scopes |= (*offered)->scopes;
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
	free(set->offered);
	set->offered = NULL;
}

static const struct {
	enum tool_flag flag;
	const char *hint;
} tool_set_hints[] = {
	{ TOOL_READ_ONLY, "readOnlyHint" },
	{ TOOL_DESTRUCTIVE, "destructiveHint" },
	{ TOOL_IDEMPOTENT, "idempotentHint" },
	{ TOOL_OPEN_WORLD, "openWorldHint" },
};

/*
 * MCP Apps: the page that shows the tool, and who sees it. Early hosts read the flat key.
 */
static void tool_set_write_page(struct json_writer *writer, const struct tool *tool)
{
	json_open_object_at(writer, "_meta");
	json_open_object_at(writer, "ui");
	json_put_string(writer, "resourceUri", tool->page);
	json_open_array_at(writer, "visibility");
	if (!(tool->flags & TOOL_FOR_PAGES))
		json_write_string(writer, "model");
	json_write_string(writer, "app");
	json_close_array(writer);
	json_close_object(writer);
	json_put_string(writer, "ui/resourceUri", tool->page);
	json_close_object(writer);
}

static void tool_set_write_tool(struct json_writer *writer, const struct tool *tool)
{
	json_open_object(writer);
	json_put_string(writer, "name", tool->name);
	json_put_string(writer, "title", tool->title);
	json_put_string(writer, "description", tool->description);
	json_key(writer, "inputSchema");
	schema_write(writer, tool->input, SCHEMA_CLOSED);
	json_key(writer, "outputSchema");
	schema_write(writer, tool->output, SCHEMA_OPEN);
	json_open_object_at(writer, "annotations");
	for (size_t i = 0; i < sizeof(tool_set_hints) / sizeof(tool_set_hints[0]); i++)
		json_put_boolean(writer, tool_set_hints[i].hint,
				 tool->flags & tool_set_hints[i].flag);
	json_close_object(writer);
	if (tool->page)
		tool_set_write_page(writer, tool);
	json_close_object(writer);
}

void tool_set_write_list(struct json_writer *writer, const struct tool *const *tools,
			 unsigned scopes)
{
	json_open_array(writer);
	for (; *tools; tools++) {
		if (request_scopes_cover(scopes, (*tools)->scopes))
			tool_set_write_tool(writer, *tools);
	}
	json_close_array(writer);
}

static bool tool_set_make_list(const struct tool_set *set, unsigned scopes,
			       struct buffer *list)
{
	struct json_writer *writer = json_writer_new(list);

	if (!writer)
		return false;
	tool_set_write_list(writer, set->offered, scopes);
	json_writer_free(writer);
	return !list->failed;
}

const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes)
{
	struct buffer *list = &set->lists[scopes & set->scopes];

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
	}
	return true;
}

static bool tool_set_is_in_table(const struct tool *const *table, const char *text,
				 size_t length)
{
	for (; *table; table++) {
		if (strlen((*table)->name) == length &&
		    memcmp((*table)->name, text, length) == 0)
			return true;
	}
	return false;
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
			if (tool_set_is_in_table(table, name, length))
				continue;
			*name_out = name;
			*length_out = length;
			return false;
		}
	}
	return true;
}
