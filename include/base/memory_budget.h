/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory budget: a limit on what many users of memory hold together.
 *
 * It only counts. Each user has limits of its own as well; the budget is for the case that all
 * of them are reached at once. One thread.
 */
#ifndef BASE_MEMORY_BUDGET_H
#define BASE_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
	size_t left_bytes;
	unsigned keepers; /* references */
};

/* With one reference. NULL: no memory. */
struct memory_budget *memory_budget_new(size_t bytes);
/* Adds a reference and returns `budget`. NULL is fine here and below. */
struct memory_budget *memory_budget_keep(struct memory_budget *budget);
void memory_budget_drop(struct memory_budget *budget); /* the last one frees it */

/* False: not enough left, and nothing is taken. NULL: no limit. */
bool memory_budget_take(struct memory_budget *budget, size_t bytes);
void memory_budget_give(struct memory_budget *budget, size_t bytes); /* back */

#endif
