/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns of a loop until something is so, and a server that the test plays by hand. */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/clock.h"

/* Turns end after turn_us: some conditions do not depend on events of the loop. */
#define LOOP_WAIT(loop, turn_us, limit_ms, condition)                  \
	do {                                                           \
		int64_t until_ms_ = clock_monotonic_ms() + limit_ms;   \
		while (!(condition)) {                                 \
			assert_true(clock_monotonic_ms() < until_ms_); \
			assert_true(sd_event_run(loop, turn_us) >= 0); \
		}                                                      \
	} while (0)

/* Port 0: any. Returns the socket. */
static inline int loop_wait_listen(uint16_t port, int backlog)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int yes = 1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, backlog), 0);
	return listener;
}
