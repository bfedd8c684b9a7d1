/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts that stand in folders beside the tests, one in a line; "\n" is a line feed there. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* `name` begins with the folder of the corpus. */
static inline void corpus_path(char *path, size_t size, const char *name)
{
	static const char here[] = __FILE__;
	int length = (int)(strrchr(here, '/') - here);

	assert_true(snprintf(path, size, "%.*s/%s", length, here, name) < (int)size);
}

static inline FILE *corpus_open(const char *name)
{
	char path[512];
	FILE *file;

	corpus_path(path, sizeof(path), name);
	file = fopen(path, "r");
	assert_non_null(file);
	return file;
}

static inline void corpus_unescape(char *text)
{
	char *end = text;

	for (; *text; text++) {
		bool is_feed = text[0] == '\\' && text[1] == 'n';

		*end++ = is_feed ? '\n' : *text;
		text += is_feed;
	}
	*end = '\0';
}
