/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit head: the newest line of the audit at some moment, by number and hash. Noted where
 * nobody can change it, it proves later that all up to that line is what it was.
 */
#ifndef STORE_AUDIT_HEAD_H
#define STORE_AUDIT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

enum {
	AUDIT_HASH_BYTES = 32,
	AUDIT_HEAD_TEXT_BYTES = 20 + 1 + 2 * AUDIT_HASH_BYTES + 1,
};

struct audit_head {
	int64_t line;			/* 0: none was written yet */
	uint8_t hash[AUDIT_HASH_BYTES]; /* of it; zeros before the first */
};

/* "12:0123abcd..." */
void audit_head_write(const struct audit_head *head, char text[AUDIT_HEAD_TEXT_BYTES]);
/* False: it is none, and *head_out is as it was. */
bool audit_head_parse(const char *text, struct audit_head *head_out);

#endif
