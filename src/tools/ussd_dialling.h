/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD dialling: one call of send_ussd, and the owner's rules that it has to pass before
 * anything is dialled. Every refusal is in the audit, answered, and free.
 */
#ifndef TOOLS_USSD_DIALLING_H
#define TOOLS_USSD_DIALLING_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/tool.h"
#include "tools/failure.h"
#include "tools/ussd_balance.h"
#include "phone/ussd.h"

struct ussd_dialling { /* lives in the call's arena; the call and the order are set */
	struct tool_call *call;
	struct ussd_order order;
	int64_t sim_id;
	struct ussd_turn turn;
	struct ussd_balance balance;
	bool is_allowed; /* the code is the owner's, not a text that anybody wrote */
	bool cancels;
};

/* False, always: nothing was dialled, and the call is answered. */
bool ussd_dialling_refuse(const struct ussd_dialling *dialling, enum failure failure,
			  const char *message);

/* Chooses SIM and modem. False: refused. */
bool ussd_dialling_check(struct ussd_dialling *dialling);
bool ussd_dialling_check_cancel(struct ussd_dialling *dialling);

#endif
