/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Glyph: a character as a person reads it, whatever Unicode calls it.
 *
 * "４", "④", "𝟒", "٤", "⁴", "四" and "4️⃣" read as 4; "а" of Cyrillic and "𝒶" as a.
 *
 * Private to src/text/leak_*.c and agent_address.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the ASCII character that a tag stands for (U+E0000 to U+E007F); 0 if it is no tag. */
char glyph_of_tag(uint32_t character);

/*
 * Writes the text as it reads, in UTF-8, with look-alikes replaced if `by_look`. `out` has
 * room for twice the bytes of `text`, and its end. Returns the length.
 */
size_t glyph_write(const char *text, bool by_look, char *out);
