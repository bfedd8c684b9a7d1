/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

TEST(test_memory_is_zeroed_and_aligned)
{
	struct arena *arena = arena_new(1 << 20);
	size_t size, at;

	assert_non_null(arena);
	for (size = 0; size < 300; size++) {
		char *bytes = arena_alloc(arena, size);

		assert_non_null(bytes);
		assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
		for (at = 0; at < size; at++)
			assert_int_equal(bytes[at], 0);
		memset(bytes, 0xa5, size);
	}
	assert_false(arena_failed(arena));
	arena_free(arena);
}

TEST(test_pieces_do_not_overlap)
{
	struct arena *arena = arena_new(1 << 20);
	char *pieces[500];
	size_t at;

	for (at = 0; at < 500; at++) {
		pieces[at] = arena_printf(arena, "piece %zu of %s", at, "many");
		assert_non_null(pieces[at]);
	}
	for (at = 0; at < 500; at++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "piece %zu of many", at);
		assert_string_equal(pieces[at], expected);
	}
	arena_free(arena);
}

/* Only what is beyond the first blocks counts, and all of it comes back. */
TEST(test_a_budget_limits_the_arena)
{
	struct arena_budget budget = { 100000 };
	struct arena *arena = arena_new_within(&budget, 1 << 20);
	struct arena *other = arena_new_within(&budget, 1 << 20);

	assert_non_null(arena_alloc(arena, 2000));
	assert_int_equal(budget.left_bytes, 100000);
	assert_non_null(arena_alloc(arena, 90000));
	assert_true(budget.left_bytes <= 10000);
	assert_non_null(arena_alloc(other, 1000));
	assert_null(arena_alloc(other, 20000));
	assert_int_equal(arena_error(other), -ENOMEM);
	arena_free(arena);
	arena_free(other);
	assert_int_equal(budget.left_bytes, 100000);
}

TEST(test_a_piece_may_be_larger_than_a_block)
{
	struct arena *arena = arena_new(1 << 20);
	char *large = arena_alloc(arena, 500000);

	assert_non_null(large);
	memset(large, 1, 500000);
	assert_non_null(arena_alloc(arena, 500000));
	arena_free(arena);
}

/* It takes no more than itself, and small pieces go on where they were. */
TEST(test_a_large_piece_gets_its_own_block)
{
	struct arena_budget budget = { 100000 };
	struct arena *arena = arena_new_within(&budget, 1 << 20);
	char *before = arena_copy(arena, "before", 6);
	char *large = arena_alloc(arena, 10000);

	assert_int_equal(budget.left_bytes, 90000);
	assert_non_null(large);
	assert_ptr_equal(arena_copy(arena, "after", 5), before + 16);
	memset(large, 1, 10000);
	assert_string_equal(before, "before");
	assert_non_null(arena_alloc(arena, 800)); /* more than is left there */
	arena_wipe(arena);
	assert_int_equal(budget.left_bytes, 100000);
}

TEST(test_limit_is_exact_and_sticky)
{
	struct arena *arena = arena_new(64);

	assert_int_equal(arena_error(arena), 0);
	assert_non_null(arena_alloc(arena, 48));
	assert_non_null(arena_alloc(arena, 1));
	assert_false(arena_failed(arena));
	assert_null(arena_alloc(arena, 1));
	assert_true(arena_failed(arena));
	assert_int_equal(arena_error(arena), -E2BIG);
	assert_null(arena_copy(arena, "", 0));
	assert_null(arena_printf(arena, "x"));
	arena_free(arena);
}

TEST(test_limit_counts_the_rounding)
{
	struct arena *arena = arena_new(40);

	assert_non_null(arena_alloc(arena, 17));
	assert_null(arena_alloc(arena, 1)); /* 8 are left, 16 would be taken */
	assert_int_equal(arena_error(arena), -E2BIG);
	arena_free(arena);
}

TEST(test_two_arenas_keep_one_limit)
{
	struct arena *arena = arena_new(64);
	struct arena *beside;

	assert_non_null(arena_alloc(arena, 16));
	beside = arena_new_beside(arena);
	assert_non_null(arena_alloc(beside, 32));
	arena_count_in(arena, beside);
	arena_free(beside);
	assert_non_null(arena_alloc(arena, 16));
	assert_null(arena_alloc(arena, 1));
	assert_int_equal(arena_error(arena), -E2BIG);
	arena_free(arena);
}

TEST(test_a_refused_piece_takes_nothing)
{
	struct arena *arena = arena_new(64);

	assert_null(arena_alloc(arena, 65));
	assert_null(arena_alloc(arena, 1));
	arena_free(arena);
}

/* ASan ends the process on a size that no malloc can give; here that is the test. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

TEST(test_overflowing_sizes_are_refused)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - 14,
					SIZE_MAX - 15, SIZE_MAX - 31 };
	size_t at;

	for (at = 0; at < sizeof(sizes) / sizeof(sizes[0]); at++) {
		struct arena *arena = arena_new(SIZE_MAX);

		assert_null(arena_alloc(arena, sizes[at]));
		assert_true(arena_failed(arena));
		arena_free(arena);
	}
}

TEST(test_an_overflowing_copy_is_refused)
{
	struct arena *arena = arena_new(SIZE_MAX);

	assert_null(arena_copy(arena, "", SIZE_MAX));
	assert_int_equal(arena_error(arena), -E2BIG);
	arena_free(arena);
}

TEST(test_out_of_memory_is_not_the_limit)
{
	struct arena *arena = arena_new(SIZE_MAX);

	assert_null(arena_alloc(arena, SIZE_MAX / 4));
	assert_int_equal(arena_error(arena), -ENOMEM);
	assert_null(arena_alloc(arena, 1));
	assert_int_equal(arena_error(arena), -ENOMEM);
	arena_free(arena);
}

TEST(test_a_copy_is_nul_terminated)
{
	struct arena *arena = arena_new(4096);
	char *copy = arena_copy(arena, "a\0bcd", 4);

	assert_memory_equal(copy, "a\0bc", 5);
	assert_string_equal(arena_copy(arena, NULL, 0), "");
	arena_free(arena);
	arena_free(NULL);
}
