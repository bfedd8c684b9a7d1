/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Property: oFono's a{sv} dictionaries and PropertyChanged(s,v) into C structs, by table.
 *
 * Whatever does not fit the table (unknown name, wrong type) is ignored: oFono's versions
 * and forks differ. Unused bytes of text fields are kept zero, so that structs made of
 * such fields can be compared as memory.
 */
#ifndef BUS_PROPERTY_H
#define BUS_PROPERTY_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stddef.h>

enum property_type {
	PROPERTY_BOOLEAN, /* b: bool */
	PROPERTY_BYTE,	  /* y: uint8_t */
	PROPERTY_SMALL,	  /* u: uint8_t, 255 for what is more */
	PROPERTY_STRING,  /* s: char[size]; a longer value is cut at a character */
	PROPERTY_FLAGS,	  /* as: uint32_t, bits of the known words */
	PROPERTY_FIRST,	  /* as: char[size], the first element, or "" */
	PROPERTY_WORDS, /* as: char[size], blanks between; what does not fit is left out */
	PROPERTY_COUNTS, /* a{sy}: uint8_t[size], by the known words; others 0 */
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

/* `text`, cut at a character where it does not fit. True when the field differs now. */
bool property_put_text(char *field, size_t size, const char *text);

/*
 * A whole a{sv} (the iterator stands on the array) into the struct: values whose name the
 * table knows and whose type fits. True when any field differs now.
 */
bool property_store_all(const struct property *table, size_t count,
			DBusMessageIter *dictionary, void *structure);

/* A PropertyChanged(s,v) signal. True when a field differs. */
bool property_changed(const struct property *table, size_t count, DBusMessage *signal,
		      void *structure);

/* The name in a PropertyChanged(s,v) signal, borrowed; NULL: it is none. */
const char *property_changed_name(DBusMessage *signal);

#endif
