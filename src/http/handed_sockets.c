/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/handed_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

struct candidate {
	int fd;
	bool open;
	struct address address; /* when it is an IP socket */
};

static bool is_socket(const struct candidate *socket)
{
	return sd_is_socket(socket->fd, AF_UNSPEC, 0, -1) > 0;
}

static bool is_ip(const struct candidate *socket)
{
	return socket->address.any.sa_family == AF_INET ||
	       socket->address.any.sa_family == AF_INET6;
}

static bool is_tcp(const struct candidate *socket)
{
	return sd_is_socket(socket->fd, AF_UNSPEC, SOCK_STREAM, -1) > 0;
}

static bool is_listening(const struct candidate *socket)
{
	return sd_is_socket(socket->fd, AF_UNSPEC, SOCK_STREAM, 1) > 0;
}

/* What comes in there by IPv4 has an address that no interface has. */
static bool is_of_one_family(const struct candidate *socket)
{
	socklen_t length = sizeof(int);
	int only = 0;

	if (socket->address.any.sa_family != AF_INET6 ||
	    !IN6_IS_ADDR_UNSPECIFIED(&socket->address.in6.sin6_addr))
		return true;
	return getsockopt(socket->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &length) == 0 &&
	       only;
}

static bool is_guarded(const struct candidate *socket)
{
	return !socket->open || address_is_loopback(&socket->address);
}

static const struct {
	bool (*passes)(const struct candidate *socket);
	const char *text; /* behind "it ..." */
} needs[] = {
	{ is_socket, "is no socket: hand over ListenStream=ADDRESS:PORT alone" },
	{ is_ip, "is not of IP: use ListenStream=ADDRESS:PORT, not a path" },
	{ is_tcp, "is not of TCP: use ListenStream=, not ListenDatagram=" },
	{ is_listening, "does not listen: use Accept=no, one process serves all" },
	{ is_of_one_family,
	  "takes IPv4 and IPv6 at once: use BindIPv6Only=ipv6-only, and "
	  "ListenStream=0.0.0.0:PORT beside it" },
	{ is_guarded,
	  "can be reached from the network, and server.open asks nobody for a "
	  "token: hand over loopback addresses, or take server.open away" },
};

static int check(const struct candidate *socket, struct explanation *error)
{
	char text[ADDRESS_TEXT_BYTES] = "";

	for (size_t at = 0; at < sizeof(needs) / sizeof(needs[0]); at++) {
		if (needs[at].passes(socket))
			continue;
		if (is_ip(socket))
			address_format(&socket->address, text);
		return explanation_set(error, -EINVAL,
				       "LISTEN_FDS: descriptor %d%s%s: it %s", socket->fd,
				       *text ? ", " : "", text, needs[at].text);
	}
	return 0;
}

static int take_one(struct handed_socket *item, int fd, bool open,
		    struct explanation *error)
{
	struct sockaddr_storage any = { .ss_family = AF_UNSPEC };
	struct candidate socket = { .fd = fd, .open = open };
	socklen_t length = sizeof(any);
	int flags, result;

	if (getsockname(fd, (struct sockaddr *)&any, &length) == 0)
		address_take(&socket.address, (const struct sockaddr *)&any);
	result = check(&socket, error);
	if (result)
		return result;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		result = -errno;
		return explanation_set(error, result, "LISTEN_FDS: descriptor %d: %s", fd,
				       strerror(-result));
	}
	*item = (struct handed_socket){ fd, socket.address };
	return 0;
}

int handed_sockets_take(struct handed_sockets *sockets, bool open,
			struct explanation *error)
{
	int count = sd_listen_fds(1), result = 0;

	sockets->count = 0;
	if (count < 0)
		return explanation_set(
			error, count, "LISTEN_FDS or LISTEN_PID cannot be understood: %s",
			strerror(-count));

	if (count > CONFIG_LIST_MAX) {
		return explanation_set(
			error, -E2BIG,
			"LISTEN_FDS: %d sockets were handed over; at most %d can be "
			"served",
			count, CONFIG_LIST_MAX);
	}
	for (int at = 0; at < count && !result; at++)
		result = take_one(&sockets->items[at], SD_LISTEN_FDS_START + at, open,
				  error);
	if (!result)
		sockets->count = (unsigned)count;
	return result;
}
