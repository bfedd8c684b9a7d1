/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission: decides whether there is room for a new connection, and which other makes room.
 *
 * Connections without a right token must not keep token holders out. So a new connection is
 * admitted whenever an untrusted one can make room, under the limit for all (max_connections) and
 * the limit for its address (max_connections_per_address). The address with the most untrusted
 * connections loses its oldest one first. If there is none, the trusted connection that has been
 * idle longest goes. A connection with a waiting call or a stream never does. If none can go, the
 * new connection gets an answer that says why
 * (tests/integration/test_crowds.py, tests/integration/test_limits.py).
 */
#ifndef HTTP_ADMISSION_H
#define HTTP_ADMISSION_H

#include <stdbool.h>
#include <sys/queue.h>

#include "base/address.h"

struct connection;
struct connections;

/* Refused connections that linger to read why; others are closed without an answer. */
enum { ADMISSION_REFUSED_MAX = 16 };

/*
 * How many connections one address has. Each connection holds the usage of its address; it goes
 * when the last of them is freed.
 */
struct admission_usage {
	struct address_source source;
	unsigned connections;
	unsigned served;    /* of these; the others are closing */
	unsigned untrusted; /* of the served ones; no right token yet */
	LIST_ENTRY(admission_usage) link;
};

LIST_HEAD(admission_usage_list, admission_usage);

/* The usage of this address, counting one more connection. NULL: no memory. */
struct admission_usage *admission_usage_hold(struct admission_usage_list *list,
					     const struct address_source *source);
void admission_usage_release(struct admission_usage *usage);

/*
 * `connection` is new, and already counted. True: it is served, and others may have been closed.
 * False: it was refused.
 */
bool admission_admit(struct connections *all, struct connection *connection);

#endif
