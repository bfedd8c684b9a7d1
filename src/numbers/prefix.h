/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefix: what stands in front of a number, matched as Python's re.match() would: the first
 * branch that fits. The programs are made by program.py.
 */
#ifndef NUMBERS_PREFIX_H
#define NUMBERS_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREFIX_GROUPS_MAX = 2 };

struct prefix_match {
	const char *end;			   /* behind it */
	const char *places[2 * PREFIX_GROUPS_MAX]; /* of each group; NULL: not there */
};

/* `program` 0 matches nothing. */
bool prefix_match(uint16_t program, const char *digits, struct prefix_match *match_out);

#endif
