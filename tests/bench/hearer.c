/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hearer: reports when oFono signalled incoming messages, as the anchor for what the
 * daemon does with them: a line for each signal, nanoseconds of CLOCK_MONOTONIC. */
#include <dbus/dbus.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MANAGER "org.ofono.MessageManager"

int main(void)
{
	DBusConnection *connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
	DBusMessage *message;
	struct timespec now;

	if (!connection)
		errx(EXIT_FAILURE, "no bus");
	dbus_bus_add_match(
		connection,
		"type='signal',interface='" MANAGER "',member='IncomingMessage'", NULL);
	dbus_connection_flush(connection);
	puts("ready");
	fflush(stdout);
	while (dbus_connection_read_write(connection, -1)) {
		while ((message = dbus_connection_pop_message(connection))) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (dbus_message_is_signal(message, MANAGER, "IncomingMessage"))
				printf("%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
			dbus_message_unref(message);
		}
		fflush(stdout);
	}
	return EXIT_SUCCESS;
}
