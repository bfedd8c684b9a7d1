/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/audit_report.h"
#include "cli/shown_time.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "store/audit_event.h"

enum { DETAIL_ARENA_BYTES = 256 * 1024 };

static void put_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			fputs("\\n", stdout);
		else if (text[i] == '\t')
			fputs("\\t", stdout);
		else
			putchar(text[i]);
	}
}

static void put_shown(const char *text)
{
	struct buffer shown = BUFFER_INIT;

	if (!utf8_valid(text, strlen(text))) {
		fputs("(not UTF-8)", stdout);
		return;
	}
	escape_text(&shown, text);
	put_text(shown.data, shown.length);
	buffer_deinit(&shown);
}

/* NULL: it is no object of ours, so somebody changed it. */
static const struct json *read_detail(struct arena *arena, const char *detail)
{
	struct json_reader *reader = arena ? json_reader_new(arena) : NULL;
	const struct json *root = NULL;

	if (!reader)
		return NULL;
	if (json_reader_feed(reader, detail, strlen(detail)) ||
	    json_reader_finish(reader, &root) || root->type != JSON_OBJECT)
		root = NULL;
	json_reader_free(reader);
	return root;
}

/* "segments_per_month" -> "segments per month" */
static void put_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == '_' ? ' ' : *name);
}

static void put_fact(const struct json *fact, bool first)
{
	fputs(first ? ": " : ", ", stdout);
	put_name(fact->name);
	putchar(' ');
	if (fact->type == JSON_STRING && !*fact->text)
		fputs("none", stdout);
	else if (fact->text)
		put_shown(fact->text);
	else
		fputs("?", stdout);
}

static void put_event(const char *name)
{
	const struct audit_event_row *row = audit_event_find(name);

	if (row)
		fputs(row->words, stdout);
	else
		put_shown(name);
}

void audit_report_print(const struct audit_chain_line *line)
{
	struct arena *arena = arena_new(DETAIL_ARENA_BYTES);
	const struct json *detail = read_detail(arena, line->detail);

	printf("%s  %lld  ", shown_time_of(line->at_ms).text, (long long)line->id);
	put_event(line->event);
	if (!detail) {
		fputs(": ", stdout);
		put_shown(line->detail);
	} else {
		json_foreach (fact, detail)
			put_fact(fact, fact == detail->first);
	}
	putchar('\n');
	arena_free(arena);
}

static void put_string(struct json_writer *writer, const char *key, const char *text)
{
	json_put_string(writer, key, utf8_valid(text, strlen(text)) ? text : "");
}

static void put_head(struct json_writer *writer, const char *key,
		     const struct audit_chain_head *head)
{
	char text[AUDIT_HEAD_TEXT_BYTES];

	audit_chain_write_head(head, text);
	json_put_string(writer, key, text);
}

static void put_detail(struct json_writer *writer, const char *detail)
{
	struct arena *arena = arena_new(DETAIL_ARENA_BYTES);

	if (read_detail(arena, detail)) {
		json_key(writer, "detail");
		json_write_raw(writer, detail, strlen(detail));
	} else {
		put_string(writer, "detail", detail);
	}
	arena_free(arena);
}

static void write_line(struct json_writer *writer, const void *data)
{
	const struct audit_chain_line *line = data;
	struct audit_chain_head head = { .line = line->id };
	char time[CLOCK_TEXT_BYTES];

	memcpy(head.hash, line->hash, sizeof(head.hash));
	clock_format(line->at_ms, time);
	json_put_integer(writer, "line", line->id);
	json_put_string(writer, "at", time);
	put_string(writer, "event", line->event);
	put_detail(writer, line->detail);
	put_head(writer, "head", &head);
}

static void print_object(void (*write)(struct json_writer *writer, const void *data),
			 const void *data)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	if (!writer)
		return;
	json_open_object(writer);
	write(writer, data);
	json_close_object(writer);
	json_writer_free(writer);
	printf("%.*s\n", (int)text.length, text.data);
	buffer_deinit(&text);
}

void audit_report_json(const struct audit_chain_line *line)
{
	print_object(write_line, line);
}

static const struct {
	const char *name;
	const char *words; /* after "line 12 " */
} flaws[AUDIT_FLAW_COUNT] = {
	[AUDIT_CHANGED] = { "changed", "was changed, or the one before it" },
	[AUDIT_MISSING] = { "missing", "is missing" },
	[AUDIT_BAD_ANCHOR] = { "bad_anchor",
			       "does not follow on the lines that went for their age" },
	[AUDIT_OTHER_HEAD] = { "other_head", "is not the one that was noted" },
	[AUDIT_CUT] = { "cut", "was noted, and is not there" },
	[AUDIT_HEAD_GONE] = { "head_gone", "was noted, and went for its age: take a "
					   "later note" },
};

static int64_t shown_breaks(const struct audit_reader_verdict *verdict)
{
	return verdict->break_count < AUDIT_BREAKS_MAX ? verdict->break_count
						       : AUDIT_BREAKS_MAX;
}

static void print_break(const struct audit_reader_break *found)
{
	if (found->until > found->line)
		printf("BROKEN: lines %lld to %lld are missing\n", (long long)found->line,
		       (long long)found->until);
	else
		printf("BROKEN: line %lld %s\n", (long long)found->line,
		       flaws[found->flaw].words);
}

void audit_report_print_verdict(const struct audit_reader_verdict *verdict)
{
	char head[AUDIT_HEAD_TEXT_BYTES];

	for (int64_t i = 0; i < shown_breaks(verdict); i++)
		print_break(&verdict->breaks[i]);
	if (verdict->break_count > AUDIT_BREAKS_MAX)
		printf("BROKEN: in %lld places more\n",
		       (long long)(verdict->break_count - AUDIT_BREAKS_MAX));
	printf("%lld lines%s", (long long)verdict->lines,
	       verdict->break_count ? "" : ", none changed, missing or moved");
	if (verdict->gone)
		printf("; those up to %lld went for their age", (long long)verdict->gone);
	audit_chain_write_head(&verdict->head, head);
	printf("\nhead %s\n", head);
}

static void write_break(struct json_writer *writer,
			const struct audit_reader_break *found)
{
	json_open_object(writer);
	json_put_string(writer, "flaw", flaws[found->flaw].name);
	json_put_integer(writer, "line", found->line);
	json_put_integer(writer, "until", found->until);
	json_close_object(writer);
}

static void write_verdict(struct json_writer *writer, const void *data)
{
	const struct audit_reader_verdict *verdict = data;

	json_put_boolean(writer, "whole", verdict->break_count == 0);
	json_put_integer(writer, "lines", verdict->lines);
	json_put_integer(writer, "gone", verdict->gone);
	put_head(writer, "head", &verdict->head);
	json_put_integer(writer, "break_count", verdict->break_count);
	json_key(writer, "breaks");
	json_open_array(writer);
	for (int64_t i = 0; i < shown_breaks(verdict); i++)
		write_break(writer, &verdict->breaks[i]);
	json_close_array(writer);
}

void audit_report_json_verdict(const struct audit_reader_verdict *verdict)
{
	print_object(write_verdict, verdict);
}
