/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times as text follow RFC 3339, section 5.6: date-time = full-date "T" partial-time
 * time-offset, in which T and Z may be lower case. The parser reads one field after the
 * other; a field that does not fit clears `good`, and the rest is then ignored.
 */
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

enum {
	CLOCK_MINUTES_PER_DAY = 24 * 60,
	CLOCK_MS_PER_MINUTE = 60000,
	CLOCK_MS_PER_SECOND = 1000,
	CLOCK_SECONDS_PER_MINUTE = 60,
	CLOCK_OFFSET_BYTES = sizeof("+01:00"),
};

static int64_t clock_system_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now); /* cannot fail for the clocks below */
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t clock_system_monotonic_ms(void)
{
	return clock_system_ms(CLOCK_MONOTONIC);
}

static int64_t clock_system_wall_ms(void)
{
	return clock_system_ms(CLOCK_REALTIME);
}

static int64_t clock_system_boot_ms(void)
{
	return clock_system_ms(CLOCK_BOOTTIME);
}

static const char *clock_system_boot_id(void)
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

static const struct clock_source clock_system_source = {
	.monotonic_ms = clock_system_monotonic_ms,
	.wall_ms = clock_system_wall_ms,
	.boot_ms = clock_system_boot_ms,
	.boot_id = clock_system_boot_id,
};

static const struct clock_source *clock_source = &clock_system_source;

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
	return clock_source->boot_id ? clock_source->boot_id() : clock_system_boot_id();
}

int64_t clock_boot_number(void)
{
	const char *id = clock_boot_id();
	uint64_t number;

	if (!*id)
		return 0;
	number = hash_add(HASH_START, id, strlen(id)) & INT64_MAX;
	return number ? (int64_t)number : 1;
}

void clock_set_source(const struct clock_source *source)
{
	clock_source = source ? source : &clock_system_source;
}

/* ---- times as text */

/* The phone may have moved to another time zone since the last call: tzset() looks. */
static int64_t clock_offset_minutes(int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / CLOCK_MS_PER_SECOND);
	struct tm local;

	tzset();
	return localtime_r(&seconds, &local) ? local.tm_gmtoff / CLOCK_SECONDS_PER_MINUTE
					     : 0;
}

/* Writes "+01:00" */
static void clock_format_offset(int64_t minutes, char text[CLOCK_OFFSET_BYTES])
{
	unsigned east = (unsigned)llabs(minutes);

	snprintf(text, CLOCK_OFFSET_BYTES, "%c%02u:%02u", minutes < 0 ? '-' : '+',
		 east / 60 % 100, east % 60);
}

/*
 * Returns the minutes by which local time is ahead of UTC. A zone of the last century may be
 * seconds off UTC: local time is off by whole minutes, exactly.
 */
static int64_t clock_read_local(int64_t wall_ms, struct tm *local_out)
{
	static const int64_t last_ms = INT64_C(253402128000000); /* 9999-12-30 */
	int64_t minutes;
	time_t seconds;

	if (wall_ms < 0)
		wall_ms = 0;
	if (wall_ms > last_ms)
		wall_ms = last_ms;
	minutes = clock_offset_minutes(wall_ms);
	seconds = (time_t)(wall_ms / CLOCK_MS_PER_SECOND +
			   minutes * CLOCK_SECONDS_PER_MINUTE);
	gmtime_r(&seconds, local_out);
	return minutes;
}

void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_BYTES])
{
	char seconds_text[24], offset_text[CLOCK_OFFSET_BYTES];
	struct tm local;
	int64_t minutes = clock_read_local(wall_ms, &local);

	strftime(seconds_text, sizeof(seconds_text), "%Y-%m-%dT%H:%M:%S", &local);
	clock_format_offset(minutes, offset_text);
	snprintf(text, CLOCK_TEXT_BYTES, "%s%s", seconds_text, offset_text);
}

const char *clock_weekday(int64_t wall_ms)
{
	static const char *const days[] = { "Sunday",	"Monday", "Tuesday", "Wednesday",
					    "Thursday", "Friday", "Saturday" };
	struct tm local;

	clock_read_local(wall_ms, &local);
	return days[local.tm_wday];
}

int64_t clock_ceil_ms(int64_t wall_ms)
{
	int64_t over_ms = wall_ms % CLOCK_MS_PER_SECOND;

	return over_ms > 0 ? wall_ms + CLOCK_MS_PER_SECOND - over_ms : wall_ms;
}

/*
 * /etc/localtime is a link, often over others. Only its last part is read: realpath() would ask for
 * each folder of each link, at every answer that names the zone. Returns NULL if no link leads
 * there.
 */
static const char *clock_follow_localtime(char path[PATH_MAX])
{
	enum { LINKS_MOST = 8 };
	char target[PATH_MAX];

	snprintf(path, PATH_MAX, "/etc/localtime");
	for (unsigned i = 0; i < LINKS_MOST; i++) {
		ssize_t length = readlink(path, target, sizeof(target) - 1);

		if (length < 0 && errno == EINVAL && i > 0)
			return path;
		if (length <= 0 || length == sizeof(target) - 1 || *target != '/')
			break; /* relative links are rare */
		target[length] = '\0';
		memcpy(path, target, (size_t)length + 1);
	}
	return realpath("/etc/localtime", path);
}

/* TZ is a name, or ":" and a name. */
void clock_zone(char text[CLOCK_ZONE_BYTES])
{
	static const char folder[] = "/zoneinfo/";
	char path[PATH_MAX];
	const char *name = getenv("TZ"), *found;

	if (name && *name == ':')
		name++;
	if (!name)
		name = clock_follow_localtime(path);
	found = name ? strstr(name, folder) : NULL;
	if (found)
		name = found + sizeof(folder) - 1;
	if (name && *name != '/' && (found || strchr(name, '/')) &&
	    strlen(name) < CLOCK_ZONE_BYTES)
		snprintf(text, CLOCK_ZONE_BYTES, "%s", name);
	else
		clock_format_offset(clock_offset_minutes(clock_wall_ms()), text);
}

struct clock_parser {
	const char *at;
	bool good; /* everything so far has fitted */
};

static bool clock_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Reads exactly `digits` digits, a number from `least` to `most`. */
static int clock_parse_number(struct clock_parser *parser, int digits, int least,
			      int most)
{
	int value = 0;

	for (; digits > 0 && clock_is_digit(*parser->at); digits--)
		value = value * 10 + (*parser->at++ - '0');
	if (digits > 0 || value < least || value > most)
		parser->good = false;
	return value;
}

static void clock_parse_character(struct clock_parser *parser, char upper_case)
{
	char given = *parser->at;

	if (given >= 'a' && given <= 'z')
		given = (char)(given - 'a' + 'A');
	if (given == upper_case)
		parser->at++;
	else
		parser->good = false;
}

static int clock_days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	assert(month >= 1 && month <= 12);
	return month == 2 && leap ? 29 : days[month - 1];
}

/* Returns the days since 1970-01-01. Years are counted from March, so that leap days come last. */
static int64_t clock_days_since_1970(int year, int month, int day)
{
	int64_t years = month > 2 ? year : year - 1;
	int64_t months = month > 2 ? month - 3 : month + 9;
	int64_t leap_days;

	years += 400; /* never negative; 400 years have 146097 days */
	leap_days = years / 4 - years / 100 + years / 400;
	return years * 365 + leap_days + (months * 153 + 2) / 5 + day - 1 - 719468 -
	       146097;
}

/* Parses "2026-11-21": days since 1970 */
static int64_t clock_parse_date(struct clock_parser *parser)
{
	int year = clock_parse_number(parser, 4, 0, 9999), month, day;

	clock_parse_character(parser, '-');
	month = clock_parse_number(parser, 2, 1, 12);
	clock_parse_character(parser, '-');
	day = clock_parse_number(parser, 2, 1, 31);
	if (!parser->good)
		return 0;
	if (day > clock_days_in_month(year, month))
		parser->good = false;
	return clock_days_since_1970(year, month, day);
}

/* Parses ".123": milliseconds; the fraction may be missing */
static int64_t clock_parse_fraction(struct clock_parser *parser)
{
	int64_t value = 0, place = 100;

	if (*parser->at != '.')
		return 0;
	parser->at++;
	if (!clock_is_digit(*parser->at))
		parser->good = false;
	for (; clock_is_digit(*parser->at); parser->at++, place /= 10)
		value += (*parser->at - '0') * place;
	return value;
}

/* Parses "08:30:00.123": milliseconds since midnight */
static int64_t clock_parse_time(struct clock_parser *parser)
{
	int64_t hour = clock_parse_number(parser, 2, 0, 23), minute, second;

	clock_parse_character(parser, ':');
	minute = clock_parse_number(parser, 2, 0, 59);
	clock_parse_character(parser, ':');
	second = clock_parse_number(parser, 2, 0, 60);
	if (second == 60 && minute != 59)
		parser->good = false;
	return ((hour * 60 + minute) * 60 + second) * 1000 + clock_parse_fraction(parser);
}

/* Parses "Z", "+01:00": minutes east of UTC */
static int64_t clock_parse_offset(struct clock_parser *parser)
{
	char sign = *parser->at;
	int64_t minutes;

	if (sign != '+' && sign != '-') {
		clock_parse_character(parser, 'Z');
		return 0;
	}
	parser->at++;
	minutes = clock_parse_number(parser, 2, 0, 23) * 60;
	clock_parse_character(parser, ':');
	minutes += clock_parse_number(parser, 2, 0, 59);
	return sign == '-' ? -minutes : minutes;
}

bool clock_parse(const char *text, int64_t *wall_ms_out)
{
	struct clock_parser parser = { text, true };
	int64_t minutes = clock_parse_date(&parser) * CLOCK_MINUTES_PER_DAY;
	int64_t ms;

	clock_parse_character(&parser, 'T');
	ms = clock_parse_time(&parser);
	minutes -= clock_parse_offset(&parser);
	if (!parser.good || *parser.at)
		return false;
	*wall_ms_out = minutes * CLOCK_MS_PER_MINUTE + ms;
	return true;
}

void clock_complete(const char *text, enum clock_side side,
		    char complete[CLOCK_TEXT_BYTES])
{
	const char *const ends[] = { "Z", ":00Z",
				     side == CLOCK_AHEAD ? "T09:00:00Z" : "T00:00:00Z" };
	int64_t day_ms = side == CLOCK_AHEAD ? CLOCK_MS_PER_DAY : -CLOCK_MS_PER_DAY;
	int64_t wall_ms = clock_wall_ms() + day_ms;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char whole[CLOCK_TEXT_BYTES + 1];
		int64_t as_utc_ms;
		char *space;

		if (snprintf(whole, sizeof(whole), "%s%s", text, ends[i]) >=
		    (int)sizeof(whole))
			continue;
		space = strchr(whole, ' ');
		if (space)
			*space = 'T';
		if (!clock_parse(whole, &as_utc_ms))
			continue;
		wall_ms =
			as_utc_ms - clock_offset_minutes(as_utc_ms) * CLOCK_MS_PER_MINUTE;
		break;
	}
	clock_format(wall_ms, complete);
}

/* ---- settings of the clock */

int64_t clock_epoch_ms(void)
{
	return clock_wall_ms() - clock_boot_ms();
}

int64_t clock_set_by_ms(int64_t epoch_ms)
{
	int64_t by_ms = clock_epoch_ms() - epoch_ms;

	return llabs(by_ms) < CLOCK_SLEW_MS ? 0 : by_ms;
}

void clock_history_update(struct clock_history *history)
{
	int64_t *epochs_ms = history->epochs_ms;

	if (history->count && !clock_set_by_ms(epochs_ms[0]))
		return;
	memmove(&epochs_ms[1], &epochs_ms[0],
		(CLOCK_HISTORY_MAX - 1) * sizeof(*epochs_ms));
	epochs_ms[0] = clock_epoch_ms();
	if (history->count < CLOCK_HISTORY_MAX)
		history->count++;
}

int64_t clock_history_now_ms(const struct clock_history *history, unsigned place)
{
	return clock_boot_ms() + history->epochs_ms[place];
}
