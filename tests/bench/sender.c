/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sender PATH...: submits messages to oFono with raw libdbus, as the anchor of send_sms.
 *
 * Each line of stdin is one round: a number of seconds. Meanwhile each modem at PATH
 * (with MessageManager, "/sim0") has one message in progress: SendMessage, its reply with
 * the path of the message, its State "sent", then the next message. It stores and checks
 * nothing else. It prints one line of JSON for each round. */
#include <dbus/dbus.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "histogram.h"

enum { MODEMS_MAX = 64, PATIENCE_MS = 10 * 1000 };

#define OFONO	"org.ofono"
#define MANAGER OFONO ".MessageManager"
#define MESSAGE OFONO ".Message"
#define NUMBER	"+36301234567"

struct modem {
	const char *path;
	dbus_uint32_t serial; /* serial of the SendMessage in progress; 0 if none */
	char message[128];    /* path of its message; "" until the reply */
	uint64_t began_ns;
};

static struct modem modems[MODEMS_MAX];
static int modem_count;
static int under_way;
static uint64_t sent, end_ns, last_ns;
static struct histogram times_ns;
static DBusConnection *connection;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void hand_over(struct modem *modem)
{
	static unsigned long long count;
	char text[64];
	const char *number = NUMBER, *body = text;
	DBusMessage *call =
		dbus_message_new_method_call(OFONO, modem->path, MANAGER, "SendMessage");

	snprintf(text, sizeof(text), "bench %010llu", count++);
	if (!call ||
	    !dbus_message_append_args(call, DBUS_TYPE_STRING, &number, DBUS_TYPE_STRING,
				      &body, DBUS_TYPE_INVALID))
		errx(EXIT_FAILURE, "no memory");
	modem->message[0] = '\0';
	modem->began_ns = now_ns();
	dbus_connection_send(connection, call, &modem->serial);
	dbus_message_unref(call);
	under_way++;
}

static void finish(struct modem *modem)
{
	last_ns = now_ns();
	histogram_add(&times_ns, last_ns - modem->began_ns);
	sent++;
	under_way--;
	if (last_ns < end_ns)
		hand_over(modem);
}

static void take_reply(DBusMessage *reply)
{
	const char *path;

	for (struct modem *modem = modems; modem < modems + modem_count; modem++) {
		if (dbus_message_get_reply_serial(reply) != modem->serial)
			continue;
		if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_OBJECT_PATH, &path,
					   DBUS_TYPE_INVALID))
			errx(EXIT_FAILURE, "SendMessage: %s",
			     dbus_message_get_error_name(reply));
		snprintf(modem->message, sizeof(modem->message), "%s", path);
	}
}

static bool tells_sent(DBusMessage *signal)
{
	DBusMessageIter arguments, variant;
	const char *name, *state;

	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &name);
	dbus_message_iter_next(&arguments);
	dbus_message_iter_recurse(&arguments, &variant);
	if (strcmp(name, "State") != 0)
		return false;
	dbus_message_iter_get_basic(&variant, &state);
	if (strcmp(state, "failed") == 0)
		errx(EXIT_FAILURE, "a message failed");
	return strcmp(state, "sent") == 0;
}

static void take_signal(DBusMessage *signal)
{
	const char *path = dbus_message_get_path(signal);

	if (!tells_sent(signal))
		return;
	for (struct modem *modem = modems; modem < modems + modem_count; modem++)
		if (strcmp(path, modem->message) == 0)
			finish(modem);
}

static void take_all(void)
{
	DBusMessage *message;

	while ((message = dbus_connection_pop_message(connection))) {
		int type = dbus_message_get_type(message);

		if (type == DBUS_MESSAGE_TYPE_METHOD_RETURN ||
		    type == DBUS_MESSAGE_TYPE_ERROR)
			take_reply(message);
		else if (dbus_message_is_signal(message, MESSAGE, "PropertyChanged"))
			take_signal(message);
		dbus_message_unref(message);
	}
}

static void run_round(double seconds)
{
	uint64_t began_ns = now_ns();

	memset(&times_ns, 0, sizeof(times_ns));
	sent = 0;
	end_ns = began_ns + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < modem_count; i++)
		hand_over(&modems[i]);
	while (under_way) {
		if (now_ns() > end_ns + PATIENCE_MS * 1000000ull)
			errx(EXIT_FAILURE, "a message does not become sent");
		dbus_connection_read_write(connection, PATIENCE_MS);
		take_all();
	}
	printf("{\"answers\": %llu, \"seconds\": %.6f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
	       (unsigned long long)sent, (double)(last_ns - began_ns) / 1e9,
	       histogram_percentile(&times_ns, 0.50) / 1e3,
	       histogram_percentile(&times_ns, 0.99) / 1e3);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[64];

	if (argc < 2 || argc - 1 > MODEMS_MAX)
		errx(EXIT_FAILURE, "usage: sender PATH...");
	modem_count = argc - 1;
	for (int i = 0; i < modem_count; i++)
		modems[i].path = argv[i + 1];
	connection = dbus_bus_get_private(DBUS_BUS_SYSTEM, NULL);
	if (!connection)
		errx(EXIT_FAILURE, "no bus");
	dbus_bus_add_match(
		connection,
		"type='signal',interface='" MESSAGE "',member='PropertyChanged'", NULL);
	dbus_connection_flush(connection);
	while (fgets(line, sizeof(line), stdin))
		run_round(atof(line));
	dbus_connection_close(connection);
	return EXIT_SUCCESS;
}
