/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/sim_view.h"

#include "tools/message_view.h"

const struct schema_field sim_view_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "Number of the SIM card for send_sms; stays with the card for ever" },
	{ "sim_slot_index", SCHEMA_INTEGER, true, "Slot the card is in now, from 0" },
	{ "carrier_name", SCHEMA_STRING, true, "Network operator" },
	{ "display_name", SCHEMA_STRING, true, "Name to show to a person" },
	{ "state", SCHEMA_STRING, true,
	  "ready: can send now; searching: no network; offline: flight mode; "
	  "locked: asks for a code; starting; duplicate: in two modems, so that each "
	  "message would go out twice; stuck: its modem does not finish a message; "
	  "modem_off: its modem is switched off" },
	{ "can_send", SCHEMA_BOOLEAN, true,
	  "It could take a message now; whether you may send one, get_gateway_status "
	  "tells" },
	{ "own_number", SCHEMA_STRING, true, "The card's own number, often empty" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "default", SCHEMA_BOOLEAN, true,
	  "The phone's owner chose it in the phone's settings, as far as oFono tells" },
	{ "signal_percent", SCHEMA_INTEGER, true, "Signal strength, 0 when unknown" },
	{ 0 },
};

static void write_identity(struct json_writer *writer, const struct sim *sim)
{
	json_put_integer(writer, "subscription_id", sim->id);
	json_put_integer(writer, "sim_slot_index", sim->slot);
	message_view_put_line(writer, "carrier_name", sim->carrier_name);
	message_view_put_line(writer, "display_name", sim->display_name);
}

static void write_details(struct json_writer *writer, const struct sim *sim)
{
	json_put_string(writer, "state", sim_state_name(sim->state));
	json_put_boolean(writer, "can_send", sim->state == SIM_READY);
	message_view_put_line(writer, "own_number", sim->own_number);
	json_put_boolean(writer, "roaming", sim->roaming);
	json_put_boolean(writer, "default", sim->is_default);
	json_put_integer(writer, "signal_percent", sim->modem->network.strength);
}

void sim_view_write(struct json_writer *writer, const struct sims *sims,
		    enum sim_view view)
{
	const struct sim *sim;

	json_open_object(writer);
	json_put_integer(writer, "count", sims_count(sims));
	json_key(writer, "subscriptions");
	json_open_array(writer);
	TAILQ_FOREACH (sim, sims_list(sims), link) {
		json_open_object(writer);
		write_identity(writer, sim);
		if (view == SIM_VIEW_FULL)
			write_details(writer, sim);
		json_close_object(writer);
	}
	json_close_array(writer);
	json_close_object(writer);
}
