/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/era.h"

#include <string.h>

const struct revision revision_family_2025[] = {
	{ "2025-11-25", .resumes = true, .form = FORM_STYLE_TITLES },
	{ "2025-06-18", .form = FORM_STYLE_ENUM_NAMES },
	{ "2025-03-26" },
	{ "2024-11-05" }, /* only its initialize; it has another transport otherwise */
	{ NULL },
};

const struct revision revision_family_2026[] = {
	{ "2026-07-28", .form = FORM_STYLE_TITLES },
	{ NULL },
};

const struct revision *revision_find(const struct revision *family, const char *name)
{
	for (; family->name; family++) {
		if (strcmp(family->name, name) == 0)
			return family;
	}
	return NULL;
}

static void revision_write_family(const struct revision *family,
				  struct json_writer *writer)
{
	for (; family->name; family++)
		json_write_string(writer, family->name);
}

void revision_write_names(const struct revision *family, struct json_writer *writer)
{
	json_open_array(writer);
	revision_write_family(family, writer);
	json_close_array(writer);
}

void revision_write_all_names(struct json_writer *writer)
{
	json_open_array(writer);
	revision_write_family(revision_family_2026, writer);
	revision_write_family(revision_family_2025, writer);
	json_close_array(writer);
}
