/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control socket: the file through which the owner's programs reach the gateway, and who
 * may use it: root, the gateway's own user, and the members of the file's group.
 */
#ifndef GATEWAY_CONTROL_SOCKET_H
#define GATEWAY_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/un.h>

struct config;
struct explanation;

/* False, with the error's text: the path is too long for a socket. */
bool control_socket_address(const struct config *config, struct sockaddr_un *address_out,
			    struct explanation *error);

struct control_socket {
	int fd; /* it listens, and does not block */
	struct sockaddr_un address;
	struct stat file; /* as it was made, to know it again */
};

/*
 * One that nobody listens on any more makes room; what else has the name stays there.
 * 0, or -errno with the error's text.
 */
int control_socket_open(struct control_socket *control_socket,
			const struct config *config, struct explanation *error);
/* Takes the file away, if it is still the one. */
void control_socket_close(struct control_socket *control_socket);

/* May the peer of `fd`, a connection to it, ask? Its uid is written in either case. */
bool control_socket_admits(const struct control_socket *control_socket, int fd,
			   int64_t *uid_out);

#endif
