/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/ask_gateway.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cli/folder_owner.h"
#include "gateway/control_call.h"
#include "gateway/control_command.h"
#include "gateway/control_socket.h"
#include "gateway/agent_reach.h"
#include "gateway/owner_table.h"
#include "store/store_lock.h"
#include "config/config.h"

enum { PAUSE_MS = 50 };

__attribute__((format(printf, 2, 3))) static bool fail(struct explanation *error,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return false;
}

/* The gateway */

/* A descriptor, or -errno. */
static int reach(const struct sockaddr_un *address, unsigned silence_s)
{
	const struct timeval silence = { .tv_sec = silence_s };
	const struct timeval second = { .tv_sec = 1 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int failure;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof(silence));
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	failure = -errno;
	close(fd);
	return failure;
}

/* That it breaks off is seen when the answer is read. */
static void send_all(int fd, const char *data, size_t length)
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

/* Tells the whole lines, and keeps what is left. False: no more is wanted. */
static bool tell_lines(const struct gateway_question *question, struct buffer *received,
		       size_t *told_count)
{
	const char *line = received->data;
	const char *end = line + received->length;
	const char *feed;
	bool goes_on = true;

	while (goes_on && line < end &&
	       (feed = memchr(line, '\n', (size_t)(end - line)))) {
		goes_on = question->told(question->data, line, (size_t)(feed - line));
		++*told_count;
		line = feed + 1;
	}
	received->length = (size_t)(end - line);
	if (received->length)
		memmove(received->data, line, received->length);
	return goes_on;
}

static unsigned silence_of(const struct gateway_question *question)
{
	return question->silence_s ? question->silence_s : ASK_GATEWAY_SILENCE_S;
}

/* It is there, and frozen, or the machine is. */
static bool fail_silent(const struct gateway_question *question,
			struct explanation *error)
{
	if (question->is_silent)
		*question->is_silent = true;
	return fail(error, "the gateway has not answered for %u seconds",
		    silence_of(question));
}

/* More of the answer. 0: there is no more; -1: it is silent for too long. */
static ssize_t receive(const struct gateway_question *question, int fd, char *piece,
		       size_t size)
{
	unsigned silent_s = 0;

	for (;;) {
		ssize_t length = recv(fd, piece, size, 0);

		if (length >= 0)
			return length;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return 0;
		if (++silent_s >= silence_of(question) && !question->is_endless)
			return -1;
		if (question->second)
			question->second(question->data);
	}
}

static bool converse(const struct gateway_question *question, int fd,
		     struct explanation *error)
{
	struct buffer received = BUFFER_INIT;
	bool goes_on = true;
	size_t told_count = 0;
	char piece[4096];
	ssize_t length = 0;

	if (question->was_asked)
		*question->was_asked = true;
	send_all(fd, question->line, question->length);
	send_all(fd, "\n", 1);
	while (goes_on && (length = receive(question, fd, piece, sizeof(piece))) > 0) {
		buffer_append(&received, piece, (size_t)length);
		if (!received.failed)
			goes_on = tell_lines(question, &received, &told_count);
	}
	buffer_deinit(&received);
	if (told_count)
		return true;
	if (length < 0)
		return fail_silent(question, error);
	return fail(error, "the gateway did not answer; look into its log");
}

/* Without the gateway */

static void on_told(void *data, const char *line, size_t length, bool last)
{
	const struct gateway_question *question = data;

	(void)last;
	question->told(question->data, line, length);
}

static const struct control_command *command_of(const struct gateway_question *question)
{
	const struct control control = { .more = owner_table };

	return control_command_find(&control, question->command);
}

/* No gateway has a folder that is not there; one that was mistyped is not to be made. */
static bool has_store(const struct gateway_question *question)
{
	const struct control_command *command = command_of(question);

	return (command && command->may_be_first) ||
	       access(question->config->state_dir, F_OK) == 0 || errno != ENOENT;
}

static bool run_here(const struct gateway_question *question, struct explanation *error)
{
	static const struct control_carrier carrier = { .told = on_told };
	struct control control = {
		.config = question->config,
		.reach = &agent_reach,
		.more = owner_table,
	};
	struct control_call call;
	union {
		const void *borrowed;
		void *data;
	} asker = { question };

	if (has_store(question) &&
	    store_open(question->config->state_dir, &control.store, error) != 0)
		return false;
	if (!control_call_init(&call, &control, &carrier, asker.data)) {
		store_close(control.store);
		return fail(error, "out of memory");
	}
	call.asker_uid = getuid();
	control_call_run(&call, question->line, question->length);
	control_call_deinit(&call);
	store_close(control.store);
	return true;
}

static bool run_without_folder(const struct gateway_question *question,
			       struct explanation *error)
{
	const struct control_command *command = command_of(question);

	if (!command || command->needs_gateway)
		return run_here(question, error);
	return fail(error,
		    "%s is not there: no gateway has run with it, and nobody was paired",
		    question->config->state_dir);
}

static void pause_a_moment(void)
{
	const struct timespec moment = { .tv_nsec = PAUSE_MS * 1000000L };

	nanosleep(&moment, NULL);
}

/* Somebody has the store, and nobody listens. */
static bool explain(const struct sockaddr_un *address, struct explanation *error)
{
	return fail(error,
		    "the store is in use, and no gateway listens at %s; if one runs with "
		    "another control_socket, name its configuration with --config",
		    address->sun_path);
}

/* The group of the file, or of the folder that hides it. */
static const struct group *group_of(const struct sockaddr_un *address)
{
	char folder[sizeof(address->sun_path)];
	struct stat status;

	snprintf(folder, sizeof(folder), "%s", address->sun_path);
	if (stat(address->sun_path, &status) < 0 && stat(dirname(folder), &status) < 0)
		return NULL;
	return getgrgid(status.st_gid);
}

/* It cannot be reached for another reason than that nobody listens. */
static bool explain_refusal(const struct sockaddr_un *address, int failure,
			    struct explanation *error)
{
	const struct group *group = failure == -EACCES ? group_of(address) : NULL;

	if (failure != -EACCES)
		return fail(error, "%s: %s", address->sun_path, strerror(-failure));
	return fail(error,
		    "%s: %s; run it as root, or as a member of the group %s, which may "
		    "command this gateway",
		    address->sun_path, strerror(-failure),
		    group ? group->gr_name : "of it");
}

/* Nobody listens, and what the gateway keeps is for others. */
static bool explain_absence(const struct sockaddr_un *address, const char *folder,
			    struct explanation *error)
{
	return fail(error,
		    "no gateway listens at %s, and only its own user and root may do "
		    "without one (%s): start it, or run this as root",
		    address->sun_path, folder);
}

bool ask_gateway(const struct gateway_question *question, struct explanation *error)
{
	int64_t until_ms = clock_monotonic_ms() + ASK_GATEWAY_PATIENCE_MS;
	struct sockaddr_un address;
	bool answered;
	struct store_lock lock;
	int fd, failure;

	if (!control_socket_address(question->config, &address, error))
		return false;
	for (;; pause_a_moment()) {
		fd = reach(&address, silence_of(question));
		if (fd >= 0) {
			answered = converse(question, fd, error);
			close(fd);
			return answered;
		}
		if (fd == -EAGAIN)
			return fail_silent(question, error);
		if (fd != -ENOENT && fd != -ECONNREFUSED)
			return explain_refusal(&address, fd, error);
		if (!has_store(question))
			return run_without_folder(question, error);
		if (!folder_owner_become(question->config->state_dir, error))
			return false;
		failure = store_lock_take(question->config->state_dir, &lock, error);
		if (failure == 0) {
			answered = run_here(question, error);
			store_lock_release(&lock);
			return answered;
		}
		if (failure == -EACCES)
			return explain_absence(&address, question->config->state_dir,
					       error);
		if (failure != -EBUSY)
			return false;
		if (clock_monotonic_ms() > until_ms)
			return explain(&address, error);
	}
}
