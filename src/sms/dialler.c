/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/dialler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "ofono/voice_dial.h"
#include "sms/left_calls.h"

enum {
	MS_PER_SECOND = 1000,
	USEC_PER_SECOND = 1000 * 1000,
	PATH_BYTES = 160,
};

/* A call that goes on; or what is known of one that is over. */
struct followed {
	struct placed_call call;
	struct dialler *dialler;
	struct modem *modem;	 /* NULL: it is over */
	struct voice_dial *dial; /* oFono has not answered yet */
	char path[PATH_BYTES];	 /* "": not known yet */
	const char *why;	 /* it is to end; NULL: it is not */
	const char *told;	 /* why it ends, as oFono told; NULL: it did not */
	sd_event_source *timer;	 /* to hang up, or to do so again */
};

struct dialler {
	struct dialler_parts parts;
	bool possible, at_it;
	struct observer watch;
	struct observers observers, use_observers;
	struct followed followed[DIALLER_CALLS];
	struct left_calls left;
};

/* What there is of them */

bool dialler_is_possible(const struct dialler *dialler)
{
	return dialler->possible;
}

bool dialler_is_at_it(const struct dialler *dialler)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (dialler->followed[i].modem)
			return true;
	}
	return false;
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

static struct followed *find_id(struct dialler *dialler, int64_t id)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (dialler->followed[i].call.id == id)
			return &dialler->followed[i];
	}
	return NULL;
}

static struct followed *find_modem(struct dialler *dialler, const struct modem *modem)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (dialler->followed[i].modem == modem)
			return &dialler->followed[i];
	}
	return NULL;
}

/* A free place, or that of the oldest which is over. NULL: all go on. */
static struct followed *take_place(struct dialler *dialler)
{
	struct followed *oldest = NULL;

	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed *followed = &dialler->followed[i];

		if (!followed->modem && (!oldest || followed->call.id < oldest->call.id))
			oldest = followed;
	}
	if (oldest)
		*oldest = (struct followed){ .dialler = dialler };
	return oldest;
}

const struct placed_call *dialler_find(const struct dialler *dialler, int64_t id)
{
	for (size_t i = 0; id && i < DIALLER_CALLS; i++) {
		if (dialler->followed[i].call.id == id)
			return &dialler->followed[i].call;
	}
	return NULL;
}

/* The life of one */

static bool is_stored(int error)
{
	if (error)
		log_error("calls: the disk does not take what became of one: %s",
			  error < 0 ? strerror(-error) : "it is full");
	return !error;
}

static void tell(const struct followed *followed)
{
	log_info("calls: call %lld to %s: %s", (long long)followed->call.id,
		 log_number(followed->call.number),
		 call_state_name(followed->call.state));
	observers_notify(&followed->dialler->observers, &followed->call);
}

static void move(struct followed *followed, enum call_state state)
{
	if (state <= followed->call.state)
		return;
	followed->call.state = state;
	is_stored(store_event_set_state(followed->dialler->parts.store, followed->call.id,
					state));
	tell(followed);
}

static void finish(struct followed *followed, enum call_state state, const char *reason)
{
	struct dialler *dialler = followed->dialler;
	struct placed_call *call = &followed->call;
	const struct call_end end = {
		.id = call->id,
		.client_id = call->client_id,
		.client = call->client_id || *call->client ? call->client : NULL,
		.state = state,
		.reason = reason,
	};

	voice_dial_stop(followed->dial);
	followed->dial = NULL;
	followed->timer = sd_event_source_disable_unref(followed->timer);
	followed->modem = NULL;
	call->state = state;
	snprintf(call->reason, sizeof(call->reason), "%s", reason);
	is_stored(store_call_end(dialler->parts.store, &end));
	tell(followed);
	review(dialler, NULL);
}

static void hang_up(struct followed *followed)
{
	if (!*followed->path)
		return; /* it is, as soon as that is known */
	voice_hang_up(followed->modem, followed->path);
	sd_event_source_set_time_relative(
		followed->timer, (uint64_t)DIALLER_AGAIN_SECONDS * USEC_PER_SECOND);
	sd_event_source_set_enabled(followed->timer, SD_EVENT_ONESHOT);
}

static void begin_to_end(struct followed *followed, const char *why)
{
	if (followed->why)
		return;
	followed->why = why;
	log_info("calls: call %lld is hung up: %s", (long long)followed->call.id, why);
	hang_up(followed);
}

static int on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct followed *followed = data;

	(void)source;
	(void)usec;
	if (followed->why)
		hang_up(followed);
	else
		begin_to_end(followed, "time_limit");
	return 0;
}

/* 0 or -errno. */
static int start_timer(struct followed *followed, int64_t seconds)
{
	return sd_event_add_time_relative(
		followed->dialler->parts.loop, &followed->timer, CLOCK_BOOTTIME,
		(uint64_t)seconds * USEC_PER_SECOND, 0, on_due, followed);
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
static struct followed *place_of(struct dialler *dialler, const struct left_call *left)
{
	struct followed *followed = find_id(dialler, left->id);

	if (followed)
		return followed;
	followed = take_place(dialler);
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
	struct followed *followed =
		strlen(path) < PATH_BYTES ? place_of(dialler, left) : NULL;

	if (!followed || start_timer(followed, DIALLER_AGAIN_SECONDS) < 0) {
		voice_hang_up(modem, path);
		return;
	}
	followed->call.state = CALL_ACTIVE;
	followed->why = followed->told = NULL;
	strcpy(followed->path, path);
	followed->modem = modem;
	begin_to_end(followed, "left");
	review(dialler, NULL);
}

/* What oFono tells */

static struct followed *find_path(struct dialler *dialler, const char *path)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed *followed = &dialler->followed[i];

		if (followed->modem && strcmp(followed->path, path) == 0)
			return followed;
	}
	return NULL;
}

static void hear_state(struct followed *followed, const char *state)
{
	static const struct {
		const char *word;
		enum call_state state;
		const char *reason;
	} rows[] = {
		{ "alerting", CALL_ALERTING, NULL },
		{ "active", CALL_ACTIVE, NULL },
		{ "held", CALL_ACTIVE, NULL },
		{ CALL_REFUSED_HERE, 0, "local" },
		{ CALL_ENDED_THERE, 0, "remote" },
		{ CALL_ENDED_BY_NETWORK, 0, "network" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].word, state) != 0)
			continue;
		if (rows[i].reason)
			followed->told = rows[i].reason;
		else
			move(followed, rows[i].state);
	}
}

/* It ended because we said so, unless somebody else was quicker. */
static const char *reason_of(const struct followed *followed)
{
	if (followed->why && (!followed->told || strcmp(followed->told, "local") == 0))
		return followed->why;
	return followed->told ? followed->told : "";
}

static void on_removed(struct followed *followed)
{
	finish(followed,
	       followed->call.state == CALL_ACTIVE ? CALL_ENDED : CALL_UNANSWERED,
	       reason_of(followed));
}

static void set_path(struct followed *followed, const char *path)
{
	if (strlen(path) < PATH_BYTES)
		strcpy(followed->path, path);
	followed->call.is_dialled = true;
	tell(followed);
	if (followed->why)
		hang_up(followed);
}

static const char *const refusals[] = {
	[DIAL_OTHER_CALL] = "busy",
	[DIAL_REFUSED] = "refused",
	[DIAL_NOT_SUPPORTED] = "not_supported",
	[DIAL_NOT_ALLOWED] = "not_allowed",
	[DIAL_NOT_HANDED] = "not_handed",
};

static void on_dialled(void *data, const struct dial_result *result)
{
	struct followed *followed = data;

	followed->dial = NULL;
	if (result->outcome == DIAL_PLACED) {
		set_path(followed, result->path);
	} else if (result->outcome == DIAL_UNKNOWN) {
		leave(followed->dialler, &followed->call, LEFT_GRACE_SECONDS);
		finish(followed, CALL_LOST, "lost");
	} else {
		finish(followed, CALL_NOT_PLACED, refusals[result->outcome]);
	}
}

/* Its modem can tell no more. */
static void lose(struct dialler *dialler, struct modem *modem)
{
	struct followed *followed = find_modem(dialler, modem);

	if (followed) {
		leave(dialler, &followed->call, DIALLER_LEFT_SECONDS);
		finish(followed, CALL_LOST, "lost");
	}
	left_calls_lose(&dialler->left, modem);
}

static void on_call(struct dialler *dialler, const struct ofono_event *event)
{
	struct followed *followed = find_path(dialler, event->call);

	if (event->type == CALL_ADDED)
		left_calls_hear(&dialler->left, event);
	if (!followed)
		return;
	if (event->type == CALL_REMOVED)
		on_removed(followed);
	else if (event->call_state)
		hear_state(followed, event->call_state);
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
	return store_call_place(dialler->parts.store,
				&(struct call_draft){
					.client_id = order->client_id,
					.client = order->client,
					.sim_id = order->sim_id,
					.number = order->number,
					.reason = order->reason,
				},
				id_out);
}

static void fill(struct followed *followed, const struct dial_order *order)
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
	struct followed *followed =
		find_modem(dialler, order->modem) ? NULL : take_place(dialler);
	int error;

	if (!followed)
		return DIALLER_E_BUSY;
	error = start_timer(followed, order->most_seconds);
	if (error >= 0)
		error = store_order(dialler, order, &followed->call.id);
	if (error) {
		sd_event_source_disable_unref(followed->timer);
		*followed = (struct followed){ .dialler = dialler };
		return error;
	}
	fill(followed, order);
	*id_out = followed->call.id;
	followed->dial = voice_dial(order->modem, order->number, dialler->parts.limit_ms,
				    on_dialled, followed);
	tell(followed);
	if (!followed->dial)
		finish(followed, CALL_NOT_PLACED, "not_handed");
	review(dialler, NULL);
	return 0;
}

void dialler_hang_up(struct dialler *dialler, int64_t id, const char *reason)
{
	struct followed *followed = find_id(dialler, id);

	if (followed && followed->modem)
		begin_to_end(followed, reason);
}

void dialler_revoke(struct dialler *dialler, int64_t client_id)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed *followed = &dialler->followed[i];

		if (followed->modem && followed->call.client_id == client_id)
			begin_to_end(followed, "revoked");
	}
}

struct observers *dialler_observers(struct dialler *dialler)
{
	return &dialler->observers;
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
		error = store_events_list(dialler->parts.store,
					  &(struct event_look){
						  .kind = EVENT_CALL,
						  .state = state,
						  .limit = DIALLER_CALLS,
						  .visit = add_left,
						  .data = dialler,
					  });
	for (size_t i = 0; !error && i < LEFT_CALLS; i++) {
		if (dialler->left.left[i].id)
			is_stored(store_call_end(dialler->parts.store,
						 &(struct call_end){
							 .id = dialler->left.left[i].id,
							 .state = CALL_LOST,
							 .reason = "lost",
						 }));
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
	observers_init(&dialler->observers);
	observers_init(&dialler->use_observers);
	observer_add(ofono_observers(parts->ofono), &dialler->watch, on_ofono_event,
		     dialler);
	*dialler_out = dialler;
	return 0;
}

void dialler_stop(struct dialler *dialler)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (dialler->followed[i].modem)
			begin_to_end(&dialler->followed[i], "gateway_stopped");
	}
}

void dialler_free(struct dialler *dialler)
{
	if (!dialler)
		return;
	observer_remove(&dialler->watch);
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed *followed = &dialler->followed[i];

		voice_dial_stop(followed->dial);
		sd_event_source_disable_unref(followed->timer);
	}
	left_calls_deinit(&dialler->left);
	observers_deinit(&dialler->observers);
	observers_deinit(&dialler->use_observers);
	free(dialler);
}
