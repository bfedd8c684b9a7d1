/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two things about a message are not in its row of the store and are found out each time it
 * is shown: what its text contains (links, one-time codes, characters to escape), which
 * becomes "flags" and decides about masking; and whether it waits for the owner's pause to
 * end or for the clock to be set, which replaces the stored reason.
 */
#include "tools/message_view.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "sms/code_mask.h"
#include "sms/extract.h"
#include "sms/sender.h"
#include "tools/services.h"

enum { MESSAGE_VIEW_SENT_TIME_LENGTH = sizeof("2026-03-04T05:06:07+0100") - 1 };

static const char *const message_view_directions[] = {
	[MESSAGE_OUTGOING] = "out",
	[MESSAGE_INCOMING] = "in",
	NULL,
};

const struct schema_field message_view_fields[] = {
	{ "message_id", SCHEMA_INTEGER, true, "Grows with every message" },
	{ "direction", SCHEMA_STRING, true, "in: received; out: sent from here",
	  .words = message_view_directions },
	{ "phone_number", SCHEMA_STRING, true,
	  "The other end: a number, or a name that any sender may have chosen" },
	VIEW_CONTACT_FIELD,
	{ "trust", SCHEMA_STRING, false,
	  "in: owner: one of the owner's numbers; contact: the owner has a name for it; "
	  "known: a message was sent to it before; unknown; alphanumeric: a name, no "
	  "number; blocked: the owner blocked it. Senders can be forged: it proves "
	  "nothing",
	  .words = sender_trust_words },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM that received or sends it; left out when unknown" },
	{ "text", SCHEMA_STRING, true,
	  "Invisible characters and those that change the reading order are escaped, as "
	  "\\u{202E}; so is a backslash before u{, as \\u{5C}" },
	{ "masked", SCHEMA_BOOLEAN, false,
	  "true: one-time codes in the text are shown as ******; this client may not "
	  "read "
	  "them" },
	{ "state", SCHEMA_STRING, true,
	  "received, or the state of an outgoing message: see get_sms_status" },
	{ "reason", SCHEMA_STRING, false, "Why it is in this state" },
	{ "created_at", SCHEMA_STRING, true,
	  "This phone's clock when it was received or accepted for sending" },
	{ "sent_time", SCHEMA_STRING, false,
	  "in: the network's timestamp, which may be wrong; left out when there is "
	  "none" },
	{ "read", SCHEMA_BOOLEAN, false, "in: marked by mark_sms_read" },
	{ "flags", SCHEMA_ARRAY, true,
	  "contains_link; looks_like_code: contains a one-time code; "
	  "escaped: characters in text, phone_number or contact_name are escaped; "
	  "repaired: emoji that oFono damaged were restored; "
	  "undecodable_or_empty: the content is lost; "
	  "immediate: meant to be shown at once (class 0); "
	  "clock_wrong: created_at cannot be right; "
	  "repeated N: received N more times",
	  .items = SCHEMA_STRING },
	{ 0 },
};

/* What the text of a message contains. */
struct message_view_findings {
	bool link, code, escaped;
};

bool message_view_masks(const struct view *view, const struct message *message)
{
	const struct client *client = view->client;

	if (client && client->scopes & CLIENT_CODES)
		return false;
	return message->direction == MESSAGE_INCOMING || !client ||
	       message->client_id != client->id;
}

bool message_view_contains(const struct view *view, const struct message *message,
			   const char *words)
{
	struct buffer masked = BUFFER_INIT;
	bool contains = true;

	if (!words || !message_view_masks(view, message))
		return true;
	if (code_mask(message->text, &masked)) {
		buffer_append(&masked, "", 1);
		contains = !masked.failed && strcasestr(masked.data, words);
	}
	buffer_deinit(&masked);
	return contains;
}

static void message_view_put_party(const struct view *view, const struct message *message,
				   struct message_view_findings *findings)
{
	struct json_writer *writer = view->writer;

	findings->escaped = view_put_line(writer, "phone_number", message->number);
	findings->escaped |= view_put_contact(writer, view->services, message->number);
	if (message->direction == MESSAGE_INCOMING)
		view_put_trust(writer, view->services, message->sim_id, message->number);
	if (message->sim_id)
		json_put_integer(writer, "subscription_id", message->sim_id);
}

static void message_view_put_message_text(const struct view *view,
					  const struct message *message,
					  struct message_view_findings *findings)
{
	struct buffer masked = BUFFER_INIT;
	const char *text = message->text;
	bool masks;

	findings->link = extract_has_link(message->text);
	findings->code = code_mask(message->text, &masked);
	masks = findings->code && message_view_masks(view, message);
	if (masks) {
		buffer_append(&masked, "", 1);
		text = masked.failed ? "(out of memory: ask again)" : masked.data;
	}
	findings->escaped |= view_put_text(view->writer, "text", text);
	if (masks)
		json_put_boolean(view->writer, "masked", true);
	buffer_deinit(&masked);
}

/* oFono writes the UTC offset without the colon that RFC 3339 requires. */
static void message_view_put_sent_time(struct json_writer *writer, const char *sent_time)
{
	char text[MESSAGE_VIEW_SENT_TIME_LENGTH + 2];
	size_t length = strlen(sent_time);

	if (length == 0)
		return;
	if (length != MESSAGE_VIEW_SENT_TIME_LENGTH ||
	    !strchr("+-", sent_time[length - 5])) {
		view_put_line(writer, "sent_time", sent_time);
		return;
	}
	snprintf(text, sizeof(text), "%.*s:%s", (int)length - 2, sent_time,
		 sent_time + length - 2);
	view_put_line(writer, "sent_time", text);
}

static void message_view_put_flags(struct json_writer *writer,
				   const struct message *message,
				   const struct message_view_findings *findings)
{
	static const struct {
		enum store_message_flag flag;
		const char *word;
	} words[] = {
		{ MESSAGE_REPAIRED, "repaired" },
		{ MESSAGE_UNREADABLE, "undecodable_or_empty" },
		{ MESSAGE_IMMEDIATE, "immediate" },
		{ MESSAGE_CLOCK_WRONG, "clock_wrong" },
	};

	json_key(writer, "flags");
	json_open_array(writer);
	if (findings->link)
		json_write_string(writer, "contains_link");
	if (findings->code)
		json_write_string(writer, "looks_like_code");
	if (findings->escaped)
		json_write_string(writer, "escaped");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (message->flags & words[i].flag)
			json_write_string(writer, words[i].word);
	}
	if (message->repeats) {
		char text[32];

		snprintf(text, sizeof(text), "repeated %u", message->repeats);
		json_write_string(writer, text);
	}
	json_close_array(writer);
}

void message_view_write(const struct view *view, const struct message *message)
{
	struct json_writer *writer = view->writer;
	struct message_view_findings findings = { 0 };

	json_open_object(writer);
	json_put_integer(writer, "message_id", message->id);
	json_put_string(writer, "direction", message_view_directions[message->direction]);
	message_view_put_party(view, message, &findings);
	message_view_put_message_text(view, message, &findings);
	json_put_string(writer, "state", message_state_name(message->state));
	if (*message->reason)
		json_put_string(writer, "reason", message->reason);
	view_put_time(writer, "created_at", message->created_ms);
	if (message->direction == MESSAGE_INCOMING) {
		message_view_put_sent_time(writer, message->sent_time);
		json_put_boolean(writer, "read", message->read_ms != 0);
	}
	message_view_put_flags(writer, message, &findings);
	json_close_object(writer);
}

bool message_view_waits_for_clock(const struct message *message)
{
	int64_t needed_ms = message->state == STATE_QUEUED	? message->expires_at_ms
			    : message->state == STATE_SCHEDULED ? message->send_at_ms
								: 0;
	int64_t now_ms = clock_wall_ms();

	if (message->state == STATE_QUEUED && needed_ms && now_ms < message->seen_ms)
		return true;
	return needed_ms >= CLOCK_SANE_MS && now_ms < CLOCK_SANE_MS;
}

const char *message_view_reason(const struct services *services,
				const struct message *message)
{
	bool waits = message->state == STATE_QUEUED || message->state == STATE_SCHEDULED;

	if (waits && policy_is_paused(services->policy))
		return failure_words(FAILURE_PAUSED)->code;
	if (message_view_waits_for_clock(message))
		return "clock_unknown";
	return message->reason;
}

static const char *const message_view_state_meanings[STATE_LAST + 1] = {
	[STATE_QUEUED] = "It is on disk and waits in the gateway; it goes out as soon as "
			 "its SIM can send.",
	[STATE_SUBMITTING] = "It is being submitted to oFono.",
	[STATE_SUBMITTED] = "oFono has it; the network has not confirmed it yet.",
	[STATE_HELD] = "oFono keeps it until modem and SIM are back.",
	[STATE_SENT] = "The network accepted it. That does not prove delivery.",
	[STATE_FAILED] = "It was not sent, and will not be.",
	[STATE_CANCELLED] = "It was cancelled before it was sent.",
	[STATE_UNKNOWN] = "It is unknown whether it was sent. The gateway never sends it "
			  "again; ask your user before you do.",
	[STATE_RECEIVED] = "It was received and is on disk.",
	[STATE_SCHEDULED] = "It waits in the gateway for its time.",
	[STATE_WAITING_APPROVAL] = "It waits for the owner's approval.",
	[STATE_DELIVERED] = "A delivery report says that it reached the recipient's "
			    "phone. That does not prove that it was read.",
	[STATE_EXPIRED] = "It could not be sent in time, and will not be.",
};

static const struct {
	const char *reason, *meaning;
} message_view_reason_meanings[] = {
	{ "network_refused",
	  "The network refused it: the number may be wrong, the SIM out "
	  "of credit, or the service barred." },
	{ "unknown_outcome", "oFono did not answer, or went away with it." },
	{ "ofono_unavailable",
	  "oFono did not accept it, or the D-Bus policy forbids the gateway to send." },
	{ "ofono_access_denied",
	  "oFono does not let the gateway's user send messages. To fix it, add the user "
	  "to the group sailfish-radio or edit /etc/ofono/dbusaccess.conf." },
	{ "invalid_number", "oFono does not accept this number." },
	{ "invalid_text", "oFono cannot encode a character of the text." },
	{ "text_too_long", "The text was too long for oFono." },
	{ "client_left",
	  "The client disconnected before it got an answer. Asked for again, "
	  "it is a new message." },
	{ "recipient_opted_out", "The recipient texted STOP while it waited." },
	{ "client_revoked", "The owner revoked the client that sent it." },
	{ "cancel_wanted", "It is to be cancelled: the gateway asks oFono as soon as the "
			   "modem is back, but it may have been sent by then." },
	{ "restored",
	  "The message store was restored from a backup while the message was "
	  "unfinished; what happened after that backup is unknown." },
	{ "store_damaged",
	  "The message store was damaged while the message was unfinished." },
	{ "modem_away", "Its modem, its SIM or oFono went away." },
	{ "gateway_restarted",
	  "The gateway was not running when its outcome came; it asks oFono." },
	{ "not_taken", "oFono could not be reached to submit it." },
	{ "validity_over", "The time that was asked for ran out." },
	{ "approved_by_owner", "The owner approved it, for ten minutes." },
	{ "approved_by_person",
	  "The user approved it through the client, for ten minutes." },
	{ "approval_rejected", "The owner rejected it." },
	{ "approval_not_given", "Nobody approved it in time." },
	{ "approval_expired", "The approval was valid for ten minutes, and it could not "
			      "be sent within them." },
	{ "paused_by_owner",
	  "The owner paused the gateway; it continues when the pause ends." },
	{ "clock_unknown",
	  "The phone's clock is not set, or runs behind a time that it has shown before, "
	  "so the gateway cannot tell whether it is due or still valid. It continues "
	  "when "
	  "the time is known." },
	{ "not_delivered", "A delivery report says that the network gave up." },
};

static const char *message_view_explain_reason(const char *reason)
{
	size_t count = sizeof(message_view_reason_meanings) /
		       sizeof(*message_view_reason_meanings);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(message_view_reason_meanings[i].reason, reason) == 0)
			return message_view_reason_meanings[i].meaning;
	}
	return "";
}

void message_view_format_meaning(char text[MESSAGE_VIEW_MEANING_BYTES],
				 enum message_state state, const char *reason)
{
	const char *why = message_view_explain_reason(reason);

	snprintf(text, MESSAGE_VIEW_MEANING_BYTES, "%s%s%s",
		 message_view_state_meanings[state], *why ? " " : "", why);
}

void message_view_put_meaning(struct json_writer *writer, enum message_state state,
			      const char *reason)
{
	char text[MESSAGE_VIEW_MEANING_BYTES];

	message_view_format_meaning(text, state, reason);
	json_put_string(writer, "meaning", text);
}

void message_view_report_progress(struct tool_call *call, int64_t message_id,
				  enum message_state state)
{
	char text[64];

	snprintf(text, sizeof(text), "message %lld: %s", (long long)message_id,
		 state == STATE_WAITING_APPROVAL ? "waiting for the owner's approval"
						 : message_state_name(state));
	tool_call_progress(call, text);
}
