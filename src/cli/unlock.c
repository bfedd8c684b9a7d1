/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ofono-mcp unlock: gives a SIM its PIN, or its PUK and a new PIN.
 *
 * First the gateway tells which card it is and how many tries are left, then the code is
 * asked for, then it goes out with that number, so that it is not tried when fewer are left
 * by then. It is cleared from memory wherever it was.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/owner_answer.h"
#include "cli/owner_command.h"
#include "cli/secret.h"
#include "ofono/sim_unlock.h"

static const char help[] =
	"Usage: ofono-mcp unlock [OPTION]... [SIM]\n"
	"Give a SIM card its PIN. It is asked for on the terminal, or read from "
	"standard\n"
	"input when that is none, and tried once.\n"
	"\n"
	"SIM is a subscription_id, or the path of a modem in oFono; without it the only\n"
	"card that is locked.\n"
	"\n"
	"  --puk            give the card its PUK and a new PIN, when the PIN was wrong\n"
	"                   too often; from standard input these are two lines\n"
	"  --force          also when only one try is left, or nobody knows how many\n"
	"  --config FILE    the gateway's configuration; else, where it is there,\n"
	"                   " CONFIG_DEFAULT_PATH "\n"
	"  --state-dir DIR  where the gateway keeps its ledger\n"
	"  --json           as JSON\n"
	"  --help           this text\n"
	"\n"
	"The gateway must run. Exit codes: 0 unlocked; 1 not, and standard error tells\n"
	"why and how many tries are left; 2 wrong options.\n";

static const struct owner_option options[] = {
	{ .name = "puk", .is_flag = true },
	{ .name = "force", .is_flag = true },
	{ NULL },
};

/* What the gateway told of the card before the code was asked for. */
static struct {
	char name[256];
	char path[256];
	int64_t tries; /* 0: it does not tell */
} card;

struct codes {
	char code[SECRET_BYTES];
	char new_pin[SECRET_BYTES]; /* "" none */
};

static int fail(const char *message)
{
	fprintf(stderr, "ofono-mcp unlock: %s; nothing was tried.\n", message);
	return EXIT_CODE_FAILED;
}

/* Looking */

static int note_card(const struct owner_call *call, const struct json *result)
{
	const char *name = json_string(json_member(result, "sim"));
	const char *path = json_string(json_member(result, "modem"));
	const struct json *tries = json_member(result, "tries");

	(void)call;
	if (!name || !path || strlen(path) >= sizeof(card.path))
		return fail("the gateway's answer makes no sense");
	snprintf(card.name, sizeof(card.name), "%s", name);
	snprintf(card.path, sizeof(card.path), "%s", path);
	if (!tries || !json_integer(tries, &card.tries))
		card.tries = 0;
	return EXIT_CODE_OK;
}

static bool is_given(const struct owner_call *call, const char *option)
{
	return owner_call_value(call, option) != NULL;
}

static int look(const struct owner_call *call)
{
	struct buffer request = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&request);
	int code;

	if (!writer)
		return fail("out of memory");
	json_open_object(writer);
	json_put_string(writer, "command", "unlock");
	json_key(writer, "arguments");
	json_open_object(writer);
	if (call->operand)
		json_put_string(writer, "sim", call->operand);
	json_put_boolean(writer, "puk", is_given(call, "puk"));
	json_put_boolean(writer, "force", is_given(call, "force"));
	json_close_object(writer);
	json_close_object(writer);
	json_writer_free(writer);
	code = request.failed ? fail("out of memory")
			      : owner_answer_await(call, &request, note_card);
	buffer_deinit(&request);
	return code;
}

static void tell_tries(bool puk)
{
	const char *asks = puk ? "PUK" : "PIN";

	if (card.tries)
		fprintf(stderr, "%s asks for its %s; tries left: %lld.\n", card.name,
			asks, (long long)card.tries);
	else
		fprintf(stderr,
			"%s asks for its %s; how many tries are left is not "
			"known.\n",
			card.name, asks);
}

/* Asking */

static int ask_pin(struct codes *codes)
{
	if (!secret_read("PIN: ", codes->code))
		return fail("no PIN was given");
	if (!sim_unlock_pin_is_valid(codes->code))
		return fail("a PIN has 4 to 8 digits");
	return EXIT_CODE_OK;
}

/* Nobody mistypes twice in the same way. */
static int ask_again(const char *new_pin)
{
	char again[SECRET_BYTES];
	bool is_there = secret_read("New PIN again: ", again);
	bool is_same = is_there && strcmp(again, new_pin) == 0;

	explicit_bzero(again, sizeof(again));
	return is_same ? EXIT_CODE_OK : fail("the two new PINs are not the same");
}

static int ask_puk(struct codes *codes)
{
	if (!secret_read("PUK: ", codes->code))
		return fail("no PUK was given");
	if (!sim_unlock_puk_is_valid(codes->code))
		return fail("a PUK has 8 digits");
	if (!secret_read("New PIN: ", codes->new_pin))
		return fail("no new PIN was given");
	if (!sim_unlock_pin_is_valid(codes->new_pin))
		return fail("a PIN has 4 to 8 digits");
	return secret_is_asked_for() ? ask_again(codes->new_pin) : EXIT_CODE_OK;
}

/* The path, for the card that was looked at is the one that is meant. */
static void put_codes(const struct codes *codes, struct json_writer *arguments)
{
	json_put_string(arguments, "modem", card.path);
	json_put_integer(arguments, "tries", card.tries);
	json_put_string(arguments, "code", codes->code);
	if (codes->new_pin[0])
		json_put_string(arguments, "new_pin", codes->new_pin);
}

static int add(const struct owner_call *call, struct json_writer *arguments)
{
	bool puk = is_given(call, "puk");
	struct codes codes = { "", "" };
	int code = look(call);

	if (code)
		return code;
	tell_tries(puk);
	code = puk ? ask_puk(&codes) : ask_pin(&codes);
	if (!code)
		put_codes(&codes, arguments);
	explicit_bzero(&codes, sizeof(codes));
	return code;
}

static int show(const struct owner_call *call, const struct json *result)
{
	(void)call;
	(void)result;
	printf("%s is unlocked.\n", card.name);
	return EXIT_CODE_OK;
}

static int run_unlock(int argc, char **argv)
{
	static const struct owner_command command = {
		.name = "unlock",
		.help = help,
		.options = options,
		.operand = "sim",
		.operand_is_optional = true,
		.add = add,
		.show = show,
		.when_lost =
			"It may have been tried: look with ofono-mcp modem before the "
			"next try",
	};

	return owner_command_run(&command, argc, argv);
}

const struct command command_unlock = {
	.name = "unlock",
	.summary = "give a SIM card its PIN",
	.run = run_unlock,
};
