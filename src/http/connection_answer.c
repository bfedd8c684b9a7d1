/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/connection_private.h"

#include <assert.h>
#include <time.h>

#include "http/refusal.h"

enum {
	DELAYED_MAX = 32, /* so many hold a slot for nothing; others are told at once */
	DELAY_ACCURACY_US = 10 * 1000,
	ANSWER_FREE_BYTES = 48 * 1024, /* a list of tools, without the budget */
};

bool connection_charge(struct connection *connection, const struct buffer *body)
{
	size_t length = body ? body->length : 0;

	if (length <= ANSWER_FREE_BYTES)
		return true;
	if (!memory_budget_take(connection->connections->budget, length))
		return false;
	connection->charged += length;
	return true;
}

enum MHD_Result connection_no_room(struct connection *connection)
{
	connection_refuse_now(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
			      CONNECTION_NO_ROOM);
	return MHD_NO;
}

enum MHD_Result connection_send(struct connection *connection)
{
	enum MHD_Result result = MHD_queue_response(connection->mhd, connection->status,
						    connection->response);

	connections_count_answer(connection->connections, connection->status);
	if (connection->stream && result == MHD_YES)
		connection->unsent = connection->response;
	MHD_destroy_response(connection->response);
	connection->response = NULL;
	connection->state =
		connection->stream ? CONNECTION_STREAMING : CONNECTION_ANSWERING;
	deadline_set(&connection->connections->deadlines, &connection->deadline,
		     DEADLINE_REQUEST);
	return result;
}

void connection_delay_forget(struct connection *connection)
{
	connection->delay = sd_event_source_disable_unref(connection->delay);
	connection->connections->delayed--;
	MHD_resume_connection(connection->mhd);
	engine_kick(&connection->connections->engine);
}

void connection_delay_end(struct connection *connection)
{
	bool sent = connection_send(connection) == MHD_YES;

	connection_delay_forget(connection);
	if (!sent)
		connection_close(connection);
}

static int on_delay_over(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	connection_delay_end(data);
	return 0;
}

enum MHD_Result connection_send_or_delay(struct connection *connection)
{
	struct connections *all = connection->connections;

	if (!connection->delay_ms || all->delayed == DELAYED_MAX || all->stopping ||
	    sd_event_add_time_relative(all->loop, &connection->delay, CLOCK_MONOTONIC,
				       (uint64_t)connection->delay_ms * 1000,
				       DELAY_ACCURACY_US, on_delay_over, connection) < 0)
		return connection_send(connection);
	all->delayed++;
	MHD_suspend_connection(connection->mhd);
	connection->state = CONNECTION_DELAYED;
	deadline_clear(&all->deadlines, &connection->deadline);
	return MHD_YES;
}

void connection_add_header(struct connection *connection, const char *name,
			   const char *value)
{
	size_t at = 0;

	while (at < EXCHANGE_HEADERS_MAX && connection->headers[at].name)
		at++;
	assert(at < EXCHANGE_HEADERS_MAX);
	connection->headers[at].name = name;
	connection->headers[at].value = value;
}

void connection_respond(struct connection *connection, unsigned status,
			struct response *response)
{
	size_t at;

	for (at = 0; at < EXCHANGE_HEADERS_MAX && connection->headers[at].name; at++)
		response_header(response, connection->headers[at].name,
				connection->headers[at].value);
	if (connection->connections->stopping)
		response_header(response, "Connection", "close");
	connection->status = status;
	connection->response = response_take(response);
}

/* Within a callback of libmicrohttpd the answer waits for its end, else it goes out now. */
void connection_answer(struct connection *connection, unsigned status,
		       struct response *response)
{
	if (connection->origin)
		response_allow_origin(response, connection->origin);
	connection_respond(connection, status, response);
	if (connection->state != CONNECTION_WAITING)
		return;
	if (!connection->response || connection_send(connection) != MHD_YES) {
		connection_close(connection); /* resumes it */
		return;
	}
	MHD_resume_connection(connection->mhd);
	engine_kick(&connection->connections->engine);
}

void connection_answer_no_room(struct connection *connection, struct buffer *body)
{
	struct buffer words = BUFFER_INIT;
	struct response response;

	if (body)
		buffer_deinit(body);
	refusal_body(&words, connection->route, MHD_HTTP_SERVICE_UNAVAILABLE,
		     CONNECTION_NO_ROOM);
	response = response_make("application/json", &words);
	response_header(&response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
	connection_answer(connection, MHD_HTTP_SERVICE_UNAVAILABLE, &response);
}
