/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/bus.h"

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
static const char bus_probe_question[] = "\0AUTH\r\n";

struct bus_probe_target {
	struct sockaddr_un address;
	socklen_t length;
};

static bool bus_probe_read_entry(DBusAddressEntry *entry, struct bus_probe_target *target)
{
	const char *path = dbus_address_entry_get_value(entry, "path");
	const char *name = dbus_address_entry_get_value(entry, "abstract");
	const char *text = path ? path : name;
	size_t hidden = path ? 0 : 1; /* abstract names begin with a NUL */

	if (!text || strlen(text) + hidden >= sizeof(target->address.sun_path))
		return false;
	*target = (struct bus_probe_target){ .address.sun_family = AF_UNIX };
	memcpy(target->address.sun_path + hidden, text, strlen(text));
	target->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + hidden +
				     strlen(text));
	return true;
}

/* Returns false also for several addresses: libdbus tries them in order. */
static bool bus_probe_find(const char *address, struct bus_probe_target *target)
{
	DBusAddressEntry **entries;
	int count;
	bool found;

	if (!dbus_parse_address(address, &entries, &count, NULL))
		return false;
	found = count == 1 &&
		strcmp(dbus_address_entry_get_method(entries[0]), "unix") == 0 &&
		bus_probe_read_entry(entries[0], target);
	dbus_address_entries_free(entries);
	return found;
}

/* Connects and sends the question. Returns 0, -EAGAIN or BUS_PROBE_E_NOT_UNIX. */
static int bus_probe_send(const char *address, int *fd_out)
{
	struct bus_probe_target target;
	int fd, error = 0;

	if (!bus_probe_find(address, &target))
		return BUS_PROBE_E_NOT_UNIX;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&target.address, target.length) < 0 ||
	    send(fd, bus_probe_question, sizeof(bus_probe_question) - 1, MSG_NOSIGNAL) <
		    0)
		error = errno;
	if (!error) {
		*fd_out = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return error == EAGAIN ? -EAGAIN : BUS_PROBE_E_NOT_UNIX;
}

int bus_probe_wait(const char *address, int timeout_ms)
{
	struct pollfd answer = { .events = POLLIN };
	int result = bus_probe_send(address, &answer.fd);
	int count;

	if (result)
		return result;
	count = poll(&answer, 1, timeout_ms);
	close(answer.fd);
	return count > 0 ? 0 : -ETIMEDOUT;
}

static int bus_probe_on_answer(sd_event_source *source, int fd, uint32_t events,
			       void *data)
{
	struct bus_probe *probe = data;

	bus_probe_stop(probe);
	probe->answered(probe->data);
	return 0;
}

int bus_probe_start(struct bus_probe *probe, sd_event *loop, const char *address)
{
	int fd, result = bus_probe_send(address, &fd);

	if (result)
		return result;
	result = sd_event_add_io(loop, &probe->source, fd, EPOLLIN, bus_probe_on_answer,
				 probe);
	if (result < 0) {
		close(fd);
		return result;
	}
	sd_event_source_set_io_fd_own(probe->source, true);
	return 0;
}

void bus_probe_stop(struct bus_probe *probe)
{
	probe->source = sd_event_source_disable_unref(probe->source);
}
