/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduled list: what list_sms lists with status "scheduled".
 */
#pragma once

#include "store/store_listing.h"
#include "tools/page.h"

/*
 * Writes the messages that wait for their send_at, also those that wait for approval until then,
 * the next one first. The filter is the caller's, its times are bounds for send_at, and its
 * before_id is the last message of the previous page. Returns 0 or the store's error.
 */
int scheduled_list_write(struct page *page, const struct services *services,
			 const struct store_listing_filter *filter);
