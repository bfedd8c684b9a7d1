/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mended text: upstream oFono (1.28 and later) cuts a character above U+FFFF to 16 bits, so that
 * most emoji arrive as U+F000 to U+FAFF. Adding 0x10000 restores them. Forks damage nothing, so
 * only texts from upstream oFono are mended (ofono_line()), and none that has a character above
 * U+FFFF.
 *
 * A character becomes an emoji only if Unicode has that emoji. What stays may be what was sent, or
 * not: private characters of a font (U+F0B7, U+F8FF), and Chinese, Japanese or Korean ones (U+F900
 * and up), which stay in texts of these scripts. Mathematical letters arrive as U+D400 to U+D7FF,
 * and stay, because a text may be Korean though it has no other letters of Korean.
 * Source: oFono since commit 9c7a8767; measured on 1.31 and 2.16.
 */
#pragma once

/*
 * Returns a copy of `text` (valid UTF-8), mended; the caller frees it; NULL if memory runs out.
 * Adds to *flags what it found, of enum store_message_flag: MESSAGE_REPAIRED, MESSAGE_DOUBTFUL.
 */
char *mended_text(const char *text, unsigned *flags);
