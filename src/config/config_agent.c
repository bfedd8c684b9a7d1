/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_agent.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/explanation.h"
#include "base/utf8.h"
#include "numbers/phone_number.h"

/* Reads up to the comma. Returns false if it is not a number in international form. */
static bool config_agent_read_number(const char *text,
				     char number_out[CONFIG_AGENT_NUMBER_BYTES])
{
	char entry[CONFIG_TEXT_BYTES], number[PHONE_NUMBER_BYTES];
	size_t length = strcspn(text, ",");

	if (length >= sizeof(entry))
		return false;
	memcpy(entry, text, length);
	entry[length] = '\0';
	if (phone_number_parse(entry, number) != PHONE_NUMBER_OK || *number != '+')
		return false;
	strcpy(number_out, number);
	return true;
}

/* Returns NULL if there is none. */
static const char *config_agent_find(const struct config_agent *agent, size_t index)
{
	for (size_t i = 0; i < agent->owner_numbers.count; i++) {
		const char *entry = agent->owner_numbers.items[i];

		for (; entry; index--) {
			if (!index)
				return entry;
			entry = strchr(entry, ',');
			entry = entry ? entry + 1 : NULL;
		}
	}
	return NULL;
}

bool config_agent_number(const struct config_agent *agent, size_t index,
			 char number_out[CONFIG_AGENT_NUMBER_BYTES])
{
	const char *entry = config_agent_find(agent, index);

	return entry && config_agent_read_number(entry, number_out);
}

bool config_agent_needs_code(const struct config_agent *agent)
{
	return strcmp(agent->code, "totp") == 0;
}

static int config_agent_check_numbers(const struct config_agent *agent,
				      struct explanation *error)
{
	char number[CONFIG_AGENT_NUMBER_BYTES];
	const char *entry;

	for (size_t i = 0; (entry = config_agent_find(agent, i)); i++) {
		if (!config_agent_read_number(entry, number))
			return explanation_set(
				error, -EINVAL,
				"agent.owner_numbers: \"%.*s\" is not a phone number in "
				"international form, such as +36201234567",
				(int)strcspn(entry, ","), entry);
	}
	return 0;
}

/* It is one word of letters, so that no digit of a code belongs to it. */
static bool config_agent_is_word(const char *text)
{
	while (*text) {
		uint32_t character = utf8_next(&text);

		if (character < 0x80 && !(character >= 'a' && character <= 'z') &&
		    !(character >= 'A' && character <= 'Z'))
			return false;
	}
	return true;
}

static int config_agent_check_words(const char *const words[3], struct explanation *error)
{
	static const char *const keys[] = { "word", "approve_word", "reject_word" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!config_agent_is_word(words[i]))
			return explanation_set(
				error, -EINVAL,
				"agent.%s: \"%s\" is not one word of letters", keys[i],
				words[i]);
	}
	return 0;
}

int config_agent_check_values(const struct config_agent *agent, struct explanation *error)
{
	const char *const words[] = { agent->word, agent->approve_word,
				      agent->reject_word };

	if (*agent->code && !config_agent_needs_code(agent) &&
	    strcmp(agent->code, "none") != 0)
		return explanation_set(error, -EINVAL,
				       "agent.code: \"%s\" is neither none nor totp",
				       agent->code);
	if (config_agent_check_numbers(agent, error))
		return -EINVAL;
	return config_agent_check_words(words, error);
}

static bool config_agent_is_ambiguous(const struct config_agent *agent)
{
	return strcasecmp(agent->approve_word, agent->reject_word) == 0 ||
	       strcasecmp(agent->approve_word, agent->word) == 0 ||
	       strcasecmp(agent->reject_word, agent->word) == 0;
}

int config_agent_check(const struct config_agent *agent, struct explanation *error)
{
	if (!agent->approvals)
		return 0;
	if (config_agent_is_ambiguous(agent))
		return explanation_set(
			error, -EINVAL,
			"agent.word, approve_word and reject_word must be three words that differ");
	if (!config_agent_needs_code(agent))
		return explanation_set(
			error, -EINVAL,
			"agent.approvals: needs code = totp, because anybody can forge "
			"the sender of an SMS");
	if (!agent->owner_numbers.count)
		return explanation_set(error, -EINVAL,
				       "agent.approvals: needs owner_numbers");
	return 0;
}
