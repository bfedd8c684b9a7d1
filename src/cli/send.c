/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp send: the tool send_sms, for the owner.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/member.h"
#include "cli/owner_command.h"
#include "cli/usage.h"

#define MARK "\xef\xbb\xbf"

enum {
	WAIT_SECONDS = 120, /* the most that the tool takes */
	TEXT_MAX = 16 * 1024,
};

static const char help[] =
	"Usage: ofono-mcp send [OPTION]... NUMBER [TEXT]\n"
	"Send a text message. Without TEXT it is what stands on standard input,\n"
	"without the last line feed; CR LF is a line feed. Each segment is paid for.\n"
	"\n"
	"  --sim ID         from this SIM, as \"ofono-mcp status\" lists it; needed\n"
	"                   when several can send\n"
	"  --at TIME        not before TIME, as 2026-11-21T08:30:00+01:00\n"
	"  --wait WHAT      until it is on disk: none; until the network took it: sent,\n"
	"                   the usual; until a report says that it arrived: delivered;\n"
	"                   two minutes at most, and it goes on then\n"
	"  --dry-run        send nothing; tell its size, and what would refuse it\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           tell as JSON what send_sms tells agents\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. What it lets nobody do it does not let you do either:\n"
	"the pause, [policy] and the limits of a SIM hold; those of clients do not.\n"
	"Exit codes: 0 it is sent, or goes its way; 1 it is not, or would not be;\n"
	"2 wrong options.\n";

static const char *const waits[] = { "none", "sent", "delivered", NULL };

static const struct owner_option options[] = {
	{ .name = "sim", .argument = "subscription_id", .is_number = true },
	{ .name = "at", .argument = "send_at" },
	{ .name = "wait", .argument = "wait_for", .words = waits },
	{ .name = "dry-run", .is_flag = true },
	{ 0 },
};

static const char *flaw(const struct owner_call *call)
{
	if (call->operand_count > 2)
		return "that is one argument too many; a text with blanks stands in "
		       "quotation marks";
	if (!*call->operands[0])
		return "an empty argument says nothing";
	if (call->operand_count == 1 && isatty(STDIN_FILENO))
		return "the text is missing";
	return NULL;
}

/*
 * What editors put there that nobody wrote: a byte order mark, CR before LF, the last LF. Each
 * would be paid for, and the mark alone makes UCS-2 of all. Gives the length that is left.
 */
static size_t trim_input(char *text, size_t length)
{
	size_t from = length >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0
			      ? strlen(MARK)
			      : 0;
	size_t kept = 0;

	for (; from < length; from++) {
		if (text[from] != '\r' || from + 1 == length || text[from + 1] != '\n')
			text[kept++] = text[from];
	}
	return kept && text[kept - 1] == '\n' ? kept - 1 : kept;
}

/* 0, or an exit code: all has been said. */
static int add_input(struct json_writer *arguments)
{
	char text[TEXT_MAX + 1];
	size_t length = fread(text, 1, sizeof(text), stdin);

	if (ferror(stdin))
		return usage_fail("standard input cannot be read");
	if (length > TEXT_MAX)
		return usage_fail("the text on standard input is too long for any SMS");
	length = trim_input(text, length);
	if (!length)
		return usage_fail("the text is missing: standard input is empty");
	if (memchr(text, '\0', length) || !utf8_valid(text, length))
		return usage_fail("what stands on standard input is no UTF-8 text");
	json_key(arguments, "sms_text");
	json_write_text(arguments, text, length);
	return 0;
}

static int add(const struct owner_call *call, struct json_writer *arguments)
{
	const char *wait = owner_call_value(call, "wait");

	json_put_string(arguments, "to_phone_number", call->operands[0]);
	if (!wait || strcmp(wait, "none") != 0)
		json_put_integer(arguments, "wait_seconds", WAIT_SECONDS);
	if (call->operand_count == 1)
		return add_input(arguments);
	json_put_string(arguments, "sms_text", call->operands[1]);
	return 0;
}

/* Beside the result, whose form may be JSON. */
static int judge(const struct json *result)
{
	const char *risky = member_text(result, "risky_character");

	if (*risky)
		fprintf(stderr,
			"ofono-mcp send: upstream oFono cannot encode emoji such as %s, "
			"and may refuse this text\n",
			risky);
	return member_is_true(result, "dry_run") && !member_is_true(result, "would_send")
		       ? EXIT_CODE_FAILED
		       : EXIT_CODE_OK;
}

static void print_segments(const struct json *result)
{
	const char *count = member_text(result, "segments");

	printf("%s segment%s (%s)", count, strcmp(count, "1") == 0 ? "" : "s",
	       member_text(result, "encoding"));
}

static int show_dry_run(const struct json *result)
{
	const char *first = member_text(result, "repeats_message_id");
	const struct json *refusals = member_list(result, "refusals");
	bool would = member_is_true(result, "would_send");

	printf("%s%s%s: ", colour_on(would ? COLOUR_GOOD : COLOUR_BAD),
	       would ? "It would be sent" : "It would not be sent", colour_off());
	print_segments(result);
	if (would)
		printf(", %s more characters fit in", member_text(result, "units_left"));
	puts(".");
	if (*first)
		printf("It repeats message %s.\n", first);
	json_foreach (refusal, refusals)
		printf("%s: %s\n", member_text(refusal, "code"),
		       member_text(refusal, "message"));
	return judge(result);
}

static int show(const struct owner_call *call, const struct json *result)
{
	const char *state = member_text(result, "state");
	bool is_out = strcmp(state, "sent") == 0 || strcmp(state, "delivered") == 0;

	(void)call;
	if (member_is_true(result, "dry_run"))
		return show_dry_run(result);
	if (member_is_true(result, "duplicate"))
		fputs("The same was sent just before, so nothing new is. ", stdout);
	printf("Message %s to %s: %s%s%s, ", member_text(result, "message_id"),
	       member_text(result, "to_phone_number"),
	       colour_on(is_out ? COLOUR_GOOD : COLOUR_WARNING), state, colour_off());
	print_segments(result);
	puts(".");
	if (member_is_true(result, "duplicate"))
		puts("To send it again change the text, or wait until duplicate_seconds "
		     "of the configuration are over.");
	if (!is_out)
		printf("It goes its way; to look after it: ofono-mcp show %s\n",
		       member_text(result, "message_id"));
	return EXIT_CODE_OK;
}

static int run_send(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "send",
		.help = help,
		.options = options,
		.operands_are_many = true,
		.flaw = flaw,
		.add = add,
		.show = show,
		.judge = judge,
		.meanwhile = "sending",
		.when_lost =
			"The message may be on its way all the same: look with ofono-mcp "
			"list --out before it is sent again",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_send = {
	.name = "send",
	.summary = "send a text message",
	.run = run_send,
};
