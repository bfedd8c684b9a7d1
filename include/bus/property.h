/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Property: stores oFono's a{sv} dictionaries and PropertyChanged(s,v) signals in C structs,
 * by table.
 *
 * Properties with an unknown name or another type are ignored: oFono's versions and forks
 * differ. Unused bytes of text fields are zero, so that such structs compare as memory.
 */
#pragma once

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>

enum property_type {
	PROPERTY_BOOLEAN, /* b: bool */
	PROPERTY_BYTE,	  /* y: uint8_t */
	PROPERTY_SMALL,	  /* u: uint8_t, 255 for larger values */
	PROPERTY_STRING,  /* s: char[size]; a longer value is cut at a character */
	PROPERTY_FLAGS,	  /* as: uint32_t, bits of the known words */
	PROPERTY_FIRST,	  /* as: char[size], the first element, or "" */
	PROPERTY_WORDS, /* as: char[size], separated by spaces; what does not fit is left out */
	PROPERTY_COUNTS, /* a{sy}: uint8_t[size], by the known words; missing ones are 0 */
};

struct property {
	const char *name;
	enum property_type type;
	size_t offset; /* of the field in the struct */
	size_t size;   /* of the field */
	/* PROPERTY_FLAGS, _COUNTS: the words of bit or element 0, 1, ...; ends with NULL */
	const char *const *words;
};

/* A row: PROPERTY("Retries", PROPERTY_COUNTS, struct modem_sim, retries, .words = locks) */
#define PROPERTY(property_name, property_type, structure, field, ...) \
	{ .name = property_name,                                      \
	  .type = property_type,                                      \
	  .offset = offsetof(structure, field),                       \
	  .size = sizeof(((structure *)0)->field),                    \
	  __VA_ARGS__ }

/* Stores `text`, cut at a character if it is too long. Returns true if the field changed. */
bool property_put_text(char *field, size_t size, const char *text);

/* Stores a whole a{sv}; the iterator is at the array. Returns true if a field changed. */
bool property_store_all(const struct property *table, size_t count,
			DBusMessageIter *dictionary, void *structure);

/* Stores a PropertyChanged(s,v) signal. Returns true if a field changed. */
bool property_changed(const struct property *table, size_t count, DBusMessage *signal,
		      void *structure);

/* Returns the name in a PropertyChanged(s,v) signal, borrowed; NULL if it is another signal. */
const char *property_changed_name(DBusMessage *signal);
