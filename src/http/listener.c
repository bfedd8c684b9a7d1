/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   bound --listener_open()--> listening --listener_serve()--> accepting
 *
 * Every connection is accepted at once, and admission.c decides which other makes room. When
 * descriptors or memory run out, an untrusted connection is closed for the next one, so that
 * strangers do not keep a token holder in the kernel's queue. If that does not help, or there is
 * none, new connections wait for LISTENER_RETRY_US.
 */
#include "http/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"

enum {
	/*
	 * The kernel drops connections beyond this, and their peers retry a second later. So it
	 * must hold as many as may arrive while we do something else.
	 */
	LISTENER_BACKLOG = 512,
	LISTENER_ACCEPT_MAX = 16, /* in one turn, so that connections get theirs */
	LISTENER_RETRY_US = 100 * 1000,
};

/* Sockets from the service manager */

/* IPv4 connections to a dual-stack socket have a local address that no interface has. */
static bool listener_is_dual_stack(int fd, const struct address *address)
{
	socklen_t length = sizeof(int);
	int only = 0;

	return address->any.sa_family == AF_INET6 && address_is_any(address) &&
	       (getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &length) < 0 || !only);
}

/* Returns what a socket is instead of a usable one, and what to do; NULL if it is usable. */
static const char *listener_socket_flaw(int fd, const struct address *address,
					bool open_mode)
{
	if (sd_is_socket(fd, AF_UNSPEC, 0, -1) <= 0)
		return "is not a socket: pass ListenStream=ADDRESS:PORT only";
	if (!address->length)
		return "is not an IP socket: use ListenStream=ADDRESS:PORT, not a path";
	if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, -1) <= 0)
		return "is not a TCP socket: use ListenStream=, not ListenDatagram=";
	if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0)
		return "does not listen: use Accept=no, one process serves all connections";
	if (listener_is_dual_stack(fd, address))
		return "accepts IPv4 and IPv6 at once: use BindIPv6Only=ipv6-only, and a second "
		       "ListenStream=0.0.0.0:PORT";
	if (open_mode && !address_is_loopback(address))
		return "can be reached from the network, and server.open asks for no token: "
		       "pass loopback addresses, or remove server.open";
	return NULL;
}

static int listener_take_socket(struct listener_socket *item, int fd, bool open_mode,
				struct explanation *error)
{
	struct sockaddr_storage any = { .ss_family = AF_UNSPEC };
	char text[ADDRESS_TEXT_BYTES] = "";
	socklen_t length = sizeof(any);
	const char *flaw;
	int flags, result;

	*item = (struct listener_socket){ .fd = fd };
	if (getsockname(fd, (struct sockaddr *)&any, &length) == 0)
		address_take(&item->address, (const struct sockaddr *)&any);
	flaw = listener_socket_flaw(fd, &item->address, open_mode);
	if (flaw && item->address.length)
		address_format(&item->address, text);
	if (flaw)
		return explanation_set(error, -EINVAL,
				       "LISTEN_FDS: descriptor %d%s%s: it %s", fd,
				       *text ? ", " : "", text, flaw);
	flags = fcntl(fd, F_GETFL);
	if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) >= 0)
		return 0;
	result = -errno;
	return explanation_set(error, result, "LISTEN_FDS: descriptor %d: %s", fd,
			       strerror(-result));
}

int listener_take_sockets(struct listener_sockets *sockets, bool open_mode,
			  struct explanation *error)
{
	int count = sd_listen_fds(1), result = 0;

	sockets->count = 0;
	if (count < 0)
		return explanation_set(error, count,
				       "LISTEN_FDS or LISTEN_PID is not valid: %s",
				       strerror(-count));
	if (count > CONFIG_LIST_MAX)
		return explanation_set(
			error, -E2BIG,
			"LISTEN_FDS: %d sockets were passed; at most %d can be served",
			count, CONFIG_LIST_MAX);
	for (int at = 0; at < count && !result; at++)
		result = listener_take_socket(&sockets->items[at],
					      SD_LISTEN_FDS_START + at, open_mode, error);
	if (!result)
		sockets->count = (unsigned)count;
	return result;
}

/* Binding */

static int listener_explain(int number, const struct address *address,
			    struct explanation *error)
{
	char text[ADDRESS_TEXT_BYTES];
	const char *advice;

	address_format(address, text);
	switch (number) {
	case EADDRINUSE:
		advice = " is in use by another program; choose another with --listen "
			 "ADDRESS:PORT";
		break;
	case EACCES:
		advice = ": ports below 1024 need a privilege; choose a higher one with "
			 "--listen ADDRESS:PORT";
		break;
	case EPERM: /* the unit's SocketBindDeny= */
		advice = ": the service is not allowed to use this port: run systemctl "
			 "edit " PROGRAM_NAME
			 " and add SocketBindAllow=tcp:PORT below [Service]";
		break;
	case EADDRNOTAVAIL:
		advice = ": this machine does not have this address; choose one that "
			 "`ip address` shows, or 127.0.0.1";
		break;
	default:
		return explanation_set(error, -number, "%s: cannot listen: %s", text,
				       strerror(number));
	}
	return explanation_set(error, -number, "%s%s", text, advice);
}

static uint16_t listener_read_port(int fd)
{
	struct address address = { .length = sizeof(address.in6) };

	if (getsockname(fd, &address.any, &address.length) < 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port
						       : address.in.sin_port);
}

static int listener_bind(struct listener *listener)
{
	const struct address *address = &listener->address;
	bool six = address->any.sa_family == AF_INET6;
	int fd = socket(address->any.sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    (six && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0) ||
	    bind(fd, &address->any, address->length) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	listener->fd = fd;
	listener->port = listener_read_port(fd);
	return 0;
}

int listener_init(struct listener *listener, struct connections *connections,
		  const char *text, const struct listener_socket *passed,
		  struct explanation *error)
{
	int result = 0;

	*listener = (struct listener){
		.connections = connections,
		.fd = -1,
		.passed = passed != NULL,
	};
	if (passed) {
		listener->address = passed->address;
		listener->fd = passed->fd;
		listener->port = listener_read_port(passed->fd);
	} else if (address_parse(text, &listener->address)) {
		result = listener_bind(listener);
	} else {
		return explanation_set(error, -EINVAL,
				       "\"%s\" is not an address to listen on: write "
				       "127.0.0.1:9531 or [::1]:9531",
				       text);
	}
	listener->network = !address_is_loopback(&listener->address);
	return result ? listener_explain(-result, &listener->address, error) : 0;
}

/* Accepting */

static int listener_accept_next(int fd, struct address *peer_out)
{
	struct sockaddr_storage any = { 0 };
	socklen_t length = sizeof(any);
	int socket = accept4(fd, (struct sockaddr *)&any, &length,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (socket >= 0)
		address_take(peer_out, (struct sockaddr *)&any);
	return socket;
}

/* Has the system run out of something? Other errors of accept() concern one peer only. */
static bool listener_is_shortage(int number)
{
	return number == EMFILE || number == ENFILE || number == ENOBUFS ||
	       number == ENOMEM;
}

/* Without a descriptor, accept() fails even if nobody waits for it. */
static bool listener_is_awaited(const struct listener *listener)
{
	struct pollfd queue = { .fd = listener->fd, .events = POLLIN };

	return poll(&queue, 1, 0) != 0;
}

/* Returns false if no untrusted connection can go. */
static bool listener_make_room(const struct listener *listener)
{
	struct connections *all = listener->connections;
	const int number = errno;
	bool closed;

	connections_flush(all); /* some may have sent their token */
	closed = admission_close_untrusted(all);
	if (closed)
		connections_flush(all); /* libmicrohttpd lets go of it */
	errno = number;
	return closed;
}

static void listener_pause(struct listener *listener)
{
	char more[LOG_PACE_TEXT_BYTES];

	if (log_pace_passes(&listener->pace, more))
		log_warning("http: cannot accept a connection: %s%s", strerror(errno),
			    more);
	sd_event_source_set_enabled(listener->accepting, SD_EVENT_OFF);
	sd_event_source_set_time_relative(listener->retry, LISTENER_RETRY_US);
	sd_event_source_set_enabled(listener->retry, SD_EVENT_ONESHOT);
}

static int listener_on_accept(sd_event_source *source, int fd, uint32_t events,
			      void *data)
{
	struct listener *listener = data;
	struct address peer;

	for (int count = 0; count < LISTENER_ACCEPT_MAX; count++) {
		int socket = listener_accept_next(fd, &peer);

		if (socket < 0 && listener_is_shortage(errno)) {
			if (!listener_is_awaited(listener))
				break;
			if (listener_make_room(listener))
				socket = listener_accept_next(fd, &peer);
		}
		if (socket < 0) {
			if (listener_is_shortage(errno))
				listener_pause(listener);
			if (errno != ECONNABORTED && errno != EINTR)
				break;
			continue;
		}
		connections_accept(listener->connections, socket, &peer, listener, NULL);
	}
	connections_flush(listener->connections);
	return 0;
}

static int listener_on_retry(sd_event_source *source, uint64_t due_us, void *data)
{
	struct listener *listener = data;

	sd_event_source_set_enabled(listener->accepting, SD_EVENT_ON);
	return 0;
}

static int listener_add_sources(struct listener *listener)
{
	sd_event *loop = listener->connections->loop;
	int error = sd_event_add_io(loop, &listener->accepting, listener->fd, EPOLLIN,
				    listener_on_accept, listener);

	if (error >= 0)
		error = sd_event_source_set_enabled(listener->accepting, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &listener->retry, CLOCK_MONOTONIC,
					  UINT64_MAX, LISTENER_RETRY_US,
					  listener_on_retry, listener);
	return error;
}

void listener_close(struct listener *listener)
{
	listener->accepting = sd_event_source_disable_unref(listener->accepting);
	listener->retry = sd_event_source_disable_unref(listener->retry);
	if (listener->passed || listener->fd < 0)
		return;
	close(listener->fd);
	listener->fd = -1;
}

bool listener_wants_tls(const struct listener *listener)
{
	const struct connections *all = listener->connections;

	return all->tls.pair.length && (listener->network || all->config->tls_loopback);
}

int listener_open(struct listener *listener, struct explanation *error)
{
	int result = listener->fd < 0 ? listener_bind(listener) : 0;

	if (!result && !listener->passed && listen(listener->fd, LISTENER_BACKLOG) < 0)
		result = -errno;
	listener->tls = listener_wants_tls(listener);
	if (!result)
		result = listener_add_sources(listener);
	if (!result)
		return 0;
	listener_close(listener);
	return listener_explain(-result, &listener->address, error);
}

int listener_serve(struct listener *listener)
{
	int error = sd_event_source_set_enabled(listener->accepting, SD_EVENT_ON);

	return error < 0 ? error : 0;
}
