/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doctor: checks everything that must be right, and reports each finding with what to do next
 * (tests/integration/test_doctor.py).
 */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "base/json.h"
#include "config/config.h"
#include "ofono/ofono.h"

enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM, DOCTOR_LEVELS };

struct doctor {
	struct config config; /* of the file */
	struct config
		running; /* of the gateway that runs, if it reports it; else the file's */
	struct json_writer *writer; /* NULL: findings are printed */
	unsigned counts[DOCTOR_LEVELS];
	bool gateway_runs;
	bool gateway_is_closed; /* we may not ask it, so its state is unknown */
	bool gateway_is_silent; /* it does not answer, so its state is unknown */
	bool has_clients;	/* or unknown */
};

struct doctor_finding {
	enum doctor_level level;
	const char *about; /* "clock" */
	const char *fix;   /* what to do next; NULL: nothing */
};

/* `format`: what was found, a sentence without its full stop. */
__attribute__((format(printf, 3, 4))) void doctor_report(
	struct doctor *doctor, const struct doctor_finding *finding, const char *format,
	...);

/* The fix for a user who is neither root nor the gateway's user. */
#define DOCTOR_AS_ROOT "Run it as root: sudo ofono-mcp doctor"

/* The checks, in this order: the first one needs root, and later ones use earlier results. */
void doctor_ofono_check(struct doctor *doctor);
void doctor_gateway_check(struct doctor *doctor);
void doctor_secrets_check(struct doctor *doctor);
void doctor_network_check(struct doctor *doctor);

/* Part of doctor_ofono_check(). */
void doctor_modem_check(struct doctor *doctor, const struct ofono *ofono);

#endif
