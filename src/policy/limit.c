/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message at the time T exceeds a limit of `most` messages per span if `most` neighbours,
 * that is messages less than a span away from T, lie within one span together with T. Then T
 * must move to a span after the first of these, whether that is before or after T.
 *
 * Usage is counted in usage time (store/store_usage.h), which does not jump when the wall
 * clock is set: `ahead_ms` is how far the wall clock is ahead of it.
 */
#include "policy/limit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "config/config_policy.h"
#include "policy/local_time.h"

enum {
	LIMIT_OWNER_PART = 10,
	STEPS_MAX = 64,
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	MONTH_DAYS = 31
};

static const struct {
	const char *name;
	int64_t span_ms; /* 0 for a calendar month */
} limit_units[] = {
	[LIMIT_MINUTE] = { "minute", MINUTE_MS },
	[LIMIT_HOUR] = { "hour", HOUR_MS },
	[LIMIT_DAY] = { "day", CLOCK_MS_PER_DAY },
	[LIMIT_MONTH] = { "month", 0 },
};

const char *limit_unit_name(enum limit_unit unit)
{
	return limit_units[unit].name;
}

static int64_t limit_most(const struct client_limits *limits, enum limit_unit unit)
{
	switch (unit) {
	case LIMIT_MINUTE:
		return limits->per_minute;
	case LIMIT_HOUR:
		return limits->per_hour;
	case LIMIT_DAY:
		return limits->per_day;
	case LIMIT_MONTH:
		return limits->segments_per_month;
	}
	return 0;
}

/*
 * Paired clients share the limits of a SIM equally, and leave the owner a tenth. The owner, and
 * whoever needs no token, may use all that is left.
 */
static int64_t limit_share(int64_t most, int64_t client_id, int64_t clients)
{
	int64_t share;

	if (client_id <= 0 || clients < 1)
		return most;
	share = (most - most / LIMIT_OWNER_PART) / clients;
	return share ? share : 1;
}

size_t limit_list(const struct config_policy *policy, const struct client *client,
		  int64_t sim_id, int64_t clients, struct limit limits_out[LIMITS_MAX])
{
	size_t count = 0;

	for (enum limit_unit unit = LIMIT_MINUTE; unit <= LIMIT_MONTH; unit++) {
		int64_t most = client ? limit_most(&client->limits, unit) : 0;

		if (most < 0)
			most = limit_most(&policy->client, unit);
		if (most > 0)
			limits_out[count++] =
				(struct limit){ USAGE_BY_CLIENT, unit, client->id, most };
		most = limit_most(&policy->sim, unit);
		if (!sim_id || most <= 0)
			continue;
		limits_out[count++] = client ? (struct limit){
			.by = USAGE_BY_SHARE,
			.unit = unit,
			.id = client->id,
			.most = limit_share(most, client->id, clients),
			.sim_id = sim_id,
			.with_planned = true,
		} : (struct limit){ USAGE_BY_SIM, unit, sim_id, most };
	}
	return count;
}

size_t limit_list_submitting(const struct config_policy *policy, int64_t client_id,
			     int64_t sim_id, int64_t clients,
			     struct limit limits_out[LIMITS_MAX])
{
	size_t count = 0;

	for (enum limit_unit unit = LIMIT_MINUTE; unit <= LIMIT_MONTH; unit++) {
		int64_t most = limit_most(&policy->sim, unit);

		if (most <= 0)
			continue;
		limits_out[count++] = (struct limit){ USAGE_BY_SIM, unit, sim_id, most };
		limits_out[count++] = (struct limit){
			.by = USAGE_BY_SHARE,
			.unit = unit,
			.id = client_id,
			.most = limit_share(most, client_id, clients),
			.sim_id = sim_id,
		};
	}
	return count;
}

/* What is counted: the stored messages and those of a plan. Times are of usage time. */
struct limit_view {
	struct store *store;
	const struct limit_plan *plan; /* NULL if there is none */
	int64_t now_ms;
	int64_t ahead_ms;
};

static int limit_view_open(struct limit_view *view, struct store *store,
			   const struct limit_plan *plan)
{
	*view = (struct limit_view){ .store = store, .plan = plan };
	return store_usage_now(store, &view->now_ms, &view->ahead_ms);
}

/* Converts a time of the wall clock (0 is now) to usage time, never in the past. */
static int64_t limit_view_time(const struct limit_view *view, int64_t wall_ms)
{
	int64_t at_ms = wall_ms - view->ahead_ms;

	return wall_ms && at_ms > view->now_ms ? at_ms : view->now_ms;
}

/* When the messages near a moment were accepted, in order. */
struct limit_neighbours {
	int64_t *times_ms;
	size_t count;
};

static void limit_reverse(int64_t *times, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		int64_t time = times[i];

		times[i] = times[count - 1 - i];
		times[count - 1 - i] = time;
	}
}

static int limit_compare_times(const void *one, const void *other)
{
	int64_t first = *(const int64_t *)one, second = *(const int64_t *)other;

	return (first > second) - (first < second);
}

/* All messages of a plan have the client and the SIM of the limit. */
static void limit_add_planned(const struct limit_view *view, const struct limit *limit,
			      int64_t at_ms, struct limit_neighbours *found)
{
	int64_t span_ms = limit_units[limit->unit].span_ms;

	for (size_t i = 0; i < view->plan->count; i++) {
		const struct limit_planned *planned = &view->plan->items[i];
		int64_t time_ms = limit_view_time(view, limit->by == USAGE_ACCEPTED
								? planned->accepted_ms
								: planned->at_ms);

		if (time_ms > at_ms - span_ms && time_ms < at_ms + span_ms)
			found->times_ms[found->count++] = time_ms;
	}
	qsort(found->times_ms, found->count, sizeof(int64_t), limit_compare_times);
}

/* At most `most` stored ones on each side: more make no difference. The caller frees. */
static int limit_find_neighbours(const struct limit_view *view, const struct limit *limit,
				 int64_t at_ms, struct limit_neighbours *found)
{
	int64_t span_ms = limit_units[limit->unit].span_ms;
	struct store_usage_span span = {
		limit->by,
		limit->id,
		at_ms - span_ms,
		at_ms,
		limit->except_usage_id,
		limit->sim_id,
		limit->with_planned,
	};
	size_t room = (size_t)limit->most, after = 0;
	size_t planned = view->plan ? view->plan->count : 0;
	int error;

	*found = (struct limit_neighbours){ .times_ms = calloc(2 * room + planned,
							       sizeof(int64_t)) };
	if (!found->times_ms)
		return -ENOMEM;
	error = store_usage_times_until(view->store, &span, found->times_ms, room,
					&found->count);
	limit_reverse(found->times_ms, found->count);
	span.from_ms = at_ms;
	span.until_ms = at_ms + span_ms;
	if (!error && !limit->ignores_later)
		error = store_usage_times_after(
			view->store, &span, found->times_ms + found->count, room, &after);
	found->count += after;
	if (planned)
		limit_add_planned(view, limit, at_ms, found);
	return error;
}

static int64_t limit_least(int64_t one, int64_t other)
{
	return one < other ? one : other;
}

static int64_t limit_greatest(int64_t one, int64_t other)
{
	return one > other ? one : other;
}

/* Are the messages from `first` to `last`, and the moment window_ms[0], within one span? */
static bool limit_is_run(const struct limit_neighbours *near, size_t first, size_t last,
			 const int64_t window_ms[2])
{
	int64_t at_ms = window_ms[0];

	return limit_greatest(near->times_ms[last], at_ms) -
		       limit_least(near->times_ms[first], at_ms) <
	       window_ms[1];
}

/* *next_ms_out is at_ms, or a later time before which the message does not fit. */
static int limit_next_place(const struct limit_view *view, const struct limit *limit,
			    int64_t at_ms, int64_t *next_ms_out)
{
	const int64_t window_ms[2] = { at_ms, limit_units[limit->unit].span_ms };
	size_t most = (size_t)limit->most;
	struct limit_neighbours near;
	int64_t next_ms = at_ms;
	int error = limit_find_neighbours(view, limit, at_ms, &near);

	for (size_t i = 0; !error && i + most <= near.count; i++) {
		if (limit_is_run(&near, i, i + most - 1, window_ms))
			next_ms =
				limit_greatest(next_ms, near.times_ms[i] + window_ms[1]);
	}
	free(near.times_ms);
	if (!error)
		*next_ms_out = next_ms;
	return error;
}

/* Limits per minute do not apply to acceptance: an agent may schedule many at once. */
static bool limit_is_of_acceptance(const struct limit *limit)
{
	return limit->by == USAGE_BY_CLIENT &&
	       (limit->unit == LIMIT_HOUR || limit->unit == LIMIT_DAY);
}

/* Moves the place after what exceeds the limit, and records the first such limit. */
static int limit_pass(const struct limit_view *view, const struct limit *limit,
		      bool is_acceptance, struct limit_place *place)
{
	struct limit asked = *limit;
	int64_t next_ms;
	int error;

	if (is_acceptance)
		asked.by = USAGE_ACCEPTED;
	error = limit_next_place(view, &asked, place->fits_ms, &next_ms);
	if (error || next_ms == place->fits_ms)
		return error;
	if (!place->limit.most) {
		place->limit = *limit;
		place->is_acceptance = is_acceptance;
	}
	place->fits_ms = next_ms;
	return 0;
}

/* The limits to search, and as what a message counts. */
struct limit_search {
	const struct limit *limits;
	size_t count;
	bool for_sending;
	bool for_acceptance;
};

/* Moves the place, in usage time, until no limit is exceeded. */
static int limit_search_run(const struct limit_view *view,
			    const struct limit_search *search, struct limit_place *place)
{
	int64_t before_ms = INT64_MIN;
	int error = 0;

	for (int step = 0; place->fits_ms != before_ms && step < STEPS_MAX; step++) {
		before_ms = place->fits_ms;
		for (size_t i = 0; !error && i < search->count; i++) {
			const struct limit *limit = &search->limits[i];

			if (limit->unit == LIMIT_MONTH)
				continue;
			if (search->for_sending)
				error = limit_pass(view, limit, false, place);
			if (!error && search->for_acceptance &&
			    limit_is_of_acceptance(limit))
				error = limit_pass(view, limit, true, place);
		}
		if (error)
			return error;
	}
	return 0;
}

/* Finds the most messages in a window that contains now, and when the first of them leaves it. */
static size_t limit_fullest(const struct limit_neighbours *near,
			    const int64_t window_ms[2], int64_t *frees_ms)
{
	size_t first = 0, most = 0;

	for (size_t last = 0; last < near->count; last++) {
		while (first < last && !limit_is_run(near, first, last, window_ms))
			first++;
		if (!limit_is_run(near, first, last, window_ms) ||
		    last + 1 - first < most)
			continue;
		most = last + 1 - first;
		*frees_ms = near->times_ms[first] + window_ms[1];
	}
	return most;
}

static int limit_window_left(const struct limit_view *view, const struct limit *limit,
			     int64_t now_ms, int64_t *left_out, int64_t *frees_ms_out)
{
	const int64_t window_ms[2] = { now_ms, limit_units[limit->unit].span_ms };
	struct limit_neighbours near;
	int64_t frees_ms = 0;
	int error = limit_find_neighbours(view, limit, now_ms, &near);
	size_t used = error ? 0 : limit_fullest(&near, window_ms, &frees_ms);

	free(near.times_ms);
	if (error)
		return error;
	*left_out = limit_greatest(limit->most - (int64_t)used, 0);
	*frees_ms_out = frees_ms;
	return *left_out ? 0 : limit_next_place(view, limit, now_ms, frees_ms_out);
}

/* The window of messages sent or the one of messages accepted, whichever leaves less. */
static int limit_rate_left(const struct limit_view *view, const struct limit *limit,
			   int64_t now_ms, int64_t *left_out, int64_t *frees_ms_out)
{
	struct limit accepted = *limit;
	int64_t left, frees_ms;
	int error = limit_window_left(view, limit, now_ms, left_out, frees_ms_out);

	if (error || !limit_is_of_acceptance(limit))
		return error;
	accepted.by = USAGE_ACCEPTED;
	error = limit_window_left(view, &accepted, now_ms, &left, &frees_ms);
	if (error || left > *left_out || (left == *left_out && frees_ms <= *frees_ms_out))
		return error;
	*left_out = left;
	*frees_ms_out = frees_ms;
	return 0;
}

/* Counts how many messages fit all limits but the monthly ones, at this usage time. */
static int limit_count_fits(const struct limit_view *view,
			    const struct limit_search *search, int64_t at_ms,
			    int64_t *fits_out)
{
	int64_t fits = INT64_MAX, left, frees_ms;

	for (size_t i = 0; i < search->count; i++) {
		int error;

		if (search->limits[i].unit == LIMIT_MONTH)
			continue;
		error = limit_rate_left(view, &search->limits[i], at_ms, &left,
					&frees_ms);
		if (error)
			return error;
		fits = limit_least(fits, left);
	}
	*fits_out = fits;
	return 0;
}

/* What is accepted now and sent later must pass both, each at its time. */
static int limit_search_later(const struct limit_view *view, struct limit_search *search,
			      int64_t wished_ms, struct limit_place *place)
{
	int error;

	search->for_acceptance = true;
	error = limit_search_run(view, search, place);
	if (error || place->limit.most)
		return error;
	search->for_acceptance = false;
	search->for_sending = true;
	place->fits_ms = wished_ms;
	return limit_search_run(view, search, place);
}

int limit_find_place(struct store *store, const struct limit *limits, size_t count,
		     const struct limit_wish *wish, struct limit_place *place_out)
{
	struct limit_search search = { .limits = limits, .count = count };
	struct limit_view view;
	struct limit_place place;
	int64_t wished_ms;
	int error = limit_view_open(&view, store, wish->plan);

	if (error)
		return error;
	wished_ms = limit_view_time(&view, wish->at_ms);
	place = (struct limit_place){ .fits_ms = view.now_ms };
	if (wished_ms > view.now_ms && !wish->is_asked_again && !wish->is_accepted) {
		error = limit_search_later(&view, &search, wished_ms, &place);
	} else {
		search.for_sending = true;
		search.for_acceptance = !wish->is_accepted;
		place.fits_ms = wished_ms;
		error = limit_search_run(&view, &search, &place);
	}
	if (!error && place.limit.most)
		error = limit_count_fits(&view, &search, place.fits_ms, &place.fits);
	if (error)
		return error;
	place.fits_ms += view.ahead_ms;
	*place_out = place;
	return 0;
}

static int64_t limit_planned_segments(const struct limit_view *view,
				      const struct store_usage_span *span)
{
	int64_t segments = 0;

	for (size_t i = 0; view->plan && i < view->plan->count; i++) {
		const struct limit_planned *planned = &view->plan->items[i];
		int64_t at_ms = limit_view_time(view, planned->at_ms);

		if (at_ms >= span->from_ms && at_ms < span->until_ms)
			segments += planned->segments;
	}
	return segments;
}

/*
 * Finds the end of the month that contains a moment of usage time, and what is used of the month.
 * With an unset clock every boot would begin a month: then the last 31 days count.
 */
static int limit_month_used(const struct limit_view *view, const struct limit *limit,
			    int64_t at_ms, int64_t *until_ms_out, int64_t *used_out)
{
	struct store_usage_span span = { .by = limit->by,
					 .id = limit->id,
					 .except_id = limit->except_usage_id,
					 .sim_id = limit->sim_id,
					 .with_planned = limit->with_planned };
	int64_t wall_ms = at_ms + view->ahead_ms;
	int error;

	local_time_month(wall_ms, &span.from_ms, &span.until_ms);
	*until_ms_out = span.until_ms;
	span.from_ms -= view->ahead_ms;
	span.until_ms -= view->ahead_ms;
	if (wall_ms < CLOCK_SANE_MS)
		span.from_ms = at_ms - MONTH_DAYS * (int64_t)CLOCK_MS_PER_DAY;
	if (limit->ignores_later)
		span.until_ms = at_ms + 1;
	error = store_usage_segments(view->store, &span, limit->most, used_out);
	if (!error)
		*used_out += limit_planned_segments(view, &span);
	return error;
}

int limit_check_budgets(struct store *store, const struct limit *limits, size_t count,
			const struct limit_wish *wish, struct limit_place *place_out)
{
	int64_t until_ms, used;
	struct limit_place place = { 0 };
	struct limit_view view;
	int error = limit_view_open(&view, store, wish->plan);

	if (error)
		return error;
	for (size_t i = 0; i < count && !place.limit.most; i++) {
		if (limits[i].unit != LIMIT_MONTH)
			continue;
		error = limit_month_used(&view, &limits[i],
					 limit_view_time(&view, wish->at_ms), &until_ms,
					 &used);
		if (error)
			return error;
		if (used + wish->segments > limits[i].most)
			place = (struct limit_place){ until_ms, limits[i] };
	}
	*place_out = place;
	return 0;
}

int limit_left(struct store *store, const struct limit *limit, int64_t *left_out,
	       int64_t *frees_ms_out)
{
	int64_t used = 0, frees_ms = 0, left = 0;
	struct limit_view view;
	int error = limit_view_open(&view, store, NULL);

	if (error)
		return error;
	if (limit->unit == LIMIT_MONTH) {
		error = limit_month_used(&view, limit, view.now_ms, &frees_ms, &used);
		left = limit_greatest(limit->most - used, 0);
		frees_ms = used ? frees_ms : 0;
	} else {
		error = limit_rate_left(&view, limit, view.now_ms, &left, &frees_ms);
		frees_ms = frees_ms ? frees_ms + view.ahead_ms : 0;
	}
	if (error)
		return error;
	*left_out = left;
	*frees_ms_out = frees_ms;
	return 0;
}
