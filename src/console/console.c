/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "console/console.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* console_document.S */
extern const char console_document_begin[], console_document_end[];

struct console_part console_document(void)
{
	return (struct console_part){
		console_document_begin,
		(uintptr_t)console_document_end - (uintptr_t)console_document_begin,
	};
}

/* tests/unit/test_console.c checks that both occur exactly once in our document. */
static struct console_part console_find_between(const char *before, const char *after)
{
	struct console_part all = console_document();
	const char *begin = memmem(all.text, all.length, before, strlen(before));
	const char *end;

	assert(begin);
	begin += strlen(before);
	end = memmem(begin, (size_t)(all.text + all.length - begin), after,
		     strlen(after));
	assert(end);
	return (struct console_part){ begin, (size_t)(end - begin) };
}

struct console_part console_style(void)
{
	return console_find_between("<style>", "</style>");
}

struct console_part console_script(void)
{
	return console_find_between("<script type=\"module\">", "</script>");
}
