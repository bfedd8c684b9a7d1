/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/sms_command.h"

#include <string.h>

#include "config/config.h"
#include "sms/sender.h"
#include "store/store_party.h"

_Static_assert((int)COMMAND_TEXT_CODE_BYTES <= (int)TOTP_CODE_BYTES, "a code fits");

/*
 * Is the sender's number this one, written with + or as dialled within the country of the SIM?
 * "36201234567" and "201234567" are no such spelling: these digits may be a name, or a number
 * of another country.
 */
static bool sms_command_is_spelling(struct store *store,
				    const struct store_incoming_draft *draft,
				    const char *number)
{
	char form[NUMBER_FORM_BYTES];
	struct store_party party;

	if (strcmp(draft->number, number) == 0)
		return true;
	if (!store_party_form(store, draft->sim_id, draft->number, form) ||
	    strcmp(form, number) != 0 || strcmp(draft->number, number + 1) == 0)
		return false;
	store_party_spell(store, draft->sim_id, number, &party);
	for (size_t i = 0; i < party.count; i++) {
		if (strcmp(draft->number, party.spellings[i]) == 0)
			return true;
	}
	return false;
}

/* Returns false if the sender is no number of the owner. */
static bool sms_command_find_owner(const struct config_agent *agent, struct store *store,
				   const struct store_incoming_draft *draft,
				   char number_out[CONFIG_AGENT_NUMBER_BYTES])
{
	for (size_t i = 0; config_agent_number(agent, i, number_out); i++) {
		if (sms_command_is_spelling(store, draft, number_out))
			return true;
	}
	return false;
}

static struct command_text_words sms_command_words(const struct config_agent *agent,
						   int64_t sim_id)
{
	return (struct command_text_words){
		.word = agent->word,
		.approve = agent->approvals ? agent->approve_word : NULL,
		.reject = agent->approvals ? agent->reject_word : NULL,
		.needs_word = !agent->sim || agent->sim != sim_id,
		.has_codes = config_agent_needs_code(agent),
	};
}

void sms_command_claim(const struct config *config, struct store *store,
		       const struct store_incoming_draft *draft,
		       struct store_command_claim *claim_out)
{
	const struct config_agent *agent = &config->agent;
	struct command_text_words words = sms_command_words(agent, draft->sim_id);
	struct store_command_claim claim = { .needs_code = words.has_codes };
	const struct store_party_address end = { draft->sim_id, draft->number };
	struct command_text read;

	*claim_out = (struct store_command_claim){ .needs_code = false };
	if (!sms_command_find_owner(agent, store, draft, claim.number) ||
	    sender_is_blocked(config, store, &end))
		return;
	command_text_read(&words, draft->text, &read);
	if (read.kind == COMMAND_TEXT_NONE)
		return;
	claim.is_answer = read.kind == COMMAND_TEXT_ANSWER;
	claim.approves = read.approves;
	claim.approval_number = read.number;
	memcpy(claim.code, read.code, sizeof(read.code));
	*claim_out = claim;
}

bool sms_command_is_marked(const struct message *message)
{
	return message->flags & (MESSAGE_COMMAND | MESSAGE_ANSWER);
}

void sms_command_read(const struct config *config, const struct message *message,
		      struct command_text *read_out)
{
	struct command_text_words words =
		sms_command_words(&config->agent, message->sim_id);

	/* whatever was changed since: it was one when it came */
	words.needs_word = false;
	if (message->flags & MESSAGE_ANSWER) {
		words.approve = config->agent.approve_word;
		words.reject = config->agent.reject_word;
	} else {
		words.approve = NULL;
		words.reject = NULL;
	}
	command_text_read(&words, message->text, read_out);
}
