/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yajl_memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

struct yajl_block {
	LIST_ENTRY(yajl_block) link;
	alignas(max_align_t) char bytes[];
};

static struct yajl_block *block_of(void *bytes)
{
	return (struct yajl_block *)((char *)bytes - offsetof(struct yajl_block, bytes));
}

static void *on_realloc(void *context, void *bytes, size_t size)
{
	struct yajl_memory *memory = context;
	struct yajl_block *old = bytes ? block_of(bytes) : NULL;
	struct yajl_block *block;

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

static void *on_malloc(void *context, size_t size)
{
	return on_realloc(context, NULL, size);
}

static void on_free(void *context, void *bytes)
{
	(void)context;
	if (!bytes)
		return;
	LIST_REMOVE(block_of(bytes), link);
	free(block_of(bytes));
}

void yajl_memory_init(struct yajl_memory *memory)
{
	memory->functions = (yajl_alloc_funcs){ on_malloc, on_realloc, on_free, memory };
	LIST_INIT(&memory->blocks);
}

void yajl_memory_deinit(struct yajl_memory *memory)
{
	struct yajl_block *block;

	while ((block = LIST_FIRST(&memory->blocks))) {
		LIST_REMOVE(block, link);
		free(block);
	}
}

/* A function of its own, so that no caller has variables that a jump leaves undefined. */
bool yajl_memory_try(struct yajl_memory *memory, void (*run)(void *data), void *data)
{
	if (setjmp(memory->no_memory))
		return false;
	run(data);
	return true;
}
