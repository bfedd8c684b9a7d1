/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena is a list of blocks; the newest one serves requests that fit. The first block is
 * part of the arena, and each further one is half as large as all before it together, so a
 * request that waits for long holds little unused memory. A larger piece gets a block of its
 * own, behind the newest one.
 *
 * The limit counts what was allocated, rounded up to the alignment. So it is reached at the
 * same request whatever the block sizes are.
 */
#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ARENA_ALIGNMENT = _Alignof(max_align_t),
	ARENA_BYTES_LEAST = 1024 - sizeof(size_t), /* malloc() fits it into a KiB */
	ARENA_BLOCK_MOST = 65536,
};

/* ---- budgets */

struct arena_budget *arena_budget_new(size_t bytes)
{
	struct arena_budget *budget = malloc(sizeof(*budget));

	if (budget)
		*budget = (struct arena_budget){ .left_bytes = bytes, .keepers = 1 };
	return budget;
}

struct arena_budget *arena_budget_keep(struct arena_budget *budget)
{
	if (budget)
		budget->keepers++;
	return budget;
}

void arena_budget_drop(struct arena_budget *budget)
{
	if (budget && --budget->keepers == 0)
		free(budget);
}

bool arena_budget_take(struct arena_budget *budget, size_t bytes)
{
	if (!budget)
		return true;
	if (bytes > budget->left_bytes)
		return false;
	budget->left_bytes -= bytes;
	return true;
}

void arena_budget_give(struct arena_budget *budget, size_t bytes)
{
	if (budget)
		budget->left_bytes += bytes;
}

/* ---- arenas */

struct arena_block {
	struct arena_block *older;
	size_t size;
	size_t used;
	_Alignas(max_align_t) char bytes[];
};

struct arena {
	struct arena_block *newest;
	size_t limit;
	size_t left; /* bytes until the limit */
	struct arena_budget *budget;
	size_t charged; /* to the budget */
	size_t held;	/* in blocks */
	size_t shared;	/* in blocks that serve several pieces */
	int error;
	struct arena_block first;
};

struct arena *arena_new_within(struct arena_budget *budget, size_t limit_bytes)
{
	struct arena *arena = malloc(ARENA_BYTES_LEAST);
	size_t room = ARENA_BYTES_LEAST - sizeof(*arena);

	if (!arena)
		return NULL;
	*arena = (struct arena){
		.newest = &arena->first,
		.limit = limit_bytes,
		.left = limit_bytes,
		.budget = budget,
		.held = room,
		.shared = room,
		.first = { .size = room },
	};
	return arena;
}

struct arena *arena_new(size_t limit_bytes)
{
	return arena_new_within(NULL, limit_bytes);
}

struct arena *arena_new_beside(const struct arena *other)
{
	return arena_new_within(other->budget, other->limit);
}

void arena_count_in(struct arena *arena, const struct arena *beside)
{
	size_t allocated = beside->limit - beside->left;

	arena->left -= allocated < arena->left ? allocated : arena->left;
}

void arena_free(struct arena *arena)
{
	struct arena_block *block, *older;

	if (!arena)
		return;
	for (block = arena->newest; block; block = older) {
		older = block->older;
		if (block != &arena->first)
			free(block);
	}
	arena_budget_give(arena->budget, arena->charged);
	free(arena);
}

void arena_wipe(struct arena *arena)
{
	struct arena_block *block;

	for (block = arena ? arena->newest : NULL; block; block = block->older)
		explicit_bzero(block->bytes, block->size);
	arena_free(arena);
}

static void *arena_fail(struct arena *arena, int error)
{
	if (!arena->error)
		arena->error = error;
	return NULL;
}

static bool arena_charge_budget(struct arena *arena, size_t size)
{
	arena->held += size;
	if (arena->held <= ARENA_FREE_BYTES)
		return true;
	if (!arena_budget_take(arena->budget, size))
		return false;
	arena->charged += size;
	return true;
}

static struct arena_block *arena_block_new(struct arena *arena, size_t room)
{
	struct arena_block *block = NULL;

	if (room <= SIZE_MAX - sizeof(*block) && arena_charge_budget(arena, room))
		block = malloc(sizeof(*block) + room);
	if (block)
		*block = (struct arena_block){ .size = room };
	return block;
}

/* The newest block stays first and goes on serving requests. */
static struct arena_block *arena_add_large(struct arena *arena, size_t size)
{
	struct arena_block *block = arena_block_new(arena, size);

	if (!block)
		return NULL;
	block->older = arena->newest->older;
	arena->newest->older = block;
	return block;
}

static struct arena_block *arena_grow(struct arena *arena, size_t size)
{
	size_t room = arena->shared / 2;
	struct arena_block *block;

	if (room > ARENA_BLOCK_MOST)
		room = ARENA_BLOCK_MOST;
	if (room < size)
		return arena_add_large(arena, size);
	block = arena_block_new(arena, room);
	if (!block)
		return NULL;
	arena->shared += room;
	block->older = arena->newest;
	arena->newest = block;
	return block;
}

static size_t arena_round(size_t size)
{
	if (!size)
		return ARENA_ALIGNMENT;
	return (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
}

/* The memory is not cleared. */
static void *arena_take(struct arena *arena, size_t size_bytes)
{
	struct arena_block *block = arena->newest;
	size_t size;
	void *result;

	if (arena->error)
		return NULL;
	if (size_bytes > arena->left || arena_round(size_bytes) > arena->left)
		return arena_fail(arena, -E2BIG);
	size = arena_round(size_bytes);
	if (!size) /* rounding overflowed */
		return arena_fail(arena, -E2BIG);
	if (block->size - block->used < size)
		block = arena_grow(arena, size);
	if (!block)
		return arena_fail(arena, -ENOMEM);
	result = block->bytes + block->used;
	block->used += size;
	arena->left -= size;
	return result;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	void *result = arena_take(arena, size_bytes);

	return result ? memset(result, 0, size_bytes) : NULL;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy;

	if (length == SIZE_MAX)
		return arena_fail(arena, -E2BIG);
	copy = arena_take(arena, length + 1);
	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return arena_fail(arena, -ENOMEM);
	text = arena_alloc(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

bool arena_failed(const struct arena *arena)
{
	return arena->error != 0;
}

int arena_error(const struct arena *arena)
{
	return arena->error;
}
