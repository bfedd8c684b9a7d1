/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Yajl memory: what one yajl handle works with. yajl 2.1 takes it that memory never ends and
 * follows what it was given, so where there is none it never gets that far: yajl is left
 * as it is, and the handle is used no more (tests/faults/starve.c).
 */
#ifndef BASE_YAJL_MEMORY_H
#define BASE_YAJL_MEMORY_H

#include <setjmp.h>
#include <stdbool.h>
#include <sys/queue.h>

#include <yajl/yajl_common.h>

LIST_HEAD(yajl_block_list, yajl_block);

struct yajl_memory {
	yajl_alloc_funcs functions; /* for yajl_alloc() and yajl_gen_alloc() */
	struct yajl_block_list blocks;
	jmp_buf no_memory;
};

/* `memory` stays where it is until yajl_memory_deinit(). */
void yajl_memory_init(struct yajl_memory *memory);
/* All of it, in place of yajl_free() and yajl_gen_free(). */
void yajl_memory_deinit(struct yajl_memory *memory);

/* Calls `run`, which calls yajl. False: there was no memory for it, and it was left midway. */
bool yajl_memory_try(struct yajl_memory *memory, void (*run)(void *data), void *data);

#endif
