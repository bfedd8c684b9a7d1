/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS consent: what only a person can decide about an order: approval, and the SIM where
 * several can send.
 */
#pragma once

#include "tools/sms_order.h"

/* Which SIM sends an order. */
struct sms_consent_sim {
	bool chosen; /* order->sim_id, by the order or because there is no other */
	bool asks;   /* the user is to choose; order->sim_id is 0 */
	struct refusal refusal; /* unless it was chosen: why not */
};

/*
 * Checks the form of the order and finds its SIM. If the user was already asked, the question
 * stays: other SIMs may be there now, or only one, and none is guessed. Returns false if the order
 * is refused for its form, and answered.
 */
bool sms_consent_find_sim(struct sms_order *order, struct sms_consent_sim *sim_out);

/*
 * Sets order->approval and, if `unable` is not NULL, order->sim_id. `unable` is the failure if this
 * client cannot ask for the SIM. Returns false if the call is answered, or the user is being asked.
 */
bool sms_consent_get(struct sms_order *order, bool needs_approval,
		     const struct refusal *unable);
