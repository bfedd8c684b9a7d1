/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/failure.h"

#include <string.h>

static const struct failure_words table[] = {
	[FAILURE_INVALID_ARGUMENTS] = {
		"invalid_arguments",
		"Call again with arguments that fit the tool's inputSchema.",
	},
	[FAILURE_INVALID_NUMBER] = {
		"invalid_number",
		"Give the number as + and country code, for example +36201234567. "
		"find_contact, where it is offered, finds the numbers of people by name.",
	},
	[FAILURE_INVALID_TEXT] = {
		"invalid_text",
		"Change the text and call again.",
	},
	[FAILURE_TEXT_TOO_LONG] = {
		"text_too_long",
		"Shorten the text, or send it as several messages.",
	},
	[FAILURE_SUBSCRIPTION_REQUIRED] = {
		"subscription_required",
		"Call again with subscription_id set to one of these.",
	},
	[FAILURE_SUBSCRIPTION_UNKNOWN] = {
		"subscription_unknown",
		"Call get_sms_subscriptions and use a subscription_id from its answer.",
	},
	[FAILURE_ASKING_DECLINED] = {
		"asking_declined",
		"Do not try again by yourself: nothing was sent, and your person knows why.",
	},
	[FAILURE_APPROVAL_REJECTED] = {
		"approval_rejected",
		"Do not try again, nor with other words: nothing was sent. Ask your person what "
		"they want instead.",
	},
	[FAILURE_PERSON_REJECTED] = {
		"approval_rejected",
		"Do not try again, nor with other words: nothing was sent, and your person "
		"knows why.",
	},
	[FAILURE_SIM_ABSENT] = {
		"sim_absent",
		"Ask the owner to insert the SIM, or to switch its modem on; "
		"get_sms_subscriptions lists the SIMs that are there.",
	},
	[FAILURE_SIM_LOCKED] = {
		"sim_locked",
		"Ask the owner to unlock the SIM on the phone (ofono-mcp unlock). Never "
		"ask for its PIN here.",
	},
	[FAILURE_SIM_HELD] = {
		"sim_locked",
		"Nothing was sent, and trying again does not help. Use another SIM, or ask the "
		"owner, who gets the code of that lock from the seller of the phone.",
	},
	[FAILURE_SIM_RESTRICTED] = {
		"sim_restricted",
		"Nothing was sent, and trying again does not help: oFono sends no messages "
		"with such a card. Use another SIM, or ask the owner to end fixed or barred "
		"dialling, in another phone, with the PIN2 of the card.",
	},
	[FAILURE_MODEM_OFF] = {
		"modem_off",
		"Ask the owner to switch the modem on, or to end flight mode on the phone.",
	},
	[FAILURE_NOT_REGISTERED] = {
		"not_registered",
		"Nothing was sent. Try again when the phone has reception.",
		true, 30,
	},
	[FAILURE_SIM_DUPLICATE] = {
		"sim_duplicate",
		"Nothing was sent: two modems show this SIM, and oFono would send the message "
		"from each. Ask the owner to switch one of them off (ofono-mcp modem off).",
	},
	[FAILURE_MODEM_STUCK] = {
		"modem_stuck",
		"Nothing was sent. Use another SIM, or ask the owner to switch the modem off "
		"and on (ofono-mcp modem off, ofono-mcp modem on).",
		true, 300,
	},
	[FAILURE_PAUSED] = {
		"paused_by_owner",
		"Nothing was accepted. Only the owner can end the pause; do not try again "
		"before your person says so.",
	},
	[FAILURE_SCOPE] = {
		"insufficient_scope",
		"Do not try again. Only the owner can change what this client may do.",
	},
	[FAILURE_SUBSCRIPTION_NOT_ALLOWED] = {
		"subscription_not_allowed",
		"Use another SIM that get_gateway_status lists for you; only the owner can "
		"allow this one.",
	},
	[FAILURE_EMERGENCY_NUMBER] = {
		"emergency_number_blocked",
		"Never try to reach an emergency service through this gateway. Tell your "
		"person to call the number.",
	},
	[FAILURE_PREMIUM_NUMBER] = {
		"premium_number_blocked",
		"Use an ordinary number. Only the owner can allow numbers that may cost "
		"extra.",
	},
	[FAILURE_INTERNATIONAL] = {
		"international_blocked",
		"Only the owner can allow numbers of other countries. Check that the number "
		"is right.",
	},
	[FAILURE_RECIPIENT_NOT_ALLOWED] = {
		"recipient_not_allowed",
		"Do not try other ways to reach this number. Only the owner can allow it.",
	},
	[FAILURE_RECIPIENT_OPTED_OUT] = {
		"recipient_opted_out",
		"Do not write to this number again. It can be written to when START comes "
		"from it.",
	},
	[FAILURE_QUIET_HOURS] = {
		"quiet_hours",
		"Nothing was accepted. Try again then, or call with send_at set to a time "
		"after that.",
		true, 60,
	},
	[FAILURE_QUIET_FOR_CALLS] = {
		"quiet_hours",
		"Nobody was called. Try again then.",
		true, 60,
	},
	[FAILURE_LOOP] = {
		"loop_suspected",
		"Do not answer this number by yourself: something there answers by itself, "
		"too. Ask your person.",
		true, 3600,
	},
	[FAILURE_RATE_LIMITED] = {
		"rate_limited",
		"Nothing was accepted. Wait for that time before the next call; the owner "
		"sets the limits.",
		true, 60,
	},
	[FAILURE_BUDGET_EXHAUSTED] = {
		"budget_exhausted",
		"Nothing was accepted. Tell your person: only the owner can raise the "
		"budget before the month is over.",
		true, 3600,
	},
	[FAILURE_BALANCE_LOW] = {
		"budget_exhausted",
		"Nothing was accepted. Ask your person to top up the SIM; then call send_ussd "
		"with that code, and what it reads counts at once.",
		true, 3600,
	},
	[FAILURE_QUEUE_FULL] = {
		"queue_full",
		"Nothing was accepted. Wait until messages have gone out, or cancel "
		"some with cancel_sms.",
		true, 60,
	},
	[FAILURE_STORAGE_FULL] = {
		"storage_full",
		"Nothing was accepted. Ask the owner to free space on the phone; sending "
		"works again by itself as soon as there is room.",
	},
	[FAILURE_NETWORK_REFUSED] = {
		"network_refused",
		"Check the number and the SIM's credit; segments before the refused one may "
		"have been delivered.",
	},
	[FAILURE_NOT_DELIVERED] = {
		"not_delivered",
		"The network took it, so it was paid for. Check the number, and ask your "
		"person before sending it again.",
	},
	[FAILURE_UNKNOWN_OUTCOME] = {
		"unknown_outcome",
		"Do not send it again without asking the person: it may have been delivered.",
	},
	[FAILURE_CANCELLED] = {
		"cancelled",
		"Somebody took it back. Ask your person before sending it again.",
	},
	[FAILURE_EXPIRED] = {
		"expired",
		"It was not sent, and will not be. Send it again if it is still wanted.",
	},
	[FAILURE_NOT_FOUND] = {
		"not_found",
		"Call list_sms and use a message_id from its answer.",
	},
	[FAILURE_KEY_NOT_FOUND] = {
		"not_found",
		"If the message is still wanted, call send_sms with this idempotency_key.",
	},
	[FAILURE_KEY_TAKEN] = {
		"duplicate_suppressed",
		"Nothing was sent. Call again with an idempotency_key that was never used, or "
		"ask with get_sms_status what became of the first message.",
	},
	[FAILURE_TOO_LATE] = {
		"too_late",
		"It cannot be taken back any more; get_sms_status tells what became of it.",
	},
	[FAILURE_DECIDED] = {
		"too_late",
		"Nothing was changed; list_approvals tells which messages wait.",
	},
	[FAILURE_OWN_MESSAGE] = {
		"own_message",
		"Somebody else has to decide: the owner with ofono-mcp approve, or another "
		"client with the scope admin.",
	},
	[FAILURE_CODE_NOT_ALLOWED] = {
		"code_not_allowed",
		"Nothing was dialled. Do not try other codes: only the owner can allow one.",
	},
	[FAILURE_USSD_BUSY] = {
		"ussd_busy",
		"Nothing was dialled. Try again when the dialogue before is over.",
		true, 30,
	},
	[FAILURE_USSD_UNAVAILABLE] = {
		"ussd_unavailable",
		"Nothing was dialled. Ask the owner to run ofono-mcp doctor on the phone.",
	},
	[FAILURE_USSD_FAILED] = {
		"ussd_failed",
		"Check the code with your person; do not dial it again by yourself.",
	},
	[FAILURE_NO_DIALOGUE] = {
		"no_dialogue",
		"Call again with the code and without reply: the dialogue begins anew.",
	},
	[FAILURE_CALL_BUSY] = {
		"call_busy",
		"Nothing was dialled. Try again when that call is over.",
		true, 60,
	},
	[FAILURE_CALL_UNAVAILABLE] = {
		"call_unavailable",
		"Nothing was dialled. Ask the owner to run ofono-mcp doctor on the phone.",
	},
	[FAILURE_CALL_FAILED] = {
		"call_failed",
		"Nobody was called. Check the number, the SIM's credit and the reception with "
		"your person before you call again.",
	},
	[FAILURE_CALL_UNKNOWN] = {
		"unknown_outcome",
		"Do not call again without asking your person: it may have rung. The gateway "
		"hangs up as soon as it sees the call.",
	},
	[FAILURE_CALL_NOT_FOUND] = {
		"not_found",
		"Use the call_id that place_call answered; a call that the gateway does not "
		"know any more is not one that goes on.",
	},
	[FAILURE_CALL_COMES_IN] = {
		"call_comes_in",
		"Tell your person that somebody calls: only who holds the phone can answer or "
		"reject that.",
	},
	[FAILURE_CALL_REJECTED] = {
		"approval_rejected",
		"Do not try again: nobody was called. Ask your person what they want instead.",
	},
	[FAILURE_NOT_YOUR_CALL] = {
		"not_your_call",
		"Only the client that placed a call ends it, unless the owner allows more; it "
		"ends by itself when its time is over.",
	},
	[FAILURE_APPROVAL_REQUIRED] = {
		"approval_required",
		"Nobody was called. A call does not wait for the owner as a message does: ask "
		"your person to call, or to let this client call.",
	},
	[FAILURE_OFONO_ACCESS] = {
		"ofono_access_denied",
		"Nothing was sent, and trying again does not help. Ask the owner to add the "
		"gateway's user to the group sailfish-radio, or to allow it in "
		"/etc/ofono/dbusaccess.conf; ofono-mcp doctor on the phone says how.",
	},
	[FAILURE_OFONO_UNAVAILABLE] = {
		"ofono_unavailable",
		"Nothing was sent. Try again shortly; if it stays so, ask the owner to start "
		"oFono on the phone.",
		true, 10,
	},
	[FAILURE_INTERNAL] = {
		"internal",
		"Ask the owner to look at the gateway's log.",
	},
};

const struct failure_words *failure_words(enum failure failure)
{
	return &table[failure];
}

enum failure failure_of_code(const char *code)
{
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].code, code) == 0)
			return i;
	}
	return FAILURE_INTERNAL;
}
