/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/gap_view.h"

#include "tools/message_view.h"

const struct schema_field gap_view_fields[] = {
	{ "from", SCHEMA_STRING, true, "RFC 3339" },
	{ "until", SCHEMA_STRING, false, "Left out while it goes on" },
	{ "reason", SCHEMA_STRING, true,
	  "gateway_down; ofono_down; suspended: the phone slept; restored, "
	  "ledger_damaged: messages of that time may be missing from the gateway's "
	  "records" },
	{ 0 },
};

void gap_view_write(struct json_writer *writer, const struct gap *gap)
{
	json_open_object(writer);
	message_view_put_time(writer, "from", gap->from_ms);
	if (gap->until_ms)
		message_view_put_time(writer, "until", gap->until_ms);
	json_put_string(writer, "reason", gap->reason);
	json_close_object(writer);
}

static void add_gap(void *data, const struct gap *gap)
{
	gap_view_write(data, gap);
}

int gap_view_put(struct json_writer *writer, struct store *store, int64_t since_ms)
{
	int error;

	json_key(writer, "gaps");
	json_open_array(writer);
	error = store_receive_gaps_list(store, since_ms, add_gap, writer);
	json_close_array(writer);
	return error;
}
