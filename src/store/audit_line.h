/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit line: one line of the audit as it is stored.
 */
#ifndef STORE_AUDIT_LINE_H
#define STORE_AUDIT_LINE_H

#include "store/audit_event.h"
#include "store/audit_head.h"

struct audit_line {
	int64_t id;	    /* 1, 2, 3, ... */
	int64_t at_ms;	    /* wall clock */
	const char *event;  /* a name, see audit_event_find() */
	const char *detail; /* a JSON object */
	uint8_t hash[AUDIT_HASH_BYTES];
};

#endif
