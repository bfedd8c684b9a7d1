/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sms://status: how the gateway is: oFono, SIMs, queue, and when it could not hear.
 */
#include "base/clock.h"
#include "resources/resource_table.h"
#include "tools/gap_view.h"
#include "tools/services.h"
#include "tools/sim_view.h"

#define GAPS_MS INT64_C(604800000) /* a week */

static void add_gap(void *data, const struct gap *gap)
{
	gap_view_write(data, gap);
}

static void write_queue(struct json_writer *writer, const struct services *services)
{
	json_key(writer, "queue");
	json_open_object(writer);
	json_put_integer(writer, "waiting", outbox_waiting(services->outbox));
	json_put_integer(writer, "limit", services->config->queue_limit);
	json_put_integer(writer, "unstored_received", inbox_unstored(services->inbox));
	json_close_object(writer);
}

static int write_content(const struct resource_call *call, struct json_writer *writer)
{
	const struct services *services = call->services;
	int error;

	json_open_object(writer);
	json_put_boolean(writer, "ofono_available", ofono_is_available(services->ofono));
	json_put_string(writer, "ofono", ofono_condition(services->ofono));
	json_key(writer, "sims");
	sim_view_write(writer, services->sims, SIM_VIEW_FULL);
	write_queue(writer, services);
	json_key(writer, "gaps");
	json_open_array(writer);
	error = store_gaps_list(services->store, clock_wall_ms() - GAPS_MS, add_gap,
				writer);
	json_close_array(writer);
	json_close_object(writer);
	return error;
}

const struct resource resource_status = {
	.uri = "sms://status",
	.name = "status",
	.title = "State of the gateway",
	.description =
		"Whether oFono answers, the SIM cards, how many messages wait to be "
		"sent, and the times of the last week in which the gateway could "
		"not hear, so that a message that came then may be missing.",
	.scopes = CLIENT_READ,
	.write = write_content,
};
