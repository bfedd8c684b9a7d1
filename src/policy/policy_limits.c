/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules about limits, in words. */
#include "base/clock.h"
#include "config/config.h"
#include "policy/limit.h"
#include "policy/policy_case.h"
#include "store/store_event.h"

static int refuse_unread(struct policy_case *about)
{
	return policy_refuse_unread(
		about, "What was sent lately could not be read, so nothing is sent.");
}

static const char *whose(const struct limit *limit)
{
	return limit->by == USAGE_BY_CLIENT ? "this client" : "this SIM";
}

static int refuse_rate(struct policy_case *about, const struct limit_place *place)
{
	char time[CLOCK_TEXT_BYTES];

	clock_format(place->fits_ms, time);
	policy_refuse(about, FAILURE_RATE_LIMITED,
		      arena_printf(about->request->arena,
				   "The owner allows %s %lld message%s%s in a%s %s, and "
				   "that is reached%s; the next one fits at %s.",
				   whose(&place->limit), (long long)place->limit.most,
				   place->limit.most == 1 ? "" : "s",
				   policy_is_call(about) ? " or calls" : "",
				   place->limit.unit == LIMIT_HOUR ? "n" : "",
				   limit_unit_name(place->limit.unit),
				   place->is_acceptance
					   ? " (scheduled and cancelled ones count)"
					   : "",
				   time));
	policy_retry_at(about, place->fits_ms);
	return POLICY_E_REFUSED;
}

static int refuse_budget(struct policy_case *about, const struct limit_place *place)
{
	char time[CLOCK_TEXT_BYTES];

	clock_format(place->fits_ms, time);
	policy_refuse(about, FAILURE_BUDGET_EXHAUSTED,
		      arena_printf(about->request->arena,
				   "The owner allows %s %lld segment%s in a month, and "
				   "this %s would exceed that; the month ends at %s.",
				   whose(&place->limit), (long long)place->limit.most,
				   place->limit.most == 1 ? "" : "s",
				   policy_is_call(about) ? "call, which counts as one,"
							 : "message",
				   time));
	policy_retry_at(about, place->fits_ms);
	return POLICY_E_REFUSED;
}

static size_t limits_about(const struct policy_case *about,
			   struct limit limits_out[LIMITS_MAX])
{
	return limit_list(&about->policy->parts.config->policy, about->request->client,
			  about->request->sim_id, limits_out);
}

/* Of a message that is not known yet one segment is needed at least. */
static struct limit_wish wish_about(const struct policy_case *about)
{
	unsigned segments = about->request->segments;

	return (struct limit_wish){ about->request->send_at_ms, segments ? segments : 1 };
}

int policy_check_rates(struct policy_case *about)
{
	struct limit_wish wish = wish_about(about);
	struct limit limits[LIMITS_MAX];
	struct limit_place place;
	size_t count = limits_about(about, limits);

	if (limit_find_place(about->policy->parts.store, limits, count, &wish, &place))
		return refuse_unread(about);
	return place.limit.most ? refuse_rate(about, &place) : 0;
}

int policy_check_budgets(struct policy_case *about)
{
	struct limit_wish wish = wish_about(about);
	struct limit limits[LIMITS_MAX];
	struct limit_place place;
	size_t count = limits_about(about, limits);

	if (limit_check_budgets(about->policy->parts.store, limits, count, &wish, &place))
		return refuse_unread(about);
	return place.limit.most ? refuse_budget(about, &place) : 0;
}

static const struct {
	int64_t span_ms;
	const char *name;
	size_t most; /* offset in struct config_policy_calls */
} call_windows[] = {
	{ 60 * 60 * 1000, "an hour", offsetof(struct config_policy_calls, per_hour) },
	{ CLOCK_MS_PER_DAY, "a day", offsetof(struct config_policy_calls, per_day) },
};

/* Those of all clients together; the ledger has them, so a restart makes no room. */
int policy_check_calls(struct policy_case *about)
{
	const struct config_policy_calls *config =
		&about->policy->parts.config->policy.calls;

	for (size_t i = 0; i < sizeof(call_windows) / sizeof(call_windows[0]); i++) {
		int64_t most =
			*(const int64_t *)((const char *)config + call_windows[i].most);
		int64_t at_ms, until_ms;

		if (store_event_nth_placed_call(about->policy->parts.store, most,
						about->now_ms, &at_ms))
			return refuse_unread(about);
		until_ms = at_ms + call_windows[i].span_ms;
		if (!at_ms || until_ms <= about->now_ms)
			continue;
		policy_refuse(about, FAILURE_RATE_LIMITED,
			      arena_printf(about->request->arena,
					   "The owner allows %lld call%s in %s, for all "
					   "agents together, and that is reached.",
					   (long long)most, most == 1 ? "" : "s",
					   call_windows[i].name));
		policy_retry_at(about, until_ms);
		return POLICY_E_REFUSED;
	}
	return 0;
}
