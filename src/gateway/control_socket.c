/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control_socket.h"
#include "config/config.h"
#include "base/explanation.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BACKLOG = 64,
	/* 0660 from its first moment: chmod() would come too late */
	SOCKET_UMASK = 0117,
};

bool control_socket_address(const struct config *config, struct sockaddr_un *address_out,
			    struct explanation *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (config_control_path(config, address.sun_path, sizeof(address.sun_path),
				error))
		return false;
	*address_out = address;
	return true;
}

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* A queue that is full is somebody's, too. */
static bool is_listened_to(const struct sockaddr_un *address)
{
	int fd = new_socket();
	bool listened =
		fd < 0 ||
		connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
		errno == EAGAIN;

	if (fd >= 0)
		close(fd);
	return listened;
}

static int make_room(const struct sockaddr_un *address, struct explanation *error)
{
	const char *path = address->sun_path;
	struct stat file;

	if (lstat(path, &file) < 0)
		return 0; /* bind() will tell what else is wrong */
	if (!S_ISSOCK(file.st_mode))
		return explanation_set(
			error, -EEXIST,
			"%s: is there and is no socket; move it away, or choose "
			"another control_socket",
			path);
	if (is_listened_to(address))
		return explanation_set(
			error, -EADDRINUSE,
			"%s: another program listens there; choose another "
			"control_socket",
			path);
	if (unlink(path) < 0)
		return explanation_set(error, -errno, "%s: cannot be replaced: %m", path);
	return 0;
}

static int bind_and_listen(struct control_socket *control_socket,
			   struct explanation *error)
{
	const struct sockaddr_un *address = &control_socket->address;
	mode_t before = umask(SOCKET_UMASK);
	int result = bind(control_socket->fd, (const struct sockaddr *)address,
			  sizeof(*address));
	int failure = errno;

	umask(before);
	if (result < 0)
		return explanation_set(error, -failure, "%s: cannot be made: %s",
				       address->sun_path, strerror(failure));
	if (listen(control_socket->fd, BACKLOG) < 0 ||
	    lstat(address->sun_path, &control_socket->file) < 0)
		return explanation_set(error, -errno, "%s: %m", address->sun_path);
	return 0;
}

int control_socket_open(struct control_socket *control_socket,
			const struct config *config, struct explanation *error)
{
	int failure;

	*control_socket = (struct control_socket){ .fd = -1 };
	if (!control_socket_address(config, &control_socket->address, error))
		return -ENAMETOOLONG;
	failure = make_room(&control_socket->address, error);
	if (failure)
		return failure;
	control_socket->fd = new_socket();
	if (control_socket->fd < 0)
		return explanation_set(error, control_socket->fd, "%s",
				       strerror(-control_socket->fd));
	failure = bind_and_listen(control_socket, error);
	if (failure)
		control_socket_close(control_socket);
	return failure;
}

void control_socket_close(struct control_socket *control_socket)
{
	const char *path = control_socket->address.sun_path;
	struct stat file;

	if (control_socket->fd < 0)
		return;
	if (lstat(path, &file) == 0 && file.st_dev == control_socket->file.st_dev &&
	    file.st_ino == control_socket->file.st_ino)
		unlink(path);
	close(control_socket->fd);
	control_socket->fd = -1;
}

/* The kernel looked at the file's mode; this holds for a descriptor that was handed on. */
static bool is_member(int fd, gid_t group)
{
	gid_t groups[256];
	socklen_t bytes = sizeof(groups);
	size_t at;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes) < 0)
		return false;
	for (at = 0; at < bytes / sizeof(*groups); at++)
		if (groups[at] == group)
			return true;
	return false;
}

bool control_socket_admits(const struct control_socket *control_socket, int fd,
			   int64_t *uid_out)
{
	gid_t group = control_socket->file.st_gid;
	struct ucred peer;
	socklen_t bytes = sizeof(peer);

	*uid_out = -1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0)
		return false;
	*uid_out = peer.uid;
	return peer.uid == 0 || peer.uid == geteuid() || peer.gid == group ||
	       is_member(fd, group);
}
