/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/dialler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ofono/voice_call.h"
#include "phone/followed_calls.h"
#include "phone/left_calls.h"

enum { MS_PER_SECOND = 1000 };

struct dialler {
	struct dialler_parts parts;
	bool possible, at_it;
	struct observer watch;
	struct observers use_observers;
	struct followed_calls calls;
	struct left_calls left;
};

/* What there is of them */

bool dialler_is_possible(const struct dialler *dialler)
{
	return dialler->possible;
}

bool dialler_is_at_it(const struct dialler *dialler)
{
	return followed_calls_go_on(&dialler->calls);
}

const struct placed_call *dialler_find(struct dialler *dialler, int64_t id)
{
	const struct followed_call *followed = followed_calls_find(&dialler->calls, id);

	return followed ? &followed->call : NULL;
}

/* `gone`: still listed, and not there any more; NULL none */
static void review(struct dialler *dialler, const struct modem *gone)
{
	bool possible = false, at_it = dialler_is_at_it(dialler);
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(dialler->parts.ofono), link)
		possible |= modem != gone && !modem_is_foreign(modem) &&
			    modem_has_calls(modem);
	if (possible == dialler->possible && at_it == dialler->at_it)
		return;
	dialler->possible = possible;
	dialler->at_it = at_it;
	observers_notify(&dialler->use_observers, NULL);
}

static void finish(struct dialler *dialler, struct followed_call *followed,
		   enum call_state state, const char *reason)
{
	followed_call_finish(followed, state, reason);
	review(dialler, NULL);
}

/* Calls that nobody follows */

static void leave(struct dialler *dialler, const struct placed_call *call,
		  int64_t seconds)
{
	struct left_call left = { .id = call->id, .sim_id = call->sim_id };

	strcpy(left.number, call->number);
	left_calls_add(&dialler->left, &left, seconds);
}

/* Its place, where that is known still. NULL: all go on. */
static struct followed_call *place_of(struct dialler *dialler,
				      const struct left_call *left)
{
	struct followed_call *followed = followed_calls_find(&dialler->calls, left->id);

	if (followed)
		return followed;
	followed = followed_calls_take(&dialler->calls);
	if (!followed)
		return NULL;
	followed->call.id = left->id;
	followed->call.sim_id = left->sim_id;
	strcpy(followed->call.number, left->number);
	return followed;
}

/* It showed: it is followed to its end, which is now. */
static void take_back(void *data, const struct left_call *left, struct modem *modem,
		      const char *path)
{
	struct dialler *dialler = data;
	struct followed_call *followed =
		strlen(path) < FOLLOWED_PATH_BYTES ? place_of(dialler, left) : NULL;

	if (!followed || followed_call_limit(followed, DIALLER_AGAIN_SECONDS) < 0) {
		voice_call_hang_up(modem, path);
		return;
	}
	followed->call.state = CALL_ACTIVE;
	followed->why = followed->told = NULL;
	strcpy(followed->path, path);
	followed->modem = modem;
	followed_call_hang_up(followed, "left");
	review(dialler, NULL);
}

/* What oFono tells */

static const char *const refusals[] = {
	[DIAL_OTHER_CALL] = "busy",
	[DIAL_REFUSED] = "refused",
	[DIAL_NOT_SUPPORTED] = "not_supported",
	[DIAL_NOT_ALLOWED] = "not_allowed",
	[DIAL_NOT_SUBMITTED] = "not_handed",
};

static void on_dialled(void *data, const struct voice_call_dial_result *result)
{
	struct followed_call *followed = data;
	struct dialler *dialler = followed->calls->dialler;

	followed->dial = NULL;
	if (result->outcome == DIAL_PLACED) {
		followed_call_dialled(followed, result->path);
	} else if (result->outcome == DIAL_UNKNOWN) {
		leave(dialler, &followed->call, LEFT_GRACE_SECONDS);
		finish(dialler, followed, CALL_LOST, "lost");
	} else {
		finish(dialler, followed, CALL_NOT_PLACED, refusals[result->outcome]);
	}
}

/* Its modem can tell no more. */
static void lose(struct dialler *dialler, struct modem *modem)
{
	struct followed_call *followed = followed_calls_on(&dialler->calls, modem);

	if (followed) {
		leave(dialler, &followed->call, DIALLER_LEFT_SECONDS);
		finish(dialler, followed, CALL_LOST, "lost");
	}
	left_calls_lose(&dialler->left, modem);
}

/* The one that is dialled now may go where one went that was left. */
static bool is_followed(struct dialler *dialler, const struct ofono_event *event)
{
	const struct followed_call *followed =
		followed_calls_on(&dialler->calls, event->modem);

	return followed && event->sender &&
	       strcmp(followed->call.number, event->sender) == 0 &&
	       (!*followed->path || strcmp(followed->path, event->call) == 0);
}

static void on_call(struct dialler *dialler, const struct ofono_event *event)
{
	struct followed_call *followed = followed_calls_at(&dialler->calls, event->call);

	if (event->type == CALL_ADDED && !is_followed(dialler, event))
		left_calls_hear(&dialler->left, event);
	if (!followed)
		return;
	if (event->type == CALL_REMOVED) {
		followed_call_end(followed);
		review(dialler, NULL);
	} else if (event->call_state) {
		followed_call_hear(followed, event->call_state);
	}
}

static void on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;
	struct dialler *dialler = data;

	switch (event->type) {
	case CALL_ADDED:
	case CALL_CHANGED:
	case CALL_REMOVED:
		on_call(dialler, event);
		break;
	case MODEM_ADDED:
	case MODEM_CHANGED:
		if (!modem_has_calls(event->modem))
			lose(dialler, event->modem);
		left_calls_look(&dialler->left, event->modem);
		review(dialler, NULL);
		break;
	case MODEM_REMOVED:
		lose(dialler, event->modem);
		review(dialler, event->modem);
		break;
	default:
		break;
	}
}

/* What others ask */

static int store_order(struct dialler *dialler, const struct dial_order *order,
		       int64_t *id_out)
{
	return store_event_place_call(dialler->parts.store,
				      &(struct store_event_call_draft){
					      .client_id = order->client_id,
					      .client = order->client,
					      .sim_id = order->sim_id,
					      .number = order->number,
					      .reason = order->reason,
				      },
				      id_out);
}

static void fill(struct followed_call *followed, const struct dial_order *order)
{
	struct placed_call *call = &followed->call;

	call->client_id = order->client_id;
	call->sim_id = order->sim_id;
	call->state = CALL_DIALLING;
	call->ends_ms = clock_wall_ms() + order->most_seconds * MS_PER_SECOND;
	snprintf(call->number, sizeof(call->number), "%s", order->number);
	snprintf(call->client, sizeof(call->client), "%s", order->client);
	followed->modem = order->modem;
}

int dialler_place(struct dialler *dialler, const struct dial_order *order,
		  int64_t *id_out)
{
	struct followed_call *followed = followed_calls_on(&dialler->calls, order->modem)
						 ? NULL
						 : followed_calls_take(&dialler->calls);
	int error;

	if (!followed)
		return DIALLER_E_BUSY;
	error = followed_call_limit(followed, order->most_seconds);
	if (error >= 0)
		error = store_order(dialler, order, &followed->call.id);
	if (error) {
		followed_call_drop(followed);
		return error;
	}
	fill(followed, order);
	*id_out = followed->call.id;
	followed->dial = voice_call_dial(order->modem, order->number,
					 dialler->parts.limit_ms, on_dialled, followed);
	followed_call_tell(followed);
	if (!followed->dial)
		finish(dialler, followed, CALL_NOT_PLACED, "not_handed");
	review(dialler, NULL);
	return 0;
}

void dialler_hang_up(struct dialler *dialler, int64_t id, const char *reason)
{
	struct followed_call *followed = followed_calls_find(&dialler->calls, id);

	if (followed)
		followed_call_hang_up(followed, reason);
}

void dialler_revoke(struct dialler *dialler, int64_t client_id)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed_call *followed = &dialler->calls.followed[i];

		if (followed->call.client_id == client_id)
			followed_call_hang_up(followed, "revoked");
	}
}

struct observers *dialler_observers(struct dialler *dialler)
{
	return &dialler->calls.observers;
}

struct observers *dialler_use_observers(struct dialler *dialler)
{
	return &dialler->use_observers;
}

/* Start and stop */

static void add_left(void *data, const struct event *event)
{
	struct dialler *dialler = data;
	struct placed_call call = { .id = event->id, .sim_id = event->sim_id };
	int64_t age = (clock_wall_ms() - event->at_ms) / MS_PER_SECOND;

	if (strlen(event->number) >= sizeof(call.number))
		return;
	strcpy(call.number, event->number);
	leave(dialler, &call, age < DIALLER_LEFT_SECONDS ? DIALLER_LEFT_SECONDS : 0);
}

static int settle(struct dialler *dialler)
{
	int error = 0;

	for (int state = CALL_DIALLING; !error && state <= CALL_ACTIVE; state++)
		error = store_event_list(dialler->parts.store,
					 &(struct store_event_query){
						 .kind = EVENT_CALL,
						 .state = state,
						 .limit = DIALLER_CALLS,
						 .visit = add_left,
						 .data = dialler,
					 });
	for (size_t i = 0; !error && i < LEFT_CALLS; i++) {
		if (dialler->left.left[i].id)
			followed_calls_store_end(&dialler->calls,
						 &(struct store_event_call_end){
							 .id = dialler->left.left[i].id,
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
	followed_calls_init(&dialler->calls, dialler, parts);
	dialler->left = (struct left_calls){
		.sims = parts->sims,
		.showed = take_back,
		.data = dialler,
	};
	error = settle(dialler);
	if (error) {
		free(dialler);
		return error < 0 ? error : -ENOSPC;
	}
	observers_init(&dialler->use_observers);
	observer_add(ofono_observers(parts->ofono), &dialler->watch, on_ofono_event,
		     dialler);
	*dialler_out = dialler;
	return 0;
}

void dialler_stop(struct dialler *dialler)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++)
		followed_call_hang_up(&dialler->calls.followed[i], "gateway_stopped");
}

void dialler_free(struct dialler *dialler)
{
	if (!dialler)
		return;
	observer_remove(&dialler->watch);
	followed_calls_deinit(&dialler->calls);
	left_calls_deinit(&dialler->left);
	observers_deinit(&dialler->use_observers);
	free(dialler);
}
