/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tools are offered, and when the set counts as changed. */
#include "unit_test.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "config/config_list.h"
#include "mcp/tool_set.h"

static const struct schema_field nothing[] = { { 0 } };

struct services {
	bool two_is_usable;
};

static bool is_usable(const struct services *services)
{
	return services->two_is_usable;
}

#define TOOL(id) \
	.name = id, .title = id, .description = id, .input = nothing, .output = nothing

static const struct tool one = { TOOL("one"), .scopes = CLIENT_READ };
static const struct tool two = { TOOL("two"), .usable = is_usable };
static const struct tool three = { TOOL("three"), .former_name = "drei",
				   .scopes = CLIENT_SEND };
static const struct tool *const table[] = { &one, &two, &three, NULL };

static struct services services;
static struct config_list hidden;
static struct tool_set set;

static int set_up(void **state)
{
	services.two_is_usable = true;
	config_list_clear(&hidden);
	return tool_set_init(&set, table, &hidden, &services);
}

static int tear_down(void **state)
{
	tool_set_deinit(&set);
	return 0;
}

static void hide(const char *value)
{
	strcpy(hidden.items[hidden.count++], value);
}

/* `names` in this order, each followed by a space. */
static void expect_list(unsigned scopes, const char *names)
{
	const struct buffer *list = tool_set_list(&set, scopes);
	char found[64] = "";
	const char *at;

	assert_non_null(list);
	assert_memory_equal(list->data, "[", 1);
	for (at = list->data; at < list->data + list->length; at++) {
		for (const struct tool *const *tool = table; *tool; tool++) {
			char name[32];
			int length = snprintf(name, sizeof(name), "\"name\":\"%s\"",
					      (*tool)->name);

			if (at + length > list->data + list->length ||
			    memcmp(at, name, (size_t)length) != 0)
				continue;
			strcat(found, (*tool)->name);
			strcat(found, " ");
		}
	}
	assert_string_equal(found, names);
}

/* `names`, each followed by a space. */
static void expect(const char *names)
{
	char found[64] = "";

	for (const struct tool **tool = set.offered; *tool; tool++) {
		strcat(found, (*tool)->name);
		strcat(found, " ");
	}
	assert_string_equal(found, names);
	expect_list(CLIENT_SCOPES_ALL, names);
}

FIXTURE(set_up, tear_down)

TEST(test_an_unusable_tool_is_not_offered)
{
	services.two_is_usable = false;
	assert_int_equal(tool_set_review(&set), 1);
	expect("one three ");
	assert_int_equal(tool_set_review(&set), 0);
	services.two_is_usable = true;
	assert_int_equal(tool_set_review(&set), 1);
	expect("one two three ");
}

TEST(test_a_hidden_tool_is_not_offered)
{
	hide("three");
	hide(" ,one,,\t");
	assert_int_equal(tool_set_review(&set), 1);
	expect("two ");
	services.two_is_usable = false;
	assert_int_equal(tool_set_review(&set), 1);
	expect("");
	config_list_clear(&hidden);
	hide("two");
	assert_int_equal(tool_set_review(&set), 1);
	expect("one three ");
	services.two_is_usable = true; /* still hidden */
	assert_int_equal(tool_set_review(&set), 0);
}

TEST(test_only_whole_names_hide_a_tool)
{
	hide("on thre onetwo twothree");
	assert_int_equal(tool_set_review(&set), 0);
	expect("one two three ");
}

TEST(test_clients_see_only_tools_of_their_scopes)
{
	expect_list(0, "two ");
	expect_list(CLIENT_READ, "one two ");
	expect_list(CLIENT_SEND, "two three ");
	expect_list(CLIENT_READ | CLIENT_SEND, "one two three ");
	hide("one");
	assert_int_equal(tool_set_review(&set), 1);
	expect_list(CLIENT_READ | CLIENT_SEND, "two three ");
	expect_list(CLIENT_READ, "two ");
	assert_true(tool_set_looks_same(&set, CLIENT_READ, 0)); /* it is hidden */
	assert_false(tool_set_looks_same(&set, CLIENT_READ, CLIENT_SEND));
	assert_true(tool_set_looks_same(&set, CLIENT_SEND, CLIENT_SEND | CLIENT_ADMIN));
}

/* Whatever the number of clients and requests. */
TEST(test_one_list_is_kept_per_relevant_set_of_scopes)
{
	const struct buffer *list = tool_set_list(&set, CLIENT_READ);

	assert_ptr_equal(tool_set_list(&set, CLIENT_READ), list);
	assert_ptr_equal(tool_set_list(&set, CLIENT_READ | CLIENT_ADMIN | CLIENT_CODES),
			 list);
	assert_ptr_not_equal(tool_set_list(&set, CLIENT_SEND), list);
	assert_ptr_equal(tool_set_list(&set, UINT_MAX),
			 tool_set_list(&set, CLIENT_READ | CLIENT_SEND));
}

/* Until the next review both still treat the unusable tool as offered. */
TEST(test_list_and_calls_agree_between_reviews)
{
	services.two_is_usable = false;
	expect_list(CLIENT_READ, "one two ");
	assert_int_equal(tool_set_review(&set), 1);
	expect_list(CLIENT_READ, "one ");
}
