/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/followed_calls.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { USEC_PER_SECOND = 1000 * 1000 };

/* All of them */

void followed_calls_init(struct followed_calls *calls, struct dialler *dialler,
			 const struct dialler_parts *parts)
{
	*calls = (struct followed_calls){
		.dialler = dialler,
		.loop = parts->loop,
		.store = parts->store,
	};
	observers_init(&calls->observers);
}

void followed_calls_deinit(struct followed_calls *calls)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		voice_call_dial_stop(calls->followed[i].dial);
		sd_event_source_disable_unref(calls->followed[i].timer);
	}
	observers_deinit(&calls->observers);
}

bool followed_calls_go_on(const struct followed_calls *calls)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (calls->followed[i].modem)
			return true;
	}
	return false;
}

struct followed_call *followed_calls_find(struct followed_calls *calls, int64_t id)
{
	for (size_t i = 0; id && i < DIALLER_CALLS; i++) {
		if (calls->followed[i].call.id == id)
			return &calls->followed[i];
	}
	return NULL;
}

struct followed_call *followed_calls_on(struct followed_calls *calls,
					const struct modem *modem)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (calls->followed[i].modem == modem)
			return &calls->followed[i];
	}
	return NULL;
}

struct followed_call *followed_calls_at(struct followed_calls *calls, const char *path)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed_call *followed = &calls->followed[i];

		if (followed->modem && strcmp(followed->path, path) == 0)
			return followed;
	}
	return NULL;
}

struct followed_call *followed_calls_take(struct followed_calls *calls)
{
	struct followed_call *oldest = NULL;

	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct followed_call *followed = &calls->followed[i];

		if (!followed->modem && (!oldest || followed->call.id < oldest->call.id))
			oldest = followed;
	}
	if (oldest)
		*oldest = (struct followed_call){ .calls = calls };
	return oldest;
}

static void check_stored(int error)
{
	if (error)
		log_error("calls: the disk does not take what became of one: %s",
			  error < 0 ? strerror(-error) : "it is full");
}

void followed_calls_store_end(struct followed_calls *calls,
			      const struct store_event_call_end *end)
{
	check_stored(store_event_end_call(calls->store, end));
}

/* The life of one */

void followed_call_drop(struct followed_call *followed)
{
	sd_event_source_disable_unref(followed->timer);
	*followed = (struct followed_call){ .calls = followed->calls };
}

void followed_call_tell(const struct followed_call *followed)
{
	log_info("calls: call %lld to %s: %s", (long long)followed->call.id,
		 log_number(followed->call.number),
		 store_event_call_state_name(followed->call.state));
	observers_notify(&followed->calls->observers, &followed->call);
}

static void move(struct followed_call *followed, enum call_state state)
{
	if (state <= followed->call.state)
		return;
	followed->call.state = state;
	check_stored(
		store_event_set_state(followed->calls->store, followed->call.id, state));
	followed_call_tell(followed);
}

static void hang_up(struct followed_call *followed)
{
	if (!*followed->path)
		return; /* it is, as soon as that is known */
	voice_call_hang_up(followed->modem, followed->path);
	sd_event_source_set_time_relative(
		followed->timer, (uint64_t)DIALLER_AGAIN_SECONDS * USEC_PER_SECOND);
	sd_event_source_set_enabled(followed->timer, SD_EVENT_ONESHOT);
}

void followed_call_hang_up(struct followed_call *followed, const char *why)
{
	if (!followed->modem || followed->why)
		return;
	followed->why = why;
	log_info("calls: call %lld is hung up: %s", (long long)followed->call.id, why);
	hang_up(followed);
}

static int on_due(sd_event_source *source, uint64_t usec, void *data)
{
	struct followed_call *followed = data;

	(void)source;
	(void)usec;
	if (followed->why)
		hang_up(followed);
	else
		followed_call_hang_up(followed, "time_limit");
	return 0;
}

int followed_call_limit(struct followed_call *followed, int64_t seconds)
{
	return sd_event_add_time_relative(
		followed->calls->loop, &followed->timer, CLOCK_BOOTTIME,
		(uint64_t)seconds * USEC_PER_SECOND, 0, on_due, followed);
}

void followed_call_dialled(struct followed_call *followed, const char *path)
{
	if (strlen(path) < FOLLOWED_PATH_BYTES)
		strcpy(followed->path, path);
	followed->call.is_dialled = true;
	followed_call_tell(followed);
	if (followed->why)
		hang_up(followed);
}

void followed_call_hear(struct followed_call *followed, const char *state)
{
	static const struct {
		const char *word;
		enum call_state state;
		const char *reason;
	} rows[] = {
		{ "alerting", CALL_ALERTING, NULL },
		{ "active", CALL_ACTIVE, NULL },
		{ "held", CALL_ACTIVE, NULL },
		{ CALL_ENDED_HERE, 0, "local" },
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

void followed_call_finish(struct followed_call *followed, enum call_state state,
			  const char *reason)
{
	struct placed_call *call = &followed->call;
	const struct store_event_call_end end = {
		.id = call->id,
		.client_id = call->client_id,
		.client = call->client_id || *call->client ? call->client : NULL,
		.state = state,
		.reason = reason,
	};

	voice_call_dial_stop(followed->dial);
	followed->dial = NULL;
	followed->timer = sd_event_source_disable_unref(followed->timer);
	followed->modem = NULL;
	call->state = state;
	snprintf(call->reason, sizeof(call->reason), "%s", reason);
	followed_calls_store_end(followed->calls, &end);
	followed_call_tell(followed);
}

/* It ended because we said so, unless somebody else was quicker. */
static const char *reason_of(const struct followed_call *followed)
{
	if (followed->why && (!followed->told || strcmp(followed->told, "local") == 0))
		return followed->why;
	return followed->told ? followed->told : "";
}

void followed_call_end(struct followed_call *followed)
{
	followed_call_finish(followed,
			     followed->call.state == CALL_ACTIVE ? CALL_ENDED
								 : CALL_UNANSWERED,
			     reason_of(followed));
}
