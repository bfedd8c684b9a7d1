/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/owner_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "cli/ask_gateway.h"
#include "cli/command.h"
#include "cli/failing.h"
#include "cli/progress.h"
#include "gateway/control_call.h"

struct answer {
	const struct owner_call *call;
	owner_answer_show *show; /* NULL: it is printed as it is */
	struct progress progress;
	int code;
	bool is_over;
};

static const char *text_of(const struct json *object, const char *name)
{
	const char *text = json_string(json_member(object, name));

	return text ? text : "";
}

static int show_error(const struct owner_call *call, const struct json *error)
{
	const char *fix = text_of(error, "fix");

	fflush(stdout); /* what was told before stands before */
	fprintf(stderr, "ofono-mcp %s: %s.\n", call->command->name,
		text_of(error, "message"));
	if (*fix)
		fprintf(stderr, "%s%s\n", fix, failing_stop(fix));
	return strcmp(text_of(error, "code"), CONTROL_INVALID_ARGUMENT) == 0
		       ? EXIT_CODE_USAGE
		       : EXIT_CODE_FAILED;
}

static void show_line(struct answer *answer, const struct json *line)
{
	const struct owner_call *call = answer->call;
	const struct json *item = json_member(line, "item");
	const struct json *result = json_member(line, "result");
	const struct json *error = json_member(line, "error");

	if (item) {
		if (!!answer->show && call->command->show_item)
			call->command->show_item(call, item);
		return;
	}
	answer->is_over = true;
	if (error)
		answer->code = show_error(call, error);
	else if (result && !answer->show)
		answer->code = call->command->judge ? call->command->judge(result)
						    : EXIT_CODE_OK;
	else if (result)
		answer->code = answer->show(call, result);
}

static const struct json *read_line(struct arena *arena, const char *text, size_t length)
{
	struct json_reader *reader = json_reader_new(arena);
	const struct json *root = NULL;

	if (!reader)
		return NULL;
	if (json_reader_feed(reader, text, length) || json_reader_finish(reader, &root))
		root = NULL;
	json_reader_free(reader);
	return root;
}

/* {"result":X} -> X; an error stays what it is. */
static void print_json(const char *line, size_t length)
{
	static const char *const wrappings[] = { "{\"result\":", "{\"item\":" };

	for (size_t at = 0; at < sizeof(wrappings) / sizeof(wrappings[0]); at++) {
		size_t wrapping = strlen(wrappings[at]);

		if (length > wrapping && strncmp(line, wrappings[at], wrapping) == 0) {
			line += wrapping;
			length -= wrapping + 1;
		}
	}
	printf("%.*s\n", (int)length, line);
}

/* False: nobody hears any more what has no end. */
static bool on_told(void *data, const char *text, size_t length)
{
	struct arena *arena = arena_new(2 * CONTROL_ANSWER_MAX);
	const struct json *line = arena ? read_line(arena, text, length) : NULL;
	const struct json *progress = json_member(line, "progress");
	struct answer *answer = data;

	if (progress) {
		progress_note(&answer->progress, text_of(progress, "message"));
		line = NULL;
	} else {
		progress_clear(&answer->progress);
	}
	if (line && (!answer->show || (answer->call->json && json_member(line, "error"))))
		print_json(text, length);
	if (line)
		show_line(answer, line);
	arena_free(arena);
	return !answer->call->command->is_endless || fflush(stdout) == 0;
}

static void on_second(void *data)
{
	struct answer *answer = data;

	progress_tick(&answer->progress);
}

/* Nobody answered to the end. */
static int fail_unanswered(const struct owner_call *call, bool was_asked,
			   const char *problem)
{
	const char *when_lost = was_asked ? call->command->when_lost : NULL;
	const struct failing failing = {
		call->command->name,
		was_asked ? "no_answer" : "not_reachable",
		when_lost ? when_lost : "More tells: sudo ofono-mcp doctor",
		call->json,
	};

	return failing_tell(&failing, "%s", problem);
}

int owner_answer_await(const struct owner_call *call, const struct buffer *request,
		       owner_answer_show *show)
{
	struct answer answer = { .call = call, .show = show, .code = EXIT_CODE_FAILED };
	bool was_asked = false;
	const struct gateway_question question = {
		.config = &call->config,
		.command = call->command->name,
		.line = request->data,
		.length = request->length,
		.told = on_told,
		.second = on_second,
		.data = &answer,
		.was_asked = &was_asked,
		.is_endless = call->command->is_endless,
	};
	struct explanation problem = { "" };
	bool answered;

	progress_begin(&answer.progress, call->command->meanwhile
						 ? call->command->meanwhile
						 : "asking the gateway");
	answered = ask_gateway(&question, &problem);
	progress_clear(&answer.progress);
	if (!answered)
		return fail_unanswered(call, was_asked, problem.text);
	if (!answer.is_over)
		return fail_unanswered(
			call, was_asked,
			call->command->is_endless
				? "the gateway has ended"
				: "the gateway ended before it had answered");
	return answer.code;
}
