/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header lines: what libmicrohttpd read, as the gates and exchanges want it.
 */
#ifndef HTTP_HEADER_LINES_H
#define HTTP_HEADER_LINES_H

#include <microhttpd.h>
#include <stdbool.h>

#include "http/gate.h"

enum {
	/*
	 * What libmicrohttpd has for the header of a request, its own list of what is in it,
	 * the body's pieces and the header of the answer. With what else a connection has it is
	 * 9 KiB.
	 */
	HEADER_MEMORY_BYTES = 8192 - 256,
	HEADER_ANSWER_BYTES =
		896, /* of it for the answer: the longest, of the console, takes 780 */
};

/* What a peer that is above this hears, with 431 or 414. */
#define HEADER_TOO_LONG                                                              \
	"the request line and the header lines may take 7040 bytes, and each line, " \
	"query "                                                                     \
	"parameter and cookie counts 64 more: send less"

/*
 * Without room for its header an answer is not sent at all, when its request has long been
 * carried out. So who leaves none is refused before that: by the URI alone, for libmicrohttpd
 * goes wrong when its query has too many parameters, and by the whole header.
 */
bool header_lines_fit_uri(const char *uri);
bool header_lines_fit(struct MHD_Connection *mhd);

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
