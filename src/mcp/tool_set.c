/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/tool_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"
#include "mcp/permission.h"

#define BETWEEN_NAMES " \t,"

/* The name that begins at or after `text`; its length, 0: there is none. */
static size_t next_name(const char **text)
{
	*text += strspn(*text, BETWEEN_NAMES);
	return strcspn(*text, BETWEEN_NAMES);
}

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool is_hidden(const struct tool_set *set, const struct tool *tool)
{
	if (!set->hidden)
		return false;
	for (size_t i = 0; i < set->hidden->count; i++) {
		if (word_list_has(set->hidden->items[i], tool->name))
			return true;
	}
	return false;
}

static bool is_offered(const struct tool_set *set, const struct tool *tool)
{
	return !is_hidden(set, tool) && (!tool->usable || tool->usable(set->services));
}

static size_t count_tools(const struct tool *const *tools)
{
	size_t count = 0;

	while (tools[count])
		count++;
	return count;
}

static const struct tool **choose(const struct tool_set *set)
{
	const struct tool **chosen =
		calloc(count_tools(set->table) + 1, sizeof(struct tool *));
	const struct tool *const *tool;
	size_t count = 0;

	if (!chosen)
		return NULL;
	for (tool = set->table; *tool; tool++) {
		if (is_offered(set, *tool))
			chosen[count++] = *tool;
	}
	return chosen;
}

static bool are_same(const struct tool *const *some, const struct tool *const *others)
{
	while (*some && *some == *others) {
		some++;
		others++;
	}
	return *some == *others;
}

static void forget_lists(struct tool_set *set)
{
	for (size_t i = 0; i < sizeof(set->lists) / sizeof(set->lists[0]); i++)
		buffer_deinit(&set->lists[i]);
}

static unsigned scopes_of(const struct tool *const *tools)
{
	unsigned scopes = 0;

	for (; *tools; tools++)
		scopes |= (*tools)->scopes;
	return scopes;
}

int tool_set_review(struct tool_set *set)
{
	const struct tool **offered = choose(set);

	if (!offered)
		return -ENOMEM;
	if (set->offered && are_same(offered, set->offered)) {
		free(offered);
		return 0;
	}
	tool_set_deinit(set);
	set->offered = offered;
	set->scopes = scopes_of(offered);
	return 1;
}

int tool_set_init(struct tool_set *set, const struct tool *const *table,
		  const struct config_list *hidden, const void *services)
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
	forget_lists(set);
	free(set->offered);
	set->offered = NULL;
}

static bool write_list(const struct tool_set *set, unsigned scopes, struct buffer *list)
{
	struct json_writer *writer = json_writer_new(list);

	if (!writer)
		return false;
	tool_list_write(writer, set->offered, scopes);
	json_writer_free(writer);
	return !list->failed;
}

const struct buffer *tool_set_list(struct tool_set *set, unsigned scopes)
{
	struct buffer *list = &set->lists[scopes & set->scopes];

	if (list->length || write_list(set, scopes, list))
		return list;
	buffer_deinit(list);
	return NULL;
}

bool tool_set_is_same(const struct tool_set *set, unsigned scopes, unsigned others)
{
	for (const struct tool **tool = set->offered; *tool; tool++) {
		if (permission_covers(scopes, (*tool)->scopes) !=
		    permission_covers(others, (*tool)->scopes))
			return false;
	}
	return true;
}

static bool is_in_table(const struct tool *const *table, const char *text, size_t length)
{
	for (; *table; table++) {
		if (is_name((*table)->name, text, length))
			return true;
	}
	return false;
}

bool tool_set_knows(const struct tool *const *table, const struct config_list *hidden,
		    const char **name_out, size_t *length_out)
{
	for (size_t i = 0; i < hidden->count; i++) {
		const char *name = hidden->items[i];
		size_t length;

		for (; (length = next_name(&name)); name += length) {
			if (is_in_table(table, name, length))
				continue;
			*name_out = name;
			*length_out = length;
			return false;
		}
	}
	return true;
}
