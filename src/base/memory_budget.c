/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory_budget.h"

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
