/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus lab: a private dbus-daemon in a folder of its own, an event loop, and peers on that
 * loop that answer calls as a test tells them to. Everything waits on conditions.
 */
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <dbus/dbus.h>
#include <systemd/sd-event.h>

#include "base/log.h"
#include "bus/bus_private.h"
#include "patience.h"
#include "scratch.h"

#define LAB_PATIENCE_MS (patience_ms(10000))

struct lab {
	char folder[64];
	char address[96];
	pid_t daemon; /* 0: none */
	sd_event *loop;
};

struct peer {
	DBusConnection *connection;
	struct bus_pump pump;
	void (*called)(struct peer *peer, DBusMessage *call);
	void *data;
};

static inline void lab_write_config(const struct lab *lab)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/bus.conf", lab->folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"<busconfig><type>custom</type><listen>%s</listen><auth>EXTERNAL</auth>"
		"<policy context='default'><allow send_destination='*'/>"
		"<allow receive_sender='*'/><allow own='*'/><allow user='*'/></policy>"
		"<limit name='max_replies_per_connection'>128</limit></busconfig>\n",
		lab->address);
	assert_int_equal(fclose(file), 0);
}

/* Returns once the daemon listens. */
static inline void lab_start_daemon(struct lab *lab)
{
	char config[128], byte;
	int ready[2];

	assert_int_equal(lab->daemon, 0);
	assert_int_equal(pipe(ready), 0);
	snprintf(config, sizeof(config), "--config-file=%s/bus.conf", lab->folder);
	lab->daemon = fork();
	if (lab->daemon == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ready[1], 3);
		if (!freopen("/dev/null", "w", stderr))
			_exit(126);
		execlp("dbus-daemon", "dbus-daemon", config, "--nofork", "--nopidfile",
		       "--nosyslog", "--print-address=3", (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static inline void lab_stop_daemon(struct lab *lab)
{
	char path[96];

	if (lab->daemon) {
		kill(lab->daemon, SIGKILL);
		waitpid(lab->daemon, NULL, 0);
	}
	lab->daemon = 0;
	snprintf(path, sizeof(path), "%s/bus", lab->folder);
	unlink(path);
}

static inline void lab_open(struct lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	assert_non_null(mkdtemp(
		scratch_template(lab->folder, sizeof(lab->folder), "ofono-mcp-bus")));
	snprintf(lab->address, sizeof(lab->address), "unix:path=%s/bus", lab->folder);
	lab_write_config(lab);
	assert_return_code(sd_event_new(&lab->loop), 0);
}

static inline void lab_close(struct lab *lab)
{
	char path[96];

	lab_stop_daemon(lab);
	snprintf(path, sizeof(path), "%s/bus.conf", lab->folder);
	unlink(path);
	rmdir(lab->folder);
	sd_event_unref(lab->loop);
}

static inline uint64_t lab_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* One turn of the loop; sleeps no longer than `limit_ms`. */
static inline void lab_turn(struct lab *lab, uint64_t limit_ms)
{
	assert_return_code(sd_event_run(lab->loop, limit_ms * 1000), 0);
}

#define lab_wait(lab, condition)                                             \
	do {                                                                 \
		uint64_t lab_end = lab_now_ms() + (uint64_t)LAB_PATIENCE_MS; \
		while (!(condition)) {                                       \
			if (lab_now_ms() > lab_end)                          \
				fail_msg("in vain: " #condition);            \
			lab_turn(lab, 100);                                  \
		}                                                            \
	} while (0)

/* Who comes in now is greeted after the daemon has passed on what lay at its sockets. */
static inline void lab_pass(struct lab *lab)
{
	DBusConnection *guest =
		lab->daemon ? dbus_connection_open_private(lab->address, NULL) : NULL;

	if (!guest)
		return;
	dbus_connection_set_exit_on_disconnect(guest, FALSE);
	assert_true(dbus_bus_register(guest, NULL));
	dbus_connection_close(guest);
	dbus_connection_unref(guest);
}

/*
 * Turns until the daemon has passed on all that was sent and then nothing has happened for
 * `quiet_ms`, for what must not happen.
 */
static inline void lab_settle(struct lab *lab, uint64_t quiet_ms)
{
	do {
		while (sd_event_run(lab->loop, 0) > 0)
			;
		lab_pass(lab);
	} while (sd_event_run(lab->loop, quiet_ms * 1000) > 0);
}

static inline DBusHandlerResult lab_peer_filter(DBusConnection *connection,
						DBusMessage *message, void *data)
{
	struct peer *peer = data;

	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
		return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
	peer->called(peer, message);
	return DBUS_HANDLER_RESULT_HANDLED;
}

static inline void peer_own(struct peer *peer, const char *name)
{
	assert_int_equal(dbus_bus_request_name(peer->connection, name, 0, NULL),
			 DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER);
}

/* `name`: what to own, or NULL. */
static inline void peer_open(struct peer *peer, struct lab *lab, const char *name,
			     void (*called)(struct peer *peer, DBusMessage *call))
{
	peer->connection = dbus_connection_open_private(lab->address, NULL);
	assert_non_null(peer->connection);
	assert_true(dbus_bus_register(peer->connection, NULL));
	dbus_connection_set_exit_on_disconnect(peer->connection, FALSE);
	peer->called = called;
	assert_true(dbus_connection_add_filter(peer->connection, lab_peer_filter, peer,
					       NULL));
	if (name)
		peer_own(peer, name);
	assert_int_equal(bus_pump_init(&peer->pump, lab->loop, peer->connection), 0);
}

static inline void peer_close(struct peer *peer)
{
	if (!peer->connection)
		return;
	dbus_connection_close(peer->connection);
	bus_pump_deinit(&peer->pump);
	dbus_connection_unref(peer->connection);
	peer->connection = NULL;
}

/* `message` is taken. */
static inline void peer_send(struct peer *peer, DBusMessage *message)
{
	assert_non_null(message);
	assert_true(dbus_connection_send(peer->connection, message, NULL));
	dbus_message_unref(message);
}

static inline void peer_reply_error(struct peer *peer, DBusMessage *call,
				    const char *name)
{
	peer_send(peer, dbus_message_new_error(call, name, "as the test wants it"));
}
