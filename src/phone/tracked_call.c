/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   set_limit -> on_dialled -> on_state ... -> on_removed -> finish
 *
 *   hang_up: Hangup -> (timer) Hangup -> ... until oFono removes the call. Before the call's
 *   path is known it only records the reason; on_dialled then hangs up.
 *
 * States only move forward (enum call_state is in order), whatever oFono signals.
 */
#include "phone/tracked_call.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { TRACKED_CALL_USEC_PER_SECOND = 1000 * 1000 };

/* ---- all calls */

void tracked_calls_init(struct tracked_calls *calls, struct dialler *dialler,
			const struct dialler_parts *parts)
{
	*calls = (struct tracked_calls){
		.dialler = dialler,
		.loop = parts->loop,
		.store = parts->store,
	};
	observers_init(&calls->observers);
}

void tracked_calls_deinit(struct tracked_calls *calls)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		voice_call_dial_stop(calls->list[i].dial);
		sd_event_source_disable_unref(calls->list[i].timer);
	}
	observers_deinit(&calls->observers);
}

bool tracked_calls_are_active(const struct tracked_calls *calls)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (calls->list[i].modem)
			return true;
	}
	return false;
}

struct tracked_call *tracked_calls_find(struct tracked_calls *calls, int64_t id)
{
	for (size_t i = 0; id && i < DIALLER_CALLS; i++) {
		if (calls->list[i].call.id == id)
			return &calls->list[i];
	}
	return NULL;
}

struct tracked_call *tracked_calls_find_active_on(struct tracked_calls *calls,
						  const struct modem *modem)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		if (calls->list[i].modem == modem)
			return &calls->list[i];
	}
	return NULL;
}

struct tracked_call *tracked_calls_find_active_at(struct tracked_calls *calls,
						  const char *path)
{
	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct tracked_call *tracked = &calls->list[i];

		if (tracked->modem && strcmp(tracked->path, path) == 0)
			return tracked;
	}
	return NULL;
}

struct tracked_call *tracked_calls_take_place(struct tracked_calls *calls)
{
	struct tracked_call *oldest = NULL;

	for (size_t i = 0; i < DIALLER_CALLS; i++) {
		struct tracked_call *tracked = &calls->list[i];

		if (!tracked->modem && (!oldest || tracked->call.id < oldest->call.id))
			oldest = tracked;
	}
	if (oldest)
		*oldest = (struct tracked_call){ .calls = calls };
	return oldest;
}

static void tracked_calls_check_stored(int error)
{
	if (error)
		log_error("calls: cannot store the state of a call: %s",
			  error < 0 ? strerror(-error) : "the disk is full");
}

void tracked_calls_store_end(struct tracked_calls *calls,
			     const struct store_event_call_end *end)
{
	tracked_calls_check_stored(store_event_end_call(calls->store, end));
}

/* ---- one call */

void tracked_call_clear(struct tracked_call *tracked)
{
	sd_event_source_disable_unref(tracked->timer);
	*tracked = (struct tracked_call){ .calls = tracked->calls };
}

void tracked_call_report(const struct tracked_call *tracked)
{
	log_info("calls: call %lld to %s: %s", (long long)tracked->call.id,
		 log_number(tracked->call.number),
		 store_event_call_state_name(tracked->call.state));
	observers_notify(&tracked->calls->observers, &tracked->call);
}

static void tracked_call_advance(struct tracked_call *tracked, enum call_state state)
{
	if (state <= tracked->call.state)
		return;
	tracked->call.state = state;
	tracked_calls_check_stored(
		store_event_set_state(tracked->calls->store, tracked->call.id, state));
	tracked_call_report(tracked);
}

static void tracked_call_send_hang_up(struct tracked_call *tracked)
{
	if (!*tracked->path)
		return;
	voice_call_hang_up(tracked->modem, tracked->path);
	sd_event_source_set_time_relative(tracked->timer,
					  (uint64_t)DIALLER_RETRY_SECONDS *
						  TRACKED_CALL_USEC_PER_SECOND);
	sd_event_source_set_enabled(tracked->timer, SD_EVENT_ONESHOT);
}

void tracked_call_hang_up(struct tracked_call *tracked, const char *reason)
{
	if (!tracked->modem || tracked->hang_up_reason)
		return;
	tracked->hang_up_reason = reason;
	log_info("calls: hanging up call %lld: %s", (long long)tracked->call.id, reason);
	tracked_call_send_hang_up(tracked);
}

static int tracked_call_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct tracked_call *tracked = data;

	if (tracked->hang_up_reason)
		tracked_call_send_hang_up(tracked);
	else
		tracked_call_hang_up(tracked, "time_limit");
	return 0;
}

int tracked_call_set_limit(struct tracked_call *tracked, int64_t seconds)
{
	return sd_event_add_time_relative(
		tracked->calls->loop, &tracked->timer, CLOCK_BOOTTIME,
		(uint64_t)seconds * TRACKED_CALL_USEC_PER_SECOND, 0,
		tracked_call_on_timer, tracked);
}

void tracked_call_on_dialled(struct tracked_call *tracked, const char *path)
{
	if (strlen(path) < TRACKED_CALL_PATH_BYTES)
		strcpy(tracked->path, path);
	tracked->call.is_dialled = true;
	tracked_call_report(tracked);
	if (tracked->hang_up_reason)
		tracked_call_send_hang_up(tracked);
}

void tracked_call_on_state(struct tracked_call *tracked, const char *state)
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
			tracked->ofono_reason = rows[i].reason;
		else
			tracked_call_advance(tracked, rows[i].state);
	}
}

void tracked_call_on_removed(struct tracked_call *tracked)
{
	const char *reason = tracked->ofono_reason;

	/* It ended because the gateway hung up, unless the other side was quicker. */
	if (tracked->hang_up_reason && (!reason || strcmp(reason, "local") == 0))
		reason = tracked->hang_up_reason;
	tracked_call_finish(tracked,
			    tracked->call.state == CALL_ACTIVE ? CALL_ENDED
							       : CALL_UNANSWERED,
			    reason ? reason : "");
}

void tracked_call_finish(struct tracked_call *tracked, enum call_state state,
			 const char *reason)
{
	struct dialler_call *call = &tracked->call;
	const struct store_event_call_end end = {
		.id = call->id,
		.client_id = call->client_id,
		.client = call->client_id || *call->client ? call->client : NULL,
		.state = state,
		.reason = reason,
	};

	voice_call_dial_stop(tracked->dial);
	tracked->dial = NULL;
	tracked->timer = sd_event_source_disable_unref(tracked->timer);
	tracked->modem = NULL;
	call->state = state;
	snprintf(call->reason, sizeof(call->reason), "%s", reason);
	tracked_calls_store_end(tracked->calls, &end);
	tracked_call_report(tracked);
}
