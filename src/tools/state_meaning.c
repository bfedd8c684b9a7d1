/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/state_meaning.h"

#include <stdio.h>
#include <string.h>

static const char *const state_meanings[STATE_LAST + 1] = {
	[STATE_QUEUED] = "It is on disk and waits in the gateway; it goes out by itself "
			 "as soon as its SIM can send.",
	[STATE_SUBMITTING] = "It is being handed to oFono.",
	[STATE_SUBMITTED] = "oFono has it, and the network has not confirmed it yet.",
	[STATE_HELD] = "oFono keeps it until modem and SIM are back.",
	[STATE_SENT] = "The network took it. That does not prove that anybody got it.",
	[STATE_FAILED] = "It was not sent, and will not be.",
	[STATE_CANCELLED] = "It was taken back before it was sent.",
	[STATE_UNKNOWN] = "Nobody can tell whether it was sent. The gateway never sends "
			  "it again; ask your person before you do.",
	[STATE_RECEIVED] = "It came in and is on disk.",
	[STATE_SCHEDULED] = "It waits in the gateway for its time.",
	[STATE_WAITING_APPROVAL] = "It waits for the owner's yes.",
	[STATE_DELIVERED] = "A delivery report says that it arrived on the recipient's "
			    "phone. That does not prove that it was read.",
	[STATE_EXPIRED] = "It could not be sent in time, and will not be.",
};

static const struct {
	const char *reason, *meaning;
} reason_meanings[] = {
	{ "network_refused", "The network did not take it: the number may be wrong, the "
			     "SIM without credit, or the service barred." },
	{ "unknown_outcome", "oFono gave no answer, or went away with it." },
	{ "ofono_unavailable", "oFono did not take it, or the policy of the bus does not "
			       "let the gateway send." },
	{ "ofono_access_denied",
	  "oFono does not let the gateway's user send messages. Cure: the group "
	  "sailfish-radio, or /etc/ofono/dbusaccess.conf." },
	{ "invalid_number", "oFono takes no such number." },
	{ "invalid_text", "oFono cannot encode a character of the text." },
	{ "text_too_long", "The text was too long for oFono." },
	{ "client_left", "Who asked for it left before it was answered; asked for again, "
			 "it is a new message." },
	{ "recipient_opted_out", "STOP came from that number while it waited." },
	{ "client_revoked", "The owner revoked the client that sent it." },
	{ "cancel_wanted", "It is to be cancelled: the gateway asks oFono as soon as its "
			   "modem is back, but it may be on the air by then." },
	{ "restored", "The ledger was restored from a backup while the message was not "
		      "finished; what became of it after that backup cannot be known." },
	{ "ledger_damaged", "The gateway's records were damaged while the message was "
			    "not finished." },
	{ "modem_away", "Its modem or SIM went away, or oFono did." },
	{ "gateway_restarted", "The gateway was not there to hear what became of it; it "
			       "asks oFono." },
	{ "not_taken", "oFono could not be reached when it was to be handed over." },
	{ "validity_over", "It was valid until then, as was asked for." },
	{ "approved_by_owner", "The owner said yes; that is good for ten minutes." },
	{ "approved_by_person",
	  "The person was asked by the client and said yes; that is "
	  "good for ten minutes." },
	{ "approval_rejected", "The owner said no." },
	{ "approval_not_given", "Nobody said yes in time." },
	{ "approval_expired", "The yes was good for ten minutes, and it could not be "
			      "handed over within them." },
	{ "paused_by_owner",
	  "The owner paused the gateway; it goes on when the pause is over." },
	{ "clock_unknown",
	  "The phone's clock is not set, or is behind a time that it has shown before, "
	  "so "
	  "nobody knows whether it is due or still valid; it goes on when the time is "
	  "known." },
	{ "not_delivered", "A report says that the network gave up delivering it." },
};

static const char *explain_reason(const char *reason)
{
	for (size_t i = 0; i < sizeof(reason_meanings) / sizeof(*reason_meanings); i++) {
		if (strcmp(reason_meanings[i].reason, reason) == 0)
			return reason_meanings[i].meaning;
	}
	return "";
}

void state_meaning_write(char text[STATE_MEANING_BYTES], enum message_state state,
			 const char *reason)
{
	const char *why = explain_reason(reason);

	snprintf(text, STATE_MEANING_BYTES, "%s%s%s", state_meanings[state],
		 *why ? " " : "", why);
}

void state_meaning_put(struct json_writer *writer, enum message_state state,
		       const char *reason)
{
	char text[STATE_MEANING_BYTES];

	state_meaning_write(text, state, reason);
	json_put_string(writer, "meaning", text);
}
