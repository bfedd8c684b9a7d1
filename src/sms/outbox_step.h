/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outbox step: every change of the stage and the state of an outgoing message, from accepted to
 * final. src/sms/outbox_step.c has the diagram.
 *
 * Private to src/sms. Functions with a result are decisions: the disk comes first. They return 0 if
 * the step is on disk, and no restart forgets it; -errno or STORE_E_FULL if nothing has changed;
 * STORE_E_NOT_FOUND or STORE_E_ILLEGAL if something else changed the row, and the message is
 * unknown. The others are facts, true whether or not the disk takes them: they change the message
 * in memory, on disk if possible, and notify the observers. A fact that says nothing new does
 * nothing.
 */
#pragma once

#include "sms/outbox_message.h"

/* It is in memory from now on, with its row in this state, or without a row yet. */
void outbox_step_begin(struct outbox_message *message, enum message_state state);

/* ---- while it waits ------------------------------------------------------------------ */

/*
 * Its row, which is written next, says submitting from the beginning. Until it is claimed it is
 * queued for everybody else. Returns false if memory runs out, and nothing has changed.
 */
bool outbox_step_prepare(struct outbox_message *message, const char *number,
			 const char *text);

/* Its time to send has come. */
void outbox_step_due(struct outbox_message *message);
void outbox_step_expire(struct outbox_message *message, const char *reason);
/* It is queued, and no radio will ever take it. */
void outbox_step_withdraw(struct outbox_message *message, const char *reason);
/* It is scheduled for the time that its deadline says. */
int outbox_step_postpone(struct outbox_message *message, const char *reason);
/* It waits for the owner's approval. */
int outbox_step_ask_owner(struct outbox_message *message, const char *reason);
/* It is scheduled or queued, with its present deadline. `who` is for the audit. */
int outbox_step_approve(struct outbox_message *message, const char *who, int64_t now_ms);
int outbox_step_reject(struct outbox_message *message, const char *who,
		       const char *words);
/* With `frees_key` the same request makes a new message. */
int outbox_step_cancel_waiting(struct outbox_message *message, const char *reason,
			       bool frees_key);
/*
 * Its row has another text, number or time, in the state that the draft names: changes it in memory
 * and notifies the observers. `former_number` is its recipient until now. The caller handles the
 * deadlines.
 */
void outbox_step_edit(struct outbox_message *message,
		      const struct store_message_draft *draft, const char *former_number);

/* ---- on its way to oFono ------------------------------------------------------------- */

/*
 * Takes the payload, in any case. The row says submitting, lazily: only after 0 and a
 * store_sync() may the message be passed to oFono. `epoch` is the modem's, see struct modem.
 */
int outbox_step_claim(struct outbox_message *message,
		      struct outbox_message_payload *payload, int64_t epoch);
/* SendMessage was called, so the payload is not needed any more. */
void outbox_step_call(struct outbox_message *message);
/* The call has ended or was never made; what follows from that is the next step. */
void outbox_step_end_call(struct outbox_message *message);

/* oFono has it under this UUID. `awaited` says that a delivery report was requested. */
void outbox_step_accepted(struct outbox_message *message, const char *uuid, bool awaited);
/* oFono never had it. */
void outbox_step_not_taken(struct outbox_message *message);
/* Nobody answered, and the radio can be asked again. */
void outbox_step_doubt(struct outbox_message *message);

/* ---- while oFono has it -------------------------------------------------------------- */

/* A record says that oFono accepted it under this UUID; now oFono is asked. */
void outbox_step_found(struct outbox_message *message, const char *uuid, bool awaited);
/* Its modem went away. */
void outbox_step_lose_modem(struct outbox_message *message);
/* It was with oFono when the gateway ended. */
void outbox_step_restart(struct outbox_message *message);
/* oFono has it again. */
void outbox_step_listed(struct outbox_message *message);
/* It is to be cancelled when its modem is back. */
int outbox_step_want_cancel(struct outbox_message *message);
/* It is queued again, on disk: on this SIM, perhaps under its next attempt. */
void outbox_step_move(struct outbox_message *message, int64_t sim_id,
		      bool is_next_attempt, const char *reason);

/* ---- its end ------------------------------------------------------------------------- */

void outbox_step_fail(struct outbox_message *message, const char *reason);
/* oFono cancelled it. */
void outbox_step_cancelled(struct outbox_message *message);
/* Nobody knows what became of it. */
void outbox_step_lose(struct outbox_message *message);
/* Its radio works with another hub, and tells this one nothing any more. */
void outbox_step_lose_radio(struct outbox_message *message);
/* oFono reported its state; `reason` is as in struct ofono_event. This is ignored if it is final already. */
void outbox_step_on_state(struct outbox_message *message, enum ofono_message_state state,
			  const char *reason);
/* The same from a record, which also says what became of an unknown message. */
void outbox_step_on_record(struct outbox_message *message,
			   enum ofono_message_state state);
/* Its delivery report. One that comes before oFono reports it as sent is kept until then. */
void outbox_step_on_report(struct outbox_message *message, bool delivered);

/* Writes what the disk does not have yet; observers hear of it if it works. */
void outbox_step_save(struct outbox_message *message);
