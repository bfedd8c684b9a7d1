/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elicitation in 2025-06-18 and 2025-11-25: the call waits, the question is a request of
 * ours on the stream that answers its POST, and the client POSTs the answer.
 *
 * A client can be asked if it declared elicitation in the handshake of its session. A
 * response counts if it names our ID in the same session with the same token. The tool
 * has to do without an answer when none arrives in time, when an error arrives instead,
 * and when the gateway stops. The time is shared by all questions of a call, and runs on
 * while the phone sleeps, because hosts give up on calls that take a minute. A client that
 * leaves for good (see mcp/session.h) or cancels the call ends it: nothing has been done
 * yet.
 *
 * Source: MCP 2025-11-25, client/elicitation; basic/transports.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "mcp/elicitation_call.h"
#include "mcp/era.h"
#include "mcp/rpc.h"
#include "mcp/session.h"
#include "mcp/tool.h"

enum { ELICITATION_2025_ID_BYTES = 32, ELICITATION_2025_MS_PER_SECOND = 1000 };

/* A question that waits for its answer; lives in the call's arena. */
struct elicitation_2025 {
	struct elicitation_call *call;
	const struct elicitation_question *question;
	const char *seen;
	char id[ELICITATION_2025_ID_BYTES];
	char session_id[SESSION_ID_BYTES];
	int64_t asked_ms; /* clock_boot_ms() */
	sd_event_source *timer;
	LIST_ENTRY(elicitation_2025) link;
};

static struct request *elicitation_2025_request(const struct elicitation_2025 *waiting)
{
	return waiting->call->call->request;
}

static bool elicitation_2025_is_available(const struct elicitation_call *call)
{
	const struct request *request = call->call->request;
	const struct session *session = session_of_request(request);

	return session && session->capabilities & SESSION_ELICITS_FORMS &&
	       call->calls->loop && call->calls->timeout_seconds > 0 &&
	       rpc_header_accepts_streams(request->exchange);
}

/* Ending the wait */

static void elicitation_2025_stop_waiting(struct elicitation_2025 *waiting)
{
	LIST_REMOVE(waiting, link);
	waiting->timer = sd_event_source_disable_unref(waiting->timer);
	elicitation_2025_request(waiting)->waiting = NULL;
}

static void elicitation_2025_give_up(struct elicitation_2025 *waiting)
{
	elicitation_2025_stop_waiting(waiting);
	waiting->call->gave_up = true;
	elicitation_resume(waiting->call);
}

static void elicitation_2025_on_abandoned(void *data)
{
	elicitation_2025_stop_waiting(data);
}

/* Without an answer the tool may start to wait for something else; that also has to stop. */
static void elicitation_2025_on_stopping(void *data)
{
	struct elicitation_2025 *waiting = data;
	struct request *request = elicitation_2025_request(waiting);

	elicitation_2025_give_up(waiting);
	request_stop(request);
}

static const struct request_waiting elicitation_2025_waiting = {
	.abandoned = elicitation_2025_on_abandoned,
	.stopping = elicitation_2025_on_stopping,
};

/* Tells the client that it may stop asking its user. */
static void elicitation_2025_send_cancelled(const struct elicitation_2025 *waiting)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		rpc_open_notification(&body, "notifications/cancelled", NULL);

	if (writer) {
		json_put_string(writer, "requestId", waiting->id);
		json_put_string(writer, "reason", "No answer came in time");
		rpc_close_notification(writer);
	}
	request_send(elicitation_2025_request(waiting), &body);
}

static int elicitation_2025_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	elicitation_2025_send_cancelled(data);
	elicitation_2025_give_up(data);
	return 0;
}

/* Asking */

static bool elicitation_2025_send_request(const struct elicitation_2025 *waiting)
{
	struct request *request = elicitation_2025_request(waiting);
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&body);

	if (!writer)
		return false;
	rpc_open(writer, NULL);
	json_put_string(writer, "id", waiting->id);
	elicitation_write_question(writer, waiting->question, request->revision->form);
	json_close_object(writer);
	json_writer_free(writer);
	return request_send(request, &body);
}

static bool elicitation_2025_start_waiting(struct elicitation_2025 *waiting)
{
	struct elicitation_calls *calls = waiting->call->calls;
	struct request *request = elicitation_2025_request(waiting);
	int64_t left_ms = calls->timeout_seconds * ELICITATION_2025_MS_PER_SECOND -
			  elicitation_waited_ms(waiting->call->call);

	if (left_ms <= 0 || !request_take_wait(request) ||
	    sd_event_add_time_relative(calls->loop, &waiting->timer, CLOCK_BOOTTIME,
				       (uint64_t)left_ms * 1000, 0,
				       elicitation_2025_on_timer, waiting) < 0)
		return false;
	if (!elicitation_2025_send_request(waiting)) {
		sd_event_source_disable_unref(waiting->timer);
		return false;
	}
	waiting->asked_ms = clock_boot_ms();
	if (!waiting->call->asked_ms)
		waiting->call->asked_ms = waiting->asked_ms;
	LIST_INSERT_HEAD(&calls->waiting, waiting, link);
	request->waiting = &elicitation_2025_waiting;
	request->waiting_data = waiting;
	return true;
}

static bool elicitation_2025_ask(struct elicitation_call *call,
				 const struct elicitation_question *question,
				 const char *seen)
{
	const struct session *session = session_of_request(call->call->request);
	struct elicitation_2025 *waiting =
		arena_alloc(call->call->arena, sizeof(*waiting));

	if (!waiting || !session)
		return false;
	waiting->call = call;
	waiting->question = question;
	waiting->seen = seen;
	strcpy(waiting->session_id, session->id);
	snprintf(waiting->id, sizeof(waiting->id), "ask-%08x-%u", call->calls->epoch,
		 ++call->calls->last_number);
	return elicitation_2025_start_waiting(waiting);
}

const struct elicitation_call_transport elicitation_2025_transport = {
	.is_available = elicitation_2025_is_available,
	.ask = elicitation_2025_ask,
};

/* Answers */

static struct elicitation_2025 *elicitation_2025_find(const struct request *response)
{
	const struct session *session = session_of_request(response);
	const char *id = json_string(response->message.id);
	struct elicitation_2025 *waiting;

	LIST_FOREACH (waiting, &response->context->elicitations->waiting, link) {
		if (session && id && strcmp(waiting->id, id) == 0 &&
		    strcmp(waiting->session_id, session->id) == 0)
			return waiting;
	}
	return NULL;
}

/*
 * form_read() copies the answer, because the response does not live as long as the call.
 */
void elicitation_2025_receive(struct request *response)
{
	struct elicitation_2025 *waiting = elicitation_2025_find(response);
	const struct json *result = response->message.result;
	struct elicitation_call_reply reply;
	struct elicitation_call *call;

	if (!waiting)
		return;
	call = waiting->call;
	reply = (struct elicitation_call_reply){
		.key = waiting->question->key,
		.seen = waiting->seen,
		.is_hasty = clock_boot_ms() - waiting->asked_ms < ELICITATION_READING_MS,
	};
	if (!result || !elicitation_read_action(result, &reply.action)) {
		elicitation_2025_give_up(waiting);
		return;
	}
	if (reply.action == ELICITATION_ACCEPT)
		reply.content =
			form_read(waiting->question->fields,
				  json_member(result, "content"), call->call->arena);
	if (!elicitation_add_reply(call, &reply)) {
		elicitation_2025_give_up(waiting);
		return;
	}
	elicitation_2025_stop_waiting(waiting);
	elicitation_resume(call);
}
