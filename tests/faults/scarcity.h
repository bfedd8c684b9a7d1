/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scarcity: the library calls that may find nothing left fail at a call by its number, or from
 * it on, while `is_armed`. Linked into a program it stands in for the C library's own.
 */
#ifndef TESTS_SCARCITY_H
#define TESTS_SCARCITY_H

#include <stdbool.h>
#include <stdint.h>

enum scarce {
	SCARCE_MEMORY, /* malloc() and its kin give NULL */
	SCARCE_ROOM,   /* writing to a file: ENOSPC */
	SCARCE_SYNC,   /* fsync() and fdatasync(): EIO */
};

struct scarcity {
	enum scarce what;
	bool is_armed;
	bool is_lasting;  /* all later calls fail, too */
	uint64_t fail_at; /* 1: the first call */
	uint64_t passed;  /* calls while it was armed */
};

extern struct scarcity scarcity;

/* It came to that call. */
static inline bool scarcity_was_met(void)
{
	return scarcity.passed >= scarcity.fail_at;
}

#endif
