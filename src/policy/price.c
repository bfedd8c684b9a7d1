/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/price.h"

#include <string.h>

#include "config/config.h"
#include "policy/policy_private.h"

static bool price_applies(const void *data, const struct segment_price *price)
{
	const struct recipient *recipient = data;

	if (price->is_home)
		return recipient->home && recipient_is_at_home(recipient);
	return !*price->prefix || recipient_begins_with(recipient, price->prefix);
}

bool price_find(const struct policy *policy, int64_t sim_id, const char *number,
		unsigned segments, struct price *price_out)
{
	const struct config_list *list = policy ? policy_segment_prices(policy) : NULL;
	struct segment_price price;
	struct recipient recipient;

	if (!list || !list->count)
		return false;
	recipient_read(&recipient, number, policy_home_country(policy, sim_id));
	if (recipient.problem != PHONE_NUMBER_OK || recipient_is_premium(&recipient) ||
	    !segment_price_find(list, sim_id, price_applies, &recipient, &price))
		return false;
	price.amount.thousandths *= segments;
	price_out->amount = price.amount;
	strcpy(price_out->currency, price.currency);
	return true;
}

bool price_add(struct price *sum, const struct price *other)
{
	if (strcmp(sum->currency, other->currency) != 0)
		return false;
	sum->amount.thousandths += other->amount.thousandths;
	if (other->amount.decimals > sum->amount.decimals)
		sum->amount.decimals = other->amount.decimals;
	return true;
}
