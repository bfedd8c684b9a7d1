/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leak search: does an outgoing text hold one of the codes of an index, however it is written?
 * doc/security.md lists what is recognised.
 */
#pragma once

#include <stdbool.h>

#include "text/code_index.h"

struct leak_search {
	const struct code_index *index;
	const struct number_words *words;
	const char *text;    /* valid UTF-8 */
	const char *earlier; /* what was sent before it, "" to judge `text` by itself */
};

/*
 * Behind earlier texts a code counts only if part of it is in `text`, and `text` is read only as it
 * is written. Returns true also if memory runs out.
 */
bool leak_search_has_code(const struct leak_search *search);
