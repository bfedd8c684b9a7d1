/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://voicemail: is there any, of each card. It comes from what oFono signalled, without
 * asking it.
 */
#include "tools/resource_table.h"
#include "tools/services.h"
#include "tools/voicemail_view.h"

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct services *services = call->services;

	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(services->sims));
	json_key(writer, "subscriptions");
	voicemail_view_write(writer, services->sims);
	json_close_object(writer);
	return 0;
}

const struct resource resource_voicemail = {
	.uri = "sms://voicemail",
	.name = "voicemail",
	.title = "Voicemail",
	.description = "Whether voicemail waits for each SIM card, how many messages as "
		       "far as the network says, and the number to call for it. Nothing "
		       "here plays or removes it. Subscribe to it to hear when that "
		       "changes.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
