/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Yajl memory: the allocations of one yajl handle. yajl 2.1 assumes that allocation never fails
 * and would follow a NULL pointer. So a failed allocation jumps out of yajl; the handle is then
 * unusable, and all its memory is freed here (tests/faults/starve.c).
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <sys/queue.h>

#include <yajl/yajl_common.h>

LIST_HEAD(yajl_memory_block_list, yajl_memory_block);

struct yajl_memory {
	yajl_alloc_funcs functions; /* for yajl_alloc() and yajl_gen_alloc() */
	struct yajl_memory_block_list blocks;
	jmp_buf no_memory;
};

/* `memory` must not move until yajl_memory_deinit(). */
void yajl_memory_init(struct yajl_memory *memory);
/* Frees everything, in place of yajl_free() and yajl_gen_free(). */
void yajl_memory_deinit(struct yajl_memory *memory);

/* Calls `run`, which calls yajl. Returns false if memory runs out; `run` was left midway. */
bool yajl_memory_try(struct yajl_memory *memory, void (*run)(void *data), void *data);
