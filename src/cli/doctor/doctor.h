/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Doctor: checks everything that must be right, and reports each finding with what to do next
 * (tests/integration/test_doctor.py).
 */
#pragma once

#include "base/json.h"
#include "cli/terminal.h"
#include "config/config.h"
#include "ofono/ofono.h"

/* A note is for your information; a warning may matter; a problem prevents something. */
enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE,
	DOCTOR_WARNING,
	DOCTOR_PROBLEM,
	DOCTOR_LEVELS
};

struct doctor {
	struct config config; /* of the file */
	/* of the running gateway, if it reports it; else the file's */
	struct config running;
	struct json_writer *writer; /* NULL if findings are printed */
	unsigned counts[DOCTOR_LEVELS];
	bool said_as_root;
	bool gateway_runs;
	bool gateway_is_closed; /* we may not ask it, so its state is unknown */
	bool gateway_is_silent; /* it does not answer, so its state is unknown */
	bool has_clients;	/* or unknown */
};

/*
 * `about` is for example "clock"; `fix` says what to do next, or is NULL; `format` says what was
 * found. Sentences come without their full stops.
 */
__attribute__((format(printf, 5, 6))) void doctor_report(struct doctor *doctor,
							 enum doctor_level level,
							 const char *about,
							 const char *fix,
							 const char *format, ...);

/* Returns a time of the gateway: with --json RFC 3339, else as people write it. */
struct terminal_time doctor_time(const struct doctor *doctor, const char *text);

/* Our own access says something about the gateway's only as its user. */
bool doctor_is_gateway_user(const struct doctor *doctor);

/* The fix for a user who is neither root nor the gateway's user. */
#define DOCTOR_AS_ROOT "Run it as root: sudo " PROGRAM_NAME " doctor"

/* The checks; cmd_doctor.c has their order. */
void doctor_ofono_check(struct doctor *doctor);
void doctor_gateway_check(struct doctor *doctor);
void doctor_secrets_check(struct doctor *doctor);
void doctor_network_check(struct doctor *doctor);

/* Part of doctor_gateway_check(), with the status of the running gateway. */
void doctor_agent_check(struct doctor *doctor, const struct json *status);

/* Part of doctor_ofono_check(). */
void doctor_modem_check(struct doctor *doctor, const struct ofono *ofono);
