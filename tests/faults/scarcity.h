/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scarcity: library calls that run out of a resource fail at the call with a given
 * number, or from it on, while `is_armed`. Linked into a program, these functions replace
 * the C library's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum scarce {
	SCARCE_MEMORY, /* malloc() and its relatives return NULL */
	SCARCE_ROOM,   /* writing to a file: ENOSPC */
	SCARCE_SYNC,   /* fsync() and fdatasync(): EIO */
};

struct scarcity {
	enum scarce what;
	bool is_armed;
	bool is_lasting;  /* all later calls fail, too */
	uint64_t fail_at; /* 1: the first call */
	uint64_t passed;  /* calls while armed */
};

extern struct scarcity scarcity;

/* The run reached that call. */
static inline bool scarcity_was_met(void)
{
	return scarcity.passed >= scarcity.fail_at;
}
