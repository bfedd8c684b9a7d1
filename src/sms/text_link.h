/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link: an http or https address in a text.
 *
 * Private to src/sms/extract.c and code_search.c.
 */
#ifndef SMS_TEXT_LINK_H
#define SMS_TEXT_LINK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first link at or behind `text`, without the marks of the sentence around it. NULL:
 * none. It ends before a character that nobody would see.
 */
const char *text_link_find(const char *text, size_t *length_out);

/* Is there what phones make a link of, too: "www.example.com", "example.com/a"? */
bool text_link_is_hinted(const char *text);

#endif
