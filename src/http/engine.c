/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When libmicrohttpd runs: 0.9.75 neither wakes its epoll descriptor nor shortens
 * MHD_get_timeout() for MHD_resume_connection(), and no version always lets go of a closed
 * connection without one more run. So each of these events kicks the engine, and MHD_run() is
 * called until nothing kicks it any more (doc/libraries.md). We do not watch its epoll descriptor:
 * libmicrohttpd only has work when we write to a pair, read from one that has more, close one, or
 * resume a connection, and each of these kicks it.
 *
 * Life of a link:  NEW -> JOINING -> JOINED -> PARTED.  0.9.75 joins inside MHD_add_connection(),
 * 1.0.1 in its next run. A link that is still JOINING after a run was refused for lack of memory.
 *
 * The source `again` is a timer that is due at once, not a deferred source. A deferred source that
 * is enabled in its own callback stays the oldest of its priority, and sd-event (252, 257) would
 * serve no other timer or descriptor of that priority
 * (tests/integration/test_slow_clients.py::test_busy_clients_do_not_hold_up_deadlines).
 */
#include "http/engine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum {
	ENGINE_RUNS_MAX = 8, /* in one turn of the loop, so that others get theirs */
	ENGINE_ACCURACY_US = 1,
	/*
	 * The memory pool of a connection holds a request that we wrote, a piece of its body and
	 * the headers of the answer. The console has the longest headers, 780 bytes.
	 */
	ENGINE_POOL_BYTES = 6 * 1024,
	/* Send buffers of the pair; the kernel doubles them. */
	ENGINE_REQUEST_BUFFER_BYTES = 16 * 1024,
	ENGINE_ANSWER_BUFFER_BYTES = 32 * 1024,
};

/* Links */

void engine_link_init(struct engine_link *link, struct engine *engine, void *owner)
{
	*link = (struct engine_link){ .engine = engine, .owner = owner, .pair.fd = -1 };
}

static void engine_link_part(struct engine_link *link)
{
	if (link->state == ENGINE_LINK_JOINING)
		TAILQ_REMOVE(&link->engine->joining, link, joining_link);
	link->state = ENGINE_LINK_PARTED;
	link->mhd = NULL;
	link->suspended = false;
	link->engine->callbacks->parted(link->owner);
}

static int engine_make_pair(int fds[2])
{
	const int request_bytes = ENGINE_REQUEST_BUFFER_BYTES;
	const int answer_bytes = ENGINE_ANSWER_BUFFER_BYTES;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return -errno;
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &request_bytes, sizeof(request_bytes));
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &answer_bytes, sizeof(answer_bytes));
	return 0;
}

bool engine_link_join(struct engine_link *link, const struct address *peer)
{
	struct engine *engine = link->engine;
	int fds[2];

	if (link->state == ENGINE_LINK_JOINED)
		return true;
	if (engine_make_pair(fds) < 0)
		return false;
	if (socket_poll_add(engine->poll, &link->pair, fds[0], link->owner) < 0) {
		close(fds[0]);
		close(fds[1]);
		return false;
	}
	link->state = ENGINE_LINK_JOINING;
	link->daemon_fd = fds[1];
	TAILQ_INSERT_TAIL(&engine->joining, link, joining_link);
	engine_kick(engine);
	/* libmicrohttpd closes its end even when it fails */
	if (MHD_add_connection(engine->daemon, fds[1], &peer->any, peer->length) ==
	    MHD_YES)
		return true;
	engine_link_part(link);
	return false;
}

static bool engine_link_keep(struct engine_link *link, const struct iovec *piece,
			     size_t from)
{
	return from >= piece->iov_len ||
	       transport_bytes_append(&link->unsent, (char *)piece->iov_base + from,
				      piece->iov_len - from);
}

bool engine_link_write(struct engine_link *link, struct iovec pieces[static 2])
{
	const struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 2 };
	size_t length = pieces[0].iov_len + pieces[1].iov_len, sent = 0;
	ssize_t result;

	if (!length)
		return true;
	engine_kick(link->engine);
	if (!link->unsent.data) {
		result = sendmsg(link->pair.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (result < 0 && errno != EAGAIN)
			return true; /* it reads no more: its answer is on the way */
		sent = result > 0 ? (size_t)result : 0;
	}
	if (sent == length)
		return true;
	socket_poll_want_write(link->engine->poll, &link->pair);
	return engine_link_keep(link, &pieces[0], sent) &&
	       engine_link_keep(link, &pieces[1],
				sent > pieces[0].iov_len ? sent - pieces[0].iov_len : 0);
}

bool engine_link_flush(struct engine_link *link)
{
	struct transport_bytes *unsent = &link->unsent;
	ssize_t sent;

	while (unsent->data) {
		sent = send(link->pair.fd, unsent->data + unsent->at,
			    unsent->length - unsent->at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0 && errno == EAGAIN) {
			socket_poll_want_write(link->engine->poll, &link->pair);
			return false;
		}
		engine_kick(link->engine);
		unsent->at += sent > 0 ? (size_t)sent : 0;
		if (sent < 0 || unsent->at == unsent->length)
			transport_bytes_clear(unsent);
	}
	return true;
}

size_t engine_link_read(struct engine_link *link, char *to, size_t room)
{
	ssize_t length;

	if (link->pair.fd < 0)
		return 0;
	link->pair.readable = link->pair.hung_up;
	length = recv(link->pair.fd, to, room, MSG_DONTWAIT);
	if (length > 0)
		return (size_t)length;
	if (length == 0 || errno != EAGAIN)
		engine_link_close(link);
	return 0;
}

void engine_link_suspend(struct engine_link *link)
{
	MHD_suspend_connection(link->mhd);
	link->suspended = true;
}

void engine_link_resume(struct engine_link *link)
{
	if (!link->suspended)
		return;
	link->suspended = false;
	MHD_resume_connection(link->mhd);
	engine_kick(link->engine);
}

void engine_link_close(struct engine_link *link)
{
	int fd = link->pair.fd;

	socket_poll_remove(link->engine->poll, &link->pair);
	transport_bytes_clear(&link->unsent);
	if (fd < 0)
		return;
	close(fd);
	engine_kick(link->engine);
}

bool engine_link_is_broken(const struct engine_link *link)
{
	return link->state == ENGINE_LINK_PARTED ||
	       (link->state == ENGINE_LINK_JOINED && link->pair.fd < 0);
}

/* Callbacks of libmicrohttpd */

static struct engine_link *engine_find_joining(const struct engine *engine,
					       struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct engine_link *link;

	TAILQ_FOREACH (link, &engine->joining, joining_link)
		if (link->daemon_fd == info->connect_fd)
			break;
	assert(link);
	return link;
}

static void engine_on_notify(void *data, struct MHD_Connection *mhd,
			     void **socket_context,
			     enum MHD_ConnectionNotificationCode code)
{
	struct engine *engine = data;
	struct engine_link *link = *socket_context;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		engine_link_part(link);
		return;
	}
	link = engine_find_joining(engine, mhd);
	TAILQ_REMOVE(&engine->joining, link, joining_link);
	link->state = ENGINE_LINK_JOINED;
	link->mhd = mhd;
	*socket_context = link;
	engine_kick(engine); /* 1.0.1 reads the socket only in its next run */
}

/* Returns what the other callbacks get in *request. */
static void *engine_on_request(void *data, const char *uri, struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	const struct engine_link *link = info ? info->socket_context : NULL;

	return link ? link->owner : NULL;
}

static void engine_on_log(void *data, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Only epoll failures concern the owner. The other lines say nothing about the peer's bytes. */
static void engine_on_log(void *data, const char *format, va_list arguments)
{
	static const char serious[] = "Call to epoll";
	char text[256];

	if (strncmp(format, serious, strlen(serious)) != 0)
		return;
	vsnprintf(text, sizeof(text), format, arguments);
	text[strcspn(text, "\n")] = '\0';
	log_warning("http: %s", text);
}

/* Running */

static bool engine_has_work(const struct engine *engine)
{
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	return engine->kicked ||
	       (MHD_get_timeout(engine->daemon, &timeout_ms) == MHD_YES && !timeout_ms);
}

static void engine_enable(sd_event_source *source)
{
	int error = sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);

	if (error < 0)
		log_error("http: cannot schedule work: error %d", -error);
}

static void engine_run(struct engine *engine)
{
	struct engine_link *link;
	int runs = 0;

	engine->running = true;
	engine->run_began_ms = clock_monotonic_ms();
	do {
		engine->kicked = false;
		MHD_run(engine->daemon);
		while ((link = TAILQ_FIRST(&engine->joining)))
			engine_link_part(link);
		engine->callbacks->ran(engine->data);
	} while (engine_has_work(engine) && ++runs < ENGINE_RUNS_MAX);
	engine->running = false;
	sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (runs == ENGINE_RUNS_MAX) {
		sd_event_source_set_time(engine->again, 0);
		engine_enable(engine->again);
	}
}

static int engine_on_soon(sd_event_source *source, void *data)
{
	engine_run(data);
	return 0;
}

static int engine_on_again(sd_event_source *source, uint64_t due_us, void *data)
{
	engine_run(data);
	return 0;
}

int engine_init(struct engine *engine, sd_event *loop, struct socket_poll *poll,
		unsigned connection_limit, const struct engine_callbacks *callbacks,
		void *data)
{
	int error;

	*engine = (struct engine){
		.poll = poll,
		.callbacks = callbacks,
		.data = data,
	};
	TAILQ_INIT(&engine->joining);
	engine->daemon = MHD_start_daemon(
		MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG,
		0, NULL, NULL, callbacks->handle, data,
		/* the logger first, so that it gets complaints about the rest */
		MHD_OPTION_EXTERNAL_LOGGER, engine_on_log, NULL,
		MHD_OPTION_CONNECTION_LIMIT, connection_limit,
		MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)ENGINE_POOL_BYTES, MHD_OPTION_NOTIFY_CONNECTION, engine_on_notify,
		engine, MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, data,
		MHD_OPTION_URI_LOG_CALLBACK, engine_on_request, engine, MHD_OPTION_END);
	if (!engine->daemon)
		return -ENOMEM;
	error = sd_event_add_defer(loop, &engine->soon, engine_on_soon, engine);
	if (error >= 0)
		error = sd_event_source_set_enabled(engine->soon, SD_EVENT_OFF);
	if (error >= 0)
		error = sd_event_add_time(loop, &engine->again, CLOCK_MONOTONIC,
					  UINT64_MAX, ENGINE_ACCURACY_US, engine_on_again,
					  engine);
	if (error >= 0)
		error = sd_event_source_set_enabled(engine->again, SD_EVENT_OFF);
	return error < 0 ? error : 0;
}

void engine_deinit(struct engine *engine)
{
	engine->soon = sd_event_source_disable_unref(engine->soon);
	engine->again = sd_event_source_disable_unref(engine->again);
	if (engine->daemon)
		MHD_stop_daemon(engine->daemon);
	engine->daemon = NULL;
}

void engine_kick(struct engine *engine)
{
	engine->kicked = true;
	if (!engine->running && engine->soon)
		engine_enable(engine->soon);
}

void engine_flush(struct engine *engine)
{
	if (engine->kicked && !engine->running && engine->soon)
		engine_run(engine);
}
