/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket file gets mode 0660 from the umask at bind(), so that it is never open to
 * others. At the start a file is replaced only if it is a socket on which nobody
 * listens; at the end it is removed only if it is still the one that was created.
 */
#include "base/explanation.h"
#include "config/config.h"
#include "gateway/control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BACKLOG = 64,
	/* mode 0660 from the start; a later chmod() would leave a gap */
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

static int control_socket_new_fd(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* With EAGAIN the queue is full, so somebody listens. */
static bool control_socket_is_in_use(const struct sockaddr_un *address)
{
	int fd = control_socket_new_fd();
	bool listened =
		fd < 0 ||
		connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
		errno == EAGAIN;

	if (fd >= 0)
		close(fd);
	return listened;
}

static int control_socket_remove_stale(const struct sockaddr_un *address,
				       struct explanation *error)
{
	const char *path = address->sun_path;
	struct stat file;

	if (lstat(path, &file) < 0)
		return 0; /* bind() reports other problems */
	if (!S_ISSOCK(file.st_mode))
		return explanation_set(error, -EEXIST,
				       "%s exists and is not a socket; move it away, or "
				       "choose another control_socket",
				       path);
	if (control_socket_is_in_use(address))
		return explanation_set(error, -EADDRINUSE,
				       "%s: another program listens there; choose "
				       "another control_socket",
				       path);
	if (unlink(path) < 0)
		return explanation_set(error, -errno, "%s: cannot replace it: %m", path);
	return 0;
}

static int control_socket_bind(struct control_socket *control_socket,
			       struct explanation *error)
{
	const struct sockaddr_un *address = &control_socket->address;
	mode_t before = umask(SOCKET_UMASK);
	int result = bind(control_socket->fd, (const struct sockaddr *)address,
			  sizeof(*address));
	int failure = errno;

	umask(before);
	if (result < 0)
		return explanation_set(error, -failure, "%s: cannot create it: %s",
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
	failure = control_socket_remove_stale(&control_socket->address, error);
	if (failure)
		return failure;
	control_socket->fd = control_socket_new_fd();
	if (control_socket->fd < 0)
		return explanation_set(error, control_socket->fd, "%s",
				       strerror(-control_socket->fd));
	failure = control_socket_bind(control_socket, error);
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

/*
 * The kernel checked the file's mode at connect(); this also covers a descriptor that
 * was passed on to another program.
 */
static bool control_socket_is_member(int fd, gid_t group)
{
	gid_t groups[256];
	socklen_t bytes = sizeof(groups);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes) < 0)
		return false;
	for (size_t at = 0; at < bytes / sizeof(*groups); at++)
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
	       control_socket_is_member(fd, group);
}
