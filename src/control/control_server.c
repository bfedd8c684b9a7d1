/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/control_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "control/control_connection.h"
#include "control/control_socket.h"

enum { TURNS_PER_SECOND = 200 }; /* a process without descriptors must not spin */

struct control_server {
	sd_event *loop;
	const struct control *control;
	struct control_socket socket;
	sd_event_source *source;
	struct control_connection_list connections;
	unsigned count;
};

static void on_ended(void *data)
{
	struct control_server *server = data;

	server->count--;
	sd_event_source_set_enabled(server->source, SD_EVENT_ON);
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
	if (++server->count == CONTROL_CONNECTIONS_MAX)
		sd_event_source_set_enabled(server->source, SD_EVENT_OFF);
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
	control_socket_close(&server->socket);
	sd_event_unref(server->loop);
	free(server);
}
