/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RFC 3339, section 5.6: date-time = full-date "T" partial-time time-offset, in which T and
 * Z may be small letters.
 */
#include "base/timestamp.h"

#include <assert.h>

enum { MINUTES_A_DAY = 24 * 60 };

/* What is still to be read, and whether all that was read has fitted. */
struct reading {
	const char *at;
	bool good;
};

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Exactly so many digits, from `least` to `most`. */
static int read_number(struct reading *reading, int digits, int least, int most)
{
	int value = 0;

	for (; digits > 0 && is_digit(*reading->at); digits--)
		value = value * 10 + (*reading->at++ - '0');
	if (digits > 0 || value < least || value > most)
		reading->good = false;
	return value;
}

static void expect(struct reading *reading, char letter)
{
	char seen = *reading->at;

	if (seen >= 'a' && seen <= 'z')
		seen = (char)(seen - 'a' + 'A');
	if (seen == letter)
		reading->at++;
	else
		reading->good = false;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	assert(month >= 1 && month <= 12);
	return month == 2 && leap ? 29 : days[month - 1];
}

/* Days since 1970-01-01; the year is taken to begin in March, so that leap days end it. */
static int64_t days_since_1970(int year, int month, int day)
{
	int64_t years = month > 2 ? year : year - 1;
	int64_t months = month > 2 ? month - 3 : month + 9;
	int64_t leap_days;

	years += 400; /* never negative; 400 years have 146097 days */
	leap_days = years / 4 - years / 100 + years / 400;
	return years * 365 + leap_days + (months * 153 + 2) / 5 + day - 1 - 719468 -
	       146097;
}

static int64_t read_date(struct reading *reading)
{
	int year = read_number(reading, 4, 0, 9999), month, day;

	expect(reading, '-');
	month = read_number(reading, 2, 1, 12);
	expect(reading, '-');
	day = read_number(reading, 2, 1, 31);
	if (!reading->good)
		return 0;
	if (day > days_in_month(year, month))
		reading->good = false;
	return days_since_1970(year, month, day);
}

/* ".123": milliseconds */
static int64_t read_fraction(struct reading *reading)
{
	int64_t value = 0, place = 100;

	if (*reading->at != '.')
		return 0;
	reading->at++;
	if (!is_digit(*reading->at))
		reading->good = false;
	for (; is_digit(*reading->at); reading->at++, place /= 10)
		value += (*reading->at - '0') * place;
	return value;
}

/* Milliseconds since midnight */
static int64_t read_time(struct reading *reading)
{
	int64_t hour = read_number(reading, 2, 0, 23), minute, second;

	expect(reading, ':');
	minute = read_number(reading, 2, 0, 59);
	expect(reading, ':');
	second = read_number(reading, 2, 0, 60);
	if (second == 60 && minute != 59)
		reading->good = false;
	return ((hour * 60 + minute) * 60 + second) * 1000 + read_fraction(reading);
}

/* "Z", "+01:00": minutes east of UTC */
static int64_t read_offset(struct reading *reading)
{
	char sign = *reading->at;
	int64_t minutes;

	if (sign != '+' && sign != '-') {
		expect(reading, 'Z');
		return 0;
	}
	reading->at++;
	minutes = read_number(reading, 2, 0, 23) * 60;
	expect(reading, ':');
	minutes += read_number(reading, 2, 0, 59);
	return sign == '-' ? -minutes : minutes;
}

bool clock_parse(const char *text, int64_t *wall_ms_out)
{
	struct reading reading = { text, true };
	int64_t minutes = read_date(&reading) * MINUTES_A_DAY;
	int64_t ms;

	expect(&reading, 'T');
	ms = read_time(&reading);
	minutes -= read_offset(&reading);
	if (!reading.good || *reading.at)
		return false;
	*wall_ms_out = minutes * 60000 + ms;
	return true;
}
