/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many answer: what send_sms returns about a batch: a result for each recipient, and how many
 * were accepted and refused. The words for one message are in sms_answer.c.
 */
#pragma once

#include "tools/sms_batch.h"

extern const struct schema_field many_answer_fields[]; /* of one result */

/* Finishes the call, with `message` of each row as far as it is known. */
void many_answer_finish(const struct sms_batch *batch);
/*
 * Writes the messages of a restored batch: a sentence with how many have each state, and a result
 * for each.
 */
void many_answer_put_status(struct json_writer *writer, const struct sms_batch *batch);
/* Finishes the call: no row is accepted. */
void many_answer_refuse(const struct sms_batch *batch);
/*
 * Finishes the call, which is a dry run: the rows were judged. `unable` says why there is no SIM.
 */
void many_answer_dry_run(const struct sms_batch *batch, const struct refusal *unable);
