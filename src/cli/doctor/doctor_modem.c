/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doctor's checks of each modem and its SIM card.
 * The checks run in the order in which a modem gets ready to send. The first that
 * fails is reported and ends the list, because the later ones would fail with it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "ofono/modem.h"

struct doctor_modem {
	struct doctor *doctor;
	const struct modem *modem;
	char about[sizeof(((struct modem *)0)->path) + 8];
};

static void doctor_modem_report(const struct doctor_modem *patient, const char *message,
				const char *fix)
{
	doctor_report(patient->doctor, fix ? DOCTOR_PROBLEM : DOCTOR_OK, patient->about,
		      fix, "%s", message);
}

/* Each check returns false after reporting what is wrong. */

static void doctor_modem_report_off(const struct doctor_modem *patient,
				    const char *message)
{
	char fix[sizeof(patient->modem->path) + 96];

	snprintf(fix, sizeof(fix),
		 "Switch it on, on the phone or, as root: ofono-mcp modem on %s",
		 patient->modem->path);
	doctor_modem_report(patient, message, fix);
}

static bool doctor_modem_is_powered(const struct doctor_modem *patient)
{
	if (!patient->modem->powered)
		doctor_modem_report_off(patient, "the modem is off");
	return patient->modem->powered;
}

static bool doctor_modem_has_card(const struct doctor_modem *patient)
{
	const struct modem_sim *sim = &patient->modem->sim;

	if (sim->known && sim->present)
		return true;
	doctor_report(patient->doctor, DOCTOR_WARNING, patient->about,
		      "Insert a card, unless none is wanted",
		      sim->known ? "there is no SIM card"
				 : "oFono does not report whether there is a SIM card");
	return false;
}

static void doctor_modem_report_locked(const struct doctor_modem *patient,
				       enum modem_sim_lock lock)
{
	char fix[sizeof(patient->modem->path) + 128];

	snprintf(fix, sizeof(fix), "Unlock it%s: ofono-mcp sim unlock %s%s",
		 lock == SIM_LOCK_PUK ? ", with the PUK that came with the card" : "",
		 lock == SIM_LOCK_PUK ? "--puk " : "", patient->modem->path);
	doctor_modem_report(patient,
			    lock == SIM_LOCK_PUK ? "the SIM card needs its PUK"
						 : "the SIM card needs its PIN",
			    fix);
}

static bool doctor_modem_is_unlocked(const struct doctor_modem *patient)
{
	const struct modem_sim *sim = &patient->modem->sim;
	enum modem_sim_lock lock = modem_sim_lock_of(sim);

	if (lock == SIM_LOCK_NONE)
		return true;
	if (lock == SIM_LOCK_OTHER)
		doctor_report(
			patient->doctor, DOCTOR_PROBLEM, patient->about,
			"Ask the seller of the phone, or the operator, for its code",
			"a lock of the phone or the network (%s) blocks the SIM card",
			sim->pin_required);
	else
		doctor_modem_report_locked(patient, lock);
	return false;
}

static bool doctor_modem_is_free(const struct doctor_modem *patient)
{
	const struct modem *modem = patient->modem;

	if (!modem_sim_is_restricted(&modem->sim) ||
	    modem->interfaces & MODEM_MESSAGE_MANAGER)
		return true;
	doctor_modem_report(
		patient,
		"the SIM card is restricted to a list of numbers (fixed or barred "
		"dialling), and oFono sends no messages with such a card",
		"Turn that off in another phone, with the PIN2 of the card");
	return false;
}

/* oFono keeps unsent messages by card, so both modems would send each of them. */
static bool doctor_modem_is_alone(const struct doctor_modem *patient)
{
	const struct modem *other;
	char fix[sizeof(patient->modem->path) + 64];

	snprintf(fix, sizeof(fix), "Switch one of them off: ofono-mcp modem off %s",
		 patient->modem->path);
	TAILQ_FOREACH (other, ofono_modems(patient->modem->ofono), link) {
		if (other == patient->modem || modem_is_foreign(other) ||
		    !modem_sim_is_same(&patient->modem->sim, &other->sim))
			continue;
		doctor_report(patient->doctor, DOCTOR_PROBLEM, patient->about, fix,
			      "the same SIM card is in modem %s too, so each message "
			      "would be sent twice: the gateway sends none",
			      other->path);
		return false;
	}
	return true;
}

static bool doctor_modem_is_online(const struct doctor_modem *patient)
{
	if (!patient->modem->online)
		doctor_modem_report_off(patient, "the modem is in flight mode");
	return patient->modem->online;
}

static const char doctor_modem_no_network_fix[] =
	"Go where there is reception; if that does not help, try the card in another phone";

static const char doctor_modem_denied_fix[] =
	"The network refuses the card: ask the operator whether it is active, paid for, "
	"and valid in this country";

static bool doctor_modem_is_registered(const struct doctor_modem *patient)
{
	const struct modem_network *network = &patient->modem->network;

	if (modem_is_registered(patient->modem))
		return true;
	doctor_report(patient->doctor, DOCTOR_PROBLEM, patient->about,
		      strcmp(network->status, "denied") == 0
			      ? doctor_modem_denied_fix
			      : doctor_modem_no_network_fix,
		      "the SIM card is not registered with a network (%s)",
		      *network->status ? network->status : "unknown");
	return false;
}

static bool doctor_modem_takes_messages(const struct doctor_modem *patient)
{
	if (modem_can_send(patient->modem))
		return true;
	doctor_modem_report(
		patient, "the modem does not accept messages yet",
		"Wait a minute; if that does not help, check the log of ofonod");
	return false;
}

static bool doctor_modem_has_centre(const struct doctor_modem *patient)
{
	char fix[sizeof(patient->modem->path) + 256];

	if (patient->modem->centre != CENTRE_NONE)
		return true;
	snprintf(fix, sizeof(fix),
		 "Ask the operator for its number, then run as root, with that number "
		 "for NUMBER: dbus-send --system --dest=org.ofono %s "
		 "org.ofono.MessageManager.SetProperty string:ServiceCenterAddress "
		 "variant:string:NUMBER",
		 patient->modem->path);
	doctor_modem_report(patient,
			    "oFono knows no service centre for the SIM card, so sending "
			    "fails unless the modem knows one",
			    fix);
	return false;
}

static void doctor_modem_check_one(struct doctor *doctor, const struct modem *modem)
{
	static bool (*const checks[])(const struct doctor_modem *) = {
		doctor_modem_is_powered,    doctor_modem_has_card,
		doctor_modem_is_unlocked,   doctor_modem_is_free,
		doctor_modem_is_alone,	    doctor_modem_is_online,
		doctor_modem_is_registered, doctor_modem_takes_messages,
		doctor_modem_has_centre,
	};
	struct doctor_modem patient = { .doctor = doctor, .modem = modem };

	snprintf(patient.about, sizeof(patient.about), "modem %s", modem->path);
	for (size_t at = 0; at < sizeof(checks) / sizeof(checks[0]); at++) {
		if (!checks[at](&patient))
			return;
	}
	doctor_report(doctor, DOCTOR_OK, patient.about, NULL,
		      "it can send: %s, %s, signal %u %%, service centre %s",
		      modem->network.name, modem->network.status, modem->network.strength,
		      modem->centre == CENTRE_KNOWN ? "set" : "unknown");
}

void doctor_modem_check(struct doctor *doctor, const struct ofono *ofono)
{
	const struct modem *modem;
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem))
			continue;
		doctor_modem_check_one(doctor, modem);
		count++;
	}
	if (!count)
		doctor_report(doctor, DOCTOR_PROBLEM, "modems",
			      "Check that the modem is plugged in, and the log of ofonod",
			      "oFono has no modem");
}
