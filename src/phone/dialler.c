/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dialler keeps two lists. Tracked calls are those that it follows (tracked_call.c). Lost
 * calls are those that may go on unseen: the gateway or the modem was away, or oFono did not
 * say whether it dialled.
 *
 *   tracked -> modem gone, or no answer to Dial -> lost -> shows again -> tracked, hung up
 *                                                       -> time is up  -> forgotten
 *
 * A lost call is looked for when the modem of its card is there: once among the calls that
 * oFono lists, and among those that are added within DIALLER_LOST_GRACE_SECONDS after that,
 * because oFono may learn of the modem's calls a little later than it is asked.
 */
#include "phone/dialler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ofono/modem_call.h"
#include "phone/tracked_call.h"

enum {
	DIALLER_MS_PER_SECOND = 1000,
	DIALLER_LOST_CALLS = 16,
	DIALLER_LOST_GRACE_SECONDS = 30,
};

struct dialler_lost_call {
	struct dialler *dialler;
	int64_t id; /* 0 if there is none */
	int64_t sim_id;
	char number[PHONE_NUMBER_BYTES];
	int64_t until_ms;    /* boot clock */
	struct modem *modem; /* was asked for its calls; NULL if none was */
	struct voice_call_listing *listing;
};

struct dialler {
	struct dialler_parts parts;
	bool possible, busy; /* as last reported */
	struct observer ofono_observer;
	struct observers state_observers;
	struct tracked_calls calls;
	struct dialler_lost_call lost[DIALLER_LOST_CALLS];
};

bool dialler_is_possible(const struct dialler *dialler)
{
	return dialler->possible;
}

bool dialler_is_busy(const struct dialler *dialler)
{
	return tracked_calls_are_active(&dialler->calls);
}

const struct dialler_call *dialler_find(struct dialler *dialler, int64_t id)
{
	const struct tracked_call *tracked = tracked_calls_find(&dialler->calls, id);

	return tracked ? &tracked->call : NULL;
}

/* `removed` is a modem that is still listed, but about to go; NULL if there is none. */
static void dialler_update_state(struct dialler *dialler, const struct modem *removed)
{
	bool possible = false, busy = dialler_is_busy(dialler);
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(dialler->parts.ofono), link)
		possible |= modem != removed && !modem_is_foreign(modem) &&
			    modem_has_calls(modem);
	if (possible == dialler->possible && busy == dialler->busy)
		return;
	dialler->possible = possible;
	dialler->busy = busy;
	observers_notify(&dialler->state_observers, NULL);
}

static void dialler_finish(struct dialler *dialler, struct tracked_call *tracked,
			   enum call_state state, const char *reason)
{
	tracked_call_finish(tracked, state, reason);
	dialler_update_state(dialler, NULL);
}

/* ---- lost calls */

/* Adds a call to look for during `seconds` (0 to not look). A full list drops the oldest. */
static void dialler_lost_add(struct dialler *dialler, const struct dialler_call *call,
			     int64_t seconds)
{
	struct dialler_lost_call *place = &dialler->lost[0];

	for (size_t i = 0; i < DIALLER_LOST_CALLS; i++) {
		struct dialler_lost_call *lost = &dialler->lost[i];

		if (!lost->listing && lost->until_ms < place->until_ms)
			place = lost;
	}
	voice_call_listing_stop(place->listing);
	*place = (struct dialler_lost_call){
		.dialler = dialler,
		.id = call->id,
		.sim_id = call->sim_id,
		.until_ms = clock_boot_ms() + seconds * DIALLER_MS_PER_SECOND,
	};
	strcpy(place->number, call->number);
}

/*
 * Returns its place among the tracked calls, if it still has one. Returns NULL if all are active.
 */
static struct tracked_call *dialler_lost_place(struct dialler *dialler,
					       const struct dialler_lost_call *lost)
{
	struct tracked_call *tracked = tracked_calls_find(&dialler->calls, lost->id);

	if (tracked)
		return tracked;
	tracked = tracked_calls_take_place(&dialler->calls);
	if (!tracked)
		return NULL;
	tracked->call.id = lost->id;
	tracked->call.sim_id = lost->sim_id;
	strcpy(tracked->call.number, lost->number);
	return tracked;
}

/* The lost call shows at this path: tracks it again, and hangs it up. */
static void dialler_lost_resume(struct dialler_lost_call *lost, struct modem *modem,
				const char *path)
{
	struct dialler *dialler = lost->dialler;
	struct tracked_call *tracked = strlen(path) < TRACKED_CALL_PATH_BYTES
					       ? dialler_lost_place(dialler, lost)
					       : NULL;

	lost->id = 0;
	if (!tracked || tracked_call_set_limit(tracked, DIALLER_RETRY_SECONDS) < 0) {
		voice_call_hang_up(modem, path);
		return;
	}
	tracked->call.state = CALL_ACTIVE;
	tracked->hang_up_reason = tracked->ofono_reason = NULL;
	strcpy(tracked->path, path);
	tracked->modem = modem;
	tracked_call_hang_up(tracked, "left");
	dialler_update_state(dialler, NULL);
}

/* An incoming call was not placed by the gateway. */
static bool dialler_lost_is(const struct dialler_lost_call *lost, const char *number,
			    const char *state)
{
	return lost->id && clock_boot_ms() < lost->until_ms && number && state &&
	       strcmp(lost->number, number) == 0 && strcmp(state, "incoming") != 0 &&
	       strcmp(state, "waiting") != 0;
}

static void dialler_lost_on_found(void *data, const struct voice_call *call)
{
	struct dialler_lost_call *lost = data;
	int64_t until_ms;

	if (call) {
		if (dialler_lost_is(lost, call->number, call->state))
			dialler_lost_resume(lost, lost->modem, call->path);
		return;
	}
	lost->listing = NULL;
	until_ms = clock_boot_ms() + DIALLER_LOST_GRACE_SECONDS * DIALLER_MS_PER_SECOND;
	if (lost->until_ms > until_ms)
		lost->until_ms = until_ms;
}

static bool dialler_lost_is_on(const struct dialler_lost_call *lost,
			       const struct modem *modem)
{
	const struct sim *sim = sims_find(lost->dialler->parts.sims, lost->sim_id);

	return sim && sim->modem == modem;
}

/* A modem was added or changed: asks it once for the calls that its card may have. */
static void dialler_lost_on_modem(struct dialler *dialler, struct modem *modem)
{
	for (size_t i = 0; modem_has_calls(modem) && i < DIALLER_LOST_CALLS; i++) {
		struct dialler_lost_call *lost = &dialler->lost[i];

		if (!lost->id || lost->modem || !dialler_lost_is_on(lost, modem))
			continue;
		lost->modem = modem;
		lost->listing = voice_call_list(modem, dialler_lost_on_found, lost);
	}
}

static void dialler_lost_on_added(struct dialler *dialler,
				  const struct ofono_event *event)
{
	for (size_t i = 0; i < DIALLER_LOST_CALLS; i++) {
		struct dialler_lost_call *lost = &dialler->lost[i];

		if (dialler_lost_is(lost, event->sender, event->call_state) &&
		    dialler_lost_is_on(lost, event->modem))
			dialler_lost_resume(lost, event->modem, event->call);
	}
}

static void dialler_lost_on_modem_gone(struct dialler *dialler, const struct modem *modem)
{
	for (size_t i = 0; i < DIALLER_LOST_CALLS; i++) {
		struct dialler_lost_call *lost = &dialler->lost[i];

		if (lost->modem != modem)
			continue;
		voice_call_listing_stop(lost->listing);
		lost->listing = NULL;
		lost->modem = NULL;
	}
}

/* ---- events of oFono */

static void dialler_on_dialled(void *data, const struct voice_call_dial_result *result)
{
	static const char *const refusals[] = {
		[DIAL_OTHER_CALL] = "busy",
		[DIAL_REFUSED] = "refused",
		[DIAL_NOT_SUPPORTED] = "not_supported",
		[DIAL_NOT_ALLOWED] = "not_allowed",
		[DIAL_NOT_SUBMITTED] = "not_handed",
	};
	struct tracked_call *tracked = data;
	struct dialler *dialler = tracked->calls->dialler;

	tracked->dial = NULL;
	if (result->outcome == DIAL_PLACED) {
		tracked_call_on_dialled(tracked, result->path);
	} else if (result->outcome == DIAL_UNKNOWN) {
		dialler_lost_add(dialler, &tracked->call, DIALLER_LOST_GRACE_SECONDS);
		dialler_finish(dialler, tracked, CALL_LOST, "lost");
	} else {
		dialler_finish(dialler, tracked, CALL_NOT_PLACED,
			       refusals[result->outcome]);
	}
}

/* The modem will signal nothing more about its calls. */
static void dialler_on_modem_gone(struct dialler *dialler, struct modem *modem)
{
	struct tracked_call *tracked =
		tracked_calls_find_active_on(&dialler->calls, modem);

	if (tracked) {
		dialler_lost_add(dialler, &tracked->call, DIALLER_LOST_SECONDS);
		dialler_finish(dialler, tracked, CALL_LOST, "lost");
	}
	dialler_lost_on_modem_gone(dialler, modem);
}

/* Is it the call being dialled now, which may go to the same number as a lost one? */
static bool dialler_is_tracked(struct dialler *dialler, const struct ofono_event *event)
{
	const struct tracked_call *tracked =
		tracked_calls_find_active_on(&dialler->calls, event->modem);

	return tracked && event->sender &&
	       strcmp(tracked->call.number, event->sender) == 0 &&
	       (!*tracked->path || strcmp(tracked->path, event->call) == 0);
}

static void dialler_on_call(struct dialler *dialler, const struct ofono_event *event)
{
	struct tracked_call *tracked =
		tracked_calls_find_active_at(&dialler->calls, event->call);

	if (event->type == CALL_ADDED && !dialler_is_tracked(dialler, event))
		dialler_lost_on_added(dialler, event);
	if (!tracked)
		return;
	if (event->type == CALL_REMOVED) {
		tracked_call_on_removed(tracked);
		dialler_update_state(dialler, NULL);
	} else if (event->call_state) {
		tracked_call_on_state(tracked, event->call_state);
	}
}

static void dialler_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct dialler *dialler = data;

	switch (event->type) {
	case CALL_ADDED:
	case CALL_CHANGED:
	case CALL_REMOVED:
		dialler_on_call(dialler, event);
		break;
	case MODEM_ADDED:
	case MODEM_CHANGED:
		if (!modem_has_calls(event->modem))
			dialler_on_modem_gone(dialler, event->modem);
		dialler_lost_on_modem(dialler, event->modem);
		dialler_update_state(dialler, NULL);
		break;
	case MODEM_REMOVED:
		dialler_on_modem_gone(dialler, event->modem);
		dialler_update_state(dialler, event->modem);
		break;
	default:
		break;
	}
}

/* ---- requests of clients */

static void dialler_fill_call(struct tracked_call *tracked,
			      const struct dialler_order *order)
{
	struct dialler_call *call = &tracked->call;

	call->client_id = order->client_id;
	call->sim_id = order->sim_id;
	call->state = CALL_DIALLING;
	call->ends_ms = clock_wall_ms() + order->most_seconds * DIALLER_MS_PER_SECOND;
	snprintf(call->number, sizeof(call->number), "%s", order->number);
	snprintf(call->client, sizeof(call->client), "%s", order->client);
	tracked->modem = order->modem;
}

int dialler_place(struct dialler *dialler, const struct dialler_order *order,
		  int64_t *id_out)
{
	const struct store_event_call_draft draft = {
		.client_id = order->client_id,
		.client = order->client,
		.sim_id = order->sim_id,
		.number = order->number,
		.reason = order->reason,
	};
	struct tracked_call *tracked = NULL;
	int error;

	if (!tracked_calls_find_active_on(&dialler->calls, order->modem))
		tracked = tracked_calls_take_place(&dialler->calls);
	if (!tracked)
		return DIALLER_E_BUSY;
	error = tracked_call_set_limit(tracked, order->most_seconds);
	if (error >= 0)
		error = store_event_place_call(dialler->parts.store, &draft,
					       &tracked->call.id);
	if (error) {
		tracked_call_clear(tracked);
		return error;
	}
	dialler_fill_call(tracked, order);
	*id_out = tracked->call.id;
	tracked->dial =
		voice_call_dial(order->modem, order->number, dialler->parts.limit_ms,
				dialler_on_dialled, tracked);
	tracked_call_report(tracked);
	if (!tracked->dial)
		dialler_finish(dialler, tracked, CALL_NOT_PLACED, "not_handed");
	dialler_update_state(dialler, NULL);
	return 0;
}

void dialler_hang_up(struct dialler *dialler, int64_t id, const char *reason)
{
	struct tracked_call *tracked = tracked_calls_find(&dialler->calls, id);

	if (tracked)
		tracked_call_hang_up(tracked, reason);
}

void dialler_revoke(struct dialler *dialler, int64_t client_id)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct tracked_call *tracked = &dialler->calls.list[i];

		if (tracked->call.client_id == client_id)
			tracked_call_hang_up(tracked, "revoked");
	}
}

struct observers *dialler_observers(struct dialler *dialler)
{
	return &dialler->calls.observers;
}

struct observers *dialler_state_observers(struct dialler *dialler)
{
	return &dialler->state_observers;
}

/* ---- start and stop */

/* Handles a call that the store shows as active: its gateway ended without ending it. */
static void dialler_on_open_call(void *data, const struct event *event)
{
	struct dialler *dialler = data;
	struct dialler_call call = { .id = event->id, .sim_id = event->sim_id };
	int64_t age = (clock_wall_ms() - event->at_ms) / DIALLER_MS_PER_SECOND;

	if (strlen(event->number) >= sizeof(call.number))
		return;
	strcpy(call.number, event->number);
	dialler_lost_add(dialler, &call,
			 age < DIALLER_LOST_SECONDS ? DIALLER_LOST_SECONDS : 0);
}

static int dialler_end_open_calls(struct dialler *dialler)
{
	int error = 0;

	for (int state = CALL_DIALLING; !error && state <= CALL_ACTIVE; state++)
		error = store_event_list(dialler->parts.store,
					 &(struct store_event_query){
						 .kind = EVENT_CALL,
						 .state = state,
						 .limit = DIALLER_CALLS,
						 .visit = dialler_on_open_call,
						 .data = dialler,
					 });
	for (size_t i = 0; !error && i < DIALLER_LOST_CALLS; i++) {
		if (dialler->lost[i].id)
			tracked_calls_store_end(&dialler->calls,
						&(struct store_event_call_end){
							.id = dialler->lost[i].id,
							.state = CALL_LOST,
							.reason = "lost",
						});
	}
	return error;
}

int dialler_new(const struct dialler_parts *parts, struct dialler **dialler_out)
{
	struct dialler *dialler = calloc(1, sizeof(*dialler));
	int error;

	if (!dialler)
		return -ENOMEM;
	dialler->parts = *parts;
	tracked_calls_init(&dialler->calls, dialler, parts);
	error = dialler_end_open_calls(dialler);
	if (error) {
		free(dialler);
		return error < 0 ? error : -ENOSPC;
	}
	observers_init(&dialler->state_observers);
	observer_add(ofono_observers(parts->ofono), &dialler->ofono_observer,
		     dialler_on_ofono_event, dialler);
	*dialler_out = dialler;
	return 0;
}

void dialler_stop(struct dialler *dialler)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++)
		tracked_call_hang_up(&dialler->calls.list[i], "gateway_stopped");
}

void dialler_free(struct dialler *dialler)
{
	if (!dialler)
		return;
	observer_remove(&dialler->ofono_observer);
	tracked_calls_deinit(&dialler->calls);
	for (size_t i = 0; i < DIALLER_LOST_CALLS; i++)
		voice_call_listing_stop(dialler->lost[i].listing);
	observers_deinit(&dialler->state_observers);
	free(dialler);
}
