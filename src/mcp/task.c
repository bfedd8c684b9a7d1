/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/task.h"

#include <string.h>

#include "base/clock.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/task_input.h"

static const char *const status_names[] = {
	[TASK_WORKING] = "working",	[TASK_INPUT_REQUIRED] = "input_required",
	[TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed",
	[TASK_CANCELLED] = "cancelled",
};

static bool is_declared(const struct request *request)
{
	return request->era->declares && request->era->declares(request, TASK_EXTENSION);
}

bool task_is_welcome(const struct request *request)
{
	return endpoint_tasks(request->endpoint) && is_declared(request);
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

static void put_time(struct json_writer *writer, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT_BYTES];

	clock_format(wall_ms, text);
	json_put_string(writer, key, text);
}

static void write_members(const struct task *task, struct json_writer *writer)
{
	json_put_string(writer, "taskId", task->id);
	json_put_string(writer, "status", status_names[task->status]);
	if (task->status_message)
		json_put_string(writer, "statusMessage", task->status_message);
	put_time(writer, "createdAt", task->created_ms);
	put_time(writer, "lastUpdatedAt", task->changed_ms);
	json_put_integer(writer, "ttlMs", task->ttl_ms);
	json_put_integer(writer, "pollIntervalMs", task->poll_ms);
}

static void put_result(const struct task_query *query, const struct task *task,
		       struct json_writer *writer)
{
	json_key(writer, "result");
	json_open_object(writer);
	json_put_string(writer, "resultType", "complete");
	task->kind->write_result(query, task, writer);
	json_close_object(writer);
}

static void put_questions(const struct ask_question *question, struct json_writer *writer)
{
	json_key(writer, "inputRequests");
	json_open_object(writer);
	for (; question->key; question++)
		ask_question_put_input(writer, question);
	json_close_object(writer);
}

void task_write(const struct task_query *query, const struct task *task,
		struct json_writer *writer)
{
	write_members(task, writer);
	switch (task->status) {
	case TASK_INPUT_REQUIRED:
		put_questions(task->questions, writer);
		break;
	case TASK_COMPLETED:
		put_result(query, task, writer);
		break;
	case TASK_FAILED:
		rpc_put_error(writer, &task->error);
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
	write_members(task, writer);
	request_close_result(request);
}

/* The methods */

static void write_required(struct json_writer *writer, const void *data)
{
	static const char *const path[] = { "requiredCapabilities", "extensions",
					    TASK_EXTENSION };
	enum { DEPTH = sizeof(path) / sizeof(path[0]) };

	(void)data;
	json_open_object(writer);
	for (int i = 0; i < DEPTH; i++) {
		json_key(writer, path[i]);
		json_open_object(writer);
	}
	for (int i = 0; i <= DEPTH; i++)
		json_close_object(writer);
}

bool task_admit(struct request *request)
{
	if (is_declared(request))
		return true;
	request_fail_with(request,
			  &(struct rpc_error){
				  .code = RPC_MISSING_CAPABILITY,
				  .text = "tasks are for clients that declare the "
					  "extension " TASK_EXTENSION,
				  .write_data = write_required,
			  });
	return false;
}

/* False: it is not there, and the request has been answered. */
static bool find_asked(struct request *request, struct task_query *query,
		       struct task *task_out)
{
	const char *id = json_string(json_member(request->message.params, "taskId"));
	int error;

	*query = (struct task_query){
		.id = id,
		.client_id = exchange_client(request->exchange)->id,
		.services = endpoint_services(request->endpoint),
		.arena = request->arena,
	};
	if (!id) {
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.taskId must be the id of a task");
		return false;
	}
	error = task_find(endpoint_tasks(request->endpoint), query, task_out);
	if (error == TASK_E_NOT_FOUND)
		request_fail(request, RPC_INVALID_PARAMS,
			     "there is no such task: it never was, is over its ttlMs, or "
			     "is another client's");
	else if (error)
		request_fail(request, RPC_INTERNAL_ERROR, "the task could not be read");
	return error == 0;
}

/* False: the request has been answered. */
static bool begin(struct request *request, struct task_query *query,
		  struct task *task_out)
{
	if (!endpoint_tasks(request->endpoint)) {
		request_fail(request, RPC_METHOD_NOT_FOUND, "Method not found");
		return false;
	}
	return task_admit(request) && find_asked(request, query, task_out);
}

/* Taken; what comes of it, tasks/get tells. */
static void acknowledge(struct request *request)
{
	if (request_open_result(request))
		request_close_result(request);
}

void task_run_get(struct request *request)
{
	struct task_query query;
	struct json_writer *writer;
	struct task task;

	if (!begin(request, &query, &task))
		return;
	writer = request_open_result(request);
	if (!writer)
		return;
	task_write(&query, &task, writer);
	request_close_result(request);
}

/* Answers to nothing are passed over. */
static void take(struct request *request, const struct task_query *query,
		 const struct task *task, const struct json *responses)
{
	struct task_inputs inputs;
	const char *problem = task_inputs_read(task, responses, request->arena, &inputs);

	if (problem)
		request_fail(request, RPC_INVALID_PARAMS, problem);
	else if (inputs.count && task->kind->take(query, task, &inputs))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the answers could not be noted: try again later");
	else
		acknowledge(request);
}

static bool is_over(const struct task *task)
{
	return task->status != TASK_WORKING && task->status != TASK_INPUT_REQUIRED;
}

void task_run_update(struct request *request)
{
	const struct json *responses =
		json_member(request->message.params, "inputResponses");
	struct task_query query;
	struct task task;

	if (!begin(request, &query, &task))
		return;
	if (responses && responses->type == JSON_OBJECT)
		take(request, &query, &task, responses);
	else
		request_fail(request, RPC_INVALID_PARAMS,
			     "params.inputResponses must be an object");
}

void task_run_cancel(struct request *request)
{
	struct task_query query;
	struct task task;

	if (!begin(request, &query, &task))
		return;
	if (!is_over(&task) && task.kind->cancel(&query, &task))
		request_fail(request, RPC_INTERNAL_ERROR,
			     "the wish to cancel could not be noted: try again later");
	else
		acknowledge(request);
}
