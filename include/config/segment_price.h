/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segment price: what one segment costs the owner, by SIM and by country of the recipient. One
 * line of the list is in one currency:
 *
 *   EUR 0.09 home=0.05 +43=0.25 2=0.07 2/+43=0.19
 *
 * The price without a condition is for all other messages. Of several that apply, the one with
 * the longest prefix counts, "home" before none, and then one of the SIM before one of all.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/amount.h"

struct config_list;
struct explanation;

enum { SEGMENT_PRICE_CURRENCY_BYTES = 4, SEGMENT_PRICE_PREFIX_BYTES = 16 };

struct segment_price {
	int64_t sim_id;				 /* 0 for all */
	bool is_home;				 /* numbers of the SIM's country */
	char prefix[SEGMENT_PRICE_PREFIX_BYTES]; /* digits after the +; "" for all */
	struct amount amount;
	char currency[SEGMENT_PRICE_CURRENCY_BYTES];
};

/* Returns 0, or -EINVAL with the error's text. */
int segment_price_check_list(const struct config_list *list, struct explanation *error);

/*
 * Finds the price that counts. `applies` says whether the recipient is in the price's country, by
 * its is_home and prefix. Returns false if there is none.
 */
bool segment_price_find(const struct config_list *list, int64_t sim_id,
			bool (*applies)(const void *data,
					const struct segment_price *price),
			const void *data, struct segment_price *price_out);
