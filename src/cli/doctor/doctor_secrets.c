/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doctor's checks of secrets: whether the certificate is valid, and whether the
 * gateway's user, and nobody else, can read the key and the file of PINs.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/explanation.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal.h"
#include "http/tls.h"
#include "phone/unlocker.h"

enum { SOON_DAYS = 30 };

/* Says how to get a new certificate. The gateway creates only those in its own folder. */
static const char *doctor_secrets_certificate_fix(const struct doctor *doctor)
{
	return *doctor->config.tls_certificate
		       ? "Put a new one there, then: " PROGRAM_NAME " reload"
		       : "Remove cert.pem and key.pem there, then run " PROGRAM_NAME
			 " client rotate --tls NAME, which creates new "
			 "ones; agents must then trust the new certificate";
}

static void doctor_secrets_report_times(struct doctor *doctor, const char *path,
					const struct certificate_times *times)
{
	int64_t now_ms = clock_wall_ms();
	const struct terminal_time from = terminal_time_of(times->from_ms);
	const struct terminal_time until = terminal_time_of(times->until_ms);

	if (now_ms < times->from_ms) {
		doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
			      "Check the clock of this machine",
			      "%s is not valid before %s", path, from.text);
	} else if (now_ms > times->until_ms) {
		doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
			      doctor_secrets_certificate_fix(doctor), "%s expired at %s",
			      path, until.text);
	} else if (times->until_ms - now_ms < SOON_DAYS * (int64_t)CLOCK_MS_PER_DAY) {
		doctor_report(doctor, DOCTOR_WARNING, "certificate",
			      doctor_secrets_certificate_fix(doctor),
			      "%s expires soon, at %s", path, until.text);
	} else {
		doctor_report(doctor, DOCTOR_OK, "certificate", NULL,
			      "%s is valid until %s", path, until.text);
	}
}

static void doctor_secrets_check_certificate(struct doctor *doctor)
{
	const struct config *config = &doctor->config;
	struct explanation error = { "" };
	struct certificate_times times;
	char path[PATH_MAX];

	tls_certificate_path(config, path);
	if (!*config->tls_certificate && access(path, F_OK) < 0)
		return; /* plain HTTP, which doctor_network.c reports */
	if (certificate_times(path, &times, &error) == 0)
		doctor_secrets_report_times(doctor, path, &times);
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "certificate",
			      doctor_secrets_certificate_fix(doctor), "%s", error.text);
}

/* Key and PINs */

enum { FIX_BYTES = 512 };

/* Otherwise our own access says nothing about the gateway's. */
static bool doctor_secrets_is_gateway_user(const struct doctor *doctor)
{
	struct stat status;

	return stat(doctor->config.state_dir, &status) == 0 && status.st_uid == geteuid();
}

static const char *doctor_secrets_user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "the gateway's user";
}

/* The gateway has read the key, perhaps with groups that only its unit grants. */
static bool doctor_secrets_runs_with_this_key(const struct doctor *doctor)
{
	return doctor->gateway_runs &&
	       strcmp(doctor->running.tls_key, doctor->config.tls_key) == 0;
}

/* An unreadable certificate has been reported already. */
static bool doctor_secrets_certificate_is_valid(const struct doctor *doctor)
{
	struct explanation error = { "" };
	struct certificate_times times;
	char path[PATH_MAX];

	tls_certificate_path(&doctor->config, path);
	return certificate_times(path, &times, &error) == 0;
}

static void doctor_secrets_check_key(struct doctor *doctor)
{
	struct explanation error = { "" };
	struct tls tls = { 0 };
	char fix[FIX_BYTES];
	bool is_read;

	if (doctor_secrets_runs_with_this_key(doctor) ||
	    !doctor_secrets_certificate_is_valid(doctor))
		return;
	is_read = tls_load(&tls, &doctor->config, &error) == 0;
	tls_unload(&tls);
	if (is_read)
		return;
	snprintf(fix, sizeof(fix),
		 "The gateway's user is %s. Correct it, then restart the gateway: "
		 "systemctl restart " PROGRAM_NAME,
		 doctor_secrets_user_name());
	doctor_report(doctor, DOCTOR_PROBLEM, "certificate", fix, "%s", error.text);
}

static const char *doctor_secrets_pin_file_problem(int outcome)
{
	switch (outcome) {
	case PIN_FILE_E_EXPOSED:
		return "it belongs to another user, is a link, or others may read or change it";
	case PIN_FILE_E_MALFORMED:
		return "a line in it is not \"ICCID PIN\"";
	default:
		return outcome < 0 ? strerror(-outcome) : NULL;
	}
}

static void doctor_secrets_check_pins(struct doctor *doctor)
{
	const char *path = doctor->config.pin_file;
	char pin[PIN_BYTES], fix[FIX_BYTES];
	const char *problem;

	if (!*path)
		return;
	problem = doctor_secrets_pin_file_problem(unlocker_find_pin(path, "", pin));
	snprintf(fix, sizeof(fix),
		 "Give it to the gateway's user: chown %s FILE; chmod 600 FILE",
		 doctor_secrets_user_name());
	if (problem)
		doctor_report(doctor, DOCTOR_PROBLEM, "PINs", fix, "%s is not used: %s",
			      path, problem);
	else
		doctor_report(doctor, DOCTOR_OK, "PINs", NULL,
			      "%s is readable, by the gateway's user only", path);
}

void doctor_secrets_check(struct doctor *doctor)
{
	doctor_secrets_check_certificate(doctor);
	if (!doctor_secrets_is_gateway_user(doctor))
		return;
	doctor_secrets_check_key(doctor);
	doctor_secrets_check_pins(doctor);
}
