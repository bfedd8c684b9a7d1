/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tests of a unit program. TEST(name) { ... } defines a test and registers it, so that
 * none can be forgotten; the tests run in the order of the file. FIXTURE(set_up, tear_down)
 * goes around each test that follows it, and GROUP_FIXTURE() around all of them together.
 * A program that needs more before its first test defines before_tests().
 *
 * Include it once, in the file of the tests: it has main().
 */
#pragma once

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define UNIT_TEST_MAX 100

static struct {
	struct CMUnitTest tests[UNIT_TEST_MAX];
	size_t count;
	CMFixtureFunction set_up, tear_down;
	CMFixtureFunction group_set_up, group_tear_down;
} unit_test_program;

__attribute__((weak)) void before_tests(int argc, char **argv);

static inline void unit_test_add(const char *name, CMUnitTestFunction function,
				 CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	assert(unit_test_program.count < UNIT_TEST_MAX);
	unit_test_program.tests[unit_test_program.count++] =
		(struct CMUnitTest){ name, function, set_up, tear_down, NULL };
}

/* Constructors of one file run in the order of their priorities: here, of its lines. */
#define UNIT_TEST_STEP(name)                                                             \
	__attribute__((constructor(1000 + __LINE__))) static void unit_test_step_##name( \
		void)

#define TEST_WITH(name, set_up, tear_down)                     \
	static void name(void **state);                        \
	UNIT_TEST_STEP(name)                                   \
	{                                                      \
		unit_test_add(#name, name, set_up, tear_down); \
	}                                                      \
	static void name(void **state)

#define TEST(name) TEST_WITH(name, unit_test_program.set_up, unit_test_program.tear_down)

#define FIXTURE(begin, end)                        \
	UNIT_TEST_STEP(fixture_##begin##_##end)    \
	{                                          \
		unit_test_program.set_up = begin;  \
		unit_test_program.tear_down = end; \
	}

#define GROUP_FIXTURE(begin, end)                        \
	UNIT_TEST_STEP(group)                            \
	{                                                \
		unit_test_program.group_set_up = begin;  \
		unit_test_program.group_tear_down = end; \
	}

int main(int argc, char **argv)
{
	if (before_tests)
		before_tests(argc, argv);
	return _cmocka_run_group_tests(
		"tests", unit_test_program.tests, unit_test_program.count,
		unit_test_program.group_set_up, unit_test_program.group_tear_down);
}
