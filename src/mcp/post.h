/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Post: one HTTP POST and the messages that it brought, one or an array of them.
 */
#ifndef MCP_POST_H
#define MCP_POST_H

#include "http/exchange.h"

struct endpoint;
struct post;

/* Lives in the exchange's arena until post_end(). NULL: no memory. */
struct post *post_begin(struct endpoint *endpoint, struct exchange *exchange);
void post_receive(struct post *post, const char *piece, size_t length);
void post_complete(struct post *post); /* answers now or later */
void post_leave(struct post *post);    /* the client left */
void post_stop(struct post *post);     /* answers what waits */
void post_end(struct post *post);

#endif
