/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_sender.h"

#include <errno.h>
#include <string.h>

#include "base/explanation.h"
#include "numbers/phone_number.h"

/* Every number in international form begins so. */
#define CONFIG_SENDER_ALL "+*"

/* The next entry, cleaned as sms/sender.h reads it. Returns false if there is none. */
static bool config_sender_next(const char **at_inout, char entry_out[CONFIG_TEXT_BYTES])
{
	const char *at = *at_inout;
	size_t length = strcspn(at, ",");

	if (!*at)
		return false;
	memcpy(entry_out, at, length);
	entry_out[length] = '\0';
	phone_number_simplify(entry_out);
	*at_inout = at + length + (at[length] == ',');
	return true;
}

static bool config_sender_is_useless(const char *written)
{
	char entry[CONFIG_TEXT_BYTES], number[PHONE_NUMBER_BYTES];
	size_t length;

	strcpy(entry, written);
	length = strlen(entry);
	if (strcmp(entry, CONFIG_SENDER_ALL) == 0)
		return false;
	if (length > 1 && entry[length - 1] == '*') {
		if (phone_number_parse_beginning(entry, number))
			return false;
		entry[length - 1] = '\0';
	}
	return length && !phone_number_may_send(entry);
}

bool config_sender_next_useless(const char **at_inout, char entry_out[CONFIG_TEXT_BYTES])
{
	while (config_sender_next(at_inout, entry_out)) {
		if (config_sender_is_useless(entry_out))
			return true;
	}
	return false;
}

int config_sender_check_owners(const struct config_list *owners,
			       struct explanation *error)
{
	char entry[CONFIG_TEXT_BYTES];

	for (size_t i = 0; i < owners->count; i++) {
		const char *at = owners->items[i];

		while (config_sender_next(&at, entry)) {
			if (strcmp(entry, CONFIG_SENDER_ALL) == 0)
				return explanation_set(
					error, -EINVAL,
					"incoming.owner_numbers: \"%s\" makes everybody the owner",
					entry);
		}
	}
	return 0;
}
