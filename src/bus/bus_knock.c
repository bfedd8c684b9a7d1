/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/bus_knock.h"

#include <dbus/dbus.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* D-Bus specification, "Authentication Protocol": a NUL, then lines. */
static const char question[] = "\0AUTH\r\n";

struct door {
	struct sockaddr_un address;
	socklen_t length;
};

static bool find_socket(DBusAddressEntry *entry, struct door *door)
{
	const char *path = dbus_address_entry_get_value(entry, "path");
	const char *name = dbus_address_entry_get_value(entry, "abstract");
	const char *text = path ? path : name;
	size_t hidden = path ? 0 : 1; /* abstract names begin with a NUL */

	if (!text || strlen(text) + hidden >= sizeof(door->address.sun_path))
		return false;
	*door = (struct door){ .address.sun_family = AF_UNIX };
	memcpy(door->address.sun_path + hidden, text, strlen(text));
	door->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + hidden +
				   strlen(text));
	return true;
}

/* One of several addresses is left to libdbus, which tries them in order. */
static bool find_door(const char *address, struct door *door)
{
	DBusAddressEntry **entries;
	int count;
	bool found;

	if (!dbus_parse_address(address, &entries, &count, NULL))
		return false;
	found = count == 1 &&
		strcmp(dbus_address_entry_get_method(entries[0]), "unix") == 0 &&
		find_socket(entries[0], door);
	dbus_address_entries_free(entries);
	return found;
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct bus_knock *knock = data;

	(void)source;
	(void)fd;
	(void)events;
	bus_knock_stop(knock);
	knock->answered(knock->data);
	return 0;
}

/* The descriptor or -errno. */
static int ask(const struct door *door)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error = fd < 0 ? errno : 0;

	if (!error &&
	    connect(fd, (const struct sockaddr *)&door->address, door->length) < 0)
		error = errno;
	if (!error && send(fd, question, sizeof(question) - 1, MSG_NOSIGNAL) < 0)
		error = errno;
	if (!error)
		return fd;
	if (fd >= 0)
		close(fd);
	return -error;
}

int bus_knock_and_wait(const char *address, int timeout_ms)
{
	struct pollfd answer = { .events = POLLIN };
	struct door door;
	int count;

	if (!find_door(address, &door))
		return BUS_KNOCK_E_NO_DOOR;
	answer.fd = ask(&door);
	if (answer.fd < 0)
		return answer.fd == -EAGAIN ? -EAGAIN : BUS_KNOCK_E_NO_DOOR;
	count = poll(&answer, 1, timeout_ms);
	close(answer.fd);
	return count > 0 ? 0 : -ETIMEDOUT;
}

int bus_knock_start(struct bus_knock *knock, sd_event *loop, const char *address)
{
	struct door door;
	int fd, error;

	if (!find_door(address, &door))
		return BUS_KNOCK_E_NO_DOOR;
	fd = ask(&door);
	if (fd < 0)
		return fd == -EAGAIN ? fd : BUS_KNOCK_E_NO_DOOR;
	error = sd_event_add_io(loop, &knock->source, fd, EPOLLIN, on_answer, knock);
	if (error < 0) {
		close(fd);
		return error;
	}
	sd_event_source_set_io_fd_own(knock->source, true);
	return 0;
}

void bus_knock_stop(struct bus_knock *knock)
{
	knock->source = sd_event_source_disable_unref(knock->source);
}
