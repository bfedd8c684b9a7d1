/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://status: what get_gateway_status tells.
 */
#include "tools/resource_table.h"
#include "tools/status_view.h"

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct status_view view = {
		.services = call->services,
		.client = call->client,
		.arena = call->arena,
	};

	return status_view_write(writer, &view);
}

const struct resource resource_status = {
	.uri = "sms://status",
	.name = "status",
	.title = "State of the gateway",
	.description =
		"Whether a message could be sent now and what stops it, whether oFono "
		"answers, the SIM cards, the modems, how many messages wait to be sent, "
		"what the owner lets you send and what is left of the limits, and the "
		"times of the last week in which the gateway could not hear, so that a "
		"message that came then may be missing.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
