/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mcp/elicitation.h"

#include <stdio.h>
#include <string.h>

#include "mcp/accept.h"
#include "mcp/endpoint.h"
#include "mcp/era.h"
#include "mcp/notification.h"

enum { ID_BYTES = 32 };

/* lives in the call's arena */
struct elicitation {
	struct ask *ask;
	const struct ask_question *question;
	const char *seen;
	char id[ID_BYTES];
	char session_id[SESSION_ID_BYTES];
	sd_event_source *timer;
	LIST_ENTRY(elicitation) link;
};

static bool can(const struct ask *ask)
{
	const struct request *request = ask->call->request;
	const struct session *session = request_session(request);

	return session && session->capabilities & SESSION_ELICITS_FORMS &&
	       ask->asking->loop && ask->asking->patience_seconds > 0 &&
	       accept_streams(request->exchange);
}

/* The end of waiting */

static void end(struct elicitation *elicitation)
{
	struct request *request = elicitation->ask->call->request;

	LIST_REMOVE(elicitation, link);
	elicitation->timer = sd_event_source_disable_unref(elicitation->timer);
	request->waiting = NULL;
}

static void do_without(struct elicitation *elicitation)
{
	end(elicitation);
	elicitation->ask->is_alone = true;
	ask_resume(elicitation->ask);
}

static void on_left(void *data)
{
	end(data);
}

static void on_stopping(void *data)
{
	do_without(data);
}

static const struct request_waiting waiting = {
	.abandoned = on_left,
	.stopping = on_stopping,
};

/* The client need not bother its person any longer. */
static void take_back(const struct elicitation *elicitation)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer =
		notification_open(&body, "notifications/cancelled", NULL);

	if (writer) {
		json_put_string(writer, "requestId", elicitation->id);
		json_put_string(writer, "reason", "No answer came in time");
		notification_close(writer);
	}
	request_tell(elicitation->ask->call->request, &body);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	take_back(data);
	do_without(data);
	return 0;
}

/* Asking */

static bool push_request(const struct elicitation *elicitation)
{
	struct buffer body = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&body);

	if (!writer)
		return false;
	rpc_open(writer, NULL);
	json_put_string(writer, "id", elicitation->id);
	ask_question_write(writer, elicitation->question,
			   elicitation->ask->call->request->revision->form);
	json_close_object(writer);
	json_writer_free(writer);
	return request_tell(elicitation->ask->call->request, &body);
}

static bool start(struct elicitation *elicitation)
{
	struct asking *asking = elicitation->ask->asking;
	struct request *request = elicitation->ask->call->request;

	if (sd_event_add_time_relative(asking->loop, &elicitation->timer, CLOCK_MONOTONIC,
				       (uint64_t)asking->patience_seconds * 1000000, 0,
				       on_timer, elicitation) < 0)
		return false;
	if (!push_request(elicitation)) {
		sd_event_source_disable_unref(elicitation->timer);
		return false;
	}
	LIST_INSERT_HEAD(&asking->elicitations, elicitation, link);
	request->waiting = &waiting;
	request->waiting_data = elicitation;
	return true;
}

static bool put(struct ask *ask, const struct ask_question *question, const char *seen)
{
	struct request *request = ask->call->request;
	const struct session *session = request_session(request);
	struct elicitation *elicitation =
		arena_alloc(ask->call->arena, sizeof(*elicitation));

	if (!elicitation || !session)
		return false;
	elicitation->ask = ask;
	elicitation->question = question;
	elicitation->seen = seen;
	strcpy(elicitation->session_id, session->id);
	snprintf(elicitation->id, sizeof(elicitation->id), "ask-%08x-%u",
		 ask->asking->epoch, ++ask->asking->number);
	return start(elicitation);
}

const struct ask_front elicitation_front = {
	.can = can,
	.put = put,
};

/* Hearing */

static struct elicitation *find(const struct request *response)
{
	struct asking *asking = endpoint_asking(response->endpoint);
	const struct session *session = request_session(response); /* of this client */
	const char *id = json_string(response->message.id);
	struct elicitation *elicitation;

	LIST_FOREACH (elicitation, &asking->elicitations, link) {
		if (session && id && strcmp(elicitation->id, id) == 0 &&
		    strcmp(elicitation->session_id, session->id) == 0)
			return elicitation;
	}
	return NULL;
}

/* What is kept of it is copied: the response lives shorter than the call. */
void elicitation_hear(struct request *response)
{
	struct elicitation *elicitation = find(response);
	const struct json *result = response->message.result;
	struct ask_reply reply;
	struct ask *ask;

	if (!elicitation)
		return;
	ask = elicitation->ask;
	reply = (struct ask_reply){ elicitation->question->key, elicitation->seen };
	if (!result || !ask_action_read(result, &reply.action)) {
		do_without(elicitation);
		return;
	}
	if (reply.action == ASK_ACCEPT)
		reply.content =
			ask_form_read(elicitation->question->fields,
				      json_member(result, "content"), ask->call->arena);
	if (!ask_add_reply(ask, &reply)) {
		do_without(elicitation);
		return;
	}
	end(elicitation);
	ask_resume(ask);
}
