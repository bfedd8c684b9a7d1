/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hub call, as hub_phones.c sees it. */
#pragma once

#include "fleet/fleet_frame.h"
#include "hub/hub_phone.h"

struct hub_call {
	struct hub_phone *phone; /* NULL if the outcome is known, the callback is due */
	char *text;		 /* the request */
	size_t length;
	uint8_t correlation[FLEET_CORRELATION_BYTES];
	uint64_t number; /* in the session in which it was sent last */
	bool was_moved;	 /* sent again in the session that the link named */
	bool may_have_arrived;
	bool is_rekey;
	sd_event_source *timer;
	struct hub_call_answer answer;
	char *kept;	     /* the answer's text */
	struct arena *arena; /* of the answer */
	void (*done)(void *data, const struct hub_call_answer *answer);
	void *data;
	TAILQ_ENTRY(hub_call) link;
};

/* The phone's key for the first contact is replaced: see hub/hub_phone.h. */
struct hub_call *hub_call_new_rekey(struct hub_phone *phone, unsigned timeout_ms,
				    void (*done)(void *data,
						 const struct hub_call_answer *answer),
				    void *data);
/* The frame is sealed with the phone's key and bears the call's correlation data. */
void hub_call_take(struct hub_call *call, const struct fleet_frame *frame,
		   const char *text, size_t length);
/* The link is in another session, or gone: what was sent to it may be lost. */
void hub_call_end(struct hub_call *call, enum hub_call_outcome outcome);
/* Is the frame an answer to what was published last? Not to an earlier attempt, or hub. */
bool hub_call_is_current(const struct hub_call *call, const struct fleet_frame *frame);
/* Did the gateway refuse this hub? The link forgets newer hubs with its restart. */
bool hub_call_is_stale(const struct hub_call *call);
struct hub_call *hub_call_find(struct hub_phone *phone, const void *correlation,
			       size_t length);
