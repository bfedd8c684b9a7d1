/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
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
	config_defaults(&config);
	memset(&error, 0, sizeof(error));
	return mkdtemp(scratch_template(folder, sizeof(folder), "test_config_folder"))
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	remove_files();
	return 0;
}

FIXTURE(set_up, tear_down)

TEST(test_a_later_file_wins)
{
	write_file("20-person.conf", "[sms]\nmax_segments = 5\n");
	write_file("10-package.conf", "[sms]\nmax_segments = 4\nqueue_limit = 7\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
	assert_int_equal(config.max_segments, 5);
	assert_int_equal(config.queue_limit, 7);
}

TEST(test_a_later_list_replaces_an_earlier_one)
{
	write_file("1.conf", "[server]\nlisten = 127.0.0.1:1\nlisten = 127.0.0.1:2\n");
	write_file("2.conf", "[server]\nlisten = 127.0.0.1:3\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
	assert_int_equal(config.listen.count, 1);
	assert_string_equal(config.listen.items[0], "127.0.0.1:3");
}

TEST(test_other_files_are_ignored)
{
	write_file("README", "no configuration\n");
	write_file(".10-hidden.conf", "no configuration\n");
	write_file("10.conf.dpkg-dist", "no configuration\n");
	write_file(".conf", "no configuration\n");
	assert_int_equal(config_read_folder(&config, folder, &error), 0);
}

TEST(test_no_folder_is_fine)
{
	assert_int_equal(config_read_folder(&config, "/nowhere/conf.d", &error), 0);
}

TEST(test_an_error_names_file_and_line_and_changes_nothing)
{
	write_file("1.conf", "[sms]\nmax_segments = 9\n");
	write_file("2.conf", "[sms]\nmax_segment = 9\n");
	assert_int_equal(config_read_folder(&config, folder, &error), -EINVAL);
	assert_non_null(strstr(error.text, "/2.conf:2: "));
	assert_int_equal(config.max_segments, 3);
}

TEST(test_too_many_files_are_refused)
{
	char name[32];

	for (int i = 0; i <= CONFIG_FOLDER_FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%d.conf", i);
		write_file(name, "");
	}
	assert_int_equal(config_read_folder(&config, folder, &error), -E2BIG);
	assert_non_null(strstr(error.text, "too many files"));
}
