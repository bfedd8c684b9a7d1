/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explanation: why something cannot be had as it is configured, or done as it was asked, as a
 * sentence for the owner.
 *
 * Whoever finds it writes it; who asked for it logs or prints it, once.
 */
#ifndef BASE_EXPLANATION_H
#define BASE_EXPLANATION_H

struct explanation {
	char text[512]; /* "/etc/x.conf:12: sms.max_segment: unknown key; ..." */
};

/* Writes the text, cut where it is too long; `result`, as it is. */
__attribute__((format(printf, 3, 4))) int explanation_set(struct explanation *error,
							  int result, const char *format,
							  ...);

#endif
