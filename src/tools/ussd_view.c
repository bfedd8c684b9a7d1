/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/ussd_view.h"

#include "base/clock.h"
#include "ofono/modem.h"
#include "tools/balance_view.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum { MS_PER_SECOND = 1000 };

static const struct schema_field notice_fields[] = {
	{ "at", SCHEMA_STRING, true, "When it came, RFC 3339" },
	{ "text", SCHEMA_STRING, true, "What the network wrote" },
	{ "asks_for_reply", SCHEMA_BOOLEAN, true,
	  "Whether it asked for a reply; only the person at the phone can give that" },
	{ 0 },
};

const struct schema_field ussd_view_fields[] = {
	MESSAGE_VIEW_NOTICE_FIELD,
	{ "code", SCHEMA_STRING, true, "As it was asked for" },
	{ "subscription_id", SCHEMA_INTEGER, true, "The SIM that dialled" },
	{ "answer", SCHEMA_STRING, true, "What the network wrote" },
	{ "asks_for_reply", SCHEMA_BOOLEAN, true,
	  "Whether the network waits: call again with the same code and reply" },
	{ "reply_within_seconds", SCHEMA_INTEGER, false,
	  "Then the dialogue is given up; only when it waits" },
	{ "hint", SCHEMA_STRING, false,
	  "What an empty answer means, or that the network asked in vain" },
	{ "balance", SCHEMA_OBJECT, false,
	  "The balance in the answer, where the owner told how to find it",
	  .members = balance_view_reading_fields },
	{ "balance_note", SCHEMA_STRING, false,
	  "Why there is no balance although the owner told how to find it, or why it is "
	  "not kept" },
	{ "notices", SCHEMA_ARRAY, true,
	  "What the network told this SIM by itself, oldest first; of all SIMs the "
	  "newest four are kept",
	  .members = notice_fields },
	{ 0 },
};

static void write_notices(struct json_writer *writer,
			  const struct ussd_dialling *dialling)
{
	const struct services *services = dialling->call->services;
	const struct ussd_notice *notice = ussd_notices(services->ussd);
	char at[CLOCK_TEXT_BYTES];

	json_key(writer, "notices");
	json_open_array(writer);
	for (int i = 0; i < USSD_NOTICES; i++, notice++) {
		if (!modem_sim_is_same(&notice->card, &dialling->turn.card))
			continue;
		clock_format(notice->wall_ms, at);
		json_open_object(writer);
		json_put_string(writer, "at", at);
		message_view_put_shown(writer, "text", notice->text);
		json_put_boolean(writer, "asks_for_reply", notice->asks);
		json_close_object(writer);
	}
	json_close_array(writer);
}

void ussd_view_write(struct json_writer *writer, const struct ussd_dialling *dialling,
		     const char *text, bool asks)
{
	json_open_object(writer);
	message_view_put_notice(writer);
	json_put_string(writer, "code", dialling->order.code);
	json_put_integer(writer, "subscription_id", dialling->sim_id);
	message_view_put_shown(writer, "answer", text);
	json_put_boolean(writer, "asks_for_reply", asks && dialling->order.may_reply);
	if (asks && dialling->order.may_reply)
		json_put_integer(writer, "reply_within_seconds",
				 USSD_LIMIT_MS / MS_PER_SECOND);
	else if (asks)
		json_put_string(writer, "hint",
				"The network asked for a reply; the owner does not let "
				"agents give one, so the dialogue was broken off.");
	else if (dialling->cancels)
		json_put_string(writer, "hint", "The dialogue was cancelled.");
	else if (!*text)
		json_put_string(
			writer, "hint",
			"The network answered with no text, or with one that oFono "
			"could not read; that is no proof of anything.");
	ussd_balance_put(writer, &dialling->balance);
	write_notices(writer, dialling);
	json_close_object(writer);
}
