/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SIMs of a phone as modems, with the path /PHONE/SIM. Their facts are those that the phone
 * reported last; a modem whose phone is absent is registered nowhere, so nothing is submitted to
 * it. A card is known by its ICCID; where oFono does not show that, by phone and SIM ID.
 */
#include "base/hash.h"
#include "base/log.h"
#include "remote/remote_private.h"

/* What a state of a SIM (sim_state_name()) means for its modem. */
static const struct remote_modem_state {
	const char *name;
	bool is_powered, is_online, accepts;
	const char *status; /* of the registration */
} remote_modem_states[] = {
	{ "ready", true, true, true, "registered" },
	{ "searching", true, true, true, "searching" },
	{ "stuck", true, true, true, "searching" },
	{ "starting", true, true, false, "" },
	{ "duplicate", true, true, false, "" },
	{ "locked", true, true, false, "" },
	{ "offline", true, false, false, "" },
	{ "modem_off", false, false, false, "" },
};

static void remote_modem_notify(struct modem *modem, enum ofono_event_type type)
{
	const struct ofono_event event = { .type = type, .modem = modem };

	observers_notify(&modem->ofono->observers, &event);
}

struct modem *remote_modem_find(struct remote_feed *feed, int64_t sim_id)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, &feed->ofono->modems, link) {
		struct remote_modem *remote = remote_modem_of(modem);

		if (remote->feed == feed && remote->sim_id == sim_id)
			return modem;
	}
	return NULL;
}

static struct modem *remote_modem_new(struct remote_feed *feed, int64_t sim_id)
{
	struct remote_modem *remote = calloc(1, sizeof(*remote));
	struct modem *other;

	if (!remote)
		return NULL;
	remote->feed = feed;
	remote->sim_id = sim_id;
	remote->modem.ofono = feed->ofono;
	snprintf(remote->modem.path, sizeof(remote->modem.path), "/%s/%" PRId64,
		 feed->phone->row.name, sim_id);
	strcpy(remote->modem.type, "remote");
	TAILQ_FOREACH (other, &feed->ofono->modems, link) {
		if (strverscmp(remote->modem.path, other->path) < 0)
			break;
	}
	if (other)
		TAILQ_INSERT_BEFORE(other, &remote->modem, link);
	else
		TAILQ_INSERT_TAIL(&feed->ofono->modems, &remote->modem, link);
	return &remote->modem;
}

static void remote_modem_remove(struct modem *modem)
{
	TAILQ_REMOVE(&modem->ofono->modems, modem, link);
	remote_modem_notify(modem, MODEM_REMOVED);
	free(remote_modem_of(modem));
}

void remote_modem_remove_all(struct remote_feed *feed)
{
	struct modem *modem, *next;

	for (modem = TAILQ_FIRST(&feed->ofono->modems); modem; modem = next) {
		next = TAILQ_NEXT(modem, link);
		if (remote_modem_of(modem)->feed == feed)
			remote_modem_remove(modem);
	}
}

/* ---- facts */

static void remote_modem_copy(const struct json *object, const char *name, char *text,
			      size_t size)
{
	const char *value = json_string(json_member(object, name));

	snprintf(text, size, "%s", value ? value : "");
}

#define REMOTE_MODEM_COPY(object, name, text) \
	remote_modem_copy(object, name, text, sizeof(text))

static bool remote_modem_flag(const struct json *object, const char *name)
{
	const struct json *value = json_member(object, name);

	return value && value->type == JSON_BOOLEAN && value->boolean;
}

static void remote_modem_read_card(struct modem *modem, const struct json *sim)
{
	struct remote_modem *remote = remote_modem_of(modem);
	const char *phone = remote->feed->phone->row.name;
	struct modem_sim *card = &modem->sim;
	char name[64];

	memset(card, 0, sizeof(*card));
	card->known = card->present = true;
	REMOTE_MODEM_COPY(sim, "iccid", card->card_identifier);
	if (!*card->card_identifier)
		snprintf(card->card_identifier, sizeof(card->card_identifier),
			 "p%016" PRIx64,
			 hash_add(hash_add(HASH_START, phone, strlen(phone)),
				  &remote->sim_id, sizeof(remote->sim_id)));
	REMOTE_MODEM_COPY(sim, "pin_required", card->pin_required);
	REMOTE_MODEM_COPY(sim, "mobile_country_code", card->mobile_country_code);
	REMOTE_MODEM_COPY(sim, "mobile_network_code", card->mobile_network_code);
	REMOTE_MODEM_COPY(sim, "own_number", card->own_number);
	REMOTE_MODEM_COPY(sim, "display_name", name);
	snprintf(card->service_provider_name, sizeof(card->service_provider_name),
		 "%s: %.28s", phone, name);
}

static void remote_modem_read_voicemail(struct modem *modem, const struct json *sim)
{
	const struct json *voicemail = json_member(sim, "voicemail");
	int64_t count = 0;

	memset(&modem->voicemail, 0, sizeof(modem->voicemail));
	if (!voicemail)
		return;
	json_integer(json_member(voicemail, "message_count"), &count);
	modem->voicemail.known = true;
	modem->voicemail.waiting = remote_modem_flag(voicemail, "waiting");
	modem->voicemail.count = count > 0 && count <= UINT8_MAX ? (uint8_t)count : 0;
	REMOTE_MODEM_COPY(voicemail, "mailbox_number", modem->voicemail.mailbox_number);
}

static void remote_modem_read_state(struct modem *modem, const struct json *sim)
{
	const char *name = json_string(json_member(sim, "state"));
	const struct remote_modem_state *state = &remote_modem_states[3];
	int64_t strength = 0;

	for (size_t i = 0;
	     name && i < sizeof(remote_modem_states) / sizeof(remote_modem_states[0]);
	     i++) {
		if (strcmp(remote_modem_states[i].name, name) == 0)
			state = &remote_modem_states[i];
	}
	if (name && strcmp(name, "locked") == 0 && !*modem->sim.pin_required)
		strcpy(modem->sim.pin_required, "pin");
	modem->powered = state->is_powered;
	modem->online = state->is_online;
	modem->interfaces = MODEM_SIM_MANAGER | MODEM_NETWORK_REGISTRATION;
	if (state->accepts)
		modem->interfaces |= MODEM_MESSAGE_MANAGER;
	if (remote_modem_flag(sim, "calls"))
		modem->interfaces |= MODEM_VOICE_CALL_MANAGER;
	if (remote_modem_flag(sim, "ussd"))
		modem->interfaces |= MODEM_SUPPLEMENTARY_SERVICES;
	modem->uses_delivery_reports = true;
	modem->centre = CENTRE_KNOWN;
	memset(&modem->network, 0, sizeof(modem->network));
	REMOTE_MODEM_COPY(sim, "carrier_name", modem->network.name);
	json_integer(json_member(sim, "signal_percent"), &strength);
	modem->network.strength = strength > 0 && strength <= 100 ? (uint8_t)strength : 0;
	strcpy(remote_modem_of(modem)->status,
	       strcmp(state->status, "registered") == 0 &&
			       remote_modem_flag(sim, "roaming")
		       ? "roaming"
		       : state->status);
	if (remote_modem_of(modem)->feed->phone->is_present)
		strcpy(modem->network.status, remote_modem_of(modem)->status);
}

/* The SIM has its ID when the event is over. What is not stored is, at the next report. */
static void remote_modem_store_phone(const struct modem *modem)
{
	const struct store_phone_row *row = &remote_phone_of(modem)->row;

	if (store_phone_put_sim(modem->ofono->store, row, modem->sim.card_identifier))
		log_warning("hub: a SIM of phone %s could not be stored", row->name);
}

static void remote_modem_read(struct remote_feed *feed, const struct json *sim)
{
	struct modem *modem, before;
	bool is_new = false;
	int64_t sim_id;

	if (!json_integer(json_member(sim, "subscription_id"), &sim_id))
		return;
	modem = remote_modem_find(feed, sim_id);
	if (!modem) {
		is_new = true;
		modem = remote_modem_new(feed, sim_id);
	}
	if (!modem)
		return;
	memcpy(&before, modem, sizeof(before));
	remote_modem_of(modem)->is_shown = true;
	modem->epoch = feed->epoch;
	remote_modem_read_card(modem, sim);
	remote_modem_read_voicemail(modem, sim);
	REMOTE_MODEM_COPY(sim, "emergency_numbers", modem->emergency_numbers);
	if (!*modem->ussd_state)
		strcpy(modem->ussd_state, "idle");
	remote_modem_read_state(modem, sim);
	if (is_new)
		remote_modem_notify(modem, MODEM_ADDED);
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the padding is copied, too */
	else if (memcmp(&before, modem, sizeof(before)) != 0)
		remote_modem_notify(modem, MODEM_CHANGED);
	remote_modem_store_phone(modem);
}

/* A SIM that the phone does not show any more has left it. */
void remote_modem_read_all(struct remote_feed *feed, const struct json *phone)
{
	const struct json *sims = json_member(phone, "sims");
	struct modem *modem, *next;

	if (!sims || sims->type != JSON_ARRAY)
		return;
	TAILQ_FOREACH (modem, &feed->ofono->modems, link)
		remote_modem_of(modem)->is_shown = remote_modem_of(modem)->feed != feed;
	json_foreach (sim, sims)
		remote_modem_read(feed, sim);
	for (modem = TAILQ_FIRST(&feed->ofono->modems); modem; modem = next) {
		next = TAILQ_NEXT(modem, link);
		if (!remote_modem_of(modem)->is_shown)
			remote_modem_remove(modem);
	}
}

void remote_modem_set_present(struct remote_feed *feed, bool present)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, &feed->ofono->modems, link) {
		const char *status = present ? remote_modem_of(modem)->status : "";

		if (remote_modem_of(modem)->feed != feed ||
		    (strcmp(modem->network.status, status) == 0 &&
		     modem->has_other_hub == feed->phone->is_stale))
			continue;
		strcpy(modem->network.status, status);
		modem->has_other_hub = feed->phone->is_stale;
		remote_modem_notify(modem, MODEM_CHANGED);
	}
}
