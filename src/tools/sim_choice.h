/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM choice: the SIM that a tool call uses.
 */
#ifndef TOOLS_SIM_CHOICE_H
#define TOOLS_SIM_CHOICE_H

#include "tools/services.h"
#include "tools/tool_failure.h"

/*
 * The SIM in argument subscription_id or, without it, the one SIM that can send. `later`: for
 * a scheduled message, so the SIM need not be able to send now; if it is named, it need not
 * even be in the phone. False: *refusal_out says why and lists the choices.
 */
bool sim_choice_make(const struct tool_call *call, bool later, int64_t *sim_id_out,
		     struct refusal *refusal_out);

#endif
