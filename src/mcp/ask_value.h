/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ask value: what a person filled into one field of a form. For ask_form.c.
 */
#ifndef MCP_ASK_VALUE_H
#define MCP_ASK_VALUE_H

#include "mcp/ask_form.h"

bool ask_value_fits(const struct ask_field *field, const struct json *value);

/* One that fits, in another arena and under the field's name. NULL: no memory. */
struct json *ask_value_copy(const struct ask_field *field, const struct json *value,
			    struct arena *arena);

#endif
