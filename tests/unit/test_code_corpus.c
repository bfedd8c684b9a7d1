/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many codes stay readable, and how many messages without one are touched: measured on
 * tests/unit/code_corpus, bounded for each folder of it. CODE_CORPUS_SHOW=1 prints what went
 * wrong in what the rules were written with, =2 in all.
 */
#include "unit_test.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "text/code_mask.h"

enum {
	LINE_BYTES = 1024,
	MASKED_PERCENT_MOST = 3,
	PIECE_LEAST = 3,
	LANGUAGES_LEAST = 10,
	MESSAGES_LEAST = 400,
};

struct half {
	const char *name;
	unsigned unmasked_percent_most;
	unsigned codes, unmasked, others, masked;
};

/* What is held out has mostly kinds of message that the rules were not written with. */
static struct half halves[] = {
	{ "known", 2, 0, 0, 0, 0 },
	{ "held_out", 22, 0, 0, 0, 0 },
};
static int show;

/* Of "482/913" neither half may be left. */
static bool is_left(const char *masked, char *code)
{
	if (strstr(masked, code))
		return true;
	for (char *piece = strtok(code, " -/.\n"); piece;
	     piece = strtok(NULL, " -/.\n")) {
		if (strlen(piece) >= PIECE_LEAST && strstr(masked, piece))
			return true;
	}
	return false;
}

static void judge(struct half *half, char *code, const char *text)
{
	struct buffer buffer = BUFFER_INIT;
	bool any = code_mask(text, &buffer), wrong;

	buffer_append(&buffer, "", 1);
	if (strcmp(code, "-") == 0) {
		wrong = any;
		half->others++;
		half->masked += wrong;
	} else {
		wrong = !any || is_left(buffer.data, code);
		half->codes++;
		half->unmasked += wrong;
	}
	if (wrong && show > half - halves)
		printf("%s: %s\n   -> %s\n", half->name, text,
		       any ? buffer.data : "untouched");
	buffer_deinit(&buffer);
}

static void read_file(const char *path, struct half *half)
{
	FILE *file = fopen(path, "r");
	char line[LINE_BYTES];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *text = strstr(line, " | ");

		line[strcspn(line, "\n")] = '\0';
		assert_non_null(text);
		*text = '\0';
		text += strlen(" | ");
		corpus_unescape(line);
		corpus_unescape(text);
		judge(half, line, text);
	}
	fclose(file);
}

static int is_list(const struct dirent *entry)
{
	const char *end = strrchr(entry->d_name, '.');

	return end && strcmp(end, ".txt") == 0;
}

static void read_half(struct half *half)
{
	char name[64], folder[512], path[1024];
	struct dirent **entries;
	int count;

	snprintf(name, sizeof(name), "code_corpus/%s", half->name);
	corpus_path(folder, sizeof(folder), name);
	count = scandir(folder, &entries, is_list, alphasort);
	assert_true(count >= LANGUAGES_LEAST);
	for (int at = 0; at < count; at++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[at]->d_name);
		read_file(path, half);
		free(entries[at]);
	}
	free(entries);
}

TEST(test_corpus)
{
	unsigned messages = 0;

	show = getenv("CODE_CORPUS_SHOW") ? atoi(getenv("CODE_CORPUS_SHOW")) : 0;
	for (size_t at = 0; at < 2; at++) {
		struct half *half = &halves[at];

		read_half(half);
		printf("%s: %u of %u codes unmasked, %u of %u other messages masked\n",
		       half->name, half->unmasked, half->codes, half->masked,
		       half->others);
		messages += half->codes + half->others;
	}
	assert_true(messages >= MESSAGES_LEAST);
	for (size_t at = 0; at < 2; at++) {
		struct half *half = &halves[at];

		assert_true(half->codes >= 50 && half->others >= 50);
		assert_true(half->unmasked * 100 <=
			    half->codes * half->unmasked_percent_most);
		assert_true(half->masked * 100 <= half->others * MASKED_PERCENT_MOST);
	}
}
