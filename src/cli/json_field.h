/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON field: the members of a gateway's answer, for printing. A member that is missing or has
 * another type is empty.
 */
#ifndef CLI_JSON_FIELD_H
#define CLI_JSON_FIELD_H

#include "base/json.h"

/* A string's text, or a number as written. Never NULL. */
const char *json_field_text(const struct json *object, const char *name);
bool json_field_is_true(const struct json *object, const char *name);
/* Never NULL. */
const struct json *json_field_list(const struct json *object, const char *name);

#endif
