/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of PIN attempts in this boot survives a crash. */
#include "unit_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "phone/unlocker.h"
#include "scratch.h"

#define BOOT "6d9c8f5e-0000-4000-8000-000000000001"

static char folder[64], file[80];

static int set_up(void **state)
{
	if (!mkdtemp(scratch_template(folder, sizeof(folder), "pin-record")))
		return -1;
	snprintf(file, sizeof(file), "%s/pin_tries", folder);
	return 0;
}

static int tear_down(void **state)
{
	unlink(file);
	return rmdir(folder);
}

static void write_file(const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void expect_file(const char *expected)
{
	char text[256] = "";
	FILE *in = fopen(file, "r");

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	assert_string_equal(text, expected);
}

FIXTURE(set_up, tear_down)

TEST(test_each_card_is_tried_once)
{
	struct stat made;

	assert_int_equal(unlocker_record_attempt(folder, BOOT, "8936"), 0);
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "8936"), UNLOCKER_E_TRIED);
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "893"), 0);
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "936"), 0);
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "936"), UNLOCKER_E_TRIED);
	expect_file(BOOT "\n8936\n893\n936\n");
	assert_int_equal(stat(file, &made), 0);
	assert_int_equal(made.st_mode & 0777, 0600);
}

/* An incomplete line means that the PIN was not tried. */
TEST(test_a_line_cut_by_a_crash_does_not_count)
{
	write_file(BOOT "\n8936");
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "8936"), 0);
	expect_file(BOOT "\n8936\n8936\n");
	write_file("6d9c");
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "8936"), 0);
	expect_file(BOOT "\n8936\n");
}

TEST(test_no_attempt_without_a_usable_record)
{
	char text[UNLOCKER_RECORD_MAX + 1];

	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	write_file(text);
	assert_int_equal(unlocker_record_attempt(folder, BOOT, "8936"), -EFBIG);
	assert_int_equal(unlocker_record_attempt("/nowhere", BOOT, "8936"), -ENOENT);
}

TEST(test_the_boot_id_is_stable)
{
	char boot[40];

	snprintf(boot, sizeof(boot), "%s", clock_boot_id());
	assert_string_equal(boot, clock_boot_id());
	assert_int_equal(strlen(boot), 36);
}
