/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://subscriptions: the SIMs, as get_sms_subscriptions lists them.
 */
#include "tools/resource_table.h"
#include "tools/services.h"
#include "tools/sim_view.h"

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct services *services = call->services;

	sim_view_write(writer, services->sims, SIM_VIEW_FULL);
	return 0;
}

const struct resource resource_subscriptions = {
	.uri = "sms://subscriptions",
	.name = "subscriptions",
	.title = "SIM cards",
	.description = "The SIM cards in this phone and whether they can send. Subscribe "
		       "to it to hear when one comes, goes or changes its state; changes "
		       "of the signal alone are not told.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
