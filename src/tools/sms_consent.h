/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS consent: what only a person can decide about an order: approval, and the SIM where
 * several can send.
 */
#pragma once

#include "tools/sms_order.h"

/*
 * Is the user to choose the SIM? `refusal`: why none was chosen; NULL: one was. If the user
 * was already asked, the question stays: other SIMs may be there now, or only one, and none
 * is guessed.
 */
bool sms_consent_asks_for_sim(const struct sms_order *order,
			      const struct refusal *refusal);

/*
 * Sets order->approval and, if `unable` is not NULL, order->sim_id. `unable`: the failure if
 * this client cannot ask for the SIM. False: the call is answered, or the user is being asked.
 */
bool sms_consent_get(struct sms_order *order, bool needs_approval,
		     const struct refusal *unable);
