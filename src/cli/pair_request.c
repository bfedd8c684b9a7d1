/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pair request: the owner's side of a computer that asks to be paired (policy/pairing.h):
 *   waits for one, with --wait -> the owner types the code that the computer shows -> who asks,
 *   and what it would get -> yes or no
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/json_field.h"
#include "cli/owner_command.h"
#include "cli/terminal.h"
#include "gateway/paired_client.h"

enum {
	PAIR_REQUEST_LINE_BYTES = 512,
	PAIR_REQUEST_CODE_DIGITS = 6,
	PAIR_REQUEST_WAIT_S = 10 * 60,
};

/* As the gateway gives them by default. */
#define PAIR_REQUEST_SCOPES "read,send"

/* What the gateway answered last. */
static struct pair_request_state {
	unsigned waiting;
	bool is_told; /* the URL was printed */
} pair_request_state;

static int pair_request_fail(const char *code, const char *fix, const char *message)
{
	return options_report_failure(code, fix, "%s", message);
}

/* ---- requests to the gateway */

/* `code`, `flag` and `handler` may be NULL. */
static int pair_request_send(const struct owner_command_call *call, const char *command,
			     const char *code, const char *flag,
			     owner_command_handler *handler)
{
	const struct owner_command_argument arguments[] = {
		{ "code", code },
		{ flag, .is_true = true },
		{ NULL },
	};

	return owner_command_ask(call, command, arguments, handler);
}

/* The address comes first, because a name could go on like one: laptop" at 192.0.2.7 */
static void pair_request_print(const struct json *request)
{
	printf("%s, which calls itself \"", json_field_text(request, "address"));
	terminal_print_escaped(stdout, json_field_text(request, "name"));
	putchar('"');
}

static int pair_request_on_list(const struct owner_command_call *call,
				const struct json *result)
{
	const struct json *requests = json_field_list(result, "pairings");

	pair_request_state.waiting = (unsigned)requests->count;
	json_foreach (request, requests) {
		printf("  ");
		pair_request_print(request);
		printf(", until %s\n",
		       terminal_time(json_field_text(request, "until")).text);
	}
	return EXIT_CODE_OK;
}

/* Says once where the page is. */
static int pair_request_on_wait(const struct owner_command_call *call,
				const struct json *result)
{
	const struct json *urls = json_field_list(result, "urls");
	char url[PAIR_REQUEST_LINE_BYTES];

	if (json_field_list(result, "pairings")->count)
		return pair_request_on_list(call, result);
	if (pair_request_state.is_told || !urls->first)
		return EXIT_CODE_OK;
	pair_request_state.is_told = true;
	snprintf(url, sizeof(url), "%.*s/pair",
		 (int)(strlen(urls->first->text) - strlen(AGENT_URL_PATH)),
		 urls->first->text);
	printf("On the computer, open this page within ten minutes:\n\n  %s\n\n", url);
	if (isatty(STDOUT_FILENO) &&
	    terminal_qr_columns(url) <= terminal_columns(STDOUT_FILENO))
		terminal_print_qr(url);
	fflush(stdout);
	return EXIT_CODE_OK;
}

static int pair_request_on_check(const struct owner_command_call *call,
				 const struct json *result)
{
	printf("The computer at ");
	pair_request_print(json_member(result, "pairing"));
	puts(", asks to use this phone.");
	return EXIT_CODE_OK;
}

/* ---- the owner's answers */

/* Returns false if there is no line. */
static bool pair_request_ask(const char *prompt, char line[PAIR_REQUEST_LINE_BYTES])
{
	fputs(prompt, stdout);
	fflush(stdout);
	if (!fgets(line, PAIR_REQUEST_LINE_BYTES, stdin))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* Spaces are allowed: "482 913" is a code. Returns false if it has no six digits. */
static bool pair_request_read_code(const char *text,
				   char code[PAIR_REQUEST_CODE_DIGITS + 1])
{
	unsigned count = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		if (*text < '0' || *text > '9' || count == PAIR_REQUEST_CODE_DIGITS)
			return false;
		code[count++] = *text;
	}
	code[count] = '\0';
	return count == PAIR_REQUEST_CODE_DIGITS;
}

/* ---- the conversation */

/* Opens the page and waits for a computer. */
static int pair_request_wait(const struct owner_command_call *call)
{
	const struct timespec pause = { .tv_sec = 1 };

	for (unsigned second = 0; second < PAIR_REQUEST_WAIT_S; second++) {
		int code = pair_request_send(call, "pairings", NULL, "open",
					     pair_request_on_wait);

		if (code || pair_request_state.waiting)
			return code;
		nanosleep(&pause, NULL);
	}
	return pair_request_send(call, "pairings", NULL, "close", NULL);
}

static int pair_request_find(const struct owner_command_call *call)
{
	int code;

	if (owner_command_value(call, "wait"))
		code = pair_request_wait(call);
	else
		code = pair_request_send(call, "pairings", NULL, NULL,
					 pair_request_on_list);
	if (code || pair_request_state.waiting)
		return code;
	return pair_request_fail(
		"no_request",
		"Open /pair on the gateway's URL there, with " PROGRAM_NAME
		" pair --wait first if it is on the network; or give a program "
		"a token: " PROGRAM_NAME " pair NAME",
		"no computer asks to be paired");
}

/* The permissions, unless an option gives them. */
static void pair_request_ask_scopes(const struct owner_command_call *call,
				    struct json_writer *arguments)
{
	char line[PAIR_REQUEST_LINE_BYTES];

	const char *scopes = owner_command_value(call, "scope");

	if (scopes)
		printf("Its permissions: %s\n", scopes);
	else if (pair_request_ask("Its permissions [" PAIR_REQUEST_SCOPES "]: ", line) &&
		 *line)
		json_put_string(arguments, "scope", line);
}

static int pair_request_decide(const struct owner_command_call *call, const char *code,
			       struct json_writer *arguments)
{
	char line[PAIR_REQUEST_LINE_BYTES];

	pair_request_ask_scopes(call, arguments);
	if (pair_request_ask("Pair it? [y/N] ", line) && (*line == 'y' || *line == 'Y')) {
		json_put_string(arguments, "code", code);
		return EXIT_CODE_OK;
	}
	if (pair_request_send(call, "pair_reject", code, NULL, NULL) == EXIT_CODE_OK)
		puts("Rejected.");
	return EXIT_CODE_FAILED;
}

static int pair_request_converse(const struct owner_command_call *call,
				 struct json_writer *arguments)
{
	char line[PAIR_REQUEST_LINE_BYTES], code[PAIR_REQUEST_CODE_DIGITS + 1];
	int result = pair_request_find(call);

	if (result)
		return result;
	if (!pair_request_ask("Code that the computer shows: ", line) ||
	    !pair_request_read_code(line, code))
		return pair_request_fail("invalid_code",
					 "It is on the page /pair/wait there",
					 "a code has six digits");
	result = pair_request_send(call, "pair_check", code, NULL, pair_request_on_check);
	return result ? result : pair_request_decide(call, code, arguments);
}

int pair_request_add(const struct owner_command_call *call, struct json_writer *arguments)
{
	const char *given = owner_command_value(call, "code");
	char code[PAIR_REQUEST_CODE_DIGITS + 1];

	if (given && !pair_request_read_code(given, code))
		return options_fail(
			"--code takes the six digits that the computer shows");
	if (given)
		json_put_string(arguments, "code", code);
	if (given || (call->operand && !owner_command_value(call, "wait")))
		return EXIT_CODE_OK;
	if (call->store.json)
		return options_fail("with --json, give NAME or --code");
	return pair_request_converse(call, arguments);
}
