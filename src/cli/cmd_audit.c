/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp audit: shows the audit log, and verifies its hash chain. It opens the
 * message store read-only, so the gateway may run.
 *
 * The text of a line may come from strangers, and in a forged line from anybody: all
 * of it is escaped before it is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/json_field.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "store/audit.h"
#include "store/store_audit.h"

enum { DETAIL_ARENA_BYTES = 256 * 1024 };

static void cmd_audit_put_text(const char *text, size_t length)
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

static void cmd_audit_put_escaped(const char *text)
{
	struct buffer shown = BUFFER_INIT;

	if (!utf8_valid(text, strlen(text))) {
		fputs("(not UTF-8)", stdout);
		return;
	}
	escape_text(&shown, text);
	cmd_audit_put_text(shown.data, shown.length);
	buffer_deinit(&shown);
}

/* Returns NULL if it is not a JSON object, so somebody changed it. */
static const struct json *cmd_audit_read_detail(struct arena *arena, const char *detail)
{
	const struct json *root =
		arena ? json_field_parse(arena, detail, strlen(detail)) : NULL;

	return root && root->type == JSON_OBJECT ? root : NULL;
}

static void cmd_audit_put_fact(const struct json *fact, bool first)
{
	fputs(first ? ": " : ", ", stdout);
	for (const char *at = fact->name; *at; at++) /* segments_per_month */
		putchar(*at == '_' ? ' ' : *at);
	putchar(' ');
	if (fact->type == JSON_STRING && !*fact->text)
		fputs("none", stdout);
	else if (fact->text)
		cmd_audit_put_escaped(fact->text);
	else
		fputs("?", stdout);
}

static void cmd_audit_put_event(const char *name)
{
	const struct audit_event_row *row = audit_event_find(name);

	if (row)
		fputs(row->words, stdout);
	else
		cmd_audit_put_escaped(name);
}

static void cmd_audit_print_line(const struct audit_chain_line *line)
{
	struct arena *arena = arena_new(DETAIL_ARENA_BYTES);
	const struct json *detail = cmd_audit_read_detail(arena, line->detail);

	printf("%s  %lld  ", terminal_time_of(line->at_ms).text, (long long)line->id);
	cmd_audit_put_event(line->event);
	if (!detail) {
		fputs(": ", stdout);
		cmd_audit_put_escaped(line->detail);
	} else {
		json_foreach (fact, detail)
			cmd_audit_put_fact(fact, fact == detail->first);
	}
	putchar('\n');
	arena_free(arena);
}

static void cmd_audit_put_string(struct json_writer *writer, const char *key,
				 const char *text)
{
	json_put_string(writer, key, utf8_valid(text, strlen(text)) ? text : "");
}

static void cmd_audit_put_head(struct json_writer *writer, const char *key,
			       const struct audit_chain_head *head)
{
	char text[AUDIT_HEAD_TEXT_BYTES];

	audit_chain_write_head(head, text);
	json_put_string(writer, key, text);
}

static void cmd_audit_put_detail(struct json_writer *writer, const char *detail)
{
	struct arena *arena = arena_new(DETAIL_ARENA_BYTES);

	if (cmd_audit_read_detail(arena, detail)) {
		json_key(writer, "detail");
		json_write_raw(writer, detail, strlen(detail));
	} else {
		cmd_audit_put_string(writer, "detail", detail);
	}
	arena_free(arena);
}

static void cmd_audit_print_json_line(const struct audit_chain_line *line)
{
	struct audit_chain_head head = { .line = line->id };
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);
	char time[CLOCK_TEXT_BYTES];

	if (!writer)
		return;
	memcpy(head.hash, line->hash, sizeof(head.hash));
	clock_format(line->at_ms, time);
	json_put_integer(writer, "line", line->id);
	json_put_string(writer, "at", time);
	cmd_audit_put_string(writer, "event", line->event);
	cmd_audit_put_detail(writer, line->detail);
	cmd_audit_put_head(writer, "head", &head);
	json_field_end(writer, &text);
}

static const struct {
	const char *name;
	const char *words; /* after "line 12 " */
} flaws[AUDIT_FLAW_COUNT] = {
	[AUDIT_CHANGED] = { "changed", "or the one before it was changed" },
	[AUDIT_MISSING] = { "missing", "is missing" },
	[AUDIT_BAD_ANCHOR] = { "bad_anchor",
			       "does not follow from the lines deleted because of age" },
	[AUDIT_OTHER_HEAD] = { "other_head", "differs from the saved head" },
	[AUDIT_CUT] = { "cut", "was saved as a head, and is missing" },
	[AUDIT_HEAD_GONE] = { "head_gone", "was saved as a head, and has been deleted "
					   "because of its age: use a newer head" },
};

static int64_t cmd_audit_listed_breaks(const struct audit_reader_verdict *verdict)
{
	return verdict->break_count < AUDIT_BREAKS_MAX ? verdict->break_count
						       : AUDIT_BREAKS_MAX;
}

static void cmd_audit_print_break(const struct audit_reader_break *found)
{
	if (found->until > found->line)
		printf("BROKEN: lines %lld to %lld are missing\n", (long long)found->line,
		       (long long)found->until);
	else
		printf("BROKEN: line %lld %s\n", (long long)found->line,
		       flaws[found->flaw].words);
}

static void cmd_audit_print_verdict(const struct audit_reader_verdict *verdict,
				    const struct audit_reader_expected *expected)
{
	char head[AUDIT_HEAD_TEXT_BYTES];

	for (int64_t i = 0; i < cmd_audit_listed_breaks(verdict); i++)
		cmd_audit_print_break(&verdict->breaks[i]);
	if (verdict->break_count > AUDIT_BREAKS_MAX)
		printf("BROKEN: and in %lld more places\n",
		       (long long)(verdict->break_count - AUDIT_BREAKS_MAX));
	if (!verdict->lines && !expected->noted_count) {
		puts("The audit log is empty. Without a head that was "
		     "saved earlier (--head), this proves nothing.");
		return;
	}
	printf("%lld lines%s", (long long)verdict->lines,
	       verdict->break_count ? "" : ", none changed, missing or moved");
	if (verdict->gone)
		printf("; those up to %lld were deleted because of their age",
		       (long long)verdict->gone);
	audit_chain_write_head(&verdict->head, head);
	printf("\nhead %s\n", head);
}

static void cmd_audit_print_json_verdict(const struct audit_reader_verdict *verdict,
					 bool is_whole)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_field_begin(&text);

	if (!writer)
		return;
	json_put_boolean(writer, "whole", is_whole);
	json_put_integer(writer, "lines", verdict->lines);
	json_put_integer(writer, "gone", verdict->gone);
	cmd_audit_put_head(writer, "head", &verdict->head);
	json_put_integer(writer, "break_count", verdict->break_count);
	json_open_array_at(writer, "breaks");
	for (int64_t i = 0; i < cmd_audit_listed_breaks(verdict); i++) {
		const struct audit_reader_break *found = &verdict->breaks[i];

		json_open_object(writer);
		json_put_string(writer, "flaw", flaws[found->flaw].name);
		json_put_integer(writer, "line", found->line);
		json_put_integer(writer, "until", found->until);
		json_close_object(writer);
	}
	json_close_array(writer);
	json_field_end(writer, &text);
}

/* The command */

static const char cmd_audit_help[] =
	"Usage: " PROGRAM_NAME " audit [OPTION]... [verify]\n"
	"Print the audit log: what was allowed, refused, approved and changed, oldest\n"
	"first. With \"verify\": check the hash chain, which proves that no line was\n"
	"changed, removed, inserted or moved, and print the head: the number and hash of\n"
	"the newest line. The newest 100000 lines are always kept, so a missing one among\n"
	"them is reported. Lines cut off at the end show only against a head that was\n"
	"saved earlier: the gateway logs it at each start and stop. The gateway may run.\n"
	"\n"
	"  --since TIME     only lines from TIME on, such as 2026-11-21T08:30:00+01:00\n"
	"  --last N         only the newest N of them\n"
	"  --head N:HASH    with verify: the log must contain this head; may be repeated\n"
	"  --json           one JSON object per "
	"line\n" OPTIONS_STORE_HELP OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 good; 1 unreadable, broken, or empty without --head;\n"
	"2 wrong options.\n";

enum { LAST_DIGITS_MAX = 9 };

struct cmd_audit_arguments {
	struct audit_reader_range range;
	struct audit_reader_expected expected;
	struct options_store store;
};

static const char *cmd_audit_read_since(void *data, const char *value)
{
	return clock_parse(value, data)
		       ? NULL
		       : "--since takes a time such as 2026-11-21T08:30:00+01:00";
}

static const char *cmd_audit_read_last(void *data, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	int64_t *last = data;

	*last = digits <= LAST_DIGITS_MAX && !value[digits] ? atoll(value) : 0;
	return *last ? NULL : "--last takes a whole number from 1";
}

static const char *cmd_audit_read_head(void *data, const char *value)
{
	struct audit_reader_expected *expected = data;

	if (expected->noted_count == AUDIT_NOTED_MAX)
		return "--head may be repeated up to 16 times";
	if (!audit_chain_parse_head(value, &expected->noted[expected->noted_count]))
		return "--head takes a number, a colon and a hash, as printed by verify";
	expected->noted_count++;
	return NULL;
}

/* Returns what is wrong with the combination of options, or NULL. */
static const char *cmd_audit_check(const struct cmd_audit_arguments *arguments,
				   const char *argument, bool verifies)
{
	if (argument && !verifies)
		return "the only argument is \"verify\"";
	if (arguments->expected.noted_count && !verifies)
		return "--head needs verify";
	if (verifies && (arguments->range.since_ms || arguments->range.last))
		return "verify checks all lines: --since and --last do not go with it";
	return NULL;
}

static void cmd_audit_on_line(void *data, const struct audit_chain_line *line)
{
	const struct cmd_audit_arguments *arguments = data;

	if (arguments->store.json)
		cmd_audit_print_json_line(line);
	else
		cmd_audit_print_line(line);
}

static int cmd_audit_fail(const char *text)
{
	return options_report_failure("not_readable",
				      "--state-dir must name the gateway's state folder, "
				      "which only root and the gateway's user may read",
				      "%s", text);
}

static void cmd_audit_on_progress(void *data)
{
	progress_poll(data);
}

static int cmd_audit_verify(struct audit_reader *reader,
			    const struct cmd_audit_arguments *arguments)
{
	struct audit_reader_verdict verdict;
	struct progress progress;
	bool is_whole;
	int error;

	progress_begin(&progress, "verifying each line");
	audit_reader_on_progress(reader, cmd_audit_on_progress, &progress);
	error = audit_reader_verify(reader, &arguments->expected, &verdict);
	progress_clear(&progress);
	if (error)
		return cmd_audit_fail(audit_reader_error(reader));
	/* An empty log may be one from which every line was removed. */
	is_whole = !verdict.break_count &&
		   (verdict.lines || arguments->expected.noted_count);
	if (arguments->store.json)
		cmd_audit_print_json_verdict(&verdict, is_whole);
	else
		cmd_audit_print_verdict(&verdict, &arguments->expected);
	return is_whole ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static int cmd_audit_run(int argc, char **argv)
{
	struct cmd_audit_arguments arguments = { .expected.kept = AUDIT_KEEP };
	const struct options_row rows[] = {
		{ "since", .read = cmd_audit_read_since,
		  .data = &arguments.range.since_ms },
		{ "last", .read = cmd_audit_read_last, .data = &arguments.range.last },
		{ "head", .read = cmd_audit_read_head, .data = &arguments.expected },
		OPTIONS_STORE_ROWS(&arguments.store),
		{ NULL },
	};
	const struct options_table table = { cmd_audit_help, rows, 0, 1 };
	struct explanation problem = { "" };
	struct audit_reader *reader;
	struct config config;
	const char *flaw;
	bool verifies;
	int code;

	if (!options_read(&table, argc, argv, &code))
		return code;
	verifies = argv[optind] && strcmp(argv[optind], "verify") == 0;
	flaw = cmd_audit_check(&arguments, argv[optind], verifies);
	if (flaw)
		return options_fail("%s", flaw);
	code = options_load(&arguments.store, &config);
	if (code)
		return code;
	if (audit_reader_open(config.state_dir, &reader, &problem))
		return cmd_audit_fail(problem.text);
	if (verifies)
		code = cmd_audit_verify(reader, &arguments);
	else if (audit_reader_list(reader, &arguments.range, cmd_audit_on_line,
				   &arguments))
		code = cmd_audit_fail(audit_reader_error(reader));
	audit_reader_close(reader);
	return code;
}

const struct command cmd_audit = {
	.name = "audit",
	.verbs = "[verify]",
	.group = COMMAND_MAINTENANCE,
	.summary = "show the audit log, and verify it",
	.example = "audit --last 20",
	.run = cmd_audit_run,
};
