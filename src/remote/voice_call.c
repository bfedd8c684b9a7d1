/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls through a phone's gateway: place_call and hang_up. A call's path is /PHONE/callID with
 * the ID that the phone gave it, as in the feed (remote_feed.c).
 */
#include "ofono/modem_call.h"
#include "remote/remote_private.h"

enum { VOICE_CALL_PATH_BYTES = 64 };

struct voice_call_dial {
	struct hub_call *call;
	char phone[STORE_PHONE_NAME_BYTES];
	void (*done)(void *data, const struct voice_call_dial_result *result);
	void *data;
};

static void voice_call_dial_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct voice_call_dial *dial = data, copy = *dial;
	struct voice_call_dial_result result = { .outcome = DIAL_UNKNOWN };
	char path[VOICE_CALL_PATH_BYTES];
	int64_t id;

	if (answer->outcome == HUB_CALL_ABSENT) {
		result.outcome = DIAL_NOT_SUBMITTED;
	} else if (json_integer(json_member(answer->result, "call_id"), &id)) {
		snprintf(path, sizeof(path), "/%s/call%" PRId64, dial->phone, id);
		result = (struct voice_call_dial_result){ DIAL_PLACED, path };
	} else if (answer->outcome == HUB_CALL_ANSWERED && !answer->result) {
		result.outcome = strcmp(answer->error_code, "call_busy") == 0
					 ? DIAL_OTHER_CALL
					 : DIAL_REFUSED;
	}
	free(dial);
	copy.done(copy.data, &result);
}

struct voice_call_dial *voice_call_dial(
	struct modem *modem, const char *number, int timeout_ms,
	void (*done)(void *data, const struct voice_call_dial_result *result), void *data)
{
	struct voice_call_dial *dial = calloc(1, sizeof(*dial));
	struct buffer arguments = BUFFER_INIT;
	char text[128];

	if (!dial)
		return NULL;
	dial->done = done;
	dial->data = data;
	strcpy(dial->phone, remote_phone_of(modem)->row.name);
	snprintf(text, sizeof(text),
		 "{\"to_phone_number\":\"%.31s\",\"subscription_id\":%lld}", number,
		 remote_sim_of(modem));
	buffer_append_text(&arguments, text);
	if (!arguments.failed)
		dial->call = hub_call_new(remote_phone_of(modem), "place_call",
					  &arguments, NULL, (unsigned)timeout_ms,
					  voice_call_dial_on_answer, dial);
	buffer_deinit(&arguments);
	if (!dial->call) {
		free(dial);
		return NULL;
	}
	return dial;
}

void voice_call_dial_stop(struct voice_call_dial *dial)
{
	if (!dial)
		return;
	hub_call_stop(dial->call);
	free(dial);
}

static void voice_call_on_hung_up(void *data, const struct hub_call_answer *answer)
{
}

void voice_call_hang_up(struct modem *modem, const char *path)
{
	const char *id = strstr(path, "/call");
	struct buffer arguments = BUFFER_INIT;
	char text[64];

	if (!id)
		return;
	snprintf(text, sizeof(text), "{\"call_id\":%lld}", atoll(id + strlen("/call")));
	buffer_append_text(&arguments, text);
	if (!arguments.failed)
		hub_call_new(remote_phone_of(modem), "hang_up", &arguments, NULL,
			     REMOTE_TIMEOUT_MS, voice_call_on_hung_up, NULL);
	buffer_deinit(&arguments);
}

/* The hub does not know a phone's calls; the phone refuses a second one itself. */
struct voice_call_listing {
	sd_event_source *source;
	void (*found)(void *data, const struct voice_call *call);
	void *data;
};

static int voice_call_listing_on_turn(sd_event_source *source, void *data)
{
	struct voice_call_listing *listing = data, copy = *listing;

	voice_call_listing_stop(listing);
	copy.found(copy.data, NULL);
	return 0;
}

struct voice_call_listing *voice_call_list(struct modem *modem,
					   void (*found)(void *data,
							 const struct voice_call *call),
					   void *data)
{
	struct voice_call_listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return NULL;
	listing->found = found;
	listing->data = data;
	if (sd_event_add_defer(modem->ofono->loop, &listing->source,
			       voice_call_listing_on_turn, listing) < 0) {
		free(listing);
		return NULL;
	}
	return listing;
}

void voice_call_listing_stop(struct voice_call_listing *listing)
{
	if (!listing)
		return;
	sd_event_source_disable_unref(listing->source);
	free(listing);
}
