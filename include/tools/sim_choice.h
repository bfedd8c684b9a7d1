/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM choice: which SIM a call goes out from.
 */
#ifndef TOOLS_SIM_CHOICE_H
#define TOOLS_SIM_CHOICE_H

#include "tools/services.h"
#include "tools/failure.h"

/*
 * The SIM named by the argument subscription_id; without it, the one SIM that can send.
 * NULL: the call has been finished with a failure that says why and lists the choices.
 */
const struct sim *sim_choice(struct tool_call *call);

#endif
