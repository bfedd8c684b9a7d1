/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Post: one HTTP POST and its message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "http/exchange.h"
#include "mcp/request.h"

struct post;
struct request_context;

/* Lives in the exchange's arena until post_end(). Returns NULL if memory runs out. */
struct post *post_begin(const struct request_context *context, struct exchange *exchange);
void post_receive(struct post *post, const char *piece, size_t length);
void post_complete(struct post *post); /* answers now or later */
void post_abandon(struct post *post);  /* the client left */
void post_stop(struct post *post);     /* answers a waiting request */
void post_end(struct post *post);
