/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/balance.h"

#include "base/clock.h"
#include "config/config.h"
#include "config/config_policy.h"
#include "policy/policy_case.h"

enum { MS_PER_HOUR = 60 * 60 * 1000 };

static int read_balance(const struct policy *policy, int64_t sim_id,
			struct policy_balance_state *balance)
{
	const struct config_policy *config = &policy->parts.config->policy;
	int64_t most_ms = config->balance_hours * MS_PER_HOUR;
	int error = store_sim_balance_get(policy->parts.store, sim_id, &balance->last);

	if (error)
		return error;
	balance->has_minimum = config_policy_find_minimum(&config->minimum_balance,
							  sim_id, &balance->minimum);
	balance->counts_until_ms = balance->last.read_ms + most_ms;
	balance->is_low =
		balance->has_minimum && balance->last.age_ms < most_ms &&
		balance->last.balance.amount.thousandths < balance->minimum.thousandths;
	return 0;
}

int policy_get_balance(struct policy *policy, int64_t sim_id,
		       struct policy_balance_state *balance_out)
{
	struct policy_balance_state balance = { 0 };
	int error = read_balance(policy, sim_id, &balance);

	if (!error)
		*balance_out = balance;
	return error;
}

int policy_put_balance(struct policy *policy, int64_t sim_id, const char *code,
		       const struct balance *balance)
{
	int error = store_sim_balance_put(policy->parts.store, sim_id, code, balance);

	if (!error)
		observers_notify(&policy->observers, NULL);
	return error;
}

int policy_forget_balance(struct policy *policy, int64_t sim_id)
{
	int error = store_sim_balance_forget(policy->parts.store, sim_id);

	if (!error)
		observers_notify(&policy->observers, NULL);
	return error;
}

static int refuse_low(struct policy_case *about,
		      const struct policy_balance_state *balance)
{
	char amount[AMOUNT_BYTES], minimum[AMOUNT_BYTES], read_at[CLOCK_TEXT_BYTES];
	const char *currency = balance->last.balance.currency;

	amount_write(&balance->last.balance.amount, amount);
	amount_write(&balance->minimum, minimum);
	clock_format(balance->last.read_ms, read_at);
	policy_refuse(
		about, FAILURE_BALANCE_LOW,
		arena_printf(about->request->arena,
			     "The SIM with subscription_id %lld had %s%s%s at %s, as "
			     "its network answered to %s, and the owner lets "
			     "nothing be sent below %s.",
			     (long long)about->request->sim_id, amount,
			     *currency ? " " : "", currency, read_at, balance->last.code,
			     minimum));
	policy_retry_at(about, balance->counts_until_ms);
	return POLICY_E_REFUSED;
}

int policy_check_balance(struct policy_case *about)
{
	const struct policy *policy = about->policy;
	struct policy_balance_state balance = { 0 };
	int error;

	if (!policy->parts.config->policy.minimum_balance.count)
		return 0;
	error = read_balance(policy, about->request->sim_id, &balance);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_refuse_unread(
			about, "The SIM's last known balance could not be read, so "
			       "nothing is sent.");
	return balance.is_low ? refuse_low(about, &balance) : 0;
}
