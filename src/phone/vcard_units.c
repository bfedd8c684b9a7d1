/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text of vCards is in bytes, UTF-16 or UTF-32. Its first four bytes decide: a byte order
 * mark, or, since a vCard begins with an ASCII letter, the place of the zero bytes beside it.
 */
#include <string.h>

#include "base/utf8.h"
#include "phone/vcard_private.h"

enum { VCARD_UNITS_REPLACEMENT = 0xfffd };

static void vcard_units_decide(struct vcard_units *units)
{
	static const struct {
		unsigned width;
		bool is_big_endian;
		unsigned char mark[4];
	} marks[] = {
		{ 4, false, { 0xff, 0xfe, 0, 0 } },
		{ 4, true, { 0, 0, 0xfe, 0xff } },
		{ 2, false, { 0xff, 0xfe } },
		{ 2, true, { 0xfe, 0xff } },
	};
	const unsigned char *bytes = units->bytes;
	unsigned zeros = 0; /* a bit for each byte */

	units->width = 1;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (units->count < marks[i].width ||
		    memcmp(bytes, marks[i].mark, marks[i].width) != 0)
			continue;
		units->width = marks[i].width;
		units->is_big_endian = marks[i].is_big_endian;
		return;
	}
	for (unsigned i = 0; i < units->count; i++)
		zeros |= (unsigned)(bytes[i] == 0) << i;
	if (units->count < 4)
		return;
	if (zeros == 0xe || zeros == 0x7)
		units->width = 4;
	else if ((zeros & 3) == 2 || (zeros & 3) == 1)
		units->width = 2;
	units->is_big_endian = zeros & 1;
}

static size_t vcard_units_write(struct vcard_units *units, uint32_t unit, char *out)
{
	bool is_high = unit >= 0xd800 && unit < 0xdc00;
	bool is_low = unit >= 0xdc00 && unit < 0xe000;
	size_t length = 0;

	if (units->high && is_low && units->width == 2)
		unit = 0x10000 + ((units->high - 0xd800) << 10) + (unit - 0xdc00);
	else if (units->high)
		length = utf8_write(VCARD_UNITS_REPLACEMENT, out);
	if (units->high && unit >= 0x10000)
		is_low = false;
	units->high = is_high ? unit : 0;
	if (is_high)
		return length;
	return length +
	       utf8_write(is_low || unit > 0x10ffff ? VCARD_UNITS_REPLACEMENT : unit,
			  out + length);
}

/* Writes the units that are complete. */
static size_t vcard_units_take(struct vcard_units *units, char *out)
{
	size_t length = 0;

	for (unsigned at = 0; at < units->count; at += units->width) {
		uint32_t unit = 0;

		for (unsigned i = 0; i < units->width; i++) {
			unsigned place = units->is_big_endian ? i : units->width - 1 - i;

			unit = unit << 8 | units->bytes[at + place];
		}
		if (units->width == 1)
			out[length++] = (char)unit;
		else
			length += vcard_units_write(units, unit, out + length);
	}
	units->count = 0;
	return length;
}

size_t vcard_units_put(struct vcard_units *units, char byte, char out[VCARD_UNITS_OUT])
{
	units->bytes[units->count++] = (unsigned char)byte;
	if (units->count < (units->width ? units->width : sizeof(units->bytes)))
		return 0;
	if (!units->width)
		vcard_units_decide(units);
	return vcard_units_take(units, out);
}

size_t vcard_units_finish(struct vcard_units *units, char out[VCARD_UNITS_OUT])
{
	if (units->width)
		return 0;
	vcard_units_decide(units);
	units->count -= units->count % units->width;
	return vcard_units_take(units, out);
}
