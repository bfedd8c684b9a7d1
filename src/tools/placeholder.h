/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placeholder: what a program or model writes where it has no value: "null", "N/A",
 * "<uuid>", "{{key}}", "your-unique-key-here". As an idempotency key it would make one
 * message of many.
 */
#pragma once

#include <stdbool.h>

/* `text` is valid UTF-8. Returns true also for "" and blanks. */
bool placeholder_matches(const char *text);
