/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config error: why something cannot be had as it is configured, as a sentence for the owner.
 *
 * Whoever finds it writes it; who asked for it logs or prints it, once.
 */
#ifndef BASE_CONFIG_ERROR_H
#define BASE_CONFIG_ERROR_H

struct config_error {
	char text[512]; /* "/etc/x.conf:12: sms.max_segment: unknown key; ..." */
};

/* Writes the text, cut where it is too long; `result`, as it is. */
__attribute__((format(printf, 3, 4))) int config_error_set(struct config_error *error,
							   int result, const char *format,
							   ...);

#endif
