/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config_sender.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/explanation.h"
#include "numbers/phone_number.h"

static bool config_sender_is_valid(char *entry)
{
	char number[PHONE_NUMBER_BYTES];
	size_t length;

	phone_number_simplify(entry);
	length = strlen(entry);
	if (length > 1 && entry[length - 1] == '*') {
		if (phone_number_parse_beginning(entry, number))
			return true;
		entry[length - 1] = '\0';
	}
	return !length || phone_number_may_send(entry);
}

int config_sender_check_list(const char *key, const struct config_list *list,
			     struct explanation *error)
{
	char entry[CONFIG_TEXT_BYTES];

	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->items[i];

		while (*at) {
			size_t length = strcspn(at, ",");

			memcpy(entry, at, length);
			entry[length] = '\0';
			if (!config_sender_is_valid(entry))
				return explanation_set(
					error, -EINVAL,
					"%s: \"%.*s\" is neither a phone number nor a "
					"name that a message can come from",
					key, (int)length, at);
			at += length + (at[length] == ',');
		}
	}
	return 0;
}
