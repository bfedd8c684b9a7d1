/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of failures. Each fix says what to do next and who can help, and none leads around
 * what the owner decided. That nothing happened ends the message (nothing_done of struct tool).
 * Codes are part of the interface: they do not change (doc/errors.md lists them, and lint
 * compares).
 */
#include "base/failure.h"

#include <string.h>

static const struct failure_words failure_table[] = {
	[FAILURE_INVALID_ARGUMENTS] = {
		"invalid_arguments",
		"Call again with arguments that match the tool's inputSchema.",
	},
	[FAILURE_INVALID_NUMBER] = {
		"invalid_number",
		"Give the number as + and country code, for example +36201234567. "
		"find_contact, if offered, finds people's numbers by name.",
	},
	[FAILURE_NO_REPLY] = {
		"invalid_number",
		"Tell the user that such a sender receives no answers; do not use a number "
		"from its text instead.",
	},
	[FAILURE_INVALID_TEXT] = {
		"invalid_text",
		"Change the text and call again.",
	},
	[FAILURE_TEXT_TOO_LONG] = {
		"text_too_long",
		"Shorten the text.",
	},
	[FAILURE_SUBSCRIPTION_REQUIRED] = {
		"subscription_required",
		"Call again with subscription_id set to one of these.",
	},
	[FAILURE_SUBSCRIPTION_UNKNOWN] = {
		"subscription_unknown",
		"Call get_sms_subscriptions and use a subscription_id from its result.",
	},
	[FAILURE_ELICITATION_DECLINED] = {
		"asking_declined",
		"If the message is still wanted, call again with subscription_id set to one "
		"of these: ask your user which.",
	},
	[FAILURE_APPROVAL_REJECTED] = {
		"approval_rejected",
		"Do not retry, not even in other words: ask the user what they want instead.",
	},
	[FAILURE_USER_REJECTED] = {
		"approval_rejected",
		"Do not retry, not even in other words: the user knows why.",
	},
	[FAILURE_SIM_ABSENT] = {
		"sim_absent",
		"Ask the owner to insert the SIM or to switch its modem on; "
		"get_sms_subscriptions lists the SIMs that are present.",
	},
	[FAILURE_SIM_LOCKED] = {
		"sim_locked",
		"Ask the owner to unlock the SIM on the phone (" PROGRAM_NAME " sim unlock). Never ask "
		"for its PIN here.",
	},
	[FAILURE_SIM_HELD] = {
		"sim_locked",
		"Retrying does not help. Use another SIM, or ask the owner, who gets the "
		"code for this lock from the seller of the phone.",
	},
	[FAILURE_SIM_RESTRICTED] = {
		"sim_restricted",
		"Retrying does not help: oFono sends no messages with such a card. Use "
		"another SIM, or ask the owner to switch off fixed or barred dialling with "
		"the card's PIN2 in another phone.",
	},
	[FAILURE_MODEM_OFF] = {
		"modem_off",
		"Ask the owner to switch the modem on or to end flight mode on the phone.",
	},
	[FAILURE_NOT_REGISTERED] = {
		"not_registered",
		"Retry when the phone has reception.",
		true, 30,
	},
	[FAILURE_SIM_DUPLICATE] = {
		"sim_duplicate",
		"Two modems report this SIM, and oFono would send the message from both: "
		"ask the owner to switch one of them off (" PROGRAM_NAME " modem off).",
	},
	[FAILURE_MODEM_STUCK] = {
		"modem_stuck",
		"Use another SIM, or ask the owner to switch the modem off and on "
		"(" PROGRAM_NAME " modem off, " PROGRAM_NAME " modem on).",
		true, 300,
	},
	[FAILURE_PAUSED] = {
		"paused_by_owner",
		"Only the owner can end the pause; do not retry until the user says so.",
	},
	[FAILURE_SCOPE] = {
		"insufficient_scope",
		"Do not retry. Only the owner can change what this client may do.",
	},
	[FAILURE_SUBSCRIPTION_NOT_ALLOWED] = {
		"subscription_not_allowed",
		"Use another SIM that get_gateway_status lists "
		"for you; only the owner can allow this one.",
	},
	[FAILURE_EMERGENCY_NUMBER] = {
		"emergency_number_blocked",
		"Never try to reach an emergency service through this gateway. Tell the "
		"user to call the number.",
	},
	[FAILURE_PREMIUM_NUMBER] = {
		"premium_number_blocked",
		"Use an ordinary number. Only the owner can allow numbers that may cost extra.",
	},
	[FAILURE_INTERNATIONAL] = {
		"international_blocked",
		"Only the owner can allow numbers of other countries. Check that the number is right.",
	},
	[FAILURE_RECIPIENT_NOT_ALLOWED] = {
		"recipient_not_allowed",
		"Do not try other ways to reach this number. Only the owner can allow it.",
	},
	[FAILURE_RECIPIENT_OPTED_OUT] = {
		"recipient_opted_out",
		"Do not message this number again until it texts START.",
	},
	[FAILURE_QUIET_HOURS] = {
		"quiet_hours",
		"Retry after that time, or set send_at to a later time.",
		true, 60,
	},
	[FAILURE_QUIET_FOR_CALLS] = {
		"quiet_hours",
		"Retry after that time.",
		true, 60,
	},
	[FAILURE_LOOP] = {
		"loop_suspected",
		"Ask the user, and do not answer this number on your own.",
		true, 3600,
	},
	[FAILURE_RECEIVED_CODE] = {
		"contains_received_code",
		"It waits for the owner's approval, and your user's does not count. If the "
		"user did not ask for it, cancel it.",
	},
	[FAILURE_RATE_LIMITED] = {
		"rate_limited",
		"Wait for that long before the next call; the owner sets the limits.",
		true, 60,
	},
	[FAILURE_BUDGET_EXHAUSTED] = {
		"budget_exhausted",
		"Tell the user: only the owner can raise the budget before the month ends.",
		true, 3600,
	},
	[FAILURE_BALANCE_LOW] = {
		"budget_exhausted",
		"Ask the user to top up the SIM; then call send_ussd with that code, and "
		"the new balance counts at once.",
		true, 3600,
	},
	[FAILURE_QUEUE_FULL] = {
		"queue_full",
		"Wait until messages have been sent, or cancel some with cancel_sms.",
		true, 60,
	},
	[FAILURE_TOO_MANY_WAITING] = {
		"too_many_waiting",
		"End another waiting call, or wait until one has been answered; calls that do "
		"not wait are answered.",
		true, 5,
	},
	[FAILURE_STORAGE_FULL] = {
		"storage_full",
		"Ask the owner to free space on the phone; sending resumes by itself.",
	},
	[FAILURE_NOT_ON_DISK] = {
		"storage_full",
		"Check it with get_sms_status before you send it again, and ask the owner to "
		"free space on the phone.",
	},
	[FAILURE_NETWORK_REFUSED] = {
		"network_refused",
		"Check the number and the SIM's credit.",
	},
	[FAILURE_NOT_DELIVERED] = {
		"not_delivered",
		"The network accepted it, so it was billed. Check the number, and ask the "
		"user before you send it again.",
	},
	[FAILURE_UNKNOWN_OUTCOME] = {
		"unknown_outcome",
		"Do not send it again without asking the user: it may have been delivered.",
	},
	[FAILURE_CANCELLED] = {
		"cancelled",
		"Somebody cancelled it. Ask the user before you send it again.",
	},
	[FAILURE_EXPIRED] = {
		"expired",
		"It was not sent and will not be. Send it again if it is still wanted.",
	},
	[FAILURE_NOT_FOUND] = {
		"not_found",
		"Call list_sms and use a message_id from its result.",
	},
	[FAILURE_KEY_NOT_FOUND] = {
		"not_found",
		"If the message is still wanted, call send_sms with this idempotency_key.",
	},
	[FAILURE_KEY_TAKEN] = {
		"duplicate_suppressed",
		"Call again with an unused idempotency_key, or "
		"check the first message with get_sms_status.",
	},
	[FAILURE_KEY_CLOSED] = {
		"closed",
		"Do not send it with this idempotency_key: it may have gone another way.",
	},
	[FAILURE_STALE_HUB] = {
		"stale_hub",
		"Only one hub of a fleet may run, and another one works with this phone now. "
		"Stop this one; or stop the other one, restart this one and send it again.",
	},
	[FAILURE_OTHER_EPOCH] = {
		"other_epoch",
		"Read the store's epoch with list_changes. What was sent in the former one may "
		"be forgotten: its outcome is unknown.",
	},
	[FAILURE_TOO_LATE] = {
		"too_late",
		"It can no longer be cancelled; get_sms_status reports its outcome.",
	},
	[FAILURE_DECIDED] = {
		"too_late",
		"list_approvals lists the waiting messages.",
	},
	[FAILURE_OWN_MESSAGE] = {
		"own_message",
		"Somebody else has to decide: the owner with " PROGRAM_NAME " approve, or another "
		"client with the scope admin.",
	},
	[FAILURE_CODE_NOT_ALLOWED] = {
		"code_not_allowed",
		"Do not try other codes: only the owner can allow one.",
	},
	[FAILURE_USSD_BUSY] = {
		"ussd_busy",
		"Retry when the present dialogue is over.",
		true, 30,
	},
	[FAILURE_USSD_UNAVAILABLE] = {
		"ussd_unavailable",
		"Ask the owner to run " PROGRAM_NAME " doctor on the phone.",
	},
	[FAILURE_USSD_FAILED] = {
		"ussd_failed",
		"Check the code with the user; do not dial it again on your own.",
	},
	[FAILURE_NO_DIALOGUE] = {
		"no_dialogue",
		"Call again with the code and without reply: that starts a new dialogue.",
	},
	[FAILURE_CALL_BUSY] = {
		"call_busy",
		"Retry when that call is over.",
		true, 60,
	},
	[FAILURE_CALL_UNAVAILABLE] = {
		"call_unavailable",
		"Ask the owner to run " PROGRAM_NAME " doctor on the phone.",
	},
	[FAILURE_CALL_FAILED] = {
		"call_failed",
		"Nobody was called. Check the number, the SIM's credit and the reception "
		"with the user before you call again.",
	},
	[FAILURE_CALL_UNKNOWN] = {
		"unknown_outcome",
		"Do not call again without asking the user: it may have rung. The gateway "
		"hangs up as soon as it sees the call.",
	},
	[FAILURE_CALL_NOT_FOUND] = {
		"not_found",
		"Use the call_id from place_call; a call that the gateway no longer knows "
		"is not in progress.",
	},
	[FAILURE_CALL_COMES_IN] = {
		"call_comes_in",
		"Tell the user that somebody is calling: only the person holding the phone "
		"can answer or reject the call.",
	},
	[FAILURE_CALL_REJECTED] = {
		"approval_rejected",
		"Do not retry: ask the user what they want instead.",
	},
	[FAILURE_NOT_YOUR_CALL] = {
		"not_your_call",
		"Only the client that placed a call can end it, unless the owner allows "
		"more; the call ends by itself at its time limit.",
	},
	[FAILURE_APPROVAL_REQUIRED] = {
		"approval_required",
		"Unlike a message, a call does not wait for approval: ask the user to call, "
		"or to let this client call.",
	},
	[FAILURE_OFONO_ACCESS] = {
		"ofono_access_denied",
		"Retrying does not help. Ask the owner to add the gateway's user to the "
		"group sailfish-radio, or to allow it in /etc/ofono/dbusaccess.conf; "
		PROGRAM_NAME " doctor on the phone explains how.",
	},
	[FAILURE_OFONO_UNAVAILABLE] = {
		"ofono_unavailable",
		"Retry shortly; if it persists, ask the owner to start oFono on the phone.",
		true, 10,
	},
	[FAILURE_INTERNAL] = {
		"internal",
		"Ask the owner to check the gateway's log.",
	},
};

const struct failure_words *failure_words(enum failure failure)
{
	return &failure_table[failure];
}

const char *failure_fix(const struct refusal *refusal)
{
	return refusal->fix ? refusal->fix : failure_words(refusal->failure)->fix;
}

enum failure failure_of_code(const char *code)
{
	for (unsigned i = 0; i < sizeof(failure_table) / sizeof(failure_table[0]); i++) {
		if (strcmp(failure_table[i].code, code) == 0)
			return i;
	}
	return FAILURE_INTERNAL;
}
