/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libmicrohttpd 0.9.75 parses in place: the buffer still holds every byte of the header, with
 * NUL where CR, LF, the first colon and the blanks of the request line were. It glues a folded
 * line to the header's *name* ("Content-Len: 5" CRLF " gth" becomes Content-Length), drops what
 * follows a NUL, and takes a bare LF for a line's end. None of that is visible in names and
 * values, but all of it is in where they lie: each line must begin exactly two bytes behind
 * the end of the one before, from the request line to the body
 * (tests/unit/test_connection.c::test_torn_headers_are_refused).
 */
#include "http/header_lines.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
	CRLF_BYTES = 2,
	ITEM_BYTES = 64, /* libmicrohttpd's own, of a line, a parameter or a cookie */
	ROOM_BYTES = HEADER_MEMORY_BYTES - HEADER_ANSWER_BYTES,
};

struct collecting {
	struct gate_request *request;
	const char *next; /* where the next line must begin */
};

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Between name and value: where the colon was, and blanks. */
static bool line_whole(const struct gate_header *header, const char *begin)
{
	const char *at = header->name + header->name_length + 1;

	if (header->name != begin || (uintptr_t)header->value < (uintptr_t)at)
		return false;
	while (at < header->value && blank(*at))
		at++;
	return at == header->value;
}

static enum MHD_Result collect(void *data, enum MHD_ValueKind kind, const char *name,
			       size_t name_length, const char *value, size_t value_length)
{
	struct collecting *collecting = data;
	struct gate_request *request = collecting->request;
	struct gate_header *header;

	(void)kind;
	if (request->header_count == GATE_HEADERS_MAX) {
		request->header_count++;
		return MHD_NO;
	}
	header = &request->headers[request->header_count++];
	*header = (struct gate_header){ name, name_length, value, value_length };
	if (!line_whole(header, collecting->next))
		request->torn = true;
	collecting->next = value + value_length + CRLF_BYTES;
	return MHD_YES;
}

size_t header_lines_length(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	return info ? info->header_size : 0;
}

bool header_lines_fit_uri(const char *uri)
{
	size_t items = 0, at;

	for (at = 0; uri[at]; at++)
		items += uri[at] == '?' || uri[at] == '&';
	return at + items * ITEM_BYTES <= ROOM_BYTES;
}

static size_t count_items(struct MHD_Connection *mhd, enum MHD_ValueKind kind)
{
	return (size_t)MHD_get_connection_values_n(mhd, kind, NULL, NULL);
}

/* Of cookies there is a copy. */
bool header_lines_fit(struct MHD_Connection *mhd)
{
	size_t cookies = count_items(mhd, MHD_COOKIE_KIND);
	size_t items = count_items(mhd, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND);
	size_t length = header_lines_length(mhd) * (cookies ? 2 : 1);

	return length + (items + cookies) * ITEM_BYTES <= ROOM_BYTES;
}

void header_lines_collect(struct MHD_Connection *mhd, const char *line_end,
			  struct gate_request *request)
{
	struct collecting collecting = {
		.request = request,
		.next = request->version + strlen(request->version) + CRLF_BYTES,
	};

	request->torn = request->version != line_end + 1;
	request->header_count = 0;
	MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, collect, &collecting);
	if (collecting.next + CRLF_BYTES != request->method + header_lines_length(mhd))
		request->torn = true;
}

/* It is no constant: libmicrohttpd only lends it as one. */
void header_lines_forget(const char *header, size_t length)
{
	if (length)
		explicit_bzero((char *)(uintptr_t)header, length);
}

/* libmicrohttpd has made a copy of these. */
static enum MHD_Result forget_cookie(void *data, enum MHD_ValueKind kind,
				     const char *name, size_t name_length,
				     const char *value, size_t value_length)
{
	(void)data;
	(void)kind;
	(void)name;
	(void)name_length;
	header_lines_forget(value, value_length);
	return MHD_YES;
}

void header_lines_forget_token(struct MHD_Connection *mhd, struct gate_request *request)
{
	static const char *const secret[] = { "Authorization", "Proxy-Authorization",
					      "Cookie" };

	MHD_get_connection_values_n(mhd, MHD_COOKIE_KIND, forget_cookie, NULL);
	for (size_t i = 0; i < request->header_count && i < GATE_HEADERS_MAX; i++) {
		const struct gate_header *header = &request->headers[i];

		for (size_t which = 0; which < sizeof(secret) / sizeof(*secret);
		     which++) {
			if (strlen(secret[which]) == header->name_length &&
			    strncasecmp(header->name, secret[which],
					header->name_length) == 0)
				header_lines_forget(header->value, header->value_length);
		}
	}
}

struct finding {
	const char *name;
	size_t name_length;
	const char *value;
	size_t value_length;
	bool conflict;
};

static enum MHD_Result find(void *data, enum MHD_ValueKind kind, const char *name,
			    size_t name_length, const char *value, size_t value_length)
{
	struct finding *finding = data;

	(void)kind;
	if (name_length != finding->name_length ||
	    strncasecmp(name, finding->name, name_length) != 0)
		return MHD_YES;
	while (value_length && blank(value[value_length - 1]))
		value_length--;
	if (!finding->value) {
		finding->value = value;
		finding->value_length = value_length;
	} else if (value_length != finding->value_length ||
		   memcmp(value, finding->value, value_length) != 0) {
		finding->conflict = true;
	}
	return MHD_YES;
}

const char *header_lines_find(struct MHD_Connection *mhd, const char *name,
			      bool *conflict_out)
{
	struct finding finding = { .name = name, .name_length = strlen(name) };

	MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, find, &finding);
	if (finding.conflict && conflict_out)
		*conflict_out = true;
	return finding.value;
}
