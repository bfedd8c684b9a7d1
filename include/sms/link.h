/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link: an http or https address in a text.
 *
 * Private to src/sms/extract.c.
 */
#ifndef SMS_LINK_H
#define SMS_LINK_H

#include <stddef.h>

/*
 * The first link at or behind `text`, without the marks of the sentence around it. NULL:
 * none. It ends before a character that nobody would see.
 */
const char *link_find(const char *text, size_t *length_out);

#endif
