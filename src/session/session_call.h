/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session call: one of the owner's commands, which the gateway runs, over its control socket
 * (gateway/control.h). Nothing here blocks.
 */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/json.h"

struct session_call;

struct session_call_handlers {
	/* Receives each item of the answer. The call must not be freed in it. */
	void (*on_item)(void *data, const struct json *item);
	/*
	 * Receives the end, once: the result, or NULL with what went wrong as a sentence without
	 * its full stop. The call is freed afterwards.
	 */
	void (*on_end)(void *data, const struct json *result, const char *problem);
};

/*
 * `request` is one line without its line feed. `is_endless` says that items come until the gateway
 * stops; other calls have SESSION_CALL_TIMEOUT_S. Returns 0; or -errno, and no handler is called.
 */
enum { SESSION_CALL_TIMEOUT_S = 30 };
int session_call_new(sd_event *loop, const char *socket_path, const char *request,
		     bool is_endless, const struct session_call_handlers *handlers,
		     void *data, struct session_call **call_out);
/* No handler is called any more. NULL is fine. */
void session_call_free(struct session_call *call);

/* Returns the text of a member of an answer; "" if there is none. */
const char *session_call_text(const struct json *object, const char *name);
