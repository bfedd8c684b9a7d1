/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whoever connects is accepted at once, and admission.c decides who makes room. Only without
 * descriptors or memory the queue has to wait a moment.
 */
#include "http/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/address.h"
#include "base/log.h"
#include "http/connection.h"
#include "http/tls.h"

enum {
	/*
	 * Who comes on top is not heard, and tries again a second later: so it is as many as
	 * may come while we do something else.
	 */
	LISTEN_BACKLOG = 512,
	ACCEPT_MAX = 16, /* in a turn, then who is connected has a turn */
	RETRY_US = 100 * 1000,
};

static int listen_error(int number, const struct address *address,
			struct explanation *error)
{
	char text[ADDRESS_TEXT_BYTES];

	address_format(address, text);
	switch (number) {
	case EADDRINUSE:
		return explanation_set(
			error, -number,
			"%s is taken by another program; choose another with --listen "
			"ADDRESS:PORT",
			text);
	case EACCES:
		return explanation_set(
			error, -number,
			"%s: ports below 1024 need a privilege; choose a higher one "
			"with --listen ADDRESS:PORT",
			text);
	case EPERM: /* the unit's SocketBindDeny= */
		return explanation_set(
			error, -number,
			"%s: the service may not serve this port: systemctl edit "
			"ofono-mcp, and below [Service] SocketBindAllow=tcp:PORT",
			text);
	case EADDRNOTAVAIL:
		return explanation_set(
			error, -number,
			"%s: this machine has no such address; choose one that `ip "
			"address` shows, or 127.0.0.1",
			text);
	}
	return explanation_set(error, -number, "%s: cannot listen: %s", text,
			       strerror(number));
}

static int socket_bind(int fd, const struct address *address)
{
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -errno;
	if (address->any.sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0)
		return -errno;
	return bind(fd, &address->any, address->length) < 0 ? -errno : 0;
}

/* The descriptor or -errno. */
static int socket_open(const struct address *address)
{
	int fd = socket(address->any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = socket_bind(fd, address);
	if (!error)
		return fd;
	close(fd);
	return error;
}

static uint16_t socket_port(int fd)
{
	struct address address = { .length = sizeof(address.in6) };

	if (getsockname(fd, &address.any, &address.length) < 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port
						       : address.in.sin_port);
}

/* Accepting */

static void rest(struct listener *listener)
{
	char more[LOG_PACE_TEXT_BYTES];

	if (log_pace_passes(&listener->pace, more))
		log_warning("http: cannot accept a connection: %s%s", strerror(errno),
			    more);
	sd_event_source_set_enabled(listener->accepting, SD_EVENT_OFF);
	sd_event_source_set_time_relative(listener->retry, RETRY_US);
	sd_event_source_set_enabled(listener->retry, SD_EVENT_ONESHOT);
}

/* The system lacks something; what else goes wrong is of the one peer alone: accept(2). */
static bool is_lack(int number)
{
	return number == EMFILE || number == ENFILE || number == ENOBUFS ||
	       number == ENOMEM;
}

static int on_accept(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct listener *listener = data;
	struct address peer;

	(void)source;
	(void)events;
	for (int taken = 0; taken < ACCEPT_MAX; taken++) {
		struct sockaddr_storage any = { 0 };
		socklen_t length = sizeof(any);
		int socket = accept4(fd, (struct sockaddr *)&any, &length,
				     SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (socket < 0) {
			if (is_lack(errno))
				rest(listener);
			if (errno != ECONNABORTED && errno != EINTR)
				break;
			continue;
		}
		address_take(&peer, (struct sockaddr *)&any);
		connection_accept(listener->connections, socket, &peer, listener);
	}
	connections_flush(listener->connections);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t due_us, void *data)
{
	struct listener *listener = data;

	(void)source;
	(void)due_us;
	sd_event_source_set_enabled(listener->accepting, SD_EVENT_ON);
	return 0;
}

static int accept_add(struct listener *listener)
{
	sd_event *loop = listener->connections->loop;
	int error = sd_event_add_io(loop, &listener->accepting, listener->fd, EPOLLIN,
				    on_accept, listener);

	if (error >= 0)
		error = sd_event_source_set_enabled(listener->accepting, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &listener->retry, CLOCK_MONOTONIC,
					  UINT64_MAX, RETRY_US, on_retry, listener);
	if (error >= 0)
		error = sd_event_source_set_enabled(listener->retry, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

bool listener_wants_tls(const struct listener *listener)
{
	return tls_is_loaded() &&
	       (listener->network || listener->connections->config->tls_loopback);
}

static void accept_remove(struct listener *listener)
{
	listener->accepting = sd_event_source_disable_unref(listener->accepting);
	listener->retry = sd_event_source_disable_unref(listener->retry);
}

static int listener_start(struct listener *listener)
{
	int error;

	if (!listener->handed && listen(listener->fd, LISTEN_BACKLOG) < 0)
		return -errno;
	listener->tls = listener_wants_tls(listener);
	error = accept_add(listener);
	if (error)
		accept_remove(listener);
	return error;
}

bool listener_is_open(const struct listener *listener)
{
	return listener->accepting != NULL;
}

static int listener_bind(struct listener *listener)
{
	int fd = socket_open(&listener->address);

	if (fd < 0)
		return fd;
	listener->fd = fd;
	listener->port = socket_port(fd);
	return 0;
}

void listener_deinit(struct listener *listener)
{
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
}

int listener_init(struct listener *listener, struct connections *connections,
		  const char *text, struct explanation *error)
{
	int result;

	*listener = (struct listener){
		.connections = connections,
		.fd = -1,
	};
	if (!address_parse(text, &listener->address))
		return explanation_set(
			error, -EINVAL,
			"\"%s\" is no address to listen on: write 127.0.0.1:9531 or "
			"[::1]:9531",
			text);

	listener->network = !address_is_loopback(&listener->address);
	result = listener_bind(listener);
	return result ? listen_error(-result, &listener->address, error) : 0;
}

void listener_adopt(struct listener *listener, struct connections *connections,
		    const struct handed_socket *socket)
{
	*listener = (struct listener){
		.connections = connections,
		.address = socket->address,
		.fd = socket->fd,
		.port = socket_port(socket->fd),
		.handed = true,
		.network = !address_is_loopback(&socket->address),
	};
}

int listener_open(struct listener *listener, struct explanation *error)
{
	int result = listener->fd < 0 ? listener_bind(listener) : 0;

	if (!result)
		result = listener_start(listener);
	if (!result)
		return 0;
	if (!listener->handed)
		listener_deinit(listener);
	return listen_error(-result, &listener->address, error);
}

int listener_serve(struct listener *listener)
{
	int error = sd_event_source_set_enabled(listener->accepting, SD_EVENT_ON);

	return error < 0 ? error : 0;
}

void listener_close(struct listener *listener)
{
	accept_remove(listener);
	if (!listener->handed)
		listener_deinit(listener);
}
