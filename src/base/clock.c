/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t system_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now); /* cannot fail for the clocks below */
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_monotonic_ms(void)
{
	return system_ms(CLOCK_MONOTONIC);
}

static int64_t system_wall_ms(void)
{
	return system_ms(CLOCK_REALTIME);
}

static int64_t system_boot_ms(void)
{
	return system_ms(CLOCK_BOOTTIME);
}

static const char *system_boot_id(void)
{
	static char id[40];
	FILE *file;

	if (*id)
		return id;
	file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (!file)
		return "";
	if (fscanf(file, "%39[0-9a-f-]", id) != 1)
		id[0] = '\0';
	fclose(file);
	return id;
}

static const struct clock_source system_source = {
	.monotonic_ms = system_monotonic_ms,
	.wall_ms = system_wall_ms,
	.boot_ms = system_boot_ms,
	.boot_id = system_boot_id,
};

static const struct clock_source *clock_source = &system_source;

int64_t clock_monotonic_ms(void)
{
	return clock_source->monotonic_ms();
}

int64_t clock_wall_ms(void)
{
	return clock_source->wall_ms();
}

int64_t clock_boot_ms(void)
{
	if (!clock_source->boot_ms)
		return clock_source->monotonic_ms();
	return clock_source->boot_ms();
}

const char *clock_boot_id(void)
{
	return clock_source->boot_id ? clock_source->boot_id() : system_boot_id();
}

int64_t clock_boot_number(void)
{
	uint64_t number = UINT64_C(0xcbf29ce484222325);
	const char *id = clock_boot_id();

	if (!*id)
		return 0;
	for (; *id; id++)
		number = (number ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
	number &= INT64_MAX;
	return number ? (int64_t)number : 1;
}

void clock_set_source(const struct clock_source *source)
{
	clock_source = source ? source : &system_source;
}

void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_BYTES])
{
	static const int64_t last_ms =
		INT64_C(253402300799999); /* 9999-12-31T23:59:59.999Z */
	char seconds_text[24];
	struct tm utc;
	time_t seconds;

	if (wall_ms < 0)
		wall_ms = 0;
	if (wall_ms > last_ms)
		wall_ms = last_ms;
	seconds = (time_t)(wall_ms / 1000);
	gmtime_r(&seconds, &utc);
	strftime(seconds_text, sizeof(seconds_text), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, CLOCK_TEXT_BYTES, "%s.%03dZ", seconds_text, (int)(wall_ms % 1000));
}
