/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control: what the owner's commands work on.
 *
 * The same commands run in the gateway, which is asked over its control socket, and, where
 * that makes sense, in the program of the owner while no gateway runs
 * (tests/integration/test_control.py).
 */
#ifndef GATEWAY_CONTROL_H
#define GATEWAY_CONTROL_H

#include "base/json.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/outbox.h"
#include "store/store.h"

struct config;
struct explanation;
struct control_command;

/* What happens when the configuration is read again. */
struct control_reload {
	/* Of each key that is different in the file. */
	void (*changed)(void *data, const char *section, const char *name, bool adopted);
	void *data;
	struct explanation error;
	/* With the owner's contacts, although the configuration is good; NULL, "": none */
	const char *contacts_problem;
};

/* What the rest of the gateway does for the commands; all of it at once. */
struct control_gateway {
	/* Its open requests and streams end; the next one is judged anew. */
	void (*client_cut)(void *data, int64_t client_id);
	/* Its sessions end, for ever. */
	void (*client_forgotten)(void *data, int64_t client_id);
	/* What it may do is different; or it is new, or was revoked. */
	void (*client_changed)(void *data, int64_t client_id);
	/* False: refused, with the error's text; then nothing has changed. */
	bool (*reload)(void *data, struct control_reload *reload);
	/* Kept over a restart. 0, STORE_E_FULL, -errno. */
	int (*set_paused)(void *data, bool paused);
	bool (*is_paused)(void *data);
	/* Is the local network told of it? As what, or why not; until the next call. */
	bool (*advertised)(void *data, const char **text_out);
};

/* How agents reach the gateway, and know it: of pair and rotate. */
struct control_reach {
	/*
	 * A certificate that is there is used from now on; `wanted`: one is made where there
	 * is none. -errno with the error's text.
	 */
	int (*secure)(const struct config *config, bool wanted,
		      struct explanation *error);
	/* Members of the result: "urls", the best first, and "tls" where there is TLS. */
	void (*write)(const struct config *config, struct json_writer *writer);
};

struct services;

struct control {
	const struct config *config;
	struct store *store;
	const struct control_reach *reach;
	/* Of a gateway that runs; else all of these are NULL */
	sd_event *loop;
	struct sims *sims;
	struct outbox *outbox;
	struct ofono *ofono;
	const struct control_gateway *gateway;
	void *gateway_data;
	/* Rows of a room that knows more than this one, and what they work with; or NULL. */
	const struct control_command *const *more; /* ends with NULL */
	struct services *services;
};

enum control_client_news {
	CONTROL_CLIENT_CHANGED, /* it came, or may do something else */
	CONTROL_CLIENT_CUT,	/* ... or has another token: what it has under way ends */
	CONTROL_CLIENT_REVOKED, /* it is gone; and so are its sessions */
};

/* The gateway, where there is one, does all that this asks for. */
void control_tell_client(const struct control *control, int64_t client_id,
			 enum control_client_news news);

#endif
