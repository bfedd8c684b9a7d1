/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dry run: what a call of send_sms would do. It sends nothing and stores nothing.
 */
#pragma once

#include "tools/sms_order.h"

extern const struct schema_field dry_run_refusal_fields[]; /* of one refusal */

/* Finishes the call. */
void dry_run_answer(struct sms_order *order);
