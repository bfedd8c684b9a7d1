/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket is made here and not by libmicrohttpd, which says no more than "failed".
 *
 * libmicrohttpd's own timeout stays off: it counts from the last byte, and every connection
 * has a deadline that does not (connection.c). So its only wish for a wake-up is "at once".
 *
 * Its strict parsing stays off, too: all it adds is that a missing Host is answered with two
 * header blocks and a blank in the URI with nothing at all; the gates refuse both properly.
 */
#include "http/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "base/log.h"
#include "http/header_lines.h"
#include "http/tls.h"

enum {
	/*
	 * Who comes on top is not heard, and tries again a second later: so it is as many as
	 * may come while we do something else.
	 */
	LISTEN_BACKLOG = 512,
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

/* What peers do wrong is for debugging; what we lack is for the owner. */
static __attribute__((format(printf, 2, 0))) void on_log(void *data, const char *format,
							 va_list arguments)
{
	static const char *const serious[] = { "Error accepting connection",
					       "Hit process or system resource limit",
					       "Call to epoll_ctl failed",
					       "Call to epoll_wait failed" };
	static const char starving[] =
		"Hit process or system resource limit at FIRST connection";
	struct listener *listener = data;
	enum log_level level = LOG_LEVEL_DEBUG;
	char text[256], more[LOG_PACE_TEXT_BYTES] = "";
	size_t at;

	for (at = 0; at < sizeof(serious) / sizeof(serious[0]); at++)
		if (strncmp(format, serious[at], strlen(serious[at])) == 0)
			level = LOG_LEVEL_WARNING;
	if (strncmp(format, starving, strlen(starving)) == 0)
		pump_starve(&listener->pump);
	if (level == LOG_LEVEL_WARNING && !log_pace_passes(&listener->pace, more))
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	text[strcspn(text, "\n")] = '\0';
	log_line(level, "http: %s%s", text, more);
}

/* Paths are compared as they were sent: nothing is decoded. */
static size_t keep_escapes(void *data, struct MHD_Connection *mhd, char *text)
{
	(void)data;
	(void)mhd;
	return strlen(text);
}

static struct MHD_Daemon *daemon_start(struct listener *listener, unsigned flags,
				       const struct MHD_OptionItem *more)
{
	const struct config *config = listener->home.connections->config;
	struct connection_home *home = &listener->home;

	flags |= MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	if (listener->address.any.sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(
		flags, listener->port, NULL, NULL, connection_handle, home,
		MHD_OPTION_EXTERNAL_LOGGER, on_log,
		listener, /* first: it tells of the rest */
		MHD_OPTION_LISTEN_SOCKET, listener->fd, MHD_OPTION_STRICT_FOR_CLIENT, 0,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)config->max_connections,
		MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HEADER_MEMORY_BYTES, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes,
		NULL, MHD_OPTION_NOTIFY_CONNECTION, connection_notify, home,
		MHD_OPTION_NOTIFY_COMPLETED, connection_completed, home,
		MHD_OPTION_URI_LOG_CALLBACK, connection_request_line, home,
		MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}

static struct MHD_Daemon *daemon_start_plain(struct listener *listener)
{
	static const struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

	return daemon_start(listener, 0, none);
}

static struct MHD_Daemon *daemon_start_tls(struct listener *listener)
{
	static const struct MHD_OptionItem options[] = {
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_PRIORITIES },
		{ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)tls_retrieve },
		{ MHD_OPTION_END, 0, NULL },
	};

	return daemon_start(listener, MHD_USE_TLS, options);
}

bool listener_wants_tls(const struct listener *listener)
{
	return tls_is_loaded() &&
	       (listener->network || listener->home.connections->config->tls_loopback);
}

static int listener_start(struct listener *listener)
{
	const struct connections *connections = listener->home.connections;
	int error;

	if (!listener->handed && listen(listener->fd, LISTEN_BACKLOG) < 0)
		return -errno;
	listener->tls = listener_wants_tls(listener);
	listener->daemon =
		listener->tls ? daemon_start_tls(listener) : daemon_start_plain(listener);
	if (!listener->daemon)
		return -EIO;
	error = pump_init(&listener->pump, connections->loop, listener->daemon);
	if (!error) {
		listener->fd = -1;
		return 0;
	}
	MHD_quiesce_daemon(listener->daemon); /* leaves the socket to us */
	MHD_stop_daemon(listener->daemon);
	listener->daemon = NULL;
	return error;
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
		.home = { connections, &listener->pump },
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
		.home = { connections, &listener->pump },
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
	return pump_start(&listener->pump);
}

void listener_quiesce(struct listener *listener)
{
	int fd = listener->daemon ? MHD_quiesce_daemon(listener->daemon) : -1;

	if (fd >= 0 && listener->handed)
		listener->fd = fd;
	else if (fd >= 0)
		close(fd);
}

void listener_close(struct listener *listener)
{
	if (!listener->daemon)
		return;
	if (listener->handed)
		listener_quiesce(listener); /* else the daemon would close it */
	pump_deinit(&listener->pump);
	MHD_stop_daemon(listener->daemon);
	listener->daemon = NULL;
}
