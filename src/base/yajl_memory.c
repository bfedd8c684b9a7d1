/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yajl_memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

struct yajl_memory_block {
	LIST_ENTRY(yajl_memory_block) link;
	alignas(max_align_t) char bytes[];
};

static struct yajl_memory_block *yajl_memory_block_of(void *bytes)
{
	return (struct yajl_memory_block *)((char *)bytes -
					    offsetof(struct yajl_memory_block, bytes));
}

static void *yajl_memory_realloc(void *context, void *bytes, size_t size)
{
	struct yajl_memory *memory = context;
	struct yajl_memory_block *old = bytes ? yajl_memory_block_of(bytes) : NULL;
	struct yajl_memory_block *block;

	if (old)
		LIST_REMOVE(old, link);
	block = realloc(old, sizeof(*block) + size);
	if (!block) {
		if (old)
			LIST_INSERT_HEAD(&memory->blocks, old, link);
		longjmp(memory->no_memory, 1);
	}
	LIST_INSERT_HEAD(&memory->blocks, block, link);
	return block->bytes;
}

static void *yajl_memory_malloc(void *context, size_t size)
{
	return yajl_memory_realloc(context, NULL, size);
}

static void yajl_memory_free(void *context, void *bytes)
{
	if (!bytes)
		return;
	LIST_REMOVE(yajl_memory_block_of(bytes), link);
	free(yajl_memory_block_of(bytes));
}

void yajl_memory_init(struct yajl_memory *memory)
{
	memory->functions = (yajl_alloc_funcs){ yajl_memory_malloc, yajl_memory_realloc,
						yajl_memory_free, memory };
	LIST_INIT(&memory->blocks);
}

void yajl_memory_deinit(struct yajl_memory *memory)
{
	struct yajl_memory_block *block;

	while ((block = LIST_FIRST(&memory->blocks))) {
		LIST_REMOVE(block, link);
		free(block);
	}
}

/* A function of its own, so that the jump leaves no variable of a caller undefined. */
bool yajl_memory_try(struct yajl_memory *memory, void (*run)(void *data), void *data)
{
	if (setjmp(memory->no_memory))
		return false;
	run(data);
	return true;
}
