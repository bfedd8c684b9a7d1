/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text link: an http or https address in a text.
 *
 * Private to extract.c and the search for codes.
 */
#ifndef SMS_TEXT_LINK_H
#define SMS_TEXT_LINK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first link at or after `text`, without the punctuation around it. NULL: none. An
 * invisible character ends it.
 */
const char *text_link_find(const char *text, size_t *length_out);

/* The text has something that phones turn into a link: "www.example.com", "example.com/a". */
bool text_link_is_hinted(const char *text);

#endif
