/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/modem.h"

#include <string.h>

bool modem_is_registered(const struct modem *modem)
{
	return strcmp(modem->network.status, "registered") == 0 ||
	       strcmp(modem->network.status, "roaming") == 0;
}

bool modem_can_send(const struct modem *modem)
{
	return (modem->interfaces & MODEM_MESSAGE_MANAGER) && modem_is_registered(modem);
}

bool modem_is_foreign(const struct modem *modem)
{
	return strcmp(modem->type, "hfp") == 0;
}

bool modem_has_calls(const struct modem *modem)
{
	return modem->interfaces & MODEM_VOICE_CALL_MANAGER;
}

bool modem_has_ussd(const struct modem *modem)
{
	return modem->interfaces & MODEM_SUPPLEMENTARY_SERVICES;
}

bool modem_awaits_ussd_reply(const struct modem *modem)
{
	return strcmp(modem->ussd_state, "user-response") == 0;
}

enum modem_sim_lock modem_sim_lock_of(const struct modem_sim *sim)
{
	static const struct {
		const char *pin_required;
		enum modem_sim_lock lock;
	} rows[] = {
		{ "", SIM_LOCK_NONE },	   { "none", SIM_LOCK_NONE },
		{ "pin2", SIM_LOCK_NONE }, { "puk2", SIM_LOCK_NONE },
		{ "pin", SIM_LOCK_PIN },   { "puk", SIM_LOCK_PUK },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(sim->pin_required, rows[i].pin_required) == 0)
			return rows[i].lock;
	}
	return SIM_LOCK_OTHER;
}

bool modem_sim_is_restricted(const struct modem_sim *sim)
{
	return sim->fixed_dialing || sim->barred_dialing;
}

static bool modem_identities_match(const char *one, const char *other)
{
	return *one && strcmp(one, other) == 0;
}

bool modem_sim_is_same(const struct modem_sim *one, const struct modem_sim *other)
{
	return one->present && other->present &&
	       (modem_identities_match(one->subscriber_identity,
				       other->subscriber_identity) ||
		modem_identities_match(one->card_identifier, other->card_identifier));
}
