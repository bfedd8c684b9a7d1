/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit reader: the audit as a guest reads it, while a gateway works with the ledger or not.
 *
 * All is read as it was at one moment, row by row, and nothing is written.
 */
#ifndef STORE_AUDIT_READER_H
#define STORE_AUDIT_READER_H

#include "base/explanation.h"
#include "store/audit_line.h"

struct audit_reader;

/* -ENOENT: there is no ledger; -ENOTSUP, -EUCLEAN, ...: with the error's text. */
int audit_reader_open(const char *folder, struct audit_reader **reader_out,
		      struct explanation *error);
void audit_reader_close(struct audit_reader *reader); /* NULL is fine */

struct audit_range {
	int64_t since_ms; /* not before; 0 all */
	int64_t last;	  /* at most so many, the newest; 0 all */
};

/* What made a call give -errno. */
const char *audit_reader_error(const struct audit_reader *reader);

/* Oldest first. `line` lives during the call. 0 or -errno. */
int audit_reader_list(struct audit_reader *reader, const struct audit_range *range,
		      void (*visit)(void *data, const struct audit_line *line),
		      void *data);

enum audit_flaw {
	AUDIT_CHANGED,	  /* the line, or the one before, is not what was hashed */
	AUDIT_MISSING,	  /* lines that were there are not: `line` to `until` */
	AUDIT_BAD_ANCHOR, /* the first line does not follow on those that went */
	AUDIT_OTHER_HEAD, /* the line that was noted is another one now */
	AUDIT_CUT,	  /* the line that was noted is not there */
	AUDIT_HEAD_GONE,  /* ... and went for its age: nothing can be said of it */
	AUDIT_FLAW_COUNT,
};

struct audit_break {
	enum audit_flaw flaw;
	int64_t line;
	int64_t until;
};

enum { AUDIT_BREAKS_MAX = 20 }; /* that are kept; all are counted */

struct audit_verdict {
	int64_t lines;
	int64_t first; /* that is there; 0 none */
	int64_t gone;  /* for their age: up to this line */
	struct audit_head head;
	int64_t break_count; /* 0: the chain is whole */
	struct audit_break breaks[AUDIT_BREAKS_MAX];
};

/* `looked` is called now and then while audit_reader_verify() is at it. */
void audit_reader_watch(struct audit_reader *reader, void (*looked)(void *data),
			void *data);

enum { AUDIT_NOTED_MAX = 16 };

struct audit_expected {
	int64_t kept; /* lines that the gateway always keeps: AUDIT_KEEP */
	unsigned noted_count;
	struct audit_head noted[AUDIT_NOTED_MAX]; /* heads that were noted elsewhere */
};

/*
 * Every line against its hash. After a break the chain is taken up again at the next line,
 * so that others show, too. That lines went for their age counts only where enough newer ones
 * are there, up to the newest noted head: else they are missing, whatever the anchor says.
 * 0 or -errno.
 */
int audit_reader_verify(struct audit_reader *reader,
			const struct audit_expected *expected,
			struct audit_verdict *verdict_out);

#endif
