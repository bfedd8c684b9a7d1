/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission: is there room for one more connection?
 *
 * One daemon of libmicrohttpd stops accepting at max_connections, so who comes then waits
 * until somebody leaves. What it cannot know is counted here: the connections of the other
 * listeners, and those from one address. Who is one too many is told so in words, and gets
 * nothing else (tests/integration/test_limits.py::test_connections_of_one_address).
 *
 * And that wait would be long for who comes behind a crowd. So where several addresses are
 * connected the last slots are for those that have few, or fewer: another connection makes room for
 * them, the oldest that never took an answer, or one of the address that has most; none for
 * which a call is at work (tests/integration/test_limits.py::test_a_crowd_of_many_addresses).
 */
#ifndef HTTP_ADMISSION_H
#define HTTP_ADMISSION_H

#include <microhttpd.h>

#include "http/connections.h"
#include "http/share.h"

struct connection;

enum { ADMISSION_REFUSED_MAX = 16 }; /* who linger to read why; others are cut at once */

/* That of the address at its other end, held. NULL: no memory. */
struct share *admission_share(struct connections *connections,
			      struct MHD_Connection *mhd);
/*
 * `connection` is in the list already. NULL: it is served, and another one may have made
 * room; else why not.
 */
const char *admission_flaw(struct connections *connections,
			   const struct connection *connection);
/* Tells it, and lets it go. */
void admission_refuse(struct connection *connection, const char *flaw);

#endif
