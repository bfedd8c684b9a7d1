/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places at which the gateway can be killed, for tests/integration/test_crash_matrix.py.
 *
 * build/ofono-mcp-faults consists of the objects of build/ofono-mcp, linked so that the library
 * calls named below come here first (ld --wrap). So the tested code is the installed code, and
 * the installed program contains nothing of this.
 *
 * OFONO_MCP_FAULTS names a file that the test shares: struct plan. It counts each pass of a
 * boundary, and FILE.log records it; the process dies at pass number `kill_at`, of those with
 * `name` if there is one. Without the variable nothing happens.
 *
 * A commit is named after the table that it wrote last. libcurl is loaded at run time, so its
 * functions are exchanged when that is done.
 */
#include <dbus/dbus.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "http_client/http_client_library.h"

/* ld's names: the called function, and its replacement. */
#define SEAM(type, name, ...)            \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

SEAM(int, sqlite3_step, sqlite3_stmt *statement);
SEAM(dbus_bool_t, dbus_connection_send_with_reply, DBusConnection *connection,
     DBusMessage *message, DBusPendingCall **pending, int timeout_ms);
SEAM(DBusDispatchStatus, dbus_connection_dispatch, DBusConnection *connection);
SEAM(enum MHD_Result, MHD_queue_response, struct MHD_Connection *connection,
     unsigned int status, struct MHD_Response *response);
SEAM(enum MHD_Result, MHD_run, struct MHD_Daemon *daemon);
SEAM(bool, http_client_library_load, struct http_client_library *library_out);

enum { NAME_BYTES = 112 };

struct plan {
	uint64_t passed;
	uint64_t kill_at;      /* 0: never */
	char name[NAME_BYTES]; /* "after commit feed"; "": any */
};

static struct plan *plan; /* NULL: no faults are wanted */
static int log_file;
static bool answer_queued; /* the next MHD_run() writes it to its socket */

__attribute__((constructor)) static void read_plan(void)
{
	const char *name = getenv("OFONO_MCP_FAULTS");
	char log_name[4096];
	void *shared;
	int file;

	if (!name)
		return;
	snprintf(log_name, sizeof(log_name), "%s.log", name);
	file = open(name, O_RDWR | O_CLOEXEC);
	log_file = open(log_name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	shared = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file < 0 || log_file < 0 || shared == MAP_FAILED) {
		perror(name);
		exit(1);
	}
	plan = shared;
	close(file);
}

static void pass(const char *side, const char *what, const char *name)
{
	char line[NAME_BYTES];

	if (!plan)
		return;
	snprintf(line, sizeof(line), "%s %s%s%s", side, what, *name ? " " : "", name);
	dprintf(log_file, "%s\n", line);
	if (*plan->name && strcmp(plan->name, line) != 0)
		return;
	plan->passed++;
	if (plan->passed == plan->kill_at)
		raise(SIGKILL);
}

/* A commit: a transaction, or a statement that is one by itself. */
static bool commits(sqlite3_stmt *statement)
{
	if (strcmp(sqlite3_sql(statement), "COMMIT") == 0)
		return true;
	return !sqlite3_stmt_readonly(statement) &&
	       sqlite3_get_autocommit(sqlite3_db_handle(statement)) &&
	       strncmp(sqlite3_sql(statement), "BEGIN", 5) != 0;
}

static char written[48]; /* the table that was written last */

/* "INSERT OR REPLACE INTO name (", "UPDATE name SET", "DELETE FROM name" */
static void note_table(sqlite3_stmt *statement)
{
	static const char *const before[] = { " INTO ", "UPDATE ", " FROM " };
	const char *sql = sqlite3_sql(statement), *at = NULL;

	if (sqlite3_stmt_readonly(statement))
		return;
	for (size_t i = 0; !at && i < sizeof(before) / sizeof(*before); i++) {
		at = strstr(sql, before[i]);
		if (at)
			at += strlen(before[i]);
	}
	if (at)
		snprintf(written, sizeof(written), "%.*s", (int)strcspn(at, " ("), at);
}

int __wrap_sqlite3_step(sqlite3_stmt *statement)
{
	bool boundary = plan && commits(statement);
	int result;

	if (plan)
		note_table(statement);
	if (boundary)
		pass("before", "commit", written);
	result = __real_sqlite3_step(statement);
	if (boundary)
		pass("after", "commit", written);
	return result;
}

static struct http_client_library curl; /* the real one */
static bool has_result;			/* libcurl reported that a request is over */

static CURLMcode add_handle(CURLM *multi, CURL *easy)
{
	CURLMcode code;

	pass("before", "request", "");
	code = curl.curl_multi_add_handle(multi, easy);
	pass("after", "request", "");
	return code;
}

static CURLMsg *info_read(CURLM *multi, int *left)
{
	CURLMsg *message;

	if (has_result)
		pass("after", "result", "");
	message = curl.curl_multi_info_read(multi, left);
	has_result = message;
	if (has_result)
		pass("before", "result", "");
	return message;
}

bool __wrap_http_client_library_load(struct http_client_library *library_out)
{
	if (!__real_http_client_library_load(library_out))
		return false;
	curl = *library_out;
	library_out->curl_multi_add_handle = add_handle;
	library_out->curl_multi_info_read = info_read;
	return true;
}

/* libdbus writes at once as much as the socket takes. */
dbus_bool_t __wrap_dbus_connection_send_with_reply(DBusConnection *connection,
						   DBusMessage *message,
						   DBusPendingCall **pending,
						   int timeout_ms)
{
	const char *name = dbus_message_get_member(message);
	dbus_bool_t sent;

	pass("before", "call", name);
	sent = __real_dbus_connection_send_with_reply(connection, message, pending,
						      timeout_ms);
	pass("after", "call", name);
	return sent;
}

struct arrival {
	const char *what;
	char name[64];
};

/* false: nothing to dispatch */
static bool next_arrival(DBusConnection *connection, struct arrival *arrival_out)
{
	DBusMessage *message = dbus_connection_borrow_message(connection);
	const char *name;

	if (!message)
		return false;
	name = dbus_message_get_member(message);
	arrival_out->what = dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL
				    ? "signal"
				    : "reply";
	snprintf(arrival_out->name, sizeof(arrival_out->name), "%s", name ? name : "");
	dbus_connection_return_message(connection, message);
	return true;
}

DBusDispatchStatus __wrap_dbus_connection_dispatch(DBusConnection *connection)
{
	DBusDispatchStatus status;
	struct arrival arrival;
	bool boundary = plan && next_arrival(connection, &arrival);

	if (boundary)
		pass("before", arrival.what, arrival.name);
	status = __real_dbus_connection_dispatch(connection);
	if (boundary)
		pass("after", arrival.what, arrival.name);
	return status;
}

enum MHD_Result __wrap_MHD_queue_response(struct MHD_Connection *connection,
					  unsigned int status,
					  struct MHD_Response *response)
{
	pass("before", "answer", "");
	answer_queued = true;
	return __real_MHD_queue_response(connection, status, response);
}

enum MHD_Result __wrap_MHD_run(struct MHD_Daemon *daemon)
{
	enum MHD_Result result = __real_MHD_run(daemon);

	if (answer_queued)
		pass("after", "answer", "");
	answer_queued = false;
	return result;
}
