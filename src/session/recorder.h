/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recorder: writes what agents send into the phone's own messages (session/history.h), and lets its
 * state follow there.
 *
 * The ID of the last event that was dealt with is kept in a file; it begins with the first event
 * that it ever sees. So what happened while nobody was logged in is recorded at the next login,
 * and what the owner has deleted in the app stays deleted. What the phone's own app sent is in its
 * messages already; what never left the gateway is not recorded.
 */
#pragma once

#include <systemd/sd-event.h>

#include "base/json.h"

struct history;
struct recorder;

/*
 * Borrows all of them; `state_file` may be NULL: then it begins anew each time. Returns 0 or
 * -ENOMEM.
 */
int recorder_new(sd_event *loop, const char *control_socket, const char *state_file,
		 struct history *history, struct recorder **recorder_out);
void recorder_free(struct recorder *recorder); /* NULL is fine */

/* Returns the ID of the last event that was dealt with; "" if there is none. */
const char *recorder_last_event(const struct recorder *recorder);
/* Every event of the gateway goes through here. */
void recorder_take_event(struct recorder *recorder, const struct json *event);
/* What the gateway's status says of the SIMs: in which slot each one is. */
void recorder_take_status(struct recorder *recorder, const struct json *status);
/* The gateway is away. */
void recorder_stop(struct recorder *recorder);
