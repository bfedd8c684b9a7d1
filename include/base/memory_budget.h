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
};

/* False: there is not as much left, and nothing is taken. `budget` NULL: without bounds. */
bool memory_budget_take(struct memory_budget *budget, size_t bytes);
void memory_budget_give(struct memory_budget *budget, size_t bytes); /* back */

#endif
