/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit reader: lists and verifies the audit log, read-only, while a gateway works with the
 * message store or not.
 *
 * Everything is read as it was at one moment, row by row, and nothing is written.
 */
#ifndef STORE_AUDIT_READER_H
#define STORE_AUDIT_READER_H

#include "base/explanation.h"
#include "store/audit_chain.h"

struct audit_reader;

/* -ENOENT (no message store), -ENOTSUP, -EUCLEAN, ...; fills `error`. */
int audit_reader_open(const char *folder, struct audit_reader **reader_out,
		      struct explanation *error);
void audit_reader_close(struct audit_reader *reader); /* NULL is fine */

struct audit_reader_range {
	int64_t since_ms; /* no older lines; 0: all */
	int64_t last;	  /* only this many, the newest; 0: all */
};

/* Explains the -errno of the last call. */
const char *audit_reader_error(const struct audit_reader *reader);

/* Oldest first. `line` lives during the call. 0 or -errno. */
int audit_reader_list(struct audit_reader *reader, const struct audit_reader_range *range,
		      void (*visit)(void *data, const struct audit_chain_line *line),
		      void *data);

enum audit_reader_flaw {
	AUDIT_CHANGED,	  /* the line, or the one before it, is not what was hashed */
	AUDIT_MISSING,	  /* the lines `line` to `until` are missing */
	AUDIT_BAD_ANCHOR, /* the first line does not follow the pruned ones */
	AUDIT_OTHER_HEAD, /* the line of a saved head has another hash */
	AUDIT_CUT,	  /* the line of a saved head is missing */
	AUDIT_HEAD_GONE,  /* the line of a saved head was pruned: nothing can be said */
	AUDIT_FLAW_COUNT,
};

struct audit_reader_break {
	enum audit_reader_flaw flaw;
	int64_t line;
	int64_t until;
};

enum { AUDIT_BREAKS_MAX = 20 }; /* that are kept; all are counted */

struct audit_reader_verdict {
	int64_t lines;
	int64_t first; /* the oldest line; 0: none */
	int64_t gone;  /* the newest line that was pruned */
	struct audit_chain_head head;
	int64_t break_count; /* 0: the chain is intact */
	struct audit_reader_break breaks[AUDIT_BREAKS_MAX];
};

/* `looked` is called every few lines while audit_reader_verify() runs. */
void audit_reader_on_progress(struct audit_reader *reader, void (*looked)(void *data),
			      void *data);

enum { AUDIT_NOTED_MAX = 16 };

struct audit_reader_expected {
	int64_t kept; /* lines that the gateway always keeps: AUDIT_KEEP */
	unsigned noted_count;
	struct audit_chain_head
		noted[AUDIT_NOTED_MAX]; /* heads that were saved elsewhere */
};

/*
 * Checks every line against its hash. After a break the check goes on at the next line, to
 * find other breaks. Lines count as pruned only where enough newer lines exist, up to the
 * newest saved head. Otherwise they are missing, whatever the anchor says. 0 or -errno.
 */
int audit_reader_verify(struct audit_reader *reader,
			const struct audit_reader_expected *expected,
			struct audit_reader_verdict *verdict_out);

#endif
