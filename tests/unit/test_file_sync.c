/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>

#include <cmocka.h>

#include "base/file_sync.h"

/* About what there is to open; disks that refuse are in tests/faults. */
static void test_existing_files_and_folders_are_synced(void **state)
{
	(void)state;
	assert_int_equal(file_sync("/"), 0);
	assert_int_equal(file_sync("/proc/self/exe"), 0);
	assert_int_equal(file_sync("/nowhere/at/all"), -ENOENT);
}

/* What cannot be on a disk is an error, not a success that means nothing. */
static void test_a_device_without_a_disk_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(file_sync("/dev/null"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_existing_files_and_folders_are_synced),
		cmocka_unit_test(test_a_device_without_a_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
