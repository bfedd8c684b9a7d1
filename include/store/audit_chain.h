/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit chain: lines of the audit log, and the hashes that link them.
 *
 *	hash = SHA-256(previous hash || id || at || length || event || length || detail)
 *
 * Numbers are 8 bytes, big-endian. The lengths prevent a byte from moving from one part into
 * the next. The hash before the first line is 32 zeros.
 *
 * The hashes are no signature: who can write the file can compute all of them again. So heads
 * are saved elsewhere (doc/security.md).
 */
#ifndef STORE_AUDIT_CHAIN_H
#define STORE_AUDIT_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	AUDIT_HASH_BYTES = 32,
	AUDIT_HEAD_TEXT_BYTES = 20 + 1 + 2 * AUDIT_HASH_BYTES + 1,
};

/*
 * The newest line at some moment. Saved where nobody can change it, a head proves later that
 * every line up to it is unchanged.
 */
struct audit_chain_head {
	int64_t line;			/* 0: no line was written yet */
	uint8_t hash[AUDIT_HASH_BYTES]; /* zeros before the first line */
};

struct audit_chain_line {
	int64_t id;	    /* 1, 2, 3, ... */
	int64_t at_ms;	    /* wall clock */
	const char *event;  /* a name, see audit_event_find() */
	const char *detail; /* a JSON object */
	uint8_t hash[AUDIT_HASH_BYTES];
};

/* "12:0123abcd..." */
void audit_chain_write_head(const struct audit_chain_head *head,
			    char text[AUDIT_HEAD_TEXT_BYTES]);
/* False: not a head; *head_out is unchanged. */
bool audit_chain_parse_head(const char *text, struct audit_chain_head *head_out);

#endif
