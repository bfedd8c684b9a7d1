/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dry run: what a call of send_sms would do. It sends nothing and stores nothing.
 */
#ifndef TOOLS_DRY_RUN_H
#define TOOLS_DRY_RUN_H

#include "tools/sms_order.h"

/* the members of a refusal, for the output schema */
extern const struct schema_field dry_run_refusal_fields[];

void dry_run_answer(struct sms_order *order); /* finishes the call */

#endif
