/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/explanation.h"
#include "config/config.h"
#include "scratch.h"

static char folder[64];
static struct config config;
static struct explanation error;

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	(void)state;
	config_defaults(&config);
	memset(&error, 0, sizeof(error));
	return mkdtemp(scratch_template(folder, sizeof(folder), "test_config_folder"))
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	(void)state;
	remove_files();
	return 0;
}

static void test_a_later_file_wins(void **state)
{
	(void)state;
	write_file("20-person.conf", "[sms]\nmax_segments = 5\n");
	write_file("10-package.conf", "[sms]\nmax_segments = 4\nqueue_limit = 7\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
	assert_int_equal(config.max_segments, 5);
	assert_int_equal(config.queue_limit, 7);
}

static void test_a_later_list_replaces_an_earlier_one(void **state)
{
	(void)state;
	write_file("1.conf", "[server]\nlisten = 127.0.0.1:1\nlisten = 127.0.0.1:2\n");
	write_file("2.conf", "[server]\nlisten = 127.0.0.1:3\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
	assert_int_equal(config.listen.count, 1);
	assert_string_equal(config.listen.items[0], "127.0.0.1:3");
}

static void test_other_files_are_ignored(void **state)
{
	(void)state;
	write_file("README", "no configuration\n");
	write_file(".10-hidden.conf", "no configuration\n");
	write_file("10.conf.dpkg-dist", "no configuration\n");
	write_file(".conf", "no configuration\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
}

static void test_no_folder_is_fine(void **state)
{
	(void)state;
	assert_int_equal(config_read_folder(&config, "/nowhere/conf.d", &error), 0);
}

static void test_an_error_names_file_and_line_and_changes_nothing(void **state)
{
	(void)state;
	write_file("1.conf", "[sms]\nmax_segments = 9\n");
	write_file("2.conf", "[sms]\nmax_segment = 9\n");
	assert_int_equal(config_read_folder(&config, folder, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/2.conf:2: "));
	assert_int_equal(config.max_segments, 3);
}

static void test_too_many_files_are_refused(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i <= CONFIG_FOLDER_FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%d.conf", i);
		write_file(name, "");
	}
	assert_int_equal(config_read_folder(&config, folder, &error), -E2BIG);
	assert_non_null(strstr(error.text, "too many files"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_later_file_wins, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_later_list_replaces_an_earlier_one,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_other_files_are_ignored, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_no_folder_is_fine, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_an_error_names_file_and_line_and_changes_nothing, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(test_too_many_files_are_refused, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
