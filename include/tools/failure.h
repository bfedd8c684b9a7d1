/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failure: the ways a tool call can end badly, each with its code, whether trying again can
 * help, and the next step. One table, so that an agent hears the same words everywhere.
 */
#ifndef TOOLS_FAILURE_H
#define TOOLS_FAILURE_H

#include "mcp/tool.h"
#include "sms/sim.h"

enum failure {
	FAILURE_INVALID_ARGUMENTS,
	FAILURE_INVALID_NUMBER,
	FAILURE_INVALID_TEXT,
	FAILURE_TEXT_TOO_LONG,
	FAILURE_SUBSCRIPTION_REQUIRED,
	FAILURE_SUBSCRIPTION_UNKNOWN,
	FAILURE_ASKING_DECLINED,
	FAILURE_APPROVAL_REJECTED, /* by the owner */
	FAILURE_PERSON_REJECTED,   /* also approval_rejected, by who was asked */
	FAILURE_SIM_ABSENT,
	FAILURE_SIM_LOCKED,
	FAILURE_MODEM_OFF,
	FAILURE_NOT_REGISTERED,
	FAILURE_QUEUE_FULL,
	FAILURE_STORAGE_FULL,
	FAILURE_NETWORK_REFUSED,
	FAILURE_NOT_DELIVERED,
	FAILURE_UNKNOWN_OUTCOME,
	FAILURE_CANCELLED,
	FAILURE_EXPIRED,
	FAILURE_NOT_FOUND,
	FAILURE_KEY_NOT_FOUND, /* also not_found, with another way on */
	FAILURE_KEY_TAKEN,
	FAILURE_TOO_LATE,
	FAILURE_OFONO_UNAVAILABLE,
	FAILURE_INTERNAL,
};

/* A failure that would be answered: what a check found, or a dry run collects. */
struct refusal {
	enum failure failure;
	const char *message; /* NULL: out of memory */
};

const char *failure_code(enum failure failure);
const char *failure_fix(enum failure failure);

/* Finishes the call with more members in the JSON block, see struct tool_error. */
void failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			 void (*more)(struct json_writer *writer, const void *data),
			 const void *data);

/* Finishes the call. `message` says what went wrong this time; NULL: out of memory. */
void failure_answer(struct tool_call *call, enum failure failure, const char *message);

/* The failure with this code ("network_refused"), as the outbox gives reasons. */
enum failure failure_of_code(const char *code);

/* Why a SIM in this state cannot send. Not for SIM_READY. */
enum failure failure_of_sim_state(enum sim_state state);

#endif
