/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fake of http/exchange.h for the tests of mcp: a body goes in, the answer is kept.
 *
 * It defines every function of exchange.c, so that the linker leaves the real one out.
 */
#ifndef FAKE_EXCHANGE_H
#define FAKE_EXCHANGE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "http/exchange.h"

enum { FAKE_HEADERS_MAX = 4 };

struct fake_header {
	const char *name; /* NULL: no more */
	const char *value;
	bool conflict;
};

struct exchange {
	struct arena *arena;
	void *context;
	struct fake_header headers[FAKE_HEADERS_MAX];
	unsigned status; /* 0: not answered */
	const char *content_type;
	char *body; /* NUL-terminated; NULL: none */
	size_t body_length;
};

struct arena *exchange_arena(struct exchange *exchange)
{
	return exchange->arena;
}

void exchange_set_context(struct exchange *exchange, void *context)
{
	exchange->context = context;
}

void *exchange_context(const struct exchange *exchange)
{
	return exchange->context;
}

const char *exchange_method(const struct exchange *exchange)
{
	(void)exchange;
	return "POST";
}

const struct client *exchange_client(const struct exchange *exchange)
{
	static const struct client client = { 0, "open" };

	(void)exchange;
	return &client;
}

const char *exchange_header(struct exchange *exchange, const char *name,
			    bool *conflict_out)
{
	for (const struct fake_header *header = exchange->headers;
	     header < exchange->headers + FAKE_HEADERS_MAX && header->name; header++) {
		if (strcasecmp(name, header->name) != 0)
			continue;
		if (header->conflict && conflict_out)
			*conflict_out = true;
		return header->value;
	}
	return NULL;
}

void exchange_answer(struct exchange *exchange, unsigned status, const char *content_type,
		     struct buffer *body)
{
	assert_int_equal(exchange->status, 0); /* exactly once */
	exchange->status = status;
	exchange->content_type = content_type;
	if (!body)
		return;
	buffer_append(body, "", 1);
	exchange->body = buffer_take(body, &exchange->body_length);
	exchange->body_length--;
}

#endif
