/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SMS batch: one text for several recipients, a row for each. All rows have the SIM and the
 * client of the call, and the policy judges each one, with those before it counted.
 */
#pragma once

#include "numbers/number.h"
#include "tools/sms_order.h"

struct sms_batch_row {
	/* of this recipient; not valid before sms_batch_judge() */
	struct sms_order order;
	/* the same for all spellings of a number, "" if there is none */
	char form[NUMBER_FORM_BYTES];
	bool is_duplicate; /* an earlier row has the same recipient: nothing to do */
	bool is_refused;
	struct refusal refusal;
	enum policy_repeat repeat; /* `message` is the earlier one */
	struct message message;	   /* its id is 0 if it is not stored */
};

struct sms_batch {
	struct sms_order *order; /* of the call: its recipient is not used */
	struct sms_batch_row *rows;
	size_t count;
	struct limit_plan plan;	    /* the messages to be sent */
	struct limit_plan sim_plan; /* of a dry run: those that the SIM would send */
};

/* Lives in the call's arena. Returns false if memory runs out. */
bool sms_batch_read(struct sms_batch *batch, struct sms_order *order);

/*
 * Rebuilds the batch of an earlier call from its messages, which are all that is left of it, in the
 * order's arena. Returns false if memory runs out.
 */
bool sms_batch_restore(struct sms_batch *batch, struct sms_order *order,
		       const struct message *messages, size_t count);

/* Judges all rows anew, with the order's SIM (0 if not chosen yet). */
void sms_batch_judge(struct sms_batch *batch);

/* Is the row's message to be sent, and was it not before? */
bool sms_batch_row_is_new(const struct sms_batch_row *row);
size_t sms_batch_count_new(const struct sms_batch *batch);
size_t sms_batch_count_refused(const struct sms_batch *batch);

/*
 * Returns the recipients that may get a message, now or when a limit ends, in words; NULL if memory
 * runs out.
 */
const char *sms_batch_addressees(const struct sms_batch *batch);

/* Stores all new rows in one commit, or none. Returns 0, or the error of outbox_accept_all(). */
int sms_batch_accept(struct sms_batch *batch);
