/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/task_input.h"

#include <assert.h>

static const char *say(const struct ask_question *question, const char *problem,
		       struct arena *arena)
{
	const char *text =
		arena_printf(arena, "inputResponses.%s %s", question->key, problem);

	return text ? text : problem;
}

static const char *read_input(const struct ask_question *question,
			      const struct json *response, struct arena *arena,
			      struct task_input *input_out)
{
	struct task_input input = { .question = question };

	if (!ask_action_read(response, &input.action))
		return say(question, "must have the action accept, decline or cancel",
			   arena);
	if (input.action == ASK_ACCEPT) {
		input.content = ask_form_read(question->fields,
					      json_member(response, "content"), arena);
		if (!input.content)
			return say(question,
				   "does not fit its requestedSchema: nothing was taken, "
				   "answer again",
				   arena);
	}
	*input_out = input;
	return NULL;
}

const char *task_inputs_read(const struct task *task, const struct json *responses,
			     struct arena *arena, struct task_inputs *inputs_out)
{
	const struct ask_question *question =
		task->status == TASK_INPUT_REQUIRED ? task->questions : NULL;
	struct task_inputs inputs = { 0 };
	const char *problem = NULL;

	for (; question && question->key && !problem; question++) {
		const struct json *response = json_member(responses, question->key);

		if (!response || response->type == JSON_NULL)
			continue;
		assert(inputs.count < TASK_QUESTIONS_MAX);
		problem = read_input(question, response, arena,
				     &inputs.items[inputs.count++]);
	}
	if (!problem)
		*inputs_out = inputs;
	return problem;
}
