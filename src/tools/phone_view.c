/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of it comes from signals that oFono sent earlier, the policy and the store. The digest
 * lets a reader notice any difference without keeping the former text.
 */
#include "tools/phone_view.h"

#include "base/hash.h"
#include "numbers/number.h"

#define PHONE_VIEW_LIMITS_FIELD(description) \
	{ "limits", SCHEMA_ARRAY, true, description, .members = phone_view_limit_fields }

static const struct schema_field phone_view_limit_fields[] = {
	{ "per", SCHEMA_STRING, true,
	  "minute, hour, day: messages; month: segments in a calendar month" },
	{ "limit", SCHEMA_INTEGER, true, "Maximum that the owner allows" },
	{ "left", SCHEMA_INTEGER, true, "How many more are accepted now" },
	{ "frees_at_ms", SCHEMA_INTEGER, false,
	  "When more will be left; left out when all are left" },
	{ 0 },
};

static const struct schema_field phone_view_voicemail_fields[] = {
	{ "waiting", SCHEMA_BOOLEAN, true, "Voicemail waits" },
	{ "message_count", SCHEMA_INTEGER, true, "0 while waiting: not known" },
	{ "mailbox_number", SCHEMA_STRING, true, "Empty when unknown" },
	{ 0 },
};

static const struct schema_field phone_view_sim_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true,
	  "For ever the same card of this store" },
	{ "iccid", SCHEMA_STRING, false,
	  "The card; left out when oFono does not show it" },
	{ "sim_slot_index", SCHEMA_INTEGER, true, "From 0" },
	{ "state", SCHEMA_STRING, true, "As in get_sms_subscriptions" },
	{ "allowed", SCHEMA_BOOLEAN, true, "The hub may send from it" },
	{ "country", SCHEMA_STRING, false,
	  "Of the card, such as HU; left out when unknown" },
	{ "own_number", SCHEMA_STRING, true, "Often empty" },
	{ "carrier_name", SCHEMA_STRING, true, "May be empty" },
	{ "display_name", SCHEMA_STRING, true, "For people" },
	{ "roaming", SCHEMA_BOOLEAN, true, "Registered with a foreign network" },
	{ "default", SCHEMA_BOOLEAN, true, "Chosen in the phone's settings" },
	{ "mobile_country_code", SCHEMA_STRING, true, "Of the card; may be empty" },
	{ "mobile_network_code", SCHEMA_STRING, true, "Of the card; may be empty" },
	{ "pin_required", SCHEMA_STRING, false, "What a locked card asks for" },
	{ "calls", SCHEMA_BOOLEAN, true, "Its modem places calls" },
	{ "ussd", SCHEMA_BOOLEAN, true, "Its modem dials USSD codes" },
	{ "emergency_numbers", SCHEMA_STRING, true, "Space-separated" },
	{ "voicemail", SCHEMA_OBJECT, false, "Left out when the modem does not say",
	  .members = phone_view_voicemail_fields },
	{ "signal_percent", SCHEMA_INTEGER, true, "0 when unknown" },
	PHONE_VIEW_LIMITS_FIELD("Of the SIM, for all clients together"),
	{ 0 },
};

const struct schema_field phone_view_fields[] = {
	{ "version", SCHEMA_STRING, true, "Of the gateway" },
	{ "paused", SCHEMA_BOOLEAN, true, "The phone's owner paused all sending" },
	{ "ofono_available", SCHEMA_BOOLEAN, true, "oFono answers" },
	PHONE_VIEW_LIMITS_FIELD("Of the hub, for all SIMs together"),
	{ "sims", SCHEMA_ARRAY, true, "The present cards",
	  .members = phone_view_sim_fields },
	{ 0 },
};

struct phone_view {
	struct json_writer *writer;
	const struct services *services;
	const struct client *client;
	enum phone_view_detail detail;
};

static void phone_view_put_limit(void *data, const struct limit *limit, int64_t left,
				 int64_t frees_ms)
{
	const struct phone_view *view = data;
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_string(writer, "per", limit_unit_name(limit->unit));
	json_put_integer(writer, "limit", limit->most);
	if (view->detail >= PHONE_VIEW_LEFT)
		json_put_integer(writer, "left", left);
	if (view->detail == PHONE_VIEW_FULL && frees_ms)
		json_put_integer(writer, "frees_at_ms", frees_ms);
	json_close_object(writer);
}

/* Limits that cannot be read are left out: the phone itself judges each message. */
static void phone_view_put_limits(const struct phone_view *view,
				  const struct client *client, int64_t sim_id)
{
	struct policy_limit_visit visit = { phone_view_put_limit, (void *)view, 0 };

	json_open_array_at(view->writer, "limits");
	policy_list_limits(view->services->policy, client, sim_id, &visit);
	json_close_array(view->writer);
}

static void phone_view_put_card(const struct phone_view *view, const struct sim *sim)
{
	const struct modem *modem = sim->modem;
	const char *iccid = modem->sim.present ? modem->sim.card_identifier
					       : modem->remembered.card_identifier;
	const struct country *country =
		policy_home_country(view->services->policy, sim->id);
	struct json_writer *writer = view->writer;

	if (*iccid)
		json_put_string(writer, "iccid", iccid);
	if (country)
		json_put_string(writer, "country", country->code);
	json_put_string(writer, "own_number", sim->own_number);
	json_put_string(writer, "carrier_name", sim->carrier_name);
	json_put_string(writer, "display_name", sim->display_name);
	json_put_string(writer, "mobile_country_code", modem->sim.mobile_country_code);
	json_put_string(writer, "mobile_network_code", modem->sim.mobile_network_code);
	if (modem_sim_lock_of(&modem->sim) != SIM_LOCK_NONE)
		json_put_string(writer, "pin_required", modem->sim.pin_required);
}

static void phone_view_put_voicemail(struct json_writer *writer,
				     const struct modem_voicemail *voicemail)
{
	if (!voicemail->known)
		return;
	json_open_object_at(writer, "voicemail");
	json_put_boolean(writer, "waiting", voicemail->waiting);
	json_put_integer(writer, "message_count", voicemail->count);
	json_put_string(writer, "mailbox_number", voicemail->mailbox_number);
	json_close_object(writer);
}

static void phone_view_write_sim(const struct phone_view *view, const struct sim *sim)
{
	struct json_writer *writer = view->writer;

	json_open_object(writer);
	json_put_integer(writer, "subscription_id", sim->id);
	phone_view_put_card(view, sim);
	json_put_integer(writer, "sim_slot_index", sim->slot);
	json_put_string(writer, "state", sim_state_name(sim->state));
	json_put_boolean(writer, "allowed", policy_allows_sim(view->client, sim->id));
	json_put_boolean(writer, "roaming", sim->roaming);
	json_put_boolean(writer, "default", sim->is_default);
	json_put_boolean(writer, "calls", modem_has_calls(sim->modem));
	json_put_boolean(writer, "ussd", modem_has_ussd(sim->modem));
	json_put_string(writer, "emergency_numbers", sim->modem->emergency_numbers);
	phone_view_put_voicemail(writer, &sim->voicemail);
	if (view->detail == PHONE_VIEW_FULL)
		json_put_integer(writer, "signal_percent", sim->modem->network.strength);
	phone_view_put_limits(view, NULL, sim->id);
	json_close_object(writer);
}

void phone_view_write(struct json_writer *writer, const struct services *services,
		      const struct client *client, enum phone_view_detail detail)
{
	const struct phone_view view = { writer, services, client, detail };
	const struct sim *sim;

	json_open_object(writer);
	json_put_string(writer, "version", OFONO_MCP_VERSION);
	json_put_boolean(writer, "paused", policy_is_paused(services->policy));
	json_put_boolean(writer, "ofono_available", ofono_is_available(services->ofono));
	phone_view_put_limits(&view, client, 0);
	json_open_array_at(writer, "sims");
	TAILQ_FOREACH (sim, sims_list(services->sims), link)
		phone_view_write_sim(&view, sim);
	json_close_array(writer);
	json_close_object(writer);
}

uint64_t phone_view_digest(const struct services *services, const struct client *client,
			   enum phone_view_detail detail)
{
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);
	uint64_t digest = 0;

	if (writer)
		phone_view_write(writer, services, client, detail);
	json_writer_free(writer);
	if (!text.failed)
		digest = hash_add(HASH_START, text.data, text.length);
	buffer_deinit(&text);
	return digest;
}
