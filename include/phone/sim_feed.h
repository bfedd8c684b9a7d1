/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM feed: adds an entry to the feed of the store (store/store_feed.h) when a SIM's state
 * differs from that of its last entry, also over a restart.
 */
#pragma once

#include "base/observer.h"

struct sims;
struct store;

struct sim_feed {
	struct sims *sims; /* NULL if not initialised */
	struct store *store;
	struct observer observer;
};

void sim_feed_init(struct sim_feed *feed, struct sims *sims, struct store *store);
void sim_feed_deinit(struct sim_feed *feed); /* also if never initialised */
