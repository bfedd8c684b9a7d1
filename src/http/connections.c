/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hang-ups: libmicrohttpd does not see that a peer has left when the FIN came together with bytes of
 * a request, or while the connection is suspended. So an epoll set of our own reports it.
 *
 * Postponed requests: everything that is ready is served in one turn of the loop, so hundreds of
 * requests that take a millisecond each would hold up all others. Once a turn has taken
 * CONNECTIONS_TURN_MS, the remaining complete requests wait for a later turn. The connection whose
 * address has the fewest connections goes first
 * (tests/unit/test_http_server.c::test_a_modest_client_is_not_behind_a_greedy_one).
 */
#include "http/connection.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"

enum {
	CONNECTIONS_LINGER_MS = 2000,
	CONNECTIONS_TURN_ACCURACY_US = 1,
	CONNECTIONS_HANG_UPS_MAX = 32, /* in one turn of the loop */
	/* closed ones that libmicrohttpd does not know to be closed yet */
	CONNECTIONS_EXTRA = 1024,
	/*
	 * The memory pool of a connection holds the head of a request (REQUEST_HEAD_BYTES_MAX, and
	 * 64 bytes for each header and cookie), a piece of its body and the headers of the answer.
	 */
	CONNECTIONS_POOL_BYTES = 14 * 1024,
};

/* Hang-ups */

static int connections_on_hang_up(sd_event_source *source, int fd, uint32_t events,
				  void *data)
{
	struct epoll_event found[CONNECTIONS_HANG_UPS_MAX];
	int count = epoll_wait(fd, found, CONNECTIONS_HANG_UPS_MAX, 0);

	for (int at = 0; at < count; at++)
		connection_hang_up(found[at].data.ptr);
	return count;
}

void connections_flush(struct connections *all)
{
	while (connections_on_hang_up(all->hang_up, all->hang_ups, EPOLLIN, all) > 0)
		;
	engine_run(&all->plain);
	engine_run(&all->encrypted);
}

/* Postponed requests */

/* Returns NULL if none is left. */
static struct connection *connections_next_postponed(const struct connections *all)
{
	struct connection *connection, *found = TAILQ_FIRST(&all->postponed);

	TAILQ_FOREACH (connection, &all->postponed, postponed_link) {
		if (connection->usage->served < found->usage->served)
			found = connection;
	}
	return found;
}

static int connections_on_postponed_turn(sd_event_source *source, uint64_t due_us,
					 void *data)
{
	struct connections *all = data;
	int64_t began_ms = clock_monotonic_ms();
	struct connection *connection;

	while ((connection = connections_next_postponed(all)) &&
	       clock_monotonic_ms() - began_ms < CONNECTIONS_TURN_MS) {
		struct exchange *exchange = connection->exchange;

		connection_request_unpostpone(connection);
		exchange_complete(exchange);
		if (exchange_is_answered(exchange))
			continue;
		if (connection->hung_up)
			connection_abandon(connection);
		else if (all->stopping)
			exchange_stop(exchange);
	}
	if (connection)
		connection_request_schedule_postponed(all);
	return 0;
}

static int connections_add_sources(struct connections *all)
{
	int error = sd_event_add_io(all->loop, &all->hang_up, all->hang_ups, EPOLLIN,
				    connections_on_hang_up, all);

	return error < 0 ? error
			 : sd_event_add_time(all->loop, &all->postponed_turn,
					     CLOCK_MONOTONIC, UINT64_MAX,
					     CONNECTIONS_TURN_ACCURACY_US,
					     connections_on_postponed_turn, all);
}

/* libmicrohttpd */

/* Only epoll failures concern the owner. The other lines say nothing about the peer's bytes. */
__attribute__((format(printf, 2, 0))) static void connections_on_log(void *data,
								     const char *format,
								     va_list arguments)
{
	static const char serious[] = "Call to epoll";
	char text[256];

	if (strncmp(format, serious, strlen(serious)) != 0)
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	text[strcspn(text, "\n")] = '\0';
	log_warning("http: %s", text);
}

/* The path of a request stays as it was sent. */
static size_t connections_leave_escaped(void *data, struct MHD_Connection *mhd,
					char *text)
{
	return strlen(text);
}

/* The daemon has no listening socket and no thread: all limits and deadlines are ours. */
static struct MHD_Daemon *connections_start_daemon(struct connections *all, bool tls)
{
	unsigned limit = (unsigned)all->config->max_connections + CONNECTIONS_EXTRA;
	const struct MHD_OptionItem with_tls[] = {
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_PRIORITIES },
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)(intptr_t)tls_retrieve },
		{ MHD_OPTION_END, 0, NULL },
	};
	const struct MHD_OptionItem without_tls[] = { { MHD_OPTION_END, 0, NULL } };

	return MHD_start_daemon(
		MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0),
		0, NULL, NULL, connection_request_handle, all,
		/* the logger first, so that it gets complaints about the rest */
		MHD_OPTION_EXTERNAL_LOGGER, connections_on_log, NULL, MHD_OPTION_ARRAY,
		tls ? with_tls : without_tls, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTIONS_POOL_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, connection_request_notified, all,
		MHD_OPTION_NOTIFY_COMPLETED, connection_request_completed, all,
		MHD_OPTION_URI_LOG_CALLBACK, connection_request_begin, all,
		MHD_OPTION_UNESCAPE_CALLBACK, connections_leave_escaped, NULL,
		MHD_OPTION_END);
}

int connections_init(struct connections *all)
{
	const struct config *config = all->config;
	const uint64_t period_ms[DEADLINE_KINDS] = {
		[DEADLINE_REQUEST] = (uint64_t)config->request_timeout_seconds * 1000,
		[DEADLINE_IDLE] = (uint64_t)config->idle_timeout_seconds * 1000,
		[DEADLINE_LINGER] = CONNECTIONS_LINGER_MS,
	};
	int error;

	TAILQ_INIT(&all->list);
	TAILQ_INIT(&all->postponed);
	LIST_INIT(&all->usages);
	LIST_INIT(&all->lingers);
	all->budget = arena_budget_new(CONNECTIONS_MEMORY_BYTES);
	all->hang_ups = epoll_create1(EPOLL_CLOEXEC);
	network_interfaces_init(&all->interfaces, config);
	error = all->hang_ups < 0 ? -errno : connections_add_sources(all);
	if (error >= 0)
		error = engine_init(&all->plain, all->loop, false,
				    connections_start_daemon(all, false));
	tls_serve(&all->tls);
	if (error >= 0)
		error = engine_init(&all->encrypted, all->loop, true,
				    connections_start_daemon(all, true));
	/* the rest is for requests: streams alone must not use up all connections */
	if (error >= 0)
		error = streams_init(&all->streams, all->loop,
				     (unsigned)(config->max_connections * 3 / 4));
	if (error < 0)
		return error;
	if (!all->budget)
		return -ENOMEM;
	all->streams.budget = all->budget;
	return deadlines_init(&all->deadlines, all->loop, period_ms);
}

void connections_deinit(struct connections *all)
{
	connections_close(all, NULL);
	engine_deinit(&all->plain);
	engine_deinit(&all->encrypted);
	lingers_close(all);
	assert(TAILQ_EMPTY(&all->list));
	all->hang_up = sd_event_source_disable_unref(all->hang_up);
	all->postponed_turn = sd_event_source_disable_unref(all->postponed_turn);
	if (all->hang_ups >= 0)
		close(all->hang_ups);
	network_interfaces_deinit(&all->interfaces);
	streams_deinit(&all->streams);
	deadlines_deinit(&all->deadlines);
	arena_budget_drop(all->budget);
}

/* Tells the peer why, unless that would need a handshake first. */
static void connections_refuse(struct connections *all, int fd, bool encrypted,
			       const char *reason)
{
	char message[RESPONSE_REFUSAL_BYTES_MAX];
	size_t length = encrypted ? 0 : response_write_no_room(message, reason);

	log_debug("http: connection %d is refused: %s", fd, reason);
	all->counts.answers[MHD_HTTP_SERVICE_UNAVAILABLE]++;
	if (length &&
	    send(fd, message, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length)
		linger_start(all, fd);
	else
		close(fd);
}

void connections_accept(struct connections *all, int fd, const struct address *peer,
			const struct listener *listener, const char *local_name)
{
	const int on = 1;
	const struct address_source source = address_source(peer);
	struct connection_usage *usage = connection_usage_hold(&all->usages, &source);
	char *name = local_name ? strdup(local_name) : NULL;
	bool serves = local_name ? !all->stopping
				 : network_interfaces_admit(&all->interfaces, fd);
	const char *reason;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (!usage || (local_name && !name) || !serves) {
		close(fd);
	} else {
		/*
		 * Before anyone has to make room: some peer may have left, and an idle connection
		 * may have a request that we have not read.
		 */
		if (all->served_count >= all->config->max_connections ||
		    usage->served >= all->config->max_connections_per_address)
			connections_flush(all);
		reason = admission_refusal(all, usage);
		if (reason)
			connections_refuse(all, fd, listener->tls, reason);
		else if (connection_start(all, fd, peer, listener, usage, name))
			return;
		else
			close(fd);
	}
	free(name);
	if (usage)
		connection_usage_release(usage);
}

void connections_stop(struct connections *all)
{
	struct connection *connection;

	all->stopping = true;
	lingers_close(all);
	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (connection->state == CONNECTION_IDLE)
			connection_close(connection);
		else if (connection->state == CONNECTION_DELAYED)
			connection_request_end_delay(connection);
		else if (connection_is_open_ended(connection))
			exchange_stop(connection->exchange);
	}
}

void connections_cut_client(struct connections *all, int64_t client_id)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		const struct exchange *exchange = connection->exchange;

		if (exchange && exchange_client(exchange)->id == client_id &&
		    (connection->state == CONNECTION_BODY ||
		     connection_is_open_ended(connection)))
			connection_abandon(connection);
		else if (connection->client_id == client_id)
			connection_distrust(connection);
	}
}

void connections_close(struct connections *all, const struct listener *listener)
{
	struct connection *connection;

	TAILQ_FOREACH (connection, &all->list, list_link) {
		if (listener && connection->listener != listener)
			continue;
		if (connection_is_open_ended(connection))
			connection_abandon(connection);
		else
			connection_close(connection);
	}
	connections_flush(all); /* libmicrohttpd lets go of them */
}
