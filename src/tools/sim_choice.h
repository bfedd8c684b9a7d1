/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM choice: the SIM that a tool call uses.
 */
#pragma once

#include "tools/services.h"
#include "tools/tool_failure.h"

/*
 * Finds the SIM with the ID `named` or, if that is NULL, the one SIM that can send. `later` is set
 * for a scheduled message: then the SIM need not be able to send now; if it is named, it need not
 * even be in the phone. Returns false if there is none: then *refusal_out says why and lists the
 * choices.
 */
bool sim_choice_make(const struct tool_call *call, const int64_t *named, bool later,
		     int64_t *sim_id_out, struct refusal *refusal_out);

/* Reads the argument subscription_id, also as a number in *sim_id_out; NULL if it is not given. */
const int64_t *sim_choice_argument(const struct tool_call *call, int64_t *sim_id_out);

/* A schema_field.fix: lists the IDs of the SIMs that the client may use, with their names. */
const char *sim_choice_fix(const struct tool_call *call);
