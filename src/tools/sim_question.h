/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIM question: the person says which SIM a message goes out from.
 */
#ifndef TOOLS_SIM_QUESTION_H
#define TOOLS_SIM_QUESTION_H

#include "mcp/elicitation.h"
#include "tools/sms_order.h"

#define SIM_QUESTION_KEY "subscription_id"

/* Among those that can send now; a scheduled message may go out from any that is there. */
enum elicitation_outcome sim_question_ask(struct sms_order *order, int64_t *sim_id_out);

/* For a form that asks for more: the field, what it holds, and how a card is called. */
bool sim_question_field(const struct sms_order *order, struct form_field *field_out);
int64_t sim_question_read(const struct json *content);
/* NULL: no memory. */
const char *sim_question_title(const struct sim *sim, struct arena *arena);

#endif
