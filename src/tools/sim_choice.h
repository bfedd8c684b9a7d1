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
 * `later`: for a message that is not to go out now, so the card need not be able to, nor,
 * when it is named, be there. False: *refusal_out says why and lists the choices.
 */
bool sim_choice(const struct tool_call *call, bool later, int64_t *sim_id_out,
		struct refusal *refusal_out);

#endif
