/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control_server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/control_connection.h"
#include "gateway/control_socket.h"

enum {
	TURNS_PER_SECOND = 200, /* a process without descriptors must not spin */
	TIMER_ACCURACY_US = 1000,
	LOOK_MS = 25, /* whether others wait, while all places are taken */
};

struct control_server {
	sd_event *loop;
	const struct control *control;
	struct control_socket socket;
	sd_event_source *source;
	sd_event_source *hurry; /* enabled while all places are taken */
	int64_t queued_ms;	/* since when others wait for one; 0: nobody does */
	struct control_connection_list connections;
	unsigned count;
};

static void on_ended(void *data)
{
	struct control_server *server = data;

	server->count--;
	sd_event_source_set_enabled(server->source, SD_EVENT_ON);
}

static void hurry_after(struct control_server *server, uint64_t after_ms)
{
	sd_event_source_set_time_relative(server->hurry, after_ms * 1000);
	sd_event_source_set_enabled(server->hurry, SD_EVENT_ONESHOT);
}

static bool somebody_waits(const struct control_server *server)
{
	struct pollfd waiting = { .fd = server->socket.fd, .events = POLLIN };

	return poll(&waiting, 1, 0) > 0;
}

static int on_hurry(sd_event_source *source, uint64_t due_us, void *data)
{
	struct control_server *server = data;
	int64_t now_ms = clock_monotonic_ms();
	uint64_t again_ms = LOOK_MS;

	(void)source;
	(void)due_us;
	if (server->count < CONTROL_CONNECTIONS_MAX)
		return 0;
	if (!somebody_waits(server))
		server->queued_ms = 0;
	else if (!server->queued_ms)
		server->queued_ms = now_ms;
	else if (now_ms - server->queued_ms >= CONTROL_QUEUE_MS)
		again_ms =
			control_connection_hurry(&server->connections, CONTROL_HURRY_MS);
	if (again_ms)
		hurry_after(server, again_ms);
	else
		server->queued_ms =
			0; /* commands run in all places: they take their time */
	return 0;
}

static void take(struct control_server *server, int fd)
{
	struct control_asker asker = { .fd = fd, .ended = on_ended, .data = server };

	asker.is_admitted = control_socket_admits(&server->socket, fd, &asker.uid);
	if (!asker.is_admitted)
		log_warning("control: uid %lld was refused", (long long)asker.uid);
	if (control_connection_begin(server->loop, &server->connections, server->control,
				     &asker) < 0) {
		close(fd);
		return;
	}
	if (++server->count < CONTROL_CONNECTIONS_MAX) {
		server->queued_ms = 0;
		return;
	}
	sd_event_source_set_enabled(server->source, SD_EVENT_OFF);
	hurry_after(server, 0);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *data)
{
	int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)events;
	if (peer >= 0)
		take(data, peer);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		log_warning("control: cannot accept: %m");
	return 0;
}

static int listen_on(struct control_server *server)
{
	int error = sd_event_add_io(server->loop, &server->source, server->socket.fd,
				    EPOLLIN, on_connection, server);

	if (error >= 0)
		error = sd_event_add_time_relative(server->loop, &server->hurry,
						   CLOCK_MONOTONIC, 0, TIMER_ACCURACY_US,
						   on_hurry, server);
	/* What has arrived is read before anybody is late. */
	if (error >= 0)
		error = sd_event_source_set_priority(server->hurry,
						     SD_EVENT_PRIORITY_NORMAL + 1);
	if (error >= 0)
		error = sd_event_source_set_enabled(server->hurry, SD_EVENT_OFF);
	if (error < 0)
		return error;
	return sd_event_source_set_ratelimit(server->source, UINT64_C(1000000),
					     TURNS_PER_SECOND);
}

int control_server_new(sd_event *loop, const struct control *control,
		       struct control_server **server_out, struct explanation *error)
{
	struct control_server *server = calloc(1, sizeof(*server));
	int result = -ENOMEM;

	snprintf(error->text, sizeof(error->text), "out of memory");
	if (!server)
		return result;
	server->loop = sd_event_ref(loop);
	server->control = control;
	LIST_INIT(&server->connections);
	result = control_socket_open(&server->socket, control->config, error);
	if (result == 0)
		result = listen_on(server);
	if (result < 0) {
		control_server_free(server);
		return result;
	}
	*server_out = server;
	return 0;
}

void control_server_free(struct control_server *server)
{
	struct control_connection *connection;

	if (!server)
		return;
	while ((connection = LIST_FIRST(&server->connections)))
		control_connection_free(connection);
	server->source = sd_event_source_disable_unref(server->source);
	server->hurry = sd_event_source_disable_unref(server->hurry);
	control_socket_close(&server->socket);
	sd_event_unref(server->loop);
	free(server);
}
