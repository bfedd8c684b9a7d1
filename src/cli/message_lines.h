/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message lines: a message, as tools/message_view.h writes it, for a person to read. What would
 * move the cursor or hide something is written out by then.
 */
#ifndef CLI_MESSAGE_LINES_H
#define CLI_MESSAGE_LINES_H

#include "base/json.h"

void message_lines_print(const struct json *message);

/* A text, its lines with a bar before each, so that none can pass for one of ours. */
void message_lines_print_text(const char *text);

#endif
