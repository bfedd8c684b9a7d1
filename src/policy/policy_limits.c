/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules about how much may be sent: rates, monthly budgets, calls and the balance of the
 * SIM. policy/limit.h counts; this file decides and explains.
 */
#include "base/clock.h"
#include "config/config.h"
#include "policy/limit.h"
#include "policy/policy_private.h"
#include "store/store_event.h"

static int policy_limits_refuse_unread(struct policy_case *about)
{
	return policy_case_refuse_unread(about, "The recent messages could not be read.");
}

static const char *policy_limits_whose(const struct limit *limit)
{
	if (limit->by == USAGE_BY_CLIENT)
		return "this client";
	return limit->by == USAGE_BY_SIM || limit->id <= 0 ? "this SIM"
							   : "this client on this SIM";
}

static size_t policy_limits_list(const struct policy_case *about,
				 struct limit limits_out[LIMITS_MAX])
{
	const struct config_policy *config = &about->parts->config->policy;
	int64_t sim_id = about->request->sim_id;
	size_t count = limit_list(config, about->request->client, sim_id,
				  policy_sim_clients(about->policy, sim_id), limits_out);

	/* A call cannot wait, and a client without a share may use what is left of the whole. */
	if (policy_case_is_call(about) || about->request->client->id <= 0)
		count += limit_list(config, NULL, sim_id, 0, limits_out + count);
	for (size_t i = 0; i < count; i++) {
		limits_out[i].except_usage_id = about->usage_id;
		limits_out[i].ignores_later = about->request->is_due;
	}
	return count;
}

/* A message that is not known yet needs at least one segment. */
static struct limit_wish policy_limits_wish(const struct policy_case *about)
{
	unsigned segments = about->request->segments;

	return (struct limit_wish){
		.at_ms = about->request->send_at_ms,
		.segments = segments ? segments : 1,
		.is_asked_again = about->request->is_spread,
		.is_accepted = about->request->edits_message_id != 0,
		.plan = about->request->plan,
	};
}

/* Returns "; the next one fits at ...", or NULL if memory runs out. */
static const char *policy_limits_format_place(const struct policy_case *about,
					      const struct limit_place *place)
{
	char time[CLOCK_TEXT_BYTES];

	clock_format(clock_ceil_ms(place->fits_ms), time);
	if (place->fits < 2 || policy_case_is_call(about))
		return arena_printf(about->request->arena, "the next one fits at %s",
				    time);
	return arena_printf(about->request->arena, "the next %lld fit at %s",
			    (long long)place->fits, time);
}

int policy_limits_check_rates(struct policy_case *about)
{
	struct limit_wish wish = policy_limits_wish(about);
	struct limit limits[LIMITS_MAX];
	struct limit_place place;
	size_t count = policy_limits_list(about, limits);
	const char *next;

	if (about->request->keeps_time)
		return 0;
	if (limit_find_place(about->parts->store, limits, count, &wish, &place))
		return policy_limits_refuse_unread(about);
	if (!place.limit.most)
		return 0;
	next = policy_limits_format_place(about, &place);
	policy_case_refuse(
		about, FAILURE_RATE_LIMITED,
		arena_printf(about->request->arena,
			     "The owner allows %s %lld message%s%s per %s, and that "
			     "limit is reached%s; %s.",
			     policy_limits_whose(&place.limit),
			     (long long)place.limit.most,
			     place.limit.most == 1 ? "" : "s",
			     policy_case_is_call(about) ? " or calls" : "",
			     limit_unit_name(place.limit.unit),
			     place.is_acceptance ? " (scheduled and cancelled ones count)"
						 : "",
			     next ? next : "wait"));
	policy_case_set_retry(about, place.fits_ms);
	if (!policy_case_is_call(about))
		about->refusal.fits = place.fits;
	return POLICY_E_REFUSED;
}

int policy_limits_check_budgets(struct policy_case *about)
{
	struct limit_wish wish = policy_limits_wish(about);
	struct limit limits[LIMITS_MAX];
	struct limit_place place;
	size_t count = policy_limits_list(about, limits);
	char time[CLOCK_TEXT_BYTES];

	if (limit_check_budgets(about->parts->store, limits, count, &wish, &place))
		return policy_limits_refuse_unread(about);
	if (!place.limit.most)
		return 0;
	clock_format(clock_ceil_ms(place.fits_ms), time);
	policy_case_refuse(
		about, FAILURE_BUDGET_EXHAUSTED,
		arena_printf(about->request->arena,
			     "The owner allows %s %lld segment%s per month, and "
			     "this %s would exceed that; the month ends at %s.",
			     policy_limits_whose(&place.limit),
			     (long long)place.limit.most,
			     place.limit.most == 1 ? "" : "s",
			     policy_case_is_call(about) ? "call, which counts as one,"
							: "message",
			     time));
	policy_case_set_retry(about, place.fits_ms);
	return POLICY_E_REFUSED;
}

static const struct {
	int64_t span_ms;
	const char *name;
	size_t most; /* offset in struct config_policy_calls */
} policy_limits_call_windows[] = {
	{ 60 * 60 * 1000, "hour", offsetof(struct config_policy_calls, per_hour) },
	{ CLOCK_MS_PER_DAY, "day", offsetof(struct config_policy_calls, per_day) },
};

/* All clients share these limits. They are counted in the store, across restarts. */
int policy_limits_check_calls(struct policy_case *about)
{
	const struct config_policy_calls *config = &about->parts->config->policy.calls;
	size_t windows = sizeof(policy_limits_call_windows) /
			 sizeof(policy_limits_call_windows[0]);

	for (size_t i = 0; i < windows; i++) {
		int64_t most = *(const int64_t *)((const char *)config +
						  policy_limits_call_windows[i].most);
		int64_t at_ms, until_ms;

		if (store_event_nth_placed_call(about->parts->store, most, about->now_ms,
						&at_ms))
			return policy_limits_refuse_unread(about);
		until_ms = at_ms + policy_limits_call_windows[i].span_ms;
		if (!at_ms || until_ms <= about->now_ms)
			continue;
		policy_case_refuse(
			about, FAILURE_RATE_LIMITED,
			arena_printf(about->request->arena,
				     "The owner allows %lld call%s per %s for all "
				     "agents together, and that limit is reached.",
				     (long long)most, most == 1 ? "" : "s",
				     policy_limits_call_windows[i].name));
		policy_case_set_retry(about, until_ms);
		return POLICY_E_REFUSED;
	}
	return 0;
}

int policy_limits_check_balance(struct policy_case *about)
{
	char amount[AMOUNT_BYTES], minimum[AMOUNT_BYTES], read_at[CLOCK_TEXT_BYTES];
	const struct policy_request *request = about->request;
	const char *currency;
	struct policy_balance_state balance;
	int error;

	if (!about->parts->config->policy.minimum_balance.count)
		return 0;
	error = policy_get_balance(about->policy, request->sim_id, &balance);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_case_refuse_unread(
			about, "The SIM's last known balance could not be read.");
	if (!balance.is_low)
		return 0;
	currency = balance.last.balance.currency;
	amount_write(&balance.last.balance.amount, amount);
	amount_write(&balance.minimum, minimum);
	clock_format(balance.last.read_ms, read_at);
	policy_case_refuse(
		about, FAILURE_BALANCE_LOW,
		arena_printf(request->arena,
			     "The balance of the SIM with subscription_id %lld was "
			     "%s%s%s at %s (the network's answer to %s), and the "
			     "owner's minimum is %s.",
			     (long long)request->sim_id, amount, *currency ? " " : "",
			     currency, read_at, balance.last.code, minimum));
	policy_case_set_retry(about, balance.counts_until_ms);
	return POLICY_E_REFUSED;
}
