/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: is the certificate good today, and for how long.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/doctor.h"
#include "cli/shown_time.h"
#include "http/certificate.h"
#include "base/explanation.h"

enum { PATH_BYTES = 2 * CONFIG_TEXT_BYTES, SOON_DAYS = 30 };

/* How another is come by; the gateway makes only those in its own folder. */
static const char *fix_of(const struct doctor *doctor)
{
	return *doctor->config.tls_certificate
		       ? "Put a new one there, then: ofono-mcp reload"
		       : "Remove cert.pem and key.pem there, then: ofono-mcp rotate "
			 "--tls "
			 "NAME, which makes others; agents have to trust the new one";
}

static void tell(struct doctor *doctor, const char *path,
		 const struct certificate_times *times)
{
	int64_t now_ms = clock_wall_ms();
	const struct shown_time from = shown_time_of(times->from_ms);
	const struct shown_time until = shown_time_of(times->until_ms);
	struct finding finding = { DOCTOR_OK, "certificate" };

	if (now_ms < times->from_ms) {
		finding.level = DOCTOR_PROBLEM;
		finding.fix = "Look whether the clock of this machine is right";
		doctor_tell(doctor, &finding, "%s is good only from %s on", path,
			    from.text);
	} else if (now_ms > times->until_ms) {
		finding.level = DOCTOR_PROBLEM;
		finding.fix = fix_of(doctor);
		doctor_tell(doctor, &finding, "%s has expired, at %s", path, until.text);
	} else if (times->until_ms - now_ms < SOON_DAYS * (int64_t)CLOCK_MS_PER_DAY) {
		finding.level = DOCTOR_WARNING;
		finding.fix = fix_of(doctor);
		doctor_tell(doctor, &finding, "%s expires soon, at %s", path, until.text);
	} else {
		doctor_tell(doctor, &finding, "%s is good until %s", path, until.text);
	}
}

void doctor_look_at_certificate(struct doctor *doctor)
{
	const struct config *config = &doctor->config;
	struct explanation error = { "" };
	struct certificate_times times;
	char path[PATH_BYTES];

	if (*config->tls_certificate)
		snprintf(path, sizeof(path), "%s", config->tls_certificate);
	else
		snprintf(path, sizeof(path),
			 "%s/" CERTIFICATE_FOLDER "/" CERTIFICATE_FILE,
			 config->state_dir);
	if (!*config->tls_certificate && access(path, F_OK) < 0)
		return; /* plain HTTP, which is told of with each port */
	if (certificate_times(path, &times, &error) == 0)
		tell(doctor, path, &times);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "certificate",
					       fix_of(doctor) },
			    "%s", error.text);
}
