/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory_budget.h"

#include <stdlib.h>

struct memory_budget *memory_budget_new(size_t bytes)
{
	struct memory_budget *budget = malloc(sizeof(*budget));

	if (budget)
		*budget = (struct memory_budget){ .left_bytes = bytes, .keepers = 1 };
	return budget;
}

struct memory_budget *memory_budget_keep(struct memory_budget *budget)
{
	if (budget)
		budget->keepers++;
	return budget;
}

void memory_budget_drop(struct memory_budget *budget)
{
	if (budget && --budget->keepers == 0)
		free(budget);
}

bool memory_budget_take(struct memory_budget *budget, size_t bytes)
{
	if (!budget)
		return true;
	if (bytes > budget->left_bytes)
		return false;
	budget->left_bytes -= bytes;
	return true;
}

void memory_budget_give(struct memory_budget *budget, size_t bytes)
{
	if (budget)
		budget->left_bytes += bytes;
}
