/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doctor's checks of oFono and of D-Bus's policy for it.
 *
 * oFono is asked as the gateway asks it, and as the gateway's user, so that the policy
 * for that user applies. What only root may see, such as which files ofonod has
 * loaded, is read before that.
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/explanation.h"
#include "cli/owner_command.h"
#include "cli/doctor/doctor.h"
#include "cli/switching.h"
#include "cli/terminal.h"
#include "ofono/ofono.h"

enum { LINE_BYTES = 512, OFONO_VERSION_BYTES = 32, LISTEN_MS = 6000 };

struct doctor_ofono {
	int64_t process; /* 0 if not running, or unknown */
	char version[OFONO_VERSION_BYTES];
	bool is_sailfish;     /* one of the forks of Sailfish OS */
	bool reports;	      /* sends delivery reports by itself */
	bool shows_its_parts; /* the list of loaded files is readable */
	bool has_plugin;      /* our plugin is loaded */
	bool is_old;	      /* 1.17 of UBports, which never exposes delivery reports */
};

/* Returns true if it is a file named ofonod that only root can write, so it is safe to run. */
static bool doctor_ofono_is_ofonod(const char *link)
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

static void doctor_ofono_run_version(const char *program, int out)
{
	dup2(out, STDOUT_FILENO);
	execl(program, "ofonod", "--version", (char *)NULL);
	_exit(127);
}

/* Writes "" if it does not print one. */
static void doctor_ofono_read_version(const char *program,
				      char version_out[OFONO_VERSION_BYTES])
{
	char text[OFONO_VERSION_BYTES] = "";
	int ends[2];
	ssize_t length;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		doctor_ofono_run_version(program, ends[1]);
	close(ends[1]);
	length = child > 0 ? read(ends[0], text, sizeof(text) - 1) : 0;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	text[length > 0 ? length : 0] = '\0';
	text[strspn(text, "0123456789.")] = '\0';
	strcpy(version_out, text);
}

static void doctor_ofono_inspect_process(struct doctor_ofono *program)
{
	char path[64], line[LINE_BYTES];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%lld/exe", (long long)program->process);
	if (doctor_ofono_is_ofonod(path))
		doctor_ofono_read_version(path, program->version);
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

static void doctor_ofono_inspect(struct ofono_probe *probe, struct doctor_ofono *program)
{
	program->process = ofono_probe_process(probe);
	if (!program->process)
		return;
	doctor_ofono_inspect_process(program);
	program->is_sailfish =
		ofono_probe_mentions(probe, "/", "org.nemomobile.ofono.ModemManager");
}

/* Upstream before 1.28 could send emoji too, but no current system ships that. */
static bool doctor_ofono_is_before_forks(const char *version)
{
	unsigned major, minor;

	return sscanf(version, "%u.%u", &major, &minor) == 2 && major == 1 && minor < 28;
}

static void doctor_ofono_inspect_modems(struct ofono_probe *probe,
					struct doctor_ofono *program,
					const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link)
		program->reports |=
			probe && ofono_probe_mentions(probe, modem->path, "StatusReport");
	program->is_old = !program->is_sailfish && !program->reports &&
			  (ofono_line(ofono) == OFONO_LINE_FORK ||
			   doctor_ofono_is_before_forks(program->version));
}

#define ADDRESS_OF_0XFD "an SMS whose sender's address has length 0xFD"
#define EMPTY_USSD	"an empty answer to a USSD code"
#define LONG_USSD	"a USSD answer of 1,500 characters"

/*
 * Found with emulated modems: doc/modems.md, "What crashes oFono". Returns NULL if none is known.
 */
static const char *doctor_ofono_crash_input(const struct doctor_ofono *program)
{
	if (program->is_old)
		return ADDRESS_OF_0XFD;
	if (program->is_sailfish || program->reports)
		return EMPTY_USSD;
	if (strcmp(program->version, "1.31") == 0)
		return ADDRESS_OF_0XFD " or " LONG_USSD;
	return NULL;
}

static void doctor_ofono_report(struct doctor *doctor, const struct doctor_ofono *program)
{
	const char *version = *program->version ? program->version : "an unknown version";
	const char *input = doctor_ofono_crash_input(program);

	if (program->is_old)
		doctor_report(doctor, DOCTOR_NOTE, "oFono",
			      "If you need delivery reports, use a system with a newer "
			      "oFono; otherwise all is well",
			      "running: %s, an old fork (of UBports) that sends emoji, "
			      "but has no delivery reports and cannot load our plugin",
			      version);
	else if (program->is_sailfish || program->reports)
		doctor_report(
			doctor, DOCTOR_OK, "oFono", NULL,
			"running: %s, a fork with delivery reports that sends emoji (%s)",
			version,
			program->is_sailfish ? "of Sailfish OS, Droidian and FuriOS"
					     : "of UBports");
	else if (program->has_plugin)
		doctor_report(doctor, DOCTOR_OK, "oFono", NULL,
			      "running: %s, upstream, with the plugin for delivery "
			      "reports; emoji cannot be sent",
			      version);
	else if (program->shows_its_parts)
		doctor_report(doctor, DOCTOR_NOTE, "oFono",
			      "If you need delivery reports, install the package "
			      "ofono-plugin-sms-history and restart oFono (systemctl "
			      "restart ofono); otherwise all is well",
			      "running: %s, upstream, without the plugin for delivery "
			      "reports; emoji cannot be sent",
			      version);
	else
		doctor_report(doctor, DOCTOR_NOTE, "oFono", DOCTOR_AS_ROOT,
			      "running; only root can see which version");
	if (input) /* not a warning, because the owner can do nothing about it */
		doctor_report(doctor, DOCTOR_OK, "oFono crashes", NULL,
			      "%s crashes this ofonod: the gateway cannot prevent that, "
			      "survives it, and continues when oFono has restarted",
			      input);
}

/* D-Bus policy: the rights that the gateway needs */

enum doctor_ofono_need {
	DOCTOR_OFONO_ALWAYS,
	DOCTOR_OFONO_FORK,   /* with forks that have these interfaces */
	DOCTOR_OFONO_USSD,   /* if the owner allows codes for send_ussd */
	DOCTOR_OFONO_POWER,  /* if the gateway is to switch modems on */
	DOCTOR_OFONO_CALL,   /* if agents may place calls */
	DOCTOR_OFONO_UNLOCK, /* if a card is locked, or may be */
	DOCTOR_OFONO_NEEDS,
};

/* Without arguments, and on objects that do not exist, these calls have no effect. */
static const struct {
	enum doctor_ofono_need need;
	const char *interface;
	const char *method;
} methods[] = {
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.Manager", "GetModems" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.Modem", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.SimManager", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.NetworkRegistration", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.VoiceCallManager", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.MessageWaiting", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.Phonebook", "Import" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.MessageManager", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.MessageManager", "SetProperty" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.MessageManager", "GetMessages" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.MessageManager", "SendMessage" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.Message", "GetProperties" },
	{ DOCTOR_OFONO_ALWAYS, "org.ofono.Message", "Cancel" },
	{ DOCTOR_OFONO_FORK, "org.nemomobile.ofono.ModemManager",
	  "GetDefaultVoiceModem" },
	{ DOCTOR_OFONO_FORK, "org.nemomobile.ofono.ModemManager", "GetReady" },
	{ DOCTOR_OFONO_FORK, "org.nemomobile.ofono.SimInfo", "GetAll" },
	{ DOCTOR_OFONO_USSD, "org.ofono.SupplementaryServices", "Initiate" },
	{ DOCTOR_OFONO_USSD, "org.ofono.SupplementaryServices", "Respond" },
	{ DOCTOR_OFONO_USSD, "org.ofono.SupplementaryServices", "Cancel" },
	{ DOCTOR_OFONO_POWER, "org.ofono.Modem", "SetProperty" },
	{ DOCTOR_OFONO_CALL, "org.ofono.VoiceCallManager", "GetCalls" },
	{ DOCTOR_OFONO_CALL, "org.ofono.VoiceCallManager", "Dial" },
	{ DOCTOR_OFONO_CALL, "org.ofono.VoiceCall", "Hangup" },
	{ DOCTOR_OFONO_UNLOCK, "org.ofono.SimManager", "EnterPin" },
	{ DOCTOR_OFONO_UNLOCK, "org.ofono.SimManager", "ResetPin" },
};

static const char doctor_ofono_policy_fix[] =
	"Allow it: copy ofono-mcp.conf from etc/dbus to /etc/dbus-1/system.d, then "
	"reload the bus: systemctl reload dbus";

/* The package installs these files only as examples. */
#define LET_IT(file)                                                               \
	"Allow it: copy " file " from /usr/share/doc/ofono-mcp/"                   \
	"examples, or from etc/dbus in the source, to /etc/dbus-1/system.d, then " \
	"reload the bus: systemctl reload dbus"

static const char *const method_fixes[DOCTOR_OFONO_NEEDS] = {
	doctor_ofono_policy_fix,
	doctor_ofono_policy_fix,
	LET_IT("ussd.conf") "; or list no codes in [ussd] allow",
	LET_IT("power.conf") "; or set power_modems = no",
	LET_IT("call.conf") "; or set place = no in [call]",
	LET_IT("unlock.conf"),
};

struct doctor_ofono_user {
	struct doctor *doctor;
	struct ofono_probe *probe;
	const char *name;
};

static void doctor_ofono_check_methods(const struct doctor_ofono_user *user,
				       const bool needed[DOCTOR_OFONO_NEEDS])
{
	for (size_t at = 0; at < sizeof(methods) / sizeof(methods[0]); at++) {
		if (!needed[methods[at].need] ||
		    !ofono_probe_is_refused(user->probe, methods[at].interface,
					    methods[at].method))
			continue;
		doctor_report(user->doctor, DOCTOR_PROBLEM, "policy",
			      method_fixes[methods[at].need],
			      "the bus refuses user %s %s.%s, which the gateway needs",
			      user->name, methods[at].interface, methods[at].method);
	}
}

static const char doctor_ofono_access_fix[] =
	"Allow it: usermod -aG sailfish-radio USER, with the gateway's "
	"user for USER, then restart the gateway; or, if there is no such "
	"group, give user(USER) the right in /etc/ofono/dbusaccess.conf "
	"(doc/modems.md shows the lines) and restart oFono";

/* oFono of Sailfish OS has its own access control besides D-Bus's policy. */
static void doctor_ofono_check_sending(const struct doctor_ofono_user *user,
				       const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (!(modem->interfaces & MODEM_MESSAGE_MANAGER) ||
		    !ofono_probe_may_not_send(user->probe, modem->path))
			continue;
		doctor_report(
			user->doctor, DOCTOR_PROBLEM, "policy", doctor_ofono_access_fix,
			"oFono itself, not the bus, refuses user %s to send messages",
			user->name);
		return;
	}
}

static bool doctor_ofono_has_locked_card(const struct ofono *ofono)
{
	const struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(ofono), link) {
		if (switching_card(modem) == MODEM_CARD_LOCKED)
			return true;
	}
	return false;
}

/* Asks as the user that this process has become, on a new connection. */
static void doctor_ofono_check_policy(struct doctor *doctor,
				      const struct doctor_ofono *program,
				      const struct ofono *ofono)
{
	const struct passwd *entry = getpwuid(geteuid());
	const struct doctor_ofono_user user = { doctor, ofono_probe_new(),
						entry ? entry->pw_name
						      : "of the gateway" };
	const struct config *config = &doctor->config;
	const bool needed[DOCTOR_OFONO_NEEDS] = {
		true,
		program->is_sailfish,
		config->ussd_allow.count != 0,
		config->power_modems,
		config->policy.calls.place,
		*config->pin_file || doctor_ofono_has_locked_card(ofono),
	};
	unsigned problems = doctor->counts[DOCTOR_PROBLEM];

	if (!user.probe)
		return;
	doctor_ofono_check_methods(&user, needed);
	doctor_ofono_check_sending(&user, ofono);
	if (doctor->counts[DOCTOR_PROBLEM] == problems)
		doctor_report(doctor, DOCTOR_OK, "policy", NULL,
			      "the bus allows user %s everything that the gateway needs",
			      user.name);
	ofono_probe_free(user.probe);
}

/* oFono */

static const char *doctor_ofono_fix(const struct doctor_ofono *program,
				    const struct ofono *ofono)
{
	if (ofono_is_refused(ofono))
		return doctor_ofono_policy_fix;
	if (!ofono_has_bus(ofono))
		return "Start the system bus: systemctl start dbus";
	return program->process ? "Check the log of ofonod, then restart it"
				: "Start it: systemctl start ofono";
}

static void doctor_ofono_report_all(struct doctor *doctor, struct ofono *ofono,
				    struct ofono_probe *probe,
				    struct doctor_ofono *program)
{
	if (!ofono_is_available(ofono) && ofono_is_refused(ofono) && geteuid() != 0 &&
	    !doctor_is_gateway_user(doctor)) {
		doctor_report(doctor, DOCTOR_NOTE, "oFono", DOCTOR_AS_ROOT,
			      "the bus does not let you call oFono, and need not; "
			      "only root can see whether it lets the gateway");
		return;
	}
	if (ofono_is_available(ofono)) {
		doctor_ofono_inspect_modems(probe, program, ofono);
		doctor_ofono_report(doctor, program);
		doctor_ofono_check_policy(doctor, program, ofono);
		doctor_modem_check(doctor, ofono);
		return;
	}
	doctor_report(doctor, DOCTOR_PROBLEM, "oFono", doctor_ofono_fix(program, ofono),
		      "%s", ofono_condition(ofono));
}

static void doctor_ofono_connect_and_report(struct doctor *doctor,
					    struct ofono_probe *probe,
					    struct doctor_ofono *program)
{
	struct ofono *ofono = NULL;
	sd_event *loop = NULL;

	if (sd_event_new(&loop) >= 0 && ofono_new(loop, NULL, &ofono) == 0) {
		progress_wait_for_ofono(loop, ofono, LISTEN_MS);
		doctor_ofono_report_all(doctor, ofono, probe, program);
	} else {
		doctor_report(doctor, DOCTOR_PROBLEM, "oFono", "Try again later",
			      "out of memory");
	}
	ofono_free(ofono);
	sd_event_unref(loop);
}

void doctor_ofono_check(struct doctor *doctor)
{
	struct ofono_probe *probe = ofono_probe_new();
	struct doctor_ofono program = { 0 };
	struct explanation error;

	if (probe)
		doctor_ofono_inspect(probe, &program);
	if (control_client_become_owner(doctor->config.state_dir, &error))
		doctor_ofono_connect_and_report(doctor, probe, &program);
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "oFono", "Run it as that user",
			      "%s", error.text);
	ofono_probe_free(probe);
}
