/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: D-Bus and its policy, and oFono.
 *
 * What oFono tells is heard as the gateway hears it, and as the user whose gateway it is, so
 * that its policy counts; what only root may ask is asked before.
 */
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/folder_owner.h"
#include "cli/modem_view.h"
#include "cli/ofono_program.h"
#include "cli/turns.h"

enum { LISTEN_MS = 6000 };

/* The policy */

/* What the gateway asks; with no arguments, and where no such object is, nothing happens. */
struct question {
	const char *interface;
	const char *method;
};

static const struct question questions[] = {
	{ "org.ofono.Manager", "GetModems" },
	{ "org.ofono.Modem", "GetProperties" },
	{ "org.ofono.SimManager", "GetProperties" },
	{ "org.ofono.NetworkRegistration", "GetProperties" },
	{ "org.ofono.VoiceCallManager", "GetProperties" },
	{ "org.ofono.MessageWaiting", "GetProperties" },
	{ "org.ofono.Phonebook", "Import" },
	{ "org.ofono.MessageManager", "GetProperties" },
	{ "org.ofono.MessageManager", "SetProperty" },
	{ "org.ofono.MessageManager", "GetMessages" },
	{ "org.ofono.MessageManager", "SendMessage" },
	{ "org.ofono.Message", "GetProperties" },
	{ "org.ofono.Message", "Cancel" },
	{ NULL },
};

static const char policy_fix[] =
	"Let it: put the file ofono-mcp.conf of etc/dbus into /etc/dbus-1/system.d, then "
	"reload the bus: systemctl reload dbus";

/* Of what its package installs only as an example. */
#define LET_IT(file)                                                                     \
	"Let it: copy " file ", which the package has in /usr/share/doc/ofono-mcp/"      \
	"examples and the source in etc/dbus, to /etc/dbus-1/system.d, then reload the " \
	"bus: systemctl reload dbus"

/* Besides, where the owner lists codes for send_ussd. */
static const struct question ussd_questions[] = {
	{ "org.ofono.SupplementaryServices", "Initiate" },
	{ "org.ofono.SupplementaryServices", "Respond" },
	{ "org.ofono.SupplementaryServices", "Cancel" },
	{ NULL },
};

static const char ussd_fix[] = LET_IT("ussd.conf") "; or list no codes in [ussd] allow";

/* Besides, of the forks that know them. */
static const struct question fork_questions[] = {
	{ "org.nemomobile.ofono.ModemManager", "GetDefaultVoiceModem" },
	{ "org.nemomobile.ofono.ModemManager", "GetReady" },
	{ "org.nemomobile.ofono.SimInfo", "GetAll" },
	{ NULL },
};

/* Besides, where the owner wants modems switched on. */
static const struct question power_questions[] = {
	{ "org.ofono.Modem", "SetProperty" },
	{ NULL },
};

static const char power_fix[] = LET_IT("power.conf") "; or set power_modems = no";

/* Besides, where the owner lets agents place calls. */
static const struct question call_questions[] = {
	{ "org.ofono.VoiceCallManager", "GetCalls" },
	{ "org.ofono.VoiceCallManager", "Dial" },
	{ "org.ofono.VoiceCall", "Hangup" },
	{ NULL },
};

static const char call_fix[] = LET_IT("call.conf") "; or set place = no in [call]";

/* Besides, where a card is locked, or might be. */
static const struct question unlock_questions[] = {
	{ "org.ofono.SimManager", "EnterPin" },
	{ "org.ofono.SimManager", "ResetPin" },
	{ NULL },
};

static const char unlock_fix[] = LET_IT("unlock.conf");

struct asker {
	struct doctor *doctor;
	struct ofono_probe *probe;
	const char *name;
};

/* True: all of them may be asked. */
static bool try_all(const struct asker *asker, const struct question *question,
		    const char *fix)
{
	bool all = true;

	for (; question->interface; question++) {
		if (!ofono_probe_is_refused(asker->probe, question->interface,
					    question->method))
			continue;
		all = false;
		doctor_tell(asker->doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "policy", fix },
			    "the bus refuses user %s %s.%s, which the gateway needs",
			    asker->name, question->interface, question->method);
	}
	return all;
}

static const char access_fix[] =
	"Let it: usermod -aG sailfish-radio USER, with the gateway's user for USER, then "
	"restart the gateway; or, where there is no such group, give user(USER) the "
	"right in "
	"/etc/ofono/dbusaccess.conf (doc/modems.md shows the lines) and restart oFono";

/* What oFono of Sailfish OS lets its callers do, it decides itself. */
static bool may_send(const struct asker *asker, const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (!(modem->interfaces & MODEM_MESSAGE_MANAGER) ||
		    !ofono_probe_may_not_send(asker->probe, modem->path))
			continue;
		doctor_tell(asker->doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "policy", access_fix },
			    "oFono itself, not the bus, refuses user %s to send messages",
			    asker->name);
		return false;
	}
	return true;
}

static bool has_locked_card(const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_view_card(modem) == MODEM_CARD_LOCKED)
			return true;
	}
	return false;
}

/* As who we are by now, on a connection of its own. */
static void look_at_policy(struct doctor *doctor, const struct ofono_program *program,
			   const struct ofono *ofono)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct asker asker = { doctor, ofono_probe_new(),
				     user ? user->pw_name : "of the gateway" };
	bool all;

	if (!asker.probe)
		return;
	all = try_all(&asker, questions, policy_fix);
	all &= may_send(&asker, ofono);
	if (program->is_sailfish)
		all &= try_all(&asker, fork_questions, policy_fix);
	if (doctor->config.ussd_allow.count)
		all &= try_all(&asker, ussd_questions, ussd_fix);
	if (doctor->config.power_modems)
		all &= try_all(&asker, power_questions, power_fix);
	if (doctor->config.policy.calls.place)
		all &= try_all(&asker, call_questions, call_fix);
	if (*doctor->config.pin_file || has_locked_card(ofono))
		all &= try_all(&asker, unlock_questions, unlock_fix);
	if (all)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "policy" },
			    "the bus lets user %s ask oFono all that the gateway needs",
			    asker.name);
	ofono_probe_free(asker.probe);
}

/* oFono */

static const char *fix_of(const struct ofono_program *program, const char *condition)
{
	if (strstr(condition, "refuses"))
		return policy_fix;
	if (strstr(condition, "no D-Bus"))
		return "Start the system bus: systemctl start dbus";
	return program->process ? "Look into the log of ofonod, then restart it"
				: "Start it: systemctl start ofono";
}

/* As which we ask; else what we may says nothing of what it may. */
static bool is_gateways_user(const struct doctor *doctor)
{
	struct stat status;

	return geteuid() == 0 || (stat(doctor->config.state_dir, &status) == 0 &&
				  status.st_uid == geteuid());
}

static void tell_all(struct doctor *doctor, struct ofono *ofono,
		     struct ofono_probe *probe, struct ofono_program *program)
{
	const char *condition = ofono_condition(ofono);

	if (!ofono_is_available(ofono) && strstr(condition, "refuses") &&
	    !is_gateways_user(doctor)) {
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "oFono", DOCTOR_AS_ROOT },
			    "the bus does not let you ask it, and need not; whether it "
			    "lets the gateway only root can see");
		return;
	}
	if (ofono_is_available(ofono)) {
		ofono_program_look_at_modems(probe, program, ofono);
		ofono_program_tell(doctor, program);
		look_at_policy(doctor, program, ofono);
		doctor_look_at_modems(doctor, ofono);
		return;
	}
	doctor_tell(
		doctor,
		&(struct finding){ DOCTOR_PROBLEM, "oFono", fix_of(program, condition) },
		"%s", condition);
}

static bool is_settled(void *data)
{
	return ofono_is_settled(data);
}

static void listen_and_tell(struct doctor *doctor, struct ofono_probe *probe,
			    struct ofono_program *program)
{
	struct turns turns = { .is_over = is_settled,
			       .limit_ms = LISTEN_MS,
			       .words = "asking oFono" };
	struct ofono *ofono = NULL;

	if (sd_event_new(&turns.loop) >= 0 && ofono_new(turns.loop, NULL, &ofono) == 0) {
		turns.data = ofono;
		turns_run(&turns);
		tell_all(doctor, ofono, probe, program);
	} else {
		doctor_tell(
			doctor,
			&(struct finding){ DOCTOR_PROBLEM, "oFono", "Try again later" },
			"out of memory");
	}
	ofono_free(ofono);
	sd_event_unref(turns.loop);
}

void doctor_look_at_phone(struct doctor *doctor)
{
	struct ofono_probe *probe = ofono_probe_new();
	struct ofono_program program = { 0 };
	struct explanation error;

	if (probe)
		ofono_program_look(probe, &program);
	if (folder_owner_become(doctor->config.state_dir, &error))
		listen_and_tell(doctor, probe, &program);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "oFono", "Run it so" },
			    "%s", error.text);
	ofono_probe_free(probe);
}
