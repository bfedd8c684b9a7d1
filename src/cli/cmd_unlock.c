/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp sim unlock: gives a SIM its PIN, or its PUK and a new PIN.
 *   the gateway describes the card and the tries left -> the code is read -> it is sent with
 *   that number of tries -> the gateway enters it, unless the number has changed meanwhile
 * The code is cleared from memory wherever it was.
 */
#include <stdio.h>
#include <string.h>

#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "ofono/modem_call.h"

static const char cmd_unlock_help[] =
	"Usage: ofono-mcp sim unlock [OPTION]... [SIM]\n"
	"Enter the PIN of a SIM card, once. It is read from the terminal, or else from\n"
	"standard input.\n"
	"\n"
	"SIM is a subscription_id, or the path of a modem in oFono; without it, the only\n"
	"locked card is meant.\n"
	"\n"
	"  --puk            enter the PUK and a new PIN, after too many wrong PINs; two\n"
	"                   lines on standard input\n"
	"  --force          even if only one try is left, or the number is "
	"unknown\n" OPTIONS_STORE_HELP "  --json           as JSON\n" OPTIONS_HELP_HELP
	"\n"
	"The gateway must run. Exit codes: 0 unlocked; 1 failed, and standard error says\n"
	"why and how many tries are left; 2 wrong options.\n";

static const struct owner_command_option cmd_unlock_options[] = {
	{ .name = "puk", .is_flag = true },
	{ .name = "force", .is_flag = true },
	{ NULL },
};

/* The card, as the gateway described it before the code was read. */
static struct {
	char name[256];
	char path[256];
	int64_t tries; /* 0 if not reported */
} card;

struct cmd_unlock_codes {
	char code[SECRET_BYTES];
	char new_pin[SECRET_BYTES]; /* "" if there is none */
};

static int cmd_unlock_fail(const char *message)
{
	return options_report_failure("not_tried", "", "%s; nothing was tried", message);
}

/* Describing the card */

static int cmd_unlock_read_card(const struct owner_command_call *call,
				const struct json *result)
{
	const char *name = json_string(json_member(result, "sim"));
	const char *path = json_string(json_member(result, "modem"));
	const struct json *tries = json_member(result, "tries");

	if (!name || !path || strlen(path) >= sizeof(card.path))
		return cmd_unlock_fail("the gateway's answer is invalid");
	snprintf(card.name, sizeof(card.name), "%s", name);
	snprintf(card.path, sizeof(card.path), "%s", path);
	if (!tries || !json_integer(tries, &card.tries))
		card.tries = 0;
	return EXIT_CODE_OK;
}

static void cmd_unlock_print_tries(bool puk)
{
	const char *asks = puk ? "PUK" : "PIN";

	if (card.tries)
		fprintf(stderr, "%s needs its %s; tries left: %lld.\n", card.name, asks,
			(long long)card.tries);
	else
		fprintf(stderr, "%s needs its %s; the number of tries left is unknown.\n",
			card.name, asks);
}

/* Reading the codes */

static int cmd_unlock_ask_pin(struct cmd_unlock_codes *codes)
{
	if (!secret_read("PIN: ", codes->code, SECRET_BYTES))
		return cmd_unlock_fail("no PIN was entered");
	if (!sim_unlock_pin_is_valid(codes->code))
		return cmd_unlock_fail("a PIN has 4 to 8 digits");
	return EXIT_CODE_OK;
}

/* A typing error would block the card later. */
static int cmd_unlock_ask_again(const char *new_pin)
{
	char again[SECRET_BYTES];
	bool is_there = secret_read("New PIN again: ", again, SECRET_BYTES);
	bool is_same = is_there && strcmp(again, new_pin) == 0;

	explicit_bzero(again, sizeof(again));
	return is_same ? EXIT_CODE_OK : cmd_unlock_fail("the two new PINs differ");
}

static int cmd_unlock_ask_puk(struct cmd_unlock_codes *codes)
{
	if (!secret_read("PUK: ", codes->code, SECRET_BYTES))
		return cmd_unlock_fail("no PUK was entered");
	if (!sim_unlock_puk_is_valid(codes->code))
		return cmd_unlock_fail("a PUK has 8 digits");
	if (!secret_read("New PIN: ", codes->new_pin, SECRET_BYTES))
		return cmd_unlock_fail("no new PIN was entered");
	if (!sim_unlock_pin_is_valid(codes->new_pin))
		return cmd_unlock_fail("a PIN has 4 to 8 digits");
	return secret_has_terminal() ? cmd_unlock_ask_again(codes->new_pin)
				     : EXIT_CODE_OK;
}

/* Names the modem by its path, so that exactly the card that was described is meant. */
static void cmd_unlock_put_codes(const struct cmd_unlock_codes *codes,
				 struct json_writer *arguments)
{
	json_put_string(arguments, "modem", card.path);
	json_put_integer(arguments, "tries", card.tries);
	json_put_string(arguments, "code", codes->code);
	if (codes->new_pin[0])
		json_put_string(arguments, "new_pin", codes->new_pin);
}

static int cmd_unlock_add_codes(const struct owner_command_call *call,
				struct json_writer *arguments)
{
	bool puk = owner_command_value(call, "puk");
	const struct owner_command_argument card_arguments[] = {
		{ "sim", call->operand },
		{ "puk", .is_true = puk },
		{ "force", .is_true = owner_command_value(call, "force") },
		{ NULL },
	};
	struct cmd_unlock_codes codes = { "", "" };
	int code =
		owner_command_ask(call, "unlock", card_arguments, cmd_unlock_read_card);

	if (code)
		return code;
	cmd_unlock_print_tries(puk);
	code = puk ? cmd_unlock_ask_puk(&codes) : cmd_unlock_ask_pin(&codes);
	if (!code)
		cmd_unlock_put_codes(&codes, arguments);
	explicit_bzero(&codes, sizeof(codes));
	return code;
}

static int cmd_unlock_print_unlocked(const struct owner_command_call *call,
				     const struct json *result)
{
	printf("%s is unlocked.\n", card.name);
	return EXIT_CODE_OK;
}

const struct command cmd_unlock = {
	.name = "unlock",
	.title = "sim unlock",
	.group = COMMAND_SIMS,
	.summary = "enter the PIN of a SIM card",
	.example = "sim unlock 1",
	.owner = {
		.help = cmd_unlock_help,
		.options = cmd_unlock_options,
		.operand = "sim",
		.operand_is_optional = true,
		.add = cmd_unlock_add_codes,
		.print = cmd_unlock_print_unlocked,
		.fix_if_lost = "It may have been tried: check with ofono-mcp modem before the next try",
	},
};
