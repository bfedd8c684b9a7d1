/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: each modem with its card.
 */
#include <stdio.h>
#include <string.h>

#include "cli/doctor.h"
#include "ofono/modem.h"

struct patient {
	struct doctor *doctor;
	const struct modem *modem;
	char about[sizeof(((struct modem *)0)->path) + 8];
};

static void tell(const struct patient *patient, const char *message, const char *fix)
{
	doctor_tell(patient->doctor,
		    &(struct finding){ fix ? DOCTOR_PROBLEM : DOCTOR_OK, patient->about,
				       fix },
		    "%s", message);
}

/* Each check tells what is wrong and gives false; the later ones make no sense then. */

static void tell_to_switch_on(const struct patient *patient, const char *message)
{
	char fix[sizeof(patient->modem->path) + 96];

	snprintf(fix, sizeof(fix),
		 "Switch it on, on the phone or, as root: ofono-mcp modem on %s",
		 patient->modem->path);
	tell(patient, message, fix);
}

static bool is_powered(const struct patient *patient)
{
	if (!patient->modem->powered)
		tell_to_switch_on(patient, "it is switched off");
	return patient->modem->powered;
}

static bool has_card(const struct patient *patient)
{
	const struct modem_sim *sim = &patient->modem->sim;

	if (sim->known && sim->present)
		return true;
	doctor_tell(patient->doctor,
		    &(struct finding){ DOCTOR_WARNING, patient->about,
				       "Insert a card; or leave it, when it is to have "
				       "none" },
		    sim->known ? "there is no SIM card in it"
			       : "oFono does not tell whether there is a SIM card in it");
	return false;
}

static void tell_to_unlock(const struct patient *patient, enum modem_sim_lock lock)
{
	char fix[sizeof(patient->modem->path) + 128];

	snprintf(fix, sizeof(fix), "Unlock it%s: ofono-mcp unlock %s%s",
		 lock == SIM_LOCK_PUK ? ", with the PUK that came with the card" : "",
		 lock == SIM_LOCK_PUK ? "--puk " : "", patient->modem->path);
	tell(patient,
	     lock == SIM_LOCK_PUK ? "its SIM card asks for its PUK"
				  : "its SIM card asks for its PIN",
	     fix);
}

static bool is_unlocked(const struct patient *patient)
{
	const struct modem_sim *sim = &patient->modem->sim;
	enum modem_sim_lock lock = modem_sim_lock_of(sim);

	if (lock == SIM_LOCK_NONE)
		return true;
	if (lock == SIM_LOCK_OTHER)
		doctor_tell(patient->doctor,
			    &(struct finding){ DOCTOR_PROBLEM, patient->about,
					       "Ask the seller of the phone, or the "
					       "network, for its code" },
			    "a lock of the phone or the network (%s) holds its SIM card",
			    sim->pin_required);
	else
		tell_to_unlock(patient, lock);
	return false;
}

static bool is_free(const struct patient *patient)
{
	const struct modem *modem = patient->modem;

	if (!modem_sim_is_restricted(&modem->sim) ||
	    modem->interfaces & MODEM_MESSAGE_MANAGER)
		return true;
	tell(patient,
	     "its SIM card is limited to a list of numbers (fixed or barred dialling), "
	     "and oFono sends no messages with such a card",
	     "Switch that off in another phone, with the PIN2 of the card");
	return false;
}

/* oFono keeps by card what it is to send: each of the two would send it. */
static bool is_alone(const struct patient *patient)
{
	const struct modem *other;
	char fix[sizeof(patient->modem->path) + 64];

	snprintf(fix, sizeof(fix), "Switch one of them off: ofono-mcp modem off %s",
		 patient->modem->path);
	TAILQ_FOREACH (other, ofono_modems(patient->modem->ofono), link) {
		if (other == patient->modem || modem_is_foreign(other) ||
		    !modem_sim_is_same(&patient->modem->sim, &other->sim))
			continue;
		doctor_tell(patient->doctor,
			    &(struct finding){ DOCTOR_PROBLEM, patient->about, fix },
			    "its SIM card is in modem %s, too, so that each message "
			    "would go out twice: the gateway sends none",
			    other->path);
		return false;
	}
	return true;
}

static bool is_online(const struct patient *patient)
{
	if (!patient->modem->online)
		tell_to_switch_on(patient, "it is in flight mode");
	return patient->modem->online;
}

static const char no_network_fix[] =
	"Go where there is reception; if it stays so, try the card in another phone";

static const char denied_fix[] = "The network refuses the card: ask the operator whether "
				 "it is active and paid for, "
				 "and good for this country";

static bool is_registered(const struct patient *patient)
{
	const struct modem_network *network = &patient->modem->network;

	if (modem_is_registered(patient->modem))
		return true;
	doctor_tell(patient->doctor,
		    &(struct finding){ DOCTOR_PROBLEM, patient->about,
				       strcmp(network->status, "denied") == 0
					       ? denied_fix
					       : no_network_fix },
		    "no network has taken its SIM card (%s)",
		    *network->status ? network->status : "not known");
	return false;
}

static bool takes_messages(const struct patient *patient)
{
	if (modem_can_send(patient->modem))
		return true;
	tell(patient, "it does not take messages yet",
	     "Wait a minute; if it stays so, look into the log of ofonod");
	return false;
}

static bool has_centre(const struct patient *patient)
{
	char fix[sizeof(patient->modem->path) + 256];

	if (patient->modem->centre != CENTRE_NONE)
		return true;
	snprintf(fix, sizeof(fix),
		 "Ask the operator for its number, then, as root, with that in place of "
		 "NUMBER: dbus-send --system --dest=org.ofono %s "
		 "org.ofono.MessageManager.SetProperty string:ServiceCenterAddress "
		 "variant:string:NUMBER",
		 patient->modem->path);
	tell(patient,
	     "oFono knows no service centre of its SIM card, so what it sends is "
	     "refused, unless the modem knows one",
	     fix);
	return false;
}

static void look_at_modem(struct doctor *doctor, const struct modem *modem)
{
	static bool (*const checks[])(const struct patient *) = {
		is_powered, has_card,	   is_unlocked,	   is_free,    is_alone,
		is_online,  is_registered, takes_messages, has_centre,
	};
	struct patient patient = { .doctor = doctor, .modem = modem };

	snprintf(patient.about, sizeof(patient.about), "modem %s", modem->path);
	for (size_t at = 0; at < sizeof(checks) / sizeof(checks[0]); at++) {
		if (!checks[at](&patient))
			return;
	}
	doctor_tell(doctor, &(struct finding){ DOCTOR_OK, patient.about },
		    "it can send: %s, %s, signal %u %%, service centre %s",
		    modem->network.name, modem->network.status, modem->network.strength,
		    modem->centre == CENTRE_KNOWN ? "set" : "not told");
}

void doctor_look_at_modems(struct doctor *doctor, const struct ofono *ofono)
{
	const struct modem *modem;
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem))
			continue;
		look_at_modem(doctor, modem);
		count++;
	}
	if (!count)
		doctor_tell(
			doctor,
			&(struct finding){ DOCTOR_PROBLEM, "modems",
					   "Look whether the modem is plugged in, and "
					   "into the log of ofonod" },
			"oFono knows none");
}
