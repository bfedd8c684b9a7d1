/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Header text: of which bytes the name and the value of a header line may be made.
 *
 * Stricter than libmicrohttpd; for http/gate.c (tests/unit/test_gate.c).
 */
#ifndef HTTP_HEADER_TEXT_H
#define HTTP_HEADER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A token of RFC 9110 section 5.6.2: not empty, no blank. */
bool header_name_is_clean(const char *name, size_t length);
/* No control character but tabs. */
bool header_value_is_clean(const char *value, size_t length);

#endif
