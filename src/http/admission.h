/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission: is there room for one more connection, and who makes it?
 *
 * Strangers must not keep those with a token out. So a newcomer is always let in where a
 * connection without a right token can make room, under the limit of all (max_connections) and
 * under that of its address (max_connections_per_address). The address with the most strangers
 * goes first, its oldest connection first. Only when none is left, the token holder that has
 * been idle for longest goes; what has a call or a stream at work never does. If nobody can make
 * room, the newcomer is refused in words
 * (tests/integration/test_crowds.py, tests/integration/test_limits.py).
 */
#ifndef HTTP_ADMISSION_H
#define HTTP_ADMISSION_H

#include "http/connections.h"

enum { ADMISSION_REFUSED_MAX = 16 }; /* who linger to read why; others are cut at once */

/*
 * `connection` is in the list already. True: it is served, and others may have been closed; false:
 * it is told why not.
 */
bool admission_admit(struct connections *connections, struct connection *connection);

#endif
