/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory budget: what many users of memory may hold together.
 *
 * It counts and owns nothing. Each user has bounds of its own as well; the budget is for
 * when all of them are met at once. One thread.
 */
#ifndef BASE_MEMORY_BUDGET_H
#define BASE_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
	size_t left_bytes;
	unsigned keepers; /* who need it to be there */
};

/* With one keeper. NULL: no memory. */
struct memory_budget *memory_budget_new(size_t bytes);
/* One keeper more; returns `budget`. NULL is fine here and below. */
struct memory_budget *memory_budget_keep(struct memory_budget *budget);
void memory_budget_drop(struct memory_budget *budget); /* with the last one it goes */

/* False: there is not as much left, and nothing is taken. `budget` NULL: without bounds. */
bool memory_budget_take(struct memory_budget *budget, size_t bytes);
void memory_budget_give(struct memory_budget *budget, size_t bytes); /* back */

#endif
