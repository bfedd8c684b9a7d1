/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listener: one address on which the server accepts connections.
 *
 * Its socket is our own, bound to an address of server.listen, or one that the service manager
 * passed to us (socket activation, LISTEN_FDS). Passed sockets replace server.listen. They stay
 * open until the end, so whoever connects while the listener is closed, or while no gateway runs,
 * waits (tests/integration/test_socket_activation.py).
 *
 * Source: sd_listen_fds(3), systemd.socket(5).
 */
#ifndef HTTP_LISTENER_H
#define HTTP_LISTENER_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/address.h"
#include "base/explanation.h"
#include "base/log.h"
#include "config/config_list.h"

struct connections;

/* It must not move while it is open. */
struct listener {
	struct connections *connections;
	sd_event_source *accepting; /* NULL: closed, new connections are refused */
	sd_event_source *retry;	    /* after running out of descriptors or memory */
	struct log_pace pace;
	struct address address;
	int fd; /* -1: the address is not bound */
	uint16_t port;
	bool passed;  /* the socket came from the service manager */
	bool network; /* reachable from other machines */
	bool tls;
};

struct listener_sockets {
	unsigned count; /* 0: none was passed, or they were taken before */
	struct listener_socket {
		int fd;
		struct address address;
	} items[CONFIG_LIST_MAX];
};

/*
 * Takes the sockets that the service manager passed, once for the process. All must be usable for
 * HTTP over TCP, or none is taken. `open_mode`: config.open, in which none may be reachable from
 * the network. -errno with the error's text.
 */
int listener_take_sockets(struct listener_sockets *sockets, bool open_mode,
			  struct explanation *error);

/*
 * Binds an address without listening, so that a missing or taken address is reported early.
 * `text`: "127.0.0.1:9531", "[::1]:9531". -errno with the error's text.
 */
int listener_init(struct listener *listener, struct connections *connections,
		  const char *text, struct explanation *error);
/* The same for a socket that was passed to us; takes ownership. */
void listener_adopt(struct listener *listener, struct connections *connections,
		    const struct listener_socket *socket);
/* A certificate is loaded, and the address is not loopback or config->tls_loopback is set. */
bool listener_wants_tls(const struct listener *listener);
/* Listens; peers wait until listener_serve(). -errno with the error's text. */
int listener_open(struct listener *listener, struct explanation *error);
bool listener_is_open(const struct listener *listener);
/* Accepts connections. -errno */
int listener_serve(struct listener *listener);
/* Accepts no more connections; existing ones stay. It can be opened again. */
void listener_close(struct listener *listener);
/* Gives the address back; the listener is closed. */
void listener_deinit(struct listener *listener);

#endif
