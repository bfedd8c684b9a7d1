/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control socket: the socket file through which the owner's programs reach the gateway.
 *
 * Root, the gateway's own user, and members of the file's group may use it.
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
	int fd; /* listening, non-blocking */
	struct sockaddr_un address;
	struct stat file; /* as created, to recognise the file later */
};

/*
 * Replaces a socket file on which nobody listens; any other file is left alone.
 * 0, or -errno with the error's text.
 */
int control_socket_open(struct control_socket *control_socket,
			const struct config *config, struct explanation *error);
/* Removes the file, unless another one has taken its place. */
void control_socket_close(struct control_socket *control_socket);

/* True: the peer of the connection `fd` may run commands. Writes its uid in either case. */
bool control_socket_admits(const struct control_socket *control_socket, int fd,
			   int64_t *uid_out);

#endif
