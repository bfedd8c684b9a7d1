/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool_failure.h"

#include "numbers/phone_number.h"
#include "ofono/modem.h"
#include "tools/services.h"

/*
 * A refusal comes before anything was accepted, sent or dialled. The failures listed here come
 * after that; the message store and the audit log have them already.
 */
static bool tool_failure_is_refusal(enum failure failure)
{
	switch (failure) {
	case FAILURE_NETWORK_REFUSED:
	case FAILURE_NOT_DELIVERED:
	case FAILURE_UNKNOWN_OUTCOME:
	case FAILURE_CANCELLED:
	case FAILURE_EXPIRED:
	case FAILURE_APPROVAL_REJECTED:
	case FAILURE_NOT_ON_DISK:
	case FAILURE_USSD_FAILED:
	case FAILURE_CALL_FAILED:
	case FAILURE_CALL_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* A caller may pass anything as a number: the audit log gets it only if it is one. */
void tool_failure_audit(const struct tool_call *call, enum failure failure,
			const char *recipient)
{
	char number[PHONE_NUMBER_BYTES];

	if (call->into || !tool_failure_is_refusal(failure) || !call->tool->audit_refusal)
		return;
	if (!recipient || phone_number_parse(recipient, number) != PHONE_NUMBER_OK)
		number[0] = '\0';
	call->tool->audit_refusal(call->services->audit, call->client, number,
				  failure_words(failure)->code);
}

/* What follows the usual members of an error. */
struct tool_failure_more {
	int64_t fits;
	void (*more)(struct json_writer *writer, const void *data);
	const void *data;
};

static void tool_failure_put_more(struct json_writer *writer, const void *data)
{
	const struct tool_failure_more *all = data;

	if (all->fits)
		json_put_integer(writer, "fits", all->fits);
	if (all->more)
		all->more(writer, all->data);
}

void tool_failure_answer_with(struct tool_call *call, const struct refusal *refusal,
			      void (*more)(struct json_writer *writer, const void *data),
			      const void *data)
{
	const struct failure_words *words = failure_words(refusal->failure);
	const struct tool_failure_more all = { refusal->fits, more, data };
	struct tool_error error = {
		.code = words->code,
		.message = refusal->message ? refusal->message
					    : "The gateway is out of memory.",
		.fix = failure_fix(refusal),
		.is_refusal = tool_failure_is_refusal(refusal->failure),
		.retryable = words->retryable,
		.retry_after_seconds = refusal->retry_after_seconds
					       ? (int)refusal->retry_after_seconds
					       : words->retry_after_seconds,
		.more = tool_failure_put_more,
		.data = &all,
	};

	tool_failure_audit(call, refusal->failure,
			   json_string(json_member(call->arguments, "to_phone_number")));
	tool_call_fail(call, &error);
}

void tool_failure_answer(struct tool_call *call, enum failure failure,
			 const char *message)
{
	struct refusal refusal = { failure, message };

	tool_failure_answer_with(call, &refusal, NULL, NULL);
}

enum failure tool_failure_of_sim(const struct sim *sim)
{
	if (sim->modem && sim->modem->has_other_hub)
		return FAILURE_STALE_HUB;
	switch (sim->state) {
	case SIM_LOCKED:
		return modem_sim_lock_of(&sim->modem->sim) == SIM_LOCK_OTHER
			       ? FAILURE_SIM_HELD
			       : FAILURE_SIM_LOCKED;
	case SIM_OFFLINE:
	case SIM_OFF:
		return FAILURE_MODEM_OFF;
	case SIM_ABSENT:
		return FAILURE_SIM_ABSENT;
	case SIM_DUPLICATE:
		return FAILURE_SIM_DUPLICATE;
	case SIM_STUCK:
		return FAILURE_MODEM_STUCK;
	case SIM_STARTING:
		return modem_sim_is_restricted(&sim->modem->sim) ? FAILURE_SIM_RESTRICTED
								 : FAILURE_NOT_REGISTERED;
	case SIM_READY:
	case SIM_SEARCHING:
		return FAILURE_NOT_REGISTERED;
	}
	return FAILURE_INTERNAL;
}
