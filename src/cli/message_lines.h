/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message lines: prints a message (tools/message_view.h) for people. The gateway has already
 * escaped what would move the cursor or hide text.
 */
#ifndef CLI_MESSAGE_LINES_H
#define CLI_MESSAGE_LINES_H

#include "base/json.h"

void message_lines_print(const struct json *message);

/* Prints a text with a bar before each line, so that none looks like our own output. */
void message_lines_print_text(const char *text);

#endif
