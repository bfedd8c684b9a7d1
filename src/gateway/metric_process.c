/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of the process, under the names that all programs use. A figure that
 * /proc does not give is left out.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "gateway/metric.h"

enum metric_process_field { /* of /proc/PID/stat, from 1 */
			    FIELD_STATE = 3,
			    FIELD_USER_TICKS = 14,
			    FIELD_SYSTEM_TICKS = 15,
			    FIELD_START_TICKS = 22,
			    FIELD_VIRTUAL_BYTES = 23,
			    FIELD_RESIDENT_PAGES = 24,
};

/* Starts behind the program's name, which may contain spaces and brackets. */
static const char *metric_process_find_field(const char *line,
					     enum metric_process_field wanted)
{
	const char *at = strrchr(line, ')');

	for (int field = FIELD_STATE; at && field <= (int)wanted; field++)
		at = strchr(at + 1, ' ');
	return at;
}

static bool metric_process_read_field(enum metric_process_field wanted, double *value_out)
{
	FILE *file = fopen("/proc/self/stat", "re");
	char line[1024] = "";
	const char *at = NULL;

	if (file && fgets(line, sizeof(line), file))
		at = metric_process_find_field(line, wanted);
	if (file)
		fclose(file);
	return at && sscanf(at, "%lf", value_out) == 1;
}

void metric_process_cpu(const struct metric_writer *writer)
{
	double user, system;

	if (metric_process_read_field(FIELD_USER_TICKS, &user) &&
	    metric_process_read_field(FIELD_SYSTEM_TICKS, &system))
		metric_put_real(writer, NULL,
				(user + system) / (double)sysconf(_SC_CLK_TCK));
}

void metric_process_started(const struct metric_writer *writer)
{
	int64_t booted_s = (clock_wall_ms() - clock_boot_ms() + 500) / 1000;
	double ticks;

	if (metric_process_read_field(FIELD_START_TICKS, &ticks))
		metric_put_real(writer, NULL,
				(double)booted_s + ticks / (double)sysconf(_SC_CLK_TCK));
}

void metric_process_resident(const struct metric_writer *writer)
{
	double pages;

	if (metric_process_read_field(FIELD_RESIDENT_PAGES, &pages))
		metric_put_real(writer, NULL, pages * (double)sysconf(_SC_PAGESIZE));
}

void metric_process_virtual(const struct metric_writer *writer)
{
	double bytes;

	if (metric_process_read_field(FIELD_VIRTUAL_BYTES, &bytes))
		metric_put_real(writer, NULL, bytes);
}

void metric_process_fds(const struct metric_writer *writer)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t count = 0;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	closedir(folder);
	metric_put(writer, NULL,
		   count - 1); /* without the descriptor of the folder itself */
}

void metric_process_fds_max(const struct metric_writer *writer)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		metric_put(writer, NULL, limit.rlim_cur);
}
