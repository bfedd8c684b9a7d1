/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors: may this process open as many files as its connections need?
 *
 * A process that runs out of them can neither accept a client nor open its own files.
 */
#ifndef GATEWAY_DESCRIPTORS_H
#define GATEWAY_DESCRIPTORS_H

struct config;
struct explanation;

/* beside connections: ledger, bus, spool, loop, timers, refused and owner's connections */
enum {
	DESCRIPTORS_OWN = 96,
	DESCRIPTORS_EACH = 3, /* of a connection: its socket, and a pair inside */
};

/*
 * Raises what is allowed now to what is needed. Where the system does not allow it
 * (LimitNOFILE= of systemd), config->max_connections is lowered, and the log tells
 * (tests/integration/test_limits.py::test_fewer_files_than_connections). -errno with the
 * error's text: there is not even room for one connection.
 */
int descriptors_provide(struct config *config, struct explanation *error);

#endif
