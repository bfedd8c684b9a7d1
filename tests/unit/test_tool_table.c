/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every row of the tool table. */
#include "unit_test.h"
#include <string.h>

#include "mcp/tool.h"
#include "tools/tool_table.h"

static bool has(const struct schema_field *fields, const char *name)
{
	while (fields->name && strcmp(fields->name, name) != 0)
		fields++;
	return fields->name;
}

/* tools/list would show less than its author meant. */
TEST(test_listed_members_are_members_of_the_answer)
{
	for (const struct tool *const *tool = tool_table; *tool; tool++) {
		const char *const *name = (*tool)->listed;

		for (; name && *name; name++) {
			if (!has((*tool)->output, *name))
				fail_msg("%s: %s", (*tool)->name, *name);
		}
	}
}

/* A name that was given up must not come to mean something else. */
TEST(test_no_former_name_is_a_name_of_another_tool)
{
	for (const struct tool *const *tool = tool_table; *tool; tool++) {
		for (const struct tool *const *other = tool_table; *other; other++) {
			if ((*tool)->former_name)
				assert_string_not_equal((*tool)->former_name,
							(*other)->name);
		}
	}
}

static void assert_checked(const char *name, const struct schema_field *field)
{
	for (; field->name; field++) {
		enum schema_type type =
			field->type == SCHEMA_ARRAY ? field->items : field->type;

		if (field->members || (type != SCHEMA_STRING && type != SCHEMA_INTEGER &&
				       type != SCHEMA_BOOLEAN))
			fail_msg("%s: %s", name, field->name);
	}
}

/* schema_check() looks neither into objects nor at the value of a fraction. */
TEST(test_every_argument_is_of_a_type_that_is_checked)
{
	for (const struct tool *const *tool = tool_table; *tool; tool++)
		assert_checked((*tool)->name, (*tool)->input);
	for (const struct event_type *const *type = event_table; *type; type++)
		assert_checked((*type)->name, (*type)->arguments);
}
