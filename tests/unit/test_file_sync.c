/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "unit_test.h"
#include "base/file_sync.h"

/* About what there is to open; disks that refuse are in tests/faults. */
TEST(test_existing_files_and_folders_are_synced)
{
	assert_int_equal(file_sync("/"), 0);
	assert_int_equal(file_sync("/proc/self/exe"), 0);
	assert_int_equal(file_sync("/nowhere/at/all"), -ENOENT);
}

/* What cannot be on a disk is an error, not a success that means nothing. */
TEST(test_a_device_without_a_disk_is_an_error)
{
	assert_int_equal(file_sync("/dev/null"), -EINVAL);
}
