/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header lines: what libmicrohttpd read, as the gates and exchanges want it.
 */
#ifndef HTTP_HEADER_LINES_H
#define HTTP_HEADER_LINES_H

#include <microhttpd.h>
#include <stdbool.h>

#include "http/gate.h"

/*
 * Fills in the headers and `torn`; method and version are set before, as the access handler
 * got them. `line_end`: where the URI ended in the buffer of the request line, or where a
 * character was that may not be in it.
 */
void header_lines_collect(struct MHD_Connection *mhd, const char *line_end,
			  struct gate_request *request);

/*
 * Both overwrite memory that libmicrohttpd will use again or give back as it is, so that no
 * token stays there (tests/integration/test_audit_secrets.py): what only the gates needed,
 * and, when the request is over, all of it, for a token may be in the wrong place.
 */
void header_lines_forget_token(struct MHD_Connection *mhd, struct gate_request *request);
void header_lines_forget(const char *header, size_t length);

/* Bytes of the whole header, which begins with the method. */
size_t header_lines_length(struct MHD_Connection *mhd);

/* See exchange_header(); blanks at the end of the value stay. */
const char *header_lines_find(struct MHD_Connection *mhd, const char *name,
			      bool *conflict_out);

#endif
