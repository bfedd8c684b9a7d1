/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: D-Bus, oFono, and each modem with its card.
 *
 * What oFono tells is heard as the gateway hears it, and as the user whose gateway it is, so
 * that its policy counts; what only root may ask is asked before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/folder_owner.h"
#include "ofono/ofono.h"
#include "ofono/ofono_probe.h"

enum {
	SILENCE_MS = 1500, /* so long nothing more is told */
	LISTEN_MS = 6000,
	VERSION_BYTES = 32,
	LINE_BYTES = 512,
};

/* Which oFono it is */

struct program {
	int64_t process; /* 0: it does not run, or nobody tells */
	char version[VERSION_BYTES];
	bool is_sailfish;     /* of that line of forks */
	bool reports;	      /* of delivery, by itself */
	bool shows_its_parts; /* what it has loaded can be seen */
	bool has_plugin;      /* ours */
};

/* It is a file of root's that is called ofonod: safe to be run. */
static bool is_ofonod(const char *link)
{
	char path[LINE_BYTES];
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	struct stat status;
	const char *name;

	if (length < 0 || stat(link, &status) < 0)
		return false;
	path[length] = '\0';
	name = strrchr(path, '/');
	return name && strcmp(name, "/ofonod") == 0 && status.st_uid == 0 &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

static void run_version(const char *program, int out)
{
	dup2(out, STDOUT_FILENO);
	execl(program, "ofonod", "--version", (char *)NULL);
	_exit(127);
}

/* "" when it does not tell. */
static void read_version(const char *program, char version_out[VERSION_BYTES])
{
	char text[VERSION_BYTES] = "";
	int ends[2];
	ssize_t length;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		run_version(program, ends[1]);
	close(ends[1]);
	length = child > 0 ? read(ends[0], text, sizeof(text) - 1) : 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	text[length > 0 ? length : 0] = '\0';
	text[strspn(text, "0123456789.")] = '\0';
	strcpy(version_out, text);
}

static void look_into_process(struct program *program)
{
	char path[64], line[LINE_BYTES];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%lld/exe", (long long)program->process);
	if (is_ofonod(path))
		read_version(path, program->version);
	snprintf(path, sizeof(path), "/proc/%lld/maps", (long long)program->process);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (fgets(line, sizeof(line), maps)) {
		program->shows_its_parts = true;
		program->has_plugin |= strstr(line, "/ofono-mcp-history.so") != NULL;
	}
	fclose(maps);
}

static void look_at_program(struct ofono_probe *probe, struct program *program)
{
	program->process = ofono_probe_process(probe);
	if (!program->process)
		return;
	look_into_process(program);
	program->is_sailfish =
		ofono_probe_mentions(probe, "/", "org.nemomobile.ofono.ModemManager");
}

/* Of UBports: it tells of delivery at the modems. */
static void look_for_reports(struct ofono_probe *probe, struct program *program,
			     const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link)
		program->reports |=
			probe && ofono_probe_mentions(probe, modem->path, "StatusReport");
}

static void tell_program(struct doctor *doctor, const struct program *program)
{
	const char *version = *program->version ? program->version : "of some version";
	struct finding finding = { DOCTOR_OK, "oFono" };

	if (program->is_sailfish || program->reports) {
		doctor_tell(doctor, &finding,
			    "it answers: %s, a fork that tells of delivery and sends "
			    "emoji",
			    version);
	} else if (program->has_plugin) {
		doctor_tell(doctor, &finding,
			    "it answers: %s, with the plugin that tells of delivery; "
			    "emoji cannot be sent",
			    version);
	} else if (program->shows_its_parts) {
		finding.level = DOCTOR_WARNING;
		finding.fix = "Where that matters install the package "
			      "ofono-plugin-sms-history; else all is well";
		doctor_tell(doctor, &finding,
			    "it answers: %s, without a plugin that tells of delivery; "
			    "emoji cannot be sent",
			    version);
	} else {
		doctor_tell(doctor, &finding,
			    "it answers; which it is only root can see");
	}
}

/* The modems */

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
	const struct sim_facts *sim = &patient->modem->sim;

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

static bool is_unlocked(const struct patient *patient)
{
	const struct sim_facts *sim = &patient->modem->sim;

	if (strcmp(sim->pin_required, "none") == 0 || !*sim->pin_required)
		return true;
	doctor_tell(patient->doctor,
		    &(struct finding){ DOCTOR_PROBLEM, patient->about,
				       "Unlock it: ofono-mcp unlock" },
		    "its SIM card asks for its %s", sim->pin_required);
	return false;
}

static bool is_online(const struct patient *patient)
{
	if (!patient->modem->online)
		tell_to_switch_on(patient, "it is in flight mode");
	return patient->modem->online;
}

static bool is_registered(const struct patient *patient)
{
	const struct network_facts *network = &patient->modem->network;

	if (modem_is_registered(patient->modem))
		return true;
	doctor_tell(patient->doctor,
		    &(struct finding){ DOCTOR_PROBLEM, patient->about,
				       "Go where there is reception; if it stays so, "
				       "try the card in another phone" },
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

static bool has_centre(const struct patient *patient, struct ofono_probe *probe)
{
	char centre[OFONO_PROBE_TEXT_BYTES];

	if (!probe || !ofono_probe_centre(probe, patient->modem->path, centre) || *centre)
		return true;
	tell(patient, "its SIM card names no service centre, so nothing can be sent",
	     "Ask the operator for the number, then, as root: dbus-send --system "
	     "--dest=org.ofono MODEM org.ofono.MessageManager.SetProperty "
	     "string:ServiceCenterAddress variant:string:NUMBER");
	return false;
}

static void look_at_modem(struct doctor *doctor, const struct modem *modem,
			  struct ofono_probe *probe)
{
	static bool (*const checks[])(const struct patient *) = {
		is_powered, has_card,	   is_unlocked,
		is_online,  is_registered, takes_messages,
	};
	struct patient patient = { .doctor = doctor, .modem = modem };

	snprintf(patient.about, sizeof(patient.about), "modem %s", modem->path);
	for (size_t at = 0; at < sizeof(checks) / sizeof(checks[0]); at++) {
		if (!checks[at](&patient))
			return;
	}
	if (has_centre(&patient, probe))
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, patient.about },
			    "it can send: %s, %s, signal %u %%", modem->network.name,
			    modem->network.status, modem->network.strength);
}

static void look_at_modems(struct doctor *doctor, struct ofono *ofono,
			   struct ofono_probe *probe)
{
	const struct modem *modem;
	unsigned count = 0;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (modem_is_foreign(modem))
			continue;
		look_at_modem(doctor, modem, probe);
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

/* Listening */

struct ear {
	sd_event *loop;
	sd_event_source *silence;
	struct observer observer;
};

static int on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)due_us;
	(void)data;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static void on_event(void *data, const void *event_data)
{
	const struct ear *ear = data;

	(void)event_data;
	sd_event_source_set_time_relative(ear->silence, SILENCE_MS * UINT64_C(1000));
}

/* Until oFono has told all, as far as that can be known. */
static void listen_to(struct ear *ear, struct ofono *ofono)
{
	observer_add(ofono_observers(ofono), &ear->observer, on_event, ear);
	if (sd_event_add_time_relative(ear->loop, &ear->silence, CLOCK_MONOTONIC,
				       SILENCE_MS * UINT64_C(1000), 1000, on_timer,
				       NULL) >= 0 &&
	    sd_event_add_time_relative(ear->loop, NULL, CLOCK_MONOTONIC,
				       LISTEN_MS * UINT64_C(1000), 1000, on_timer,
				       NULL) >= 0)
		sd_event_loop(ear->loop);
	observer_remove(&ear->observer);
	sd_event_source_disable_unref(ear->silence);
}

static const char *fix_of(const struct program *program, const char *condition)
{
	if (strstr(condition, "refuses"))
		return "Let it: put the file ofono-mcp.conf of etc/dbus into "
		       "/etc/dbus-1/system.d, then reload the bus";
	if (strstr(condition, "no D-Bus"))
		return "Start the system bus: systemctl start dbus";
	return program->process ? "Look into the log of ofonod, then restart it"
				: "Start it: systemctl start ofono";
}

static void tell_all(struct doctor *doctor, struct ofono *ofono,
		     struct ofono_probe *probe, struct program *program)
{
	const char *condition = ofono_condition(ofono);

	if (ofono_is_available(ofono)) {
		look_for_reports(probe, program, ofono);
		tell_program(doctor, program);
		look_at_modems(doctor, ofono, probe);
		return;
	}
	doctor_tell(
		doctor,
		&(struct finding){ DOCTOR_PROBLEM, "oFono", fix_of(program, condition) },
		"%s", condition);
}

static void listen_and_tell(struct doctor *doctor, struct ofono_probe *probe,
			    struct program *program)
{
	struct ofono *ofono = NULL;
	struct ear ear = { NULL };

	if (sd_event_new(&ear.loop) >= 0 && ofono_new(ear.loop, NULL, &ofono) == 0) {
		listen_to(&ear, ofono);
		tell_all(doctor, ofono, probe, program);
	} else {
		doctor_tell(
			doctor,
			&(struct finding){ DOCTOR_PROBLEM, "oFono", "Try again later" },
			"out of memory");
	}
	ofono_free(ofono);
	sd_event_unref(ear.loop);
}

void doctor_look_at_phone(struct doctor *doctor)
{
	struct ofono_probe *probe = ofono_probe_new();
	struct program program = { 0 };
	struct config_error error;

	if (probe)
		look_at_program(probe, &program);
	if (folder_owner_become(doctor->config.state_dir, &error))
		listen_and_tell(doctor, probe, &program);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "oFono", "Run it so" },
			    "%s", error.text);
	ofono_probe_free(probe);
}
