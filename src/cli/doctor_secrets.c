/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: may the gateway's user read the secrets that the owner put somewhere, the
 * key of a certificate and the file of PINs, and are they hidden from everybody else.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "http/tls.h"
#include "phone/pin_file.h"
#include "base/explanation.h"

enum { FIX_BYTES = 512 };

/* Else what we may read says nothing of what it may. */
static bool we_are_the_gateways_user(const struct doctor *doctor)
{
	struct stat status;

	return stat(doctor->config.state_dir, &status) == 0 && status.st_uid == geteuid();
}

static const char *user_name(void)
{
	const struct passwd *user = getpwuid(geteuid());

	return user ? user->pw_name : "the gateway's user";
}

/* The one that it runs with was read, perhaps with groups that only its unit names. */
static bool runs_with_this_key(const struct doctor *doctor)
{
	return doctor->gateway_runs &&
	       strcmp(doctor->running.tls_key, doctor->config.tls_key) == 0;
}

/* Else that has been told already. */
static bool certificate_is_read(const struct doctor *doctor)
{
	struct explanation error = { "" };
	struct certificate_times times;
	char path[PATH_MAX];

	tls_certificate_path(&doctor->config, path);
	return certificate_times(path, &times, &error) == 0;
}

static void look_at_key(struct doctor *doctor)
{
	struct explanation error = { "" };
	char fix[FIX_BYTES];
	bool is_read;

	if (runs_with_this_key(doctor) || !certificate_is_read(doctor))
		return;
	is_read = tls_load(&doctor->config, &error) == 0;
	tls_unload();
	if (is_read)
		return;
	snprintf(fix, sizeof(fix),
		 "The gateway's user is %s. Mend it, then start the gateway anew: "
		 "systemctl "
		 "restart ofono-mcp",
		 user_name());
	doctor_tell(doctor, &(struct finding){ DOCTOR_PROBLEM, "certificate", fix }, "%s",
		    error.text);
}

static const char *why_not(int outcome)
{
	switch (outcome) {
	case PIN_FILE_E_EXPOSED:
		return "it is another's, a link, or others may read or change it";
	case PIN_FILE_E_MALFORMED:
		return "a line in it is not \"ICCID PIN\"";
	default:
		return outcome < 0 ? strerror(-outcome) : NULL;
	}
}

static void look_at_pins(struct doctor *doctor)
{
	const char *path = doctor->config.pin_file;
	char pin[PIN_BYTES], fix[FIX_BYTES];
	const char *problem;

	if (!*path)
		return;
	problem = why_not(pin_file_find(path, "", pin));
	snprintf(fix, sizeof(fix),
		 "Make it the gateway's own: chown %s FILE; chmod 600 FILE", user_name());
	if (problem)
		doctor_tell(doctor, &(struct finding){ DOCTOR_PROBLEM, "PINs", fix },
			    "%s is not used: %s", path, problem);
	else
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "PINs" },
			    "%s can be read, by the gateway's user alone", path);
}

void doctor_look_at_secrets(struct doctor *doctor)
{
	if (!we_are_the_gateways_user(doctor))
		return;
	look_at_key(doctor);
	look_at_pins(doctor);
}
