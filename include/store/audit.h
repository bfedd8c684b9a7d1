/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit: the log of what was decided, as it is stored: its lines and the hashes that link them,
 * the table of events, and a reader that verifies everything. store/store_audit.h writes it.
 *
 *	hash = SHA-256(previous hash || id || at || length || event || length || detail)
 *
 * Numbers are 8 bytes, big-endian. The lengths prevent a byte from moving from one part into
 * the next. The hash before the first line is 32 zeros.
 *
 * The hashes are no signature: who can write the file can compute all of them again. So heads
 * are saved elsewhere (doc/security.md).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/explanation.h"

enum {
	AUDIT_HASH_BYTES = 32,
	AUDIT_HEAD_TEXT_BYTES = 20 + 1 + 2 * AUDIT_HASH_BYTES + 1,
};

/*
 * The newest line at some moment. Saved where nobody can change it, a head proves later that
 * every line up to it is unchanged.
 */
struct audit_chain_head {
	int64_t line;			/* 0 if no line was written yet */
	uint8_t hash[AUDIT_HASH_BYTES]; /* zeros before the first line */
};

struct audit_chain_line {
	int64_t id;	    /* 1, 2, 3, ... */
	int64_t at_ms;	    /* wall clock */
	const char *event;  /* a name, see audit_event_find() */
	const char *detail; /* a JSON object */
	uint8_t hash[AUDIT_HASH_BYTES];
};

/* Writes "12:0123abcd..." */
void audit_chain_write_head(const struct audit_chain_head *head,
			    char text[AUDIT_HEAD_TEXT_BYTES]);
/* Returns false, and leaves *head_out unchanged, if it is not a head. */
bool audit_chain_parse_head(const char *text, struct audit_chain_head *head_out);

/* ---- events */

/*
 * The table of events that the audit log records, and the facts of each.
 *
 * No fact is a message text, a token, a one-time code or a PIN. Phone numbers are complete,
 * unlike in a log: the audit is the owner's proof of which numbers the phone wrote to, it is
 * as secret as the message store that contains it, and it is never sent anywhere. A log is
 * copied, shipped and pasted, so it has only three digits.
 *
 * Stored by name: the order may change.
 */
enum audit_event {
	AUDIT_STARTED,
	AUDIT_STOPPED,
	AUDIT_SEND_ACCEPTED,
	AUDIT_SEND_EDITED,
	AUDIT_SEND_REFUSED,
	AUDIT_SEND_CANCELLED,
	AUDIT_SEND_OUTCOME,
	AUDIT_APPROVAL_ASKED,
	AUDIT_APPROVAL_GIVEN,
	AUDIT_APPROVAL_REJECTED,
	AUDIT_APPROVAL_EXPIRED,
	AUDIT_CLIENT_PAIRED,
	AUDIT_CLIENT_CHANGED,
	AUDIT_CLIENT_REVOKED,
	AUDIT_CLIENT_ROTATED,
	AUDIT_AUTH_FAILED,
	AUDIT_CONFIG_CHANGED,
	AUDIT_PAUSED,
	AUDIT_RESUMED,
	AUDIT_SIM_UNLOCK,
	AUDIT_USSD_DIALLED,
	AUDIT_USSD_ENDED,
	AUDIT_USSD_REFUSED,
	AUDIT_BALANCE_READ,
	AUDIT_BALANCE_FORGOTTEN,
	AUDIT_CALL_PLACED,
	AUDIT_CALL_HUNG_UP,
	AUDIT_CALL_ENDED,
	AUDIT_CALL_REFUSED,
	AUDIT_OPTED_OUT,
	AUDIT_OPTED_IN,
	AUDIT_OPT_OUT_ASKED,
	AUDIT_AGENT_ENROLLED,
	AUDIT_AGENT_REMOVED,
	AUDIT_COMMAND_ACCEPTED,
	AUDIT_COMMAND_REFUSED,
	AUDIT_COMMAND_LOCKED,
	AUDIT_WEBHOOK_ASKED,
	AUDIT_WEBHOOK_APPROVED,
	AUDIT_WEBHOOK_REJECTED,
	AUDIT_WEBHOOK_WITHDRAWN,
	AUDIT_WEBHOOK_SUBSCRIBED,
	AUDIT_WEBHOOK_SUSPENDED,
	AUDIT_WEBHOOK_ENDED,
	AUDIT_PHONE_ENROLLED,
	AUDIT_PHONE_REVOKED,
	AUDIT_POOL_CHANGED,
	AUDIT_POOL_REMOVED,
	AUDIT_SIM_DRAINED,
	AUDIT_SIM_UNDRAINED,
	AUDIT_SEND_REPEATED,
	AUDIT_STORE_RESCUED,
	AUDIT_STORE_RESTORED,
	AUDIT_DRY_RUN_HELD,
	AUDIT_EVENT_COUNT,
};

enum { AUDIT_FIELDS_MAX = 10, AUDIT_FORMER_NAMES = 2 };

struct audit_event_row {
	const char *name;  /* "send_accepted" */
	const char *words; /* "message accepted" */
	/* All are optional; ends with NULL. */
	const char *fields[AUDIT_FIELDS_MAX + 1];
	const char
		*former_names[AUDIT_FORMER_NAMES]; /* lines of older versions have them */
};

extern const struct audit_event_row audit_events[AUDIT_EVENT_COUNT];

/*
 * Finds it by its present or former name. Returns NULL if it is unknown, perhaps of a newer
 * program.
 */
const struct audit_event_row *audit_event_find(const char *name);
bool audit_event_has(enum audit_event event, const char *field);

/* One fact; a list of facts ends with { NULL }. */
struct audit_event_fact {
	const char *field;
	const char *text; /* NULL if `number` is the fact */
	int64_t number;
};

/* ---- the reader */

/*
 * Lists and verifies the audit log, while a gateway works with the message store or not.
 * Everything is read as it was at one moment, row by row, and nothing is written.
 */
struct audit_reader;

/* Returns 0; or -ENOENT (no message store), -ENOTSUP, -EUCLEAN or the like, and fills `error`. */
int audit_reader_open(const char *folder, struct audit_reader **reader_out,
		      struct explanation *error);
void audit_reader_close(struct audit_reader *reader); /* NULL is fine */

struct audit_reader_range {
	int64_t since_ms; /* no older lines; 0 for all */
	int64_t last;	  /* only this many, the newest; 0 for all */
};

/* Explains the -errno of the last call. */
const char *audit_reader_error(const struct audit_reader *reader);

/* Lists the oldest first. `line` lives during the call. Returns 0 or -errno. */
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
	int64_t first; /* the oldest line; 0 if there is none */
	int64_t gone;  /* the newest line that was pruned */
	struct audit_chain_head head;
	int64_t break_count; /* 0 if the chain is intact */
	struct audit_reader_break breaks[AUDIT_BREAKS_MAX];
};

/* `looked` is called every few lines while audit_reader_verify() runs. */
void audit_reader_on_progress(struct audit_reader *reader, void (*looked)(void *data),
			      void *data);

enum { AUDIT_NOTED_MAX = 16 };

struct audit_reader_expected {
	int64_t kept; /* lines that the gateway always keeps: AUDIT_KEEP */
	unsigned noted_count;
	/* heads that were saved elsewhere */
	struct audit_chain_head noted[AUDIT_NOTED_MAX];
};

/*
 * Checks every line against its hash. After a break the check goes on at the next line, to find
 * other breaks. Lines count as pruned only where enough newer lines exist, up to the newest saved
 * head. Otherwise they are missing, whatever the anchor says. Returns 0 or -errno.
 */
int audit_reader_verify(struct audit_reader *reader,
			const struct audit_reader_expected *expected,
			struct audit_reader_verdict *verdict_out);
