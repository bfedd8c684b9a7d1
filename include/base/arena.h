/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arena: the memory of one request, freed all at once.
 *
 * A limit bounds what a peer can make us allocate: beyond it, or out of memory, every function
 * returns NULL and arena_failed() stays true. The limit counts what was allocated, each piece
 * rounded up to 16 bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * A budget limits what many arenas and other users of memory hold together. It only counts.
 * Each user has limits of its own as well; the budget is for the case that all of them are
 * reached at once. One thread.
 */
struct arena_budget {
	size_t left_bytes;
	unsigned keepers; /* references */
};

/* With one reference. Returns NULL if memory runs out. */
struct arena_budget *arena_budget_new(size_t bytes);
/* Adds a reference and returns `budget`. NULL is fine here and below. */
struct arena_budget *arena_budget_keep(struct arena_budget *budget);
void arena_budget_drop(struct arena_budget *budget); /* the last one frees it */

/* Returns false, and takes nothing, if too little is left. A NULL budget has no limit. */
bool arena_budget_take(struct arena_budget *budget, size_t bytes);
void arena_budget_give(struct arena_budget *budget, size_t bytes); /* back */

struct arena;

enum { ARENA_FREE_BYTES = 4 * 1024 };

struct arena *arena_new(size_t limit_bytes); /* Returns NULL if memory runs out */
/*
 * Memory beyond ARENA_FREE_BYTES is taken from the budget (which may be NULL and must outlive the
 * arena). An exhausted budget means out of memory.
 */
struct arena *arena_new_within(struct arena_budget *budget, size_t limit_bytes);
/*
 * Returns a second arena with the same budget and limit, which may be freed before the first. Once
 * it is filled, arena_count_in() counts its allocations against the first one's limit, so that both
 * together keep it.
 */
struct arena *arena_new_beside(const struct arena *other);
void arena_count_in(struct arena *arena, const struct arena *beside);
void arena_free(struct arena *arena); /* NULL is fine */
void arena_wipe(struct arena *arena); /* for secrets: clears the memory first */

/* Returns zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size_bytes);
char *arena_copy(struct arena *arena, const char *text, size_t length); /* NUL added */
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *arena,
							 const char *format, ...);
bool arena_failed(const struct arena *arena);
int arena_error(const struct arena *arena); /* 0, -E2BIG: beyond the limit, -ENOMEM */
