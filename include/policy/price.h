/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Price: what a message costs by the owner's prices (config/segment_price.h), as configured
 * now. Nothing is stored, and no rule depends on it.
 */
#pragma once

#include "config/segment_price.h"

struct policy;

struct price {
	struct amount amount;
	char currency[SEGMENT_PRICE_CURRENCY_BYTES];
};

/*
 * Finds the cost of these segments to a number, however it is spelt, from a SIM (0 if unknown).
 * Returns false if the owner gave no price, or the number may cost extra (a premium or shared-cost
 * number, a short code), or is none.
 */
bool price_find(const struct policy *policy, int64_t sim_id, const char *number,
		unsigned segments, struct price *price_out);

/* Adds another cost. Returns false if it is in another currency, and nothing was added. */
bool price_add(struct price *sum, const struct price *other);
