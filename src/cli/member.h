/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Member: what the answer to a command of the owner holds, for those who show it: what is
 * missing, or of another type, is empty.
 */
#ifndef CLI_MEMBER_H
#define CLI_MEMBER_H

#include "base/json.h"

/* Of a string its text, of a number how it is written. */
const char *member_text(const struct json *object, const char *name);
bool member_is_true(const struct json *object, const char *name);
const struct json *member_list(const struct json *object,
			       const char *name); /* not NULL */

#endif
