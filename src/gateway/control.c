/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket file gets mode 0660 from the umask at bind(), so that it is never open to
 * others. At the start a file is replaced only if it is a socket on which nobody
 * listens; at the end it is removed only if it is still the one that was created.
 *
 * Life of a connection:
 *
 *   receiving the request -> running the command -> sending the answer -> closed
 *
 * A request that begins like one of HTTP is for the agents' server, and so is its connection from
 * then on: that is how users of this machine are agents without a token (command.h).
 *
 * While a command runs nothing is read, and the peer may have shut down its side of the
 * connection; EPOLLHUP reports in any case that it is gone.
 *
 * While all CONTROL_CONNECTIONS_MAX places are taken, the queue of the socket is checked every
 * QUEUE_CHECK_MS.  If others have waited there for CONTROL_QUEUE_MS, connections whose request
 * is not complete are closed, the oldest first.
 */
#include "gateway/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/explanation.h"
#include "base/log.h"
#include "config/config.h"
#include "gateway/running.h"

/* The socket file */

enum {
	BACKLOG = 64,
	/* mode 0660 from the start; a later chmod() would leave a gap */
	SOCKET_UMASK = 0117,
};

struct control_socket {
	int fd; /* listening, non-blocking */
	struct sockaddr_un address;
	struct stat file; /* as created, to recognise the file later */
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

/* Removes the file, unless another one has taken its place. */
static void control_socket_close(struct control_socket *control_socket)
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
 * Replaces a socket file on which nobody listens; any other file is left alone. Returns 0, or
 * -errno with the error's text.
 */
static int control_socket_open(struct control_socket *control_socket,
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

/*
 * Returns true if the peer of the connection `fd` may run commands. Writes its uid in either case.
 */
static bool control_socket_admits(const struct control_socket *control_socket, int fd,
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

enum {
	READ_BYTES = 4096,
	/* without descriptors accept() fails at once, each time */
	ACCEPTS_PER_SECOND = 200,
	QUEUE_CHECK_MS = 25,
	QUEUE_ACCURACY_US = 1000,
};

LIST_HEAD(control_server_connections, control_server_connection);

struct control_server {
	sd_event *loop;
	const struct control *control;
	struct control_socket socket;
	sd_event_source *source;
	sd_event_source *queue_timer; /* enabled while all places are taken */
	int64_t queued_ms; /* when the first waiting connection came; 0 if none waits */
	struct control_server_connections connections;
	unsigned count;
};

struct control_server_connection {
	struct control_server *server;
	int fd;
	sd_event_source *source;
	sd_event_source *timer;
	struct control_call call;
	struct buffer request; /* up to its line feed */
	int64_t begun_ms;      /* clock_monotonic_ms() */
	bool is_admitted;      /* the user may run commands */
	bool has_request;      /* complete */
	bool is_answered;
	struct buffer answer;
	size_t sent; /* bytes of the answer */
	LIST_ENTRY(control_server_connection) link;
};

/* Connections */

/* Frees all but its descriptor. */
static void control_server_free_connection(struct control_server_connection *connection)
{
	struct control_server *server = connection->server;

	LIST_REMOVE(connection, link);
	control_call_deinit(&connection->call);
	sd_event_source_disable_unref(connection->source);
	sd_event_source_disable_unref(connection->timer);
	buffer_wipe(&connection->request);
	buffer_deinit(&connection->answer);
	free(connection);
	server->count--;
	sd_event_source_set_enabled(server->source, SD_EVENT_ON);
}

static void control_server_close_connection(struct control_server_connection *connection)
{
	int fd = connection->fd;

	control_server_free_connection(connection);
	close(fd);
}

static void control_server_close_late(struct control_server_connection *connection)
{
	log_info("control: a connection took too long; closed");
	control_server_close_connection(connection);
}

static int control_server_on_late(sd_event_source *source, uint64_t due_us, void *data)
{
	control_server_close_late(data);
	return 0;
}

static void control_server_set_deadline(struct control_server_connection *connection)
{
	sd_event_source_set_time_relative(connection->timer,
					  CONTROL_TIMEOUT_MS * UINT64_C(1000));
	sd_event_source_set_enabled(connection->timer, SD_EVENT_ONESHOT);
}

/* Sending */

/* The call's line handler. */
static void control_server_on_line(void *data, const char *line, size_t length,
				   bool is_last)
{
	struct control_server_connection *connection = data;
	struct buffer *answer = &connection->answer;

	if (answer->length - connection->sent + length > CONTROL_ANSWER_MAX)
		answer->failed = true; /* control_server_send() closes it */
	buffer_append(answer, line, length);
	buffer_append(answer, "\n", 1);
	connection->is_answered |= is_last;
	control_server_set_deadline(connection);
	sd_event_source_set_io_events(connection->source, EPOLLOUT);
}

/* Returns false if the connection is over. */
static bool control_server_send(struct control_server_connection *connection)
{
	struct buffer *answer = &connection->answer;
	ssize_t length;

	if (answer->failed)
		return false;
	length = send(connection->fd, answer->data + connection->sent,
		      answer->length - connection->sent, MSG_NOSIGNAL);
	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	connection->sent += (size_t)length;
	control_server_set_deadline(connection);
	if (connection->sent < answer->length)
		return true;
	buffer_clear(answer);
	connection->sent = 0;
	sd_event_source_set_io_events(connection->source, 0);
	sd_event_source_set_enabled(connection->timer, SD_EVENT_OFF);
	return !connection->is_answered;
}

/* Receiving */

static void control_server_run_request(struct control_server_connection *connection,
				       size_t length)
{
	struct control_call *call = &connection->call;

	connection->has_request = true;
	sd_event_source_set_io_events(connection->source, 0);
	sd_event_source_set_enabled(connection->timer, SD_EVENT_OFF);
	/* Refused only now: closing with unread data would reset the connection and lose the
	 * answer. */
	if (connection->is_admitted)
		control_call_run(call, connection->request.data, length);
	else
		control_call_fail(
			call, "not_allowed",
			"Run it as root, or as a member of the control socket's group",
			"uid %lld may not control the gateway",
			(long long)call->peer_uid);
	buffer_wipe(&connection->request); /* the call has its own copy */
}

/* Returns false if the connection is over. */
static bool control_server_receive(struct control_server_connection *connection)
{
	struct buffer *request = &connection->request;
	char bytes[READ_BYTES];
	ssize_t length = recv(connection->fd, bytes, sizeof(bytes), 0);
	const char *end;

	if (length < 0)
		return errno == EAGAIN || errno == EINTR;
	if (length == 0)
		return false;
	buffer_append(request, bytes, (size_t)length);
	explicit_bzero(bytes, (size_t)length); /* it may hold a PIN */
	if (request->failed)
		return false;
	end = memchr(request->data, '\n', request->length);
	if (end && end - request->data <= CONTROL_REQUEST_MAX) {
		control_server_run_request(connection, (size_t)(end - request->data));
	} else if (request->length > CONTROL_REQUEST_MAX) {
		connection->has_request = true;
		control_call_fail(&connection->call, "invalid_request", "Send less",
				  "the request is longer than %d bytes",
				  CONTROL_REQUEST_MAX);
	}
	return true;
}

/* A command begins with a brace. */
static bool control_server_has_http(const struct control_server_connection *connection)
{
	char first;

	return connection->is_admitted && connection->server->control->running &&
	       !connection->request.length &&
	       recv(connection->fd, &first, 1, MSG_PEEK) == 1 && first >= 'A' &&
	       first <= 'Z';
}

static void control_server_pass_on(struct control_server_connection *connection)
{
	struct running *running = connection->server->control->running;
	int64_t uid = connection->call.peer_uid;
	int fd = connection->fd;

	control_server_free_connection(connection);
	running_take_local(running, fd, uid);
}

static int control_server_on_io(sd_event_source *source, int fd, uint32_t events,
				void *data)
{
	struct control_server_connection *connection = data;
	bool is_open = true;

	if (!connection->has_request && (events & EPOLLIN) &&
	    control_server_has_http(connection)) {
		control_server_pass_on(connection);
		return 0;
	}
	if (!connection->has_request && (events & EPOLLIN))
		is_open = control_server_receive(connection);
	else if (events & (EPOLLHUP | EPOLLERR))
		is_open = false;
	else if (events & EPOLLOUT)
		is_open = control_server_send(connection);
	if (!is_open)
		control_server_close_connection(connection);
	return 0;
}

/* Accepting */

static int control_server_add_sources(struct control_server_connection *connection)
{
	sd_event *loop = connection->server->loop;
	int error = sd_event_add_io(loop, &connection->source, connection->fd, EPOLLIN,
				    control_server_on_io, connection);

	if (error < 0)
		return error;
	return sd_event_add_time_relative(loop, &connection->timer, CLOCK_MONOTONIC,
					  CONTROL_TIMEOUT_MS * UINT64_C(1000), 0,
					  control_server_on_late, connection);
}

static struct control_server_connection *control_server_add_connection(
	struct control_server *server, int fd)
{
	struct control_server_connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	connection->server = server;
	connection->fd = fd;
	connection->begun_ms = clock_monotonic_ms();
	connection->answer.secret = true; /* it may hold a new token */
	if (!control_call_init(&connection->call, server->control, control_server_on_line,
			       connection) ||
	    control_server_add_sources(connection) < 0) {
		sd_event_source_disable_unref(connection->source);
		control_call_deinit(&connection->call);
		free(connection);
		return NULL;
	}
	LIST_INSERT_HEAD(&server->connections, connection, link);
	return connection;
}

static void control_server_check_queue_after(struct control_server *server,
					     uint64_t after_ms)
{
	sd_event_source_set_time_relative(server->queue_timer, after_ms * 1000);
	sd_event_source_set_enabled(server->queue_timer, SD_EVENT_ONESHOT);
}

static void control_server_accept(struct control_server *server, int fd)
{
	struct control_server_connection *connection;
	int64_t uid;
	bool is_admitted = control_socket_admits(&server->socket, fd, &uid);

	if (!is_admitted)
		log_warning("control: uid %lld was refused", (long long)uid);
	connection = control_server_add_connection(server, fd);
	if (!connection) {
		close(fd);
		return;
	}
	connection->is_admitted = is_admitted;
	connection->call.peer_uid = uid;
	if (++server->count < CONTROL_CONNECTIONS_MAX) {
		server->queued_ms = 0;
		return;
	}
	sd_event_source_set_enabled(server->source, SD_EVENT_OFF);
	control_server_check_queue_after(server, 0);
}

static int control_server_on_connection(sd_event_source *source, int fd, uint32_t events,
					void *data)
{
	int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (peer >= 0)
		control_server_accept(data, peer);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		log_warning("control: cannot accept: %m");
	return 0;
}

/*
 * Closes the oldest connection without a complete request, if CONTROL_SHORT_TIMEOUT_MS is over for
 * it. Returns in how many ms to check again; 0 if commands run in all places.
 */
static uint64_t control_server_close_oldest(struct control_server *server)
{
	struct control_server_connection *connection, *oldest = NULL;
	int64_t left_ms;

	LIST_FOREACH (connection, &server->connections, link) {
		if (!connection->has_request &&
		    (!oldest || connection->begun_ms <= oldest->begun_ms))
			oldest = connection;
	}
	if (!oldest)
		return 0;
	left_ms = oldest->begun_ms + CONTROL_SHORT_TIMEOUT_MS - clock_monotonic_ms();
	if (left_ms > 0)
		return (uint64_t)left_ms;
	control_server_close_late(oldest);
	return CONTROL_SHORT_TIMEOUT_MS;
}

static int control_server_on_queue_timer(sd_event_source *source, uint64_t due_us,
					 void *data)
{
	struct control_server *server = data;
	struct pollfd waiting = { .fd = server->socket.fd, .events = POLLIN };
	int64_t now_ms = clock_monotonic_ms();
	uint64_t again_ms = QUEUE_CHECK_MS;

	if (server->count < CONTROL_CONNECTIONS_MAX)
		return 0;
	if (poll(&waiting, 1, 0) <= 0)
		server->queued_ms = 0;
	else if (!server->queued_ms)
		server->queued_ms = now_ms;
	else if (now_ms - server->queued_ms >= CONTROL_QUEUE_MS)
		again_ms = control_server_close_oldest(server);
	if (again_ms)
		control_server_check_queue_after(server, again_ms);
	else
		server->queued_ms = 0;
	return 0;
}

/* The server */

static int control_server_listen(struct control_server *server)
{
	int error = sd_event_add_io(server->loop, &server->source, server->socket.fd,
				    EPOLLIN, control_server_on_connection, server);

	if (error >= 0)
		error = sd_event_add_time_relative(server->loop, &server->queue_timer,
						   CLOCK_MONOTONIC, 0, QUEUE_ACCURACY_US,
						   control_server_on_queue_timer, server);
	/* Requests that have arrived are read before a connection counts as late. */
	if (error >= 0)
		error = sd_event_source_set_priority(server->queue_timer,
						     SD_EVENT_PRIORITY_NORMAL + 1);
	if (error >= 0)
		error = sd_event_source_set_enabled(server->queue_timer, SD_EVENT_OFF);
	if (error < 0)
		return error;
	return sd_event_source_set_ratelimit(server->source, UINT64_C(1000000),
					     ACCEPTS_PER_SECOND);
}

int control_server_new(sd_event *loop, const struct control *control,
		       struct control_server **server_out, struct explanation *error)
{
	struct control_server *server = calloc(1, sizeof(*server));
	int result = -ENOMEM;

	snprintf(error->text, sizeof(error->text), "out of memory");
	if (!server)
		return result;
	server->loop = sd_event_ref(loop);
	server->control = control;
	LIST_INIT(&server->connections);
	result = control_socket_open(&server->socket, control->config, error);
	if (result == 0)
		result = control_server_listen(server);
	if (result < 0) {
		control_server_free(server);
		return result;
	}
	*server_out = server;
	return 0;
}

void control_server_free(struct control_server *server)
{
	struct control_server_connection *connection;

	if (!server)
		return;
	while ((connection = LIST_FIRST(&server->connections)))
		control_server_close_connection(connection);
	server->source = sd_event_source_disable_unref(server->source);
	server->queue_timer = sd_event_source_disable_unref(server->queue_timer);
	control_socket_close(&server->socket);
	sd_event_unref(server->loop);
	free(server);
}
