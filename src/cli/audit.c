/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp audit: what was decided, and whether anybody has touched it since. A guest: the
 * gateway may run.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/audit_report.h"
#include "cli/command.h"
#include "cli/failing.h"
#include "cli/ledger_options.h"
#include "cli/progress.h"
#include "cli/usage.h"
#include "store/store_audit.h"

static const char help[] =
	"Usage: ofono-mcp audit [OPTION]... [verify]\n"
	"Print what was allowed, refused, approved and changed, oldest first. With\n"
	"\"verify\": prove that no line was changed, taken out, put in or moved, and\n"
	"print the head, the number and hash of the newest line. The newest 100000\n"
	"lines are always kept: one of them that is gone is reported as missing. That\n"
	"lines were cut off at the end shows only against a head that was noted before:\n"
	"the gateway logs it at each start and stop. The gateway may run.\n"
	"\n"
	"  --since TIME     only lines from TIME on, as 2026-11-21T08:30:00+01:00\n"
	"  --last N         only the newest N of them\n"
	"  --head N:HASH    with verify: the audit must have gone through this head; "
	"may\n"
	"                   be repeated\n"
	"  --json           an object per line\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --help           this text\n"
	"\n"
	"Exit codes: 0 fine; 1 it cannot be read, or is not whole; 2 wrong options.\n";

enum { OPTION_SINCE = LEDGER_OPTION_OTHER, OPTION_LAST, OPTION_HEAD };

enum { LAST_DIGITS_MAX = 9 };

static const struct option options[] = {
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "last", required_argument, NULL, OPTION_LAST },
	{ "head", required_argument, NULL, OPTION_HEAD },
	{ "json", no_argument, NULL, LEDGER_OPTION_JSON },
	{ "config", required_argument, NULL, LEDGER_OPTION_CONFIG },
	{ "state-dir", required_argument, NULL, LEDGER_OPTION_STATE_DIR },
	{ "help", no_argument, NULL, LEDGER_OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct asked {
	struct audit_reader_range range;
	struct audit_reader_expected expected;
	bool json;
};

static bool parse_count(const char *text, int64_t *count_out)
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

static const char *take_head(struct audit_reader_expected *expected, const char *value)
{
	if (expected->noted_count == AUDIT_NOTED_MAX)
		return "--head may be repeated up to 16 times";
	if (!audit_chain_parse_head(value, &expected->noted[expected->noted_count]))
		return "--head takes a number, a colon and a hash, as verify prints them";
	expected->noted_count++;
	return NULL;
}

static const char *take(void *data, int option, const char *value)
{
	struct asked *asked = data;

	switch (option) {
	case OPTION_SINCE:
		return clock_parse(value, &asked->range.since_ms)
			       ? NULL
			       : "--since takes a time as 2026-11-21T08:30:00+01:00";
	case OPTION_LAST:
		return parse_count(value, &asked->range.last)
			       ? NULL
			       : "--last takes a whole number, 1 at least";
	default:
		return take_head(&asked->expected, value);
	}
}

/* What does not go together; NULL: nothing. */
static const char *flaw_of(const struct asked *asked, const char *argument, bool verifies)
{
	if (argument && !verifies)
		return "\"verify\" is the only word that it takes";
	if (asked->expected.noted_count && !verifies)
		return "--head is for verify alone";
	if (verifies && (asked->range.since_ms || asked->range.last))
		return "verify looks at all lines, so it takes no --since and no --last";
	return NULL;
}

static void show(void *data, const struct audit_chain_line *line)
{
	const struct asked *asked = data;

	if (asked->json)
		audit_report_json(line);
	else
		audit_report_print(line);
}

static int fail(const struct asked *asked, const char *text)
{
	const struct failing failing = { "audit", "not_readable",
					 "--state-dir names the folder of the gateway, "
					 "which root and its user may "
					 "read",
					 asked->json };

	return failing_tell(&failing, "%s", text);
}

static void on_looked(void *data)
{
	progress_poll(data);
}

static int list(struct audit_reader *reader, struct asked *asked)
{
	if (audit_reader_list(reader, &asked->range, show, asked))
		return fail(asked, audit_reader_error(reader));
	return EXIT_CODE_OK;
}

static int verify(struct audit_reader *reader, const struct asked *asked)
{
	struct audit_reader_verdict verdict;
	struct progress progress;
	int error;

	progress_begin(&progress, "looking at each line");
	audit_reader_on_progress(reader, on_looked, &progress);
	error = audit_reader_verify(reader, &asked->expected, &verdict);
	progress_clear(&progress);
	if (error)
		return fail(asked, audit_reader_error(reader));
	if (asked->json)
		audit_report_json_verdict(&verdict);
	else
		audit_report_print_verdict(&verdict);
	return verdict.break_count ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static int run_on(const struct config *config, struct asked *asked, bool verifies)
{
	struct explanation problem = { "" };
	struct audit_reader *reader;
	int code;

	if (audit_reader_open(config->state_dir, &reader, &problem))
		return fail(asked, problem.text);
	code = verifies ? verify(reader, asked) : list(reader, asked);
	audit_reader_close(reader);
	return code;
}

static int run_audit(int argc, char **argv)
{
	struct asked asked = { .expected.kept = AUDIT_KEEP };
	const struct ledger_command command = { help, options, true, take, &asked };
	struct ledger_options given;
	const char *flaw;
	bool verifies;
	int code;

	if (!ledger_options_read(&command, argc, argv, &given, &code))
		return code;
	verifies = given.argument && strcmp(given.argument, "verify") == 0;
	flaw = flaw_of(&asked, given.argument, verifies);
	if (flaw)
		return usage_fail("%s", flaw);
	asked.json = given.json;
	return run_on(&given.config, &asked, verifies);
}

const struct command command_audit = {
	.name = "audit",
	.summary = "show what was decided, and prove it",
	.run = run_audit,
};
