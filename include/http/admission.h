/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission: is there room for one more connection?
 *
 * One daemon of libmicrohttpd stops accepting at max_connections, so who comes then waits
 * until somebody leaves. What it cannot know is counted here: the connections of the other
 * listeners, and those from one address. Who is one too many is told so in words, and gets
 * nothing else (tests/integration/test_limits.py::test_connections_of_one_address).
 */
#ifndef HTTP_ADMISSION_H
#define HTTP_ADMISSION_H

#include <microhttpd.h>

#include "base/address.h"
#include "http/connections.h"

struct connection;

enum { ADMISSION_REFUSED_MAX = 16 }; /* who linger to read why; others are cut at once */

/* Whose address is at its other end. */
struct address_source admission_source(struct MHD_Connection *mhd);
/* `connection` is in the list already. NULL: it is served; else why not. */
const char *admission_flaw(const struct connections *connections,
			   const struct connection *connection);
/* Tells it, and lets it go. */
void admission_refuse(struct connection *connection, const char *flaw);

#endif
