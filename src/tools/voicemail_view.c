/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/voicemail_view.h"

#include "tools/message_view.h"

const struct schema_field voicemail_view_fields[] = {
	{ "subscription_id", SCHEMA_INTEGER, true, "Number of the SIM card" },
	{ "voicemail", SCHEMA_STRING, true,
	  "waiting, none, or unknown: the modem does not tell" },
	{ "message_count", SCHEMA_INTEGER, true,
	  "Voicemail messages; 0 while waiting: the network did not say how many" },
	{ "mailbox_number", SCHEMA_STRING, true,
	  "Number to call for it, empty when unknown" },
	{ 0 },
};

static const char *state_name(const struct modem_voicemail *voicemail)
{
	if (!voicemail->known)
		return "unknown";
	return voicemail->waiting ? "waiting" : "none";
}

void voicemail_view_write(struct json_writer *writer, const struct sims *sims)
{
	const struct sim *sim;

	json_open_array(writer);
	TAILQ_FOREACH (sim, sims_list(sims), link) {
		json_open_object(writer);
		json_put_integer(writer, "subscription_id", sim->id);
		json_put_string(writer, "voicemail", state_name(&sim->voicemail));
		json_put_integer(writer, "message_count", sim->voicemail.count);
		message_view_put_line(writer, "mailbox_number",
				      sim->voicemail.mailbox_number);
		json_close_object(writer);
	}
	json_close_array(writer);
}
