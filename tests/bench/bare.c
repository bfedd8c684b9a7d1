/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare PORT [HEADER VALUE]... < BODY: libmicrohttpd and nothing else, as the anchor.
 *
 * It uses the daemon's flags and options (src/http/connections.c), and is driven the same way,
 * by its epoll descriptor from one thread. It reads every request to its end and answers
 * with the same body, in a Response object of its own. It checks, stores and logs
 * nothing. It prints "ready" when it listens. */
#include <arpa/inet.h>
#include <err.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BODY_BYTES_MAX = 128 * 1024,
	CONNECTIONS_MAX = 1024,
	CONNECTION_MEMORY_BYTES = 14 * 1024,
};

static char body[BODY_BYTES_MAX];
static size_t body_length;
static char **headers; /* names and values alternate, NULL at the end */
static bool again;

static enum MHD_Result answer(struct MHD_Connection *connection)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body_length, body, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	MHD_set_response_options(response, MHD_RF_SEND_KEEP_ALIVE_HEADER, MHD_RO_END);
	for (char **header = headers; *header; header += 2)
		MHD_add_response_header(response, header[0], header[1]);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result handle(void *data, struct MHD_Connection *connection,
			      const char *path, const char *method, const char *version,
			      const char *upload, size_t *length, void **request)
{
	if (!*request) {
		*request = body;
		return MHD_YES;
	}
	if (!*length)
		return answer(connection);
	*length = 0;
	return MHD_YES;
}

static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	again = again || code == MHD_CONNECTION_NOTIFY_CLOSED;
}

static struct MHD_Daemon *start(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, port, NULL,
		NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_MEMORY_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 0,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
}

static void serve(struct MHD_Daemon *daemon)
{
	struct pollfd epoll = {
		.fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
		.events = POLLIN,
	};
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	for (;;) {
		do {
			again = false;
			MHD_run(daemon);
		} while (again || (MHD_get_timeout(daemon, &timeout_ms) == MHD_YES &&
				   !timeout_ms));
		poll(&epoll, 1, -1);
	}
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *daemon;

	if (argc < 2 || argc % 2)
		errx(EXIT_FAILURE, "usage: bare PORT [HEADER VALUE]... < BODY");
	signal(SIGPIPE, SIG_IGN);
	headers = argv + 2;
	body_length = fread(body, 1, sizeof(body), stdin);
	daemon = start((uint16_t)atoi(argv[1]));
	if (!daemon)
		errx(EXIT_FAILURE, "cannot listen on port %s", argv[1]);
	puts("ready");
	fflush(stdout);
	serve(daemon);
}
