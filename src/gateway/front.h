/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Front: what agents meet of the gateway: the tools and resources with what is kept of them, the
 * paths beside, the ports, and who is let in. The other half is gateway/phone.h.
 */
#ifndef GATEWAY_FRONT_H
#define GATEWAY_FRONT_H

#include "gateway/exposure.h"
#include "gateway/web_route.h"
#include "http/http_server.h"
#include "mcp/endpoint.h"
#include "tools/change_source.h"
#include "tools/services.h"

struct front {
	struct services *services; /* NULL: not begun */
	struct change_source changes;
	struct persistence persistence;
	struct endpoint *endpoint;
	struct observer ussd_watch, dialler_watch;
	struct web web;
	struct http_route routes[1 + WEB_ROUTES_MAX + 1];
	struct auth auth;
	struct exposure exposure;
	struct http_server *server;
};

/*
 * The ports are taken, and nobody is answered yet. `services` are those of phone_open(), and get
 * `changes`. front_close() is due in either case. 0 or -errno, with the error's text
 * where there is more to say.
 */
int front_open(struct front *front, struct services *services,
	       struct explanation *error_out);
/* Whoever waits is answered from now on, and the log tells where. 0 or -errno. */
int front_serve(struct front *front);
void front_close(struct front *front);

/* Which tools there are may be another thing now. */
void front_review_tools(struct front *front);

/* A client is new, gone, or may do something else. */
void front_review_client(struct front *front, int64_t client_id);
/* What it has under way ends: it hears what is different, then its streams and connections end. */
void front_cut_client(struct front *front, int64_t client_id);
/* Its sessions end. */
void front_forget_client(struct front *front, int64_t client_id);

#endif
