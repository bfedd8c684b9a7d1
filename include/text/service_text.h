/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Service text: an SMS that an operator's system sends to a program of the phone, and that no
 * person reads: visual voicemail, settings, registration. A text is one only if it begins as its
 * format does (tests/unit/test_service_text.c). Codes for people are none, also those that an app
 * reads by itself ("<#> Your code is ...").
 *
 * oFono's D-Bus interface shows the decoded text alone. What else would tell a service text (the
 * protocol identifier, the data coding scheme, the port) is not available.
 */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"

/* "voicemail", "settings" or "registration"; NULL if it is for people. */
const char *service_text_kind(const char *text);

/*
 * Appends the text with CODE_MASK in place of the passwords, user names and tokens that its format
 * has. Returns false if it is no service text, or has none of them, and nothing is appended.
 */
bool service_text_mask(const char *text, struct buffer *masked);
