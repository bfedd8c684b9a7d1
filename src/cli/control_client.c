/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a command finds who runs it:
 *
 *   connect to the control socket --> the gateway runs it, this program prints the answer
 *     |  no socket, or nobody listens
 *     v
 *   take the store's lock ----------> this program runs it
 *     |  somebody holds the lock: a gateway is starting or stopping
 *     v
 *   pause, start again, CONTROL_CLIENT_LOCK_WAIT_MS at most
 *
 * Without a state folder, and for a command that makes no sense as the first one, nothing is
 * created: the folder's name may be mistyped.
 */
#include "cli/owner_command.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/explanation.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "gateway/control.h"
#include "http/tls.h"
#include "store/store_lock.h"

enum { PAUSE_MS = 50, READ_BYTES = 4096 };

/* The gateway runs the command */

/* Returns a descriptor, or -errno. */
static int control_client_connect(const struct sockaddr_un *address, unsigned timeout_s)
{
	const struct timeval timeout = { .tv_sec = timeout_s };
	const struct timeval second = { .tv_sec = 1 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* Reports no error: reading the answer will fail too. */
static void control_client_send(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t sent = send(fd, data, length, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return;
		data += sent;
		length -= (size_t)sent;
	}
}

/* Passes on the complete lines, and keeps the rest. Returns false if the caller wants no more. */
static bool control_client_pass_lines(const struct control_client_request *request,
				      struct buffer *received, size_t *line_count)
{
	const char *line = received->data;
	const char *end = line + received->length;
	const char *feed;
	bool goes_on = true;

	while (goes_on && line < end &&
	       (feed = memchr(line, '\n', (size_t)(end - line)))) {
		goes_on = request->on_line(request->data, line, (size_t)(feed - line));
		++*line_count;
		line = feed + 1;
	}
	received->length = (size_t)(end - line);
	if (received->length)
		memmove(received->data, line, received->length);
	return goes_on;
}

static unsigned control_client_timeout_s(const struct control_client_request *request)
{
	return request->timeout_s ? request->timeout_s : CONTROL_CLIENT_TIMEOUT_S;
}

/* The gateway exists, but it or the machine hangs. */
static bool control_client_fail_timeout(const struct control_client_request *request,
					struct explanation *error)
{
	if (request->timed_out)
		*request->timed_out = true;
	explanation_set(error, 0, "the gateway has not answered for %u seconds",
			control_client_timeout_s(request));
	return false;
}

/* Receives more of the answer. Returns 0 at the end, -1 on a timeout. */
static ssize_t control_client_receive(const struct control_client_request *request,
				      int fd, char *bytes, size_t size)
{
	unsigned silent_s = 0;

	for (;;) {
		ssize_t length = recv(fd, bytes, size, 0);

		if (length >= 0)
			return length;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return 0;
		if (++silent_s >= control_client_timeout_s(request) &&
		    !request->is_endless)
			return -1;
		if (request->progress)
			progress_tick(request->progress);
	}
}

static bool control_client_exchange(const struct control_client_request *request, int fd,
				    struct explanation *error)
{
	struct buffer received = BUFFER_INIT;
	bool goes_on = true;
	size_t line_count = 0;
	char bytes[READ_BYTES];
	ssize_t length = 0;

	if (request->was_sent)
		*request->was_sent = true;
	control_client_send(fd, request->line, request->length);
	control_client_send(fd, "\n", 1);
	while (goes_on &&
	       (length = control_client_receive(request, fd, bytes, sizeof(bytes))) > 0) {
		buffer_append(&received, bytes, (size_t)length);
		if (!received.failed)
			goes_on = control_client_pass_lines(request, &received,
							    &line_count);
	}
	buffer_deinit(&received);
	if (line_count)
		return true;
	if (length < 0)
		return control_client_fail_timeout(request, error);
	explanation_set(error, 0, "the gateway did not answer; check its log");
	return false;
}

/* This program runs the command */

static bool control_client_set_groups(const struct stat *status)
{
	const struct passwd *user = getpwuid(status->st_uid);

	/* The service has these groups too, and may read what they may read. */
	return user ? initgroups(user->pw_name, status->st_gid) == 0
		    : setgroups(0, NULL) == 0;
}

bool control_client_become_owner(const char *folder, struct explanation *error)
{
	struct stat status;

	if (geteuid() != 0 || stat(folder, &status) < 0 || status.st_uid == 0)
		return true;
	if (control_client_set_groups(&status) && setegid(status.st_gid) == 0 &&
	    seteuid(status.st_uid) == 0)
		return true;
	explanation_set(error, 0,
			"%s belongs to uid %u, and its files must keep that owner: run "
			"this as that user (%m)",
			folder, (unsigned)status.st_uid);
	return false;
}

static void control_client_on_local_line(void *data, const char *line, size_t length,
					 bool is_last)
{
	const struct control_client_request *request = data;

	request->on_line(request->data, line, length);
}

/* Returns true if there is a store, or the command may create one. */
static bool control_client_has_store(const struct control_client_request *request)
{
	const struct control_command *command =
		control_call_find_command(command_table, request->command);

	return (command && command->may_be_first) ||
	       access(request->config->state_dir, F_OK) == 0 || errno != ENOENT;
}

static bool control_client_run_locally(const struct control_client_request *request,
				       struct explanation *error)
{
	struct tls tls = { 0 };
	struct control control = {
		.config = request->config,
		.commands = command_table,
		.tls = &tls,
	};
	struct control_call call;
	union {
		const void *read;
		void *data;
	} handler = { request };

	if (control_client_has_store(request) &&
	    store_open(request->config->state_dir, &control.store, error) != 0)
		return false;
	if (!control_call_init(&call, &control, control_client_on_local_line,
			       handler.data)) {
		store_close(control.store);
		explanation_set(error, 0, "out of memory");
		return false;
	}
	call.peer_uid = getuid();
	control_call_run(&call, request->line, request->length);
	control_call_deinit(&call);
	tls_unload(&tls);
	store_close(control.store);
	return true;
}

static bool control_client_run_without_folder(
	const struct control_client_request *request, struct explanation *error)
{
	const struct control_command *command =
		control_call_find_command(command_table, request->command);

	if (!command || command->needs_gateway)
		return control_client_run_locally(request, error);
	explanation_set(
		error, 0,
		"%s does not exist: no gateway has run with it, and no agent was paired",
		request->config->state_dir);
	return false;
}

/* Nobody could run it */

/* Returns the group of the socket, or of the folder that hides it. */
static const struct group *control_client_group(const struct sockaddr_un *address)
{
	char folder[sizeof(address->sun_path)];
	struct stat status;

	snprintf(folder, sizeof(folder), "%s", address->sun_path);
	if (stat(address->sun_path, &status) < 0 && stat(dirname(folder), &status) < 0)
		return NULL;
	return getgrgid(status.st_gid);
}

/* connect() failed although the socket may be served. */
static bool control_client_explain_refusal(const struct sockaddr_un *address,
					   int connect_error, struct explanation *error)
{
	const struct group *group =
		connect_error == -EACCES ? control_client_group(address) : NULL;

	if (connect_error != -EACCES)
		explanation_set(error, 0, "%s: %s", address->sun_path,
				strerror(-connect_error));
	else
		explanation_set(error, 0,
				"%s: %s; run this as root, or as a member of the group "
				"%s, which may control this gateway",
				address->sun_path, strerror(-connect_error),
				group ? group->gr_name : "of that file");
	return false;
}

/*
 * Runs the command under the lock. Returns 0 with the result in *done_out, or -EAGAIN if the lock
 * is taken.
 */
static int control_client_try_locally(const struct control_client_request *request,
				      const struct sockaddr_un *address, bool *done_out,
				      struct explanation *error)
{
	const char *folder = request->config->state_dir;
	struct store_lock lock;
	int failure;

	*done_out = false;
	if (!control_client_has_store(request)) {
		*done_out = control_client_run_without_folder(request, error);
		return 0;
	}
	if (!control_client_become_owner(folder, error))
		return 0;
	failure = store_lock_take(folder, &lock, error);
	if (failure == 0) {
		*done_out = control_client_run_locally(request, error);
		store_lock_release(&lock);
	} else if (failure == -EACCES) {
		explanation_set(
			error, 0,
			"no gateway listens at %s, and without one only its own user and "
			"root may do this (%s): start it, or run this as root",
			address->sun_path, folder);
	}
	return failure == -EBUSY ? -EAGAIN : 0;
}

bool control_client_run(const struct control_client_request *request,
			struct explanation *error)
{
	int64_t until_ms = clock_monotonic_ms() + CONTROL_CLIENT_LOCK_WAIT_MS;
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	struct sockaddr_un address;
	bool done;
	int fd;

	if (!control_socket_address(request->config, &address, error))
		return false;
	for (;; nanosleep(&pause, NULL)) {
		fd = control_client_connect(&address, control_client_timeout_s(request));
		if (fd >= 0) {
			done = control_client_exchange(request, fd, error);
			close(fd);
			return done;
		}
		if (fd == -EAGAIN)
			return control_client_fail_timeout(request, error);
		if (fd != -ENOENT && fd != -ECONNREFUSED)
			return control_client_explain_refusal(&address, fd, error);
		if (control_client_try_locally(request, &address, &done, error) == 0)
			return done;
		if (clock_monotonic_ms() > until_ms) {
			explanation_set(
				error, 0,
				"the message store is in use, but no gateway listens at "
				"%s; if one runs with another control_socket, name its "
				"configuration with --config",
				address.sun_path);
			return false;
		}
	}
}
