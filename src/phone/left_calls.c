/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/left_calls.h"

#include <string.h>

#include "base/clock.h"

enum { MS_PER_SECOND = 1000 };

/* Calls that come in are nobody's to end. */
static bool is_that(const struct left_call *left, const char *number, const char *state)
{
	return left->id && clock_boot_ms() < left->until_ms && number && state &&
	       strcmp(left->number, number) == 0 && strcmp(state, "incoming") != 0 &&
	       strcmp(state, "waiting") != 0;
}

void left_calls_add(struct left_calls *calls, const struct left_call *call,
		    int64_t seconds)
{
	struct left_call *place = &calls->left[0];

	for (size_t i = 0; i < LEFT_CALLS; i++) {
		struct left_call *left = &calls->left[i];

		if (!left->listing && left->until_ms < place->until_ms)
			place = left;
	}
	voice_call_listing_stop(place->listing);
	*place = (struct left_call){
		.id = call->id,
		.sim_id = call->sim_id,
		.until_ms = clock_boot_ms() + seconds * MS_PER_SECOND,
		.calls = calls,
	};
	strcpy(place->number, call->number);
}

static void show(struct left_call *left, struct modem *modem, const char *path)
{
	const struct left_call shown = *left;

	left->id = 0;
	left->calls->showed(left->calls->data, &shown, modem, path);
}

/* oFono may learn of the modem's calls a little later than it is asked. */
static void be_brief(struct left_call *left)
{
	int64_t until_ms = clock_boot_ms() + LEFT_GRACE_SECONDS * MS_PER_SECOND;

	if (left->until_ms > until_ms)
		left->until_ms = until_ms;
}

static void on_found(void *data, const struct voice_call *call)
{
	struct left_call *left = data;

	if (!call) {
		left->listing = NULL;
		be_brief(left);
	} else if (is_that(left, call->number, call->state)) {
		show(left, left->modem, call->path);
	}
}

static bool is_of_card(const struct left_call *left, const struct modem *modem)
{
	const struct sim *sim = sims_find(left->calls->sims, left->sim_id);

	return sim && sim->modem == modem;
}

void left_calls_look(struct left_calls *calls, struct modem *modem)
{
	for (size_t i = 0; modem_has_calls(modem) && i < LEFT_CALLS; i++) {
		struct left_call *left = &calls->left[i];

		if (!left->id || left->modem || !is_of_card(left, modem))
			continue;
		left->modem = modem;
		left->listing = voice_call_list(modem, on_found, left);
	}
}

void left_calls_hear(struct left_calls *calls, const struct ofono_event *event)
{
	for (size_t i = 0; i < LEFT_CALLS; i++) {
		struct left_call *left = &calls->left[i];

		if (is_that(left, event->sender, event->call_state) &&
		    is_of_card(left, event->modem))
			show(left, event->modem, event->call);
	}
}

void left_calls_lose(struct left_calls *calls, const struct modem *modem)
{
	for (size_t i = 0; i < LEFT_CALLS; i++) {
		struct left_call *left = &calls->left[i];

		if (left->modem != modem)
			continue;
		voice_call_listing_stop(left->listing);
		left->listing = NULL;
		left->modem = NULL;
	}
}

void left_calls_deinit(struct left_calls *calls)
{
	for (size_t i = 0; i < LEFT_CALLS; i++)
		voice_call_listing_stop(calls->left[i].listing);
}
