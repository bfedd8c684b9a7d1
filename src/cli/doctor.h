/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doctor: looks at everything that has to be right, and tells what it found, a finding each,
 * with what to do next (tests/integration/test_doctor.py).
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "config/config.h"
#include "base/json.h"
#include "ofono/ofono.h"
#include "ofono/ofono_probe.h"

enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_PROBLEM, DOCTOR_LEVELS };

struct doctor {
	struct config config; /* of the file */
	struct config
		running; /* what the gateway runs with; of the file when it tells none */
	struct json_writer *writer; /* NULL: findings are printed */
	unsigned counts[DOCTOR_LEVELS];
	bool gateway_runs;
	bool gateway_is_closed; /* we may not ask it, so all of it is unknown */
	bool gateway_is_silent; /* it is there, and does not answer: likewise */
	bool has_clients;	/* or it is not known */
};

struct finding {
	enum doctor_level level;
	const char *about; /* "clock" */
	const char *fix;   /* what to do next; NULL: nothing */
};

/* `format` tells what was found: a sentence without its full stop. */
__attribute__((format(printf, 3, 4))) void doctor_tell(struct doctor *doctor,
						       const struct finding *finding,
						       const char *format, ...);

/* What who is not root, and not the gateway's user, is told. */
#define DOCTOR_AS_ROOT "Root sees it: sudo ofono-mcp doctor"

/* The parts, in this order: the first needs root, and what they find is for the next. */
void doctor_look_at_phone(struct doctor *doctor);
void doctor_look_at_gateway(struct doctor *doctor);
void doctor_look_at_certificate(struct doctor *doctor);
void doctor_look_at_secrets(struct doctor *doctor);
void doctor_look_at_network(struct doctor *doctor);

/* Of doctor_look_at_phone(); `probe` may be NULL. */
void doctor_look_at_modems(struct doctor *doctor, const struct ofono *ofono);

#endif
