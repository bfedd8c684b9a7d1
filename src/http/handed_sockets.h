/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handed sockets: those on which the service manager listens already (LISTEN_FDS), which
 * are served in the place of server.listen. Who connects while no gateway runs waits for the
 * next one (tests/integration/test_socket_activation.py).
 *
 * Source: sd_listen_fds(3), systemd.socket(5).
 */
#ifndef HTTP_HANDED_SOCKETS_H
#define HTTP_HANDED_SOCKETS_H

#include "base/address.h"
#include "config/config.h"

struct handed_sockets {
	unsigned count; /* 0: none was handed over, or they were taken before */
	struct handed_socket {
		int fd;
		struct address address;
	} items[CONFIG_LIST_MAX];
};

/*
 * Takes what there is, once for the process: all are fit for HTTP over TCP, or none is taken.
 * `open`: see config.open, which no network may reach. -errno with the error's text.
 */
int handed_sockets_take(struct handed_sockets *sockets, bool open,
			struct explanation *error);

#endif
