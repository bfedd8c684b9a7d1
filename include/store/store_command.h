/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, commands: which incoming messages are commands of the owner, and the secrets that prove
 * it. Part of the store of store/store.h; sms/sms_command.h finds out what a message claims.
 *
 * The judgement is committed with the message, and so is the step of the code that it used:
 * after a restart or kill -9 no code counts again (tests/unit/test_store_command.c,
 * tests/integration/test_sms_command.py). Wrong codes are counted in usage time
 * (store/store_usage.h), so setting the clock forgives none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/totp.h"
#include "config/config_agent.h"
#include "store/store_message.h"

struct store;
struct store_incoming_entry;

enum {
	STORE_COMMAND_WRONG_MAX = 5, /* wrong codes of one number an hour */
	STORE_COMMAND_LOCKED_MS = 60 * 60 * 1000,
	STORE_COMMAND_REASON_BYTES = 32,
};

/* What an incoming message claims to be. All zero: an ordinary message. */
struct store_command_claim {
	/* the owner's; "" means an ordinary message */
	char number[CONFIG_AGENT_NUMBER_BYTES];
	bool needs_code;
	char code[TOTP_CODE_BYTES]; /* "" if there is none */
	bool is_answer;		    /* to a question for approval, else a command */
	bool approves;
	int64_t approval_number;
};

/*
 * Call it inside the transaction of the incoming message, before its row is added: judges the
 * claim, and uses its code up. entry->flags: those of the draft, with MESSAGE_COMMAND or
 * MESSAGE_ANSWER, and with MESSAGE_CODE_PROVED where a code proved it. With MESSAGE_COMMAND_REFUSED
 * it does not count, and entry->refusal says why: "no_code", "not_enrolled", "wrong_code",
 * "code_used", "locked" or "clock_wrong".
 */
int store_command_judge(struct store *store, struct store_incoming_entry *entry);
/*
 * Call it in the same transaction, after the row was added: adds the audit line, and the answer to
 * act on.
 */
int store_command_record(struct store *store, const struct store_incoming_entry *entry);

/*
 * The owner's number gets this secret; a former one is gone, and so are its wrong codes. Returns 0,
 * STORE_E_FULL or -errno.
 */
int store_command_enrol(struct store *store, const char *number,
			const uint8_t secret[TOTP_SECRET_BYTES]);
/* Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_command_remove(struct store *store, const char *number);

/* A number with a secret. Times are by the wall clock; 0 is never. */
struct store_command_sender {
	char number[CONFIG_AGENT_NUMBER_BYTES];
	int64_t enrolled_ms;
	int64_t used_ms;    /* the last right code */
	int64_t refused_ms; /* the last refusal, and why */
	char refusal[STORE_COMMAND_REASON_BYTES];
	int64_t locked_until_ms; /* 0 if not locked */
};

/* Returns 0, STORE_E_NOT_FOUND, STORE_E_FULL or -errno. */
int store_command_find(struct store *store, const char *number,
		       struct store_command_sender *sender_out);

/* ---- answers to questions for approval, until they have been acted on */

struct store_command_answer {
	int64_t message_id; /* of the incoming message */
	int64_t sim_id;	    /* 0 if unknown */
	char number[CONFIG_AGENT_NUMBER_BYTES];
	bool approves;
	int64_t approval_number;
};

/* Finds the oldest one. Returns 0, STORE_E_NOT_FOUND or -errno. */
int store_command_next_answer(struct store *store,
			      struct store_command_answer *answer_out);
/* It has been acted on. Returns 0, STORE_E_FULL or -errno. */
int store_command_end_answer(struct store *store, int64_t message_id);
