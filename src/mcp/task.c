/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding and writing tasks, checking the user's answers to them, the methods tasks/get,
 * tasks/update and tasks/cancel, and the timers of clients that listen to tasks. A task has
 * no state here: each request asks the kinds of the table for it again.
 */
#include "mcp/task.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "mcp/era.h"

static const char *const task_status_names[] = {
	[TASK_WORKING] = "working",	[TASK_INPUT_REQUIRED] = "input_required",
	[TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed",
	[TASK_CANCELLED] = "cancelled",
};

static bool task_is_declared(const struct request *request)
{
	const struct json *capabilities =
		rpc_meta(&request->message, RPC_META_PREFIX "clientCapabilities");
	const struct json *settings =
		json_member(json_member(capabilities, "extensions"), TASK_EXTENSION);

	return request->era->has_extensions && settings && settings->type == JSON_OBJECT;
}

bool task_is_welcome(const struct request *request)
{
	return request->context->tasks && task_is_declared(request);
}

int task_find(const struct task_kind *const *kinds, const struct task_query *query,
	      struct task *task_out)
{
	int error = TASK_E_NOT_FOUND;

	if (!kinds || strlen(query->id) > TASK_ID_MAX)
		return TASK_E_NOT_FOUND;
	for (; *kinds && error == TASK_E_NOT_FOUND; kinds++) {
		struct task task = { .kind = *kinds, .id = query->id };

		error = (*kinds)->find(query, &task);
		if (!error)
			*task_out = task;
	}
	return error;
}

/* Writing */

static void task_write_time(struct json_writer *writer, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT_BYTES];

	clock_format(wall_ms, text);
	json_put_string(writer, key, text);
}

static void task_write_members(const struct task *task, struct json_writer *writer)
{
	json_put_string(writer, "taskId", task->id);
	json_put_string(writer, "status", task_status_names[task->status]);
	if (task->status_message)
		json_put_string(writer, "statusMessage", task->status_message);
	task_write_time(writer, "createdAt", task->created_ms);
	task_write_time(writer, "lastUpdatedAt", task->changed_ms);
	json_put_integer(writer, "ttlMs", task->ttl_ms);
	json_put_integer(writer, "pollIntervalMs", task->poll_ms);
}

void task_write(const struct task_query *query, const struct task *task,
		struct json_writer *writer)
{
	const struct elicitation_question *question;

	task_write_members(task, writer);
	switch (task->status) {
	case TASK_INPUT_REQUIRED:
		json_open_object_at(writer, "inputRequests");
		for (question = task->questions; question->key; question++)
			elicitation_write_input_request(writer, question);
		json_close_object(writer);
		break;
	case TASK_COMPLETED:
		json_open_object_at(writer, "result");
		json_put_string(writer, "resultType", "complete");
		task->kind->write_result(query, task, writer);
		json_close_object(writer);
		break;
	case TASK_FAILED:
		rpc_write_error_member(writer, &task->error);
		break;
	case TASK_WORKING:
	case TASK_CANCELLED:
		break;
	}
}

void task_answer(struct request *request, const struct task *task)
{
	struct json_writer *writer;

	request->result_type = "task";
	writer = request_open_result(request);
	if (!writer)
		return;
	task_write_members(task, writer);
	request_close_result(request);
}

/* Answers to questions */

static const char *task_input_problem(const struct elicitation_question *question,
				      const char *problem, struct arena *arena)
{
	const char *text =
		arena_printf(arena, "inputResponses.%s %s", question->key, problem);

	return text ? text : problem;
}

static const char *task_read_input(const struct elicitation_question *question,
				   const struct json *response, struct arena *arena,
				   struct task_input *input_out)
{
	struct task_input input = { .question = question };

	if (!elicitation_read_action(response, &input.action))
		return task_input_problem(
			question, "must have the action accept, decline or cancel",
			arena);
	if (input.action == ELICITATION_ACCEPT) {
		input.content = form_read(question->fields,
					  json_member(response, "content"), arena);
		if (!input.content)
			return task_input_problem(question,
						  "does not fit its requestedSchema: no "
						  "answer was accepted, answer again",
						  arena);
	}
	*input_out = input;
	return NULL;
}

static const char *task_read_inputs(const struct task *task, const struct json *responses,
				    struct arena *arena, struct task_inputs *inputs_out)
{
	const struct elicitation_question *question =
		task->status == TASK_INPUT_REQUIRED ? task->questions : NULL;
	struct task_inputs inputs = { 0 };
	const char *problem = NULL;

	for (; question && question->key && !problem; question++) {
		const struct json *response = json_member(responses, question->key);

		if (!response || response->type == JSON_NULL)
			continue;
		assert(inputs.count < TASK_ELICITATIONS_MAX);
		problem = task_read_input(question, response, arena,
					  &inputs.items[inputs.count++]);
	}
	if (!problem)
		*inputs_out = inputs;
	return problem;
}

/* The methods */

bool task_admit(struct request *request)
{
	static const char *const extension[] = { "extensions", TASK_EXTENSION, NULL };

	if (task_is_declared(request))
		return true;
	request_fail_with(request,
			  &(struct rpc_error){
				  .code = RPC_MISSING_CAPABILITY,
				  .text = "tasks are for clients that "
					  "declare the extension " TASK_EXTENSION,
				  .write_data = rpc_write_required_capability,
				  .data = extension,
			  });
	return false;
}

/* Returns false if it is not found, and the request has been answered. */
static bool task_find_requested(struct request *request, struct task_query *query,
				struct task *task_out)
{
	const char *id = json_string(json_member(request->message.params, "taskId"));
	int error;

	*query = (struct task_query){
		.id = id,
		.client_id = exchange_client(request->exchange)->id,
		.services = request->context->services,
		.arena = request->arena,
	};
	if (!id) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.taskId must be the ID of a task");
		return false;
	}
	error = task_find(request->context->tasks, query, task_out);
	if (error == TASK_E_NOT_FOUND)
		request_fail(
			request, RPC_INVALID_PARAMS,
			"Task not found: it is unknown, past its ttlMs, or another client's");
	else if (error)
		request_fail(request, RPC_INTERNAL_ERROR, "the task could not be read");
	return error == 0;
}

/* Returns false if the request has been answered. */
static bool task_begin(struct request *request, struct task_query *query,
		       struct task *task_out)
{
	if (!request->context->tasks) {
		request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
		return false;
	}
	return task_admit(request) && task_find_requested(request, query, task_out);
}

void task_run_get(struct request *request)
{
	struct task_query query;
	struct json_writer *writer;
	struct task task;

	if (!task_begin(request, &query, &task))
		return;
	writer = request_open_result(request);
	if (!writer)
		return;
	task_write(&query, &task, writer);
	request_close_result(request);
}

/* Answers to unknown questions are ignored. */
static void task_accept_answers(struct request *request, const struct task_query *query,
				const struct task *task, const struct json *responses)
{
	struct task_inputs inputs;
	const char *problem = task_read_inputs(task, responses, request->arena, &inputs);

	if (problem)
		request_fail(request, RPC_INVALID_PARAMS, problem);
	else if (inputs.count && task->kind->take(query, task, &inputs))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the answers could not be stored: try again later");
	else
		request_acknowledge(request); /* tasks/get shows the effect */
}

void task_run_update(struct request *request)
{
	const struct json *responses =
		json_member(request->message.params, "inputResponses");
	struct task_query query;
	struct task task;

	if (!task_begin(request, &query, &task))
		return;
	if (responses && responses->type == JSON_OBJECT)
		task_accept_answers(request, &query, &task, responses);
	else
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.inputResponses must be an object");
}

void task_run_cancel(struct request *request)
{
	struct task_query query;
	struct task task;
	bool is_running;

	if (!task_begin(request, &query, &task))
		return;
	is_running = task.status == TASK_WORKING || task.status == TASK_INPUT_REQUIRED;
	if (is_running && task.kind->cancel(&query, &task))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the cancellation could not be stored: try again later");
	else
		request_acknowledge(request); /* tasks/get shows the effect */
}

/* A task that is due but has not changed is not looked at in a tight loop. */
enum { TASK_TIMER_MIN_MS = 1000, USEC_PER_MS = 1000 };

static void task_timers_arm(const struct task_timers *timers)
{
	const struct task_timer *first = TAILQ_FIRST(&timers->list);
	int error;

	if (!first) {
		sd_event_source_set_enabled(timers->timer, SD_EVENT_OFF);
		return;
	}
	error = sd_event_source_set_time(timers->timer,
					 (uint64_t)first->due_ms * USEC_PER_MS);
	if (error >= 0)
		error = sd_event_source_set_enabled(timers->timer, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("mcp: the timer for tasks could not be set: %s",
			  strerror(-error));
}

static void task_timers_insert(struct task_timers *timers, struct task_timer *timer)
{
	struct task_timer *later;

	TAILQ_FOREACH (later, &timers->list, link) {
		if (later->due_ms > timer->due_ms) {
			TAILQ_INSERT_BEFORE(later, timer, link);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&timers->list, timer, link);
}

static void task_timer_clear(struct task_timers *timers, struct task_timer *timer)
{
	if (!timer->due_ms)
		return;
	TAILQ_REMOVE(&timers->list, timer, link);
	timer->due_ms = 0;
}

static void task_timer_put(struct task_timers *timers, struct task_timer *timer,
			   int64_t due_ms)
{
	task_timer_clear(timers, timer);
	timer->due_ms = due_ms;
	if (due_ms)
		task_timers_insert(timers, timer);
	task_timers_arm(timers);
}

void task_timer_set(struct task_timers *timers, struct task_timer *timer, int64_t due_ms)
{
	int64_t soon_ms = clock_wall_ms() + TASK_TIMER_MIN_MS;

	if (timers->timer && due_ms != timer->due_ms)
		task_timer_put(timers, timer,
			       !due_ms || due_ms > soon_ms ? due_ms : soon_ms);
}

void task_timer_set_now(struct task_timers *timers, struct task_timer *timer)
{
	if (timers->timer)
		task_timer_put(timers, timer, clock_wall_ms() + 1); /* 0 is not set */
}

/* A timer that is set again here is due later, so the loop ends. */
static int task_timers_on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct task_timers *timers = data;
	int64_t now_ms = clock_wall_ms();
	struct task_timer *timer;

	while ((timer = TAILQ_FIRST(&timers->list)) && timer->due_ms <= now_ms) {
		task_timer_clear(timers, timer);
		timer->expired(timer);
	}
	task_timers_arm(timers);
	return 0;
}

int task_timers_init(struct task_timers *timers, sd_event *loop)
{
	int error;

	*timers = (struct task_timers){ 0 };
	TAILQ_INIT(&timers->list);
	if (!loop)
		return 0;
	error = sd_event_add_time(loop, &timers->timer, CLOCK_REALTIME, UINT64_MAX, 0,
				  task_timers_on_due, timers);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(timers->timer, SD_EVENT_OFF);
}

void task_timers_deinit(struct task_timers *timers)
{
	assert(TAILQ_EMPTY(&timers->list));
	timers->timer = sd_event_source_disable_unref(timers->timer);
}
