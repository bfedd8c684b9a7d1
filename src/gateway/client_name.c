/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/client_name.h"

#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"

enum { SHOWN_CHARACTERS = 63 };

static bool is_printable(const char *text)
{
	while (*text) {
		uint32_t character = utf8_next(&text);

		if (character < ' ' || escape_is_needed(character))
			return false;
	}
	return true;
}

const char *client_name_flaw(const char *name)
{
	size_t length = strlen(name);

	if (!length)
		return "the name is empty";
	if (length >= CLIENT_NAME_BYTES)
		return "the name has more than 63 bytes";
	if (!is_printable(name))
		return "the name holds something that cannot be seen";
	if (name[0] == ' ' || name[length - 1] == ' ')
		return "the name has blanks around it";
	return NULL;
}

bool client_name_find(struct control_call *call, struct store_client_row *row_out)
{
	const char *name = control_argument(call, "name");
	int error = name ? store_client_get(call->control->store, name, row_out)
			 : STORE_E_NOT_FOUND;

	if (!name)
		control_fail(call, CONTROL_INVALID_ARGUMENT, "Give its name",
			     "no agent is named");
	else if (error == STORE_E_NOT_FOUND)
		control_fail(call, "not_found",
			     "Those that are paired are listed by: ofono-mcp clients",
			     "no agent called %.*s is paired",
			     (int)utf8_cut(name, SHOWN_CHARACTERS), name);
	else if (error)
		control_fail_store(call, error);
	return !error;
}
