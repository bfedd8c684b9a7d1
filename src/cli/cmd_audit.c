/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp audit: shows the audit log, and verifies its hash chain. It opens the
 * message store read-only, so the gateway may run.
 *
 * The text of a line may come from strangers, and in a forged line from anybody: all
 * of it is escaped before it is printed.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "cli/cli_failure.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/options_store.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "store/audit_reader.h"
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

/* NULL: not a JSON object, so somebody changed it. */
static const struct json *cmd_audit_read_detail(struct arena *arena, const char *detail)
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
static void cmd_audit_put_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == '_' ? ' ' : *name);
}

static void cmd_audit_put_fact(const struct json *fact, bool first)
{
	fputs(first ? ": " : ", ", stdout);
	cmd_audit_put_name(fact->name);
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

static void cmd_audit_write_line(struct json_writer *writer, const void *data)
{
	const struct audit_chain_line *line = data;
	struct audit_chain_head head = { .line = line->id };
	char time[CLOCK_TEXT_BYTES];

	memcpy(head.hash, line->hash, sizeof(head.hash));
	clock_format(line->at_ms, time);
	json_put_integer(writer, "line", line->id);
	json_put_string(writer, "at", time);
	cmd_audit_put_string(writer, "event", line->event);
	cmd_audit_put_detail(writer, line->detail);
	cmd_audit_put_head(writer, "head", &head);
}

static void cmd_audit_print_object(void (*write)(struct json_writer *writer,
						 const void *data),
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

static void cmd_audit_print_json_line(const struct audit_chain_line *line)
{
	cmd_audit_print_object(cmd_audit_write_line, line);
}

static const struct {
	const char *name;
	const char *words; /* after "line 12 " */
} flaws[AUDIT_FLAW_COUNT] = {
	[AUDIT_CHANGED] = { "changed", "or the one before it was changed" },
	[AUDIT_MISSING] = { "missing", "is missing" },
	[AUDIT_BAD_ANCHOR] = { "bad_anchor",
			       "does not follow from the lines deleted for their age" },
	[AUDIT_OTHER_HEAD] = { "other_head", "differs from the saved head" },
	[AUDIT_CUT] = { "cut", "was saved as a head, and is missing" },
	[AUDIT_HEAD_GONE] = { "head_gone", "was saved as a head, and has been deleted "
					   "for its age: use a newer head" },
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

static void cmd_audit_print_verdict(const struct audit_reader_verdict *verdict)
{
	char head[AUDIT_HEAD_TEXT_BYTES];

	for (int64_t i = 0; i < cmd_audit_listed_breaks(verdict); i++)
		cmd_audit_print_break(&verdict->breaks[i]);
	if (verdict->break_count > AUDIT_BREAKS_MAX)
		printf("BROKEN: and in %lld more places\n",
		       (long long)(verdict->break_count - AUDIT_BREAKS_MAX));
	printf("%lld lines%s", (long long)verdict->lines,
	       verdict->break_count ? "" : ", none changed, missing or moved");
	if (verdict->gone)
		printf("; those up to %lld were deleted for their age",
		       (long long)verdict->gone);
	audit_chain_write_head(&verdict->head, head);
	printf("\nhead %s\n", head);
}

static void cmd_audit_write_break(struct json_writer *writer,
				  const struct audit_reader_break *found)
{
	json_open_object(writer);
	json_put_string(writer, "flaw", flaws[found->flaw].name);
	json_put_integer(writer, "line", found->line);
	json_put_integer(writer, "until", found->until);
	json_close_object(writer);
}

static void cmd_audit_write_verdict(struct json_writer *writer, const void *data)
{
	const struct audit_reader_verdict *verdict = data;

	json_put_boolean(writer, "whole", verdict->break_count == 0);
	json_put_integer(writer, "lines", verdict->lines);
	json_put_integer(writer, "gone", verdict->gone);
	cmd_audit_put_head(writer, "head", &verdict->head);
	json_put_integer(writer, "break_count", verdict->break_count);
	json_key(writer, "breaks");
	json_open_array(writer);
	for (int64_t i = 0; i < cmd_audit_listed_breaks(verdict); i++)
		cmd_audit_write_break(writer, &verdict->breaks[i]);
	json_close_array(writer);
}

static void cmd_audit_print_json_verdict(const struct audit_reader_verdict *verdict)
{
	cmd_audit_print_object(cmd_audit_write_verdict, verdict);
}

/* The command */

static const char cmd_audit_help[] =
	"Usage: ofono-mcp audit [OPTION]... [verify]\n"
	"Print the audit log: what was allowed, refused, approved and changed, oldest\n"
	"first. With \"verify\": check the hash chain, which proves that no line was\n"
	"changed, removed, inserted or moved, and print the head: the number and hash "
	"of\n"
	"the newest line. The newest 100000 lines are always kept, so a missing one "
	"among\n"
	"them is reported. Lines cut off at the end show only against a head that was\n"
	"saved earlier: the gateway logs it at each start and stop. The gateway may "
	"run.\n"
	"\n"
	"  --since TIME     only lines from TIME on, such as 2026-11-21T08:30:00+01:00\n"
	"  --last N         only the newest N of them\n"
	"  --head N:HASH    with verify: the log must contain this head; may be "
	"repeated\n"
	"  --json           one JSON object per "
	"line\n" OPTIONS_STORE_HELP OPTIONS_HELP_HELP "\n"
	"Exit codes: 0 good; 1 unreadable or broken; 2 wrong options.\n";

enum { OPTION_SINCE = OPTIONS_OTHER, OPTION_LAST, OPTION_HEAD };

enum { LAST_DIGITS_MAX = 9 };

static const struct option cmd_audit_options[] = {
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "last", required_argument, NULL, OPTION_LAST },
	{ "head", required_argument, NULL, OPTION_HEAD },
	{ "json", no_argument, NULL, OPTIONS_JSON },
	{ "config", required_argument, NULL, OPTIONS_CONFIG },
	{ "state-dir", required_argument, NULL, OPTIONS_STATE_DIR },
	{ "help", no_argument, NULL, OPTIONS_HELP },
	{ NULL, 0, NULL, 0 },
};

struct cmd_audit_arguments {
	struct audit_reader_range range;
	struct audit_reader_expected expected;
	bool json;
};

static bool cmd_audit_parse_count(const char *text, int64_t *count_out)
{
	size_t digits = strspn(text, "0123456789");
	int64_t count = 0;

	if (!digits || digits > LAST_DIGITS_MAX || text[digits])
		return false;
	for (; *text; text++)
		count = count * 10 + (*text - '0');
	*count_out = count;
	return count > 0;
}

static const char *cmd_audit_read_head(struct audit_reader_expected *expected,
				       const char *value)
{
	if (expected->noted_count == AUDIT_NOTED_MAX)
		return "--head may be repeated up to 16 times";
	if (!audit_chain_parse_head(value, &expected->noted[expected->noted_count]))
		return "--head takes a number, a colon and a hash, as printed by verify";
	expected->noted_count++;
	return NULL;
}

static const char *cmd_audit_read_option(void *data, int option, const char *value)
{
	struct cmd_audit_arguments *arguments = data;

	switch (option) {
	case OPTION_SINCE:
		return clock_parse(value, &arguments->range.since_ms)
			       ? NULL
			       : "--since takes a time such as 2026-11-21T08:30:00+01:00";
	case OPTION_LAST:
		return cmd_audit_parse_count(value, &arguments->range.last)
			       ? NULL
			       : "--last takes a whole number from 1";
	default:
		return cmd_audit_read_head(&arguments->expected, value);
	}
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

	if (arguments->json)
		cmd_audit_print_json_line(line);
	else
		cmd_audit_print_line(line);
}

static int cmd_audit_fail(const struct cmd_audit_arguments *arguments, const char *text)
{
	const struct cli_failure cli_failure = {
		"audit", "not_readable",
		"--state-dir must name the gateway's state folder, which only root and "
		"the gateway's user may read",
		arguments->json
	};

	return cli_failure_report(&cli_failure, "%s", text);
}

static void cmd_audit_on_progress(void *data)
{
	progress_poll(data);
}

static int cmd_audit_list(struct audit_reader *reader,
			  struct cmd_audit_arguments *arguments)
{
	if (audit_reader_list(reader, &arguments->range, cmd_audit_on_line, arguments))
		return cmd_audit_fail(arguments, audit_reader_error(reader));
	return EXIT_CODE_OK;
}

static int cmd_audit_verify(struct audit_reader *reader,
			    const struct cmd_audit_arguments *arguments)
{
	struct audit_reader_verdict verdict;
	struct progress progress;
	int error;

	progress_begin(&progress, "verifying each line");
	audit_reader_on_progress(reader, cmd_audit_on_progress, &progress);
	error = audit_reader_verify(reader, &arguments->expected, &verdict);
	progress_clear(&progress);
	if (error)
		return cmd_audit_fail(arguments, audit_reader_error(reader));
	if (arguments->json)
		cmd_audit_print_json_verdict(&verdict);
	else
		cmd_audit_print_verdict(&verdict);
	return verdict.break_count ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static int cmd_audit_run_on(const struct config *config,
			    struct cmd_audit_arguments *arguments, bool verifies)
{
	struct explanation problem = { "" };
	struct audit_reader *reader;
	int code;

	if (audit_reader_open(config->state_dir, &reader, &problem))
		return cmd_audit_fail(arguments, problem.text);
	code = verifies ? cmd_audit_verify(reader, arguments)
			: cmd_audit_list(reader, arguments);
	audit_reader_close(reader);
	return code;
}

static int cmd_audit_run(int argc, char **argv)
{
	struct cmd_audit_arguments arguments = { .expected.kept = AUDIT_KEEP };
	const struct options_store_command command = { cmd_audit_help, cmd_audit_options,
						       true, cmd_audit_read_option,
						       &arguments };
	struct options_store given;
	const char *flaw;
	bool verifies;
	int code;

	if (!options_read_store(&command, argc, argv, &given, &code))
		return code;
	verifies = given.argument && strcmp(given.argument, "verify") == 0;
	flaw = cmd_audit_check(&arguments, given.argument, verifies);
	if (flaw)
		return options_fail("%s", flaw);
	arguments.json = given.json;
	return cmd_audit_run_on(&given.config, &arguments, verifies);
}

const struct command cmd_audit = {
	.name = "audit",
	.summary = "show the audit log, and verify it",
	.run = cmd_audit_run,
};
