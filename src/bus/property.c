/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each property type has its D-Bus signature and a function that stores a value; a value with
 * another signature is ignored. All storing functions return whether the field changed.
 */
#include "bus/property.h"

#include <stdint.h>
#include <string.h>

static bool property_has_signature(DBusMessageIter *value, const char *signature)
{
	char *actual = dbus_message_iter_get_signature(value);
	bool same = actual && strcmp(actual, signature) == 0;

	dbus_free(actual);
	return same;
}

/* Returns true if the field changed. */
static bool property_replace(void *field, const void *value, size_t size)
{
	if (memcmp(field, value, size) == 0)
		return false;
	memcpy(field, value, size);
	return true;
}

/* Returns how many bytes of `text` fit, without cutting a character. */
static size_t property_fitting_bytes(const char *text, size_t size)
{
	size_t length = strnlen(text, size);

	if (length < size)
		return length;
	length = size - 1;
	while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
		length--;
	return length;
}

bool property_put_text(char *field, size_t size, const char *text)
{
	size_t length = property_fitting_bytes(text, size);

	if (strncmp(field, text, length) == 0 && field[length] == '\0')
		return false;
	memcpy(field, text, length);
	memset(field + length, 0, size - length);
	return true;
}

static bool property_put_boolean(void *field, DBusMessageIter *value)
{
	dbus_bool_t given;
	bool boolean;

	dbus_message_iter_get_basic(value, &given);
	boolean = given != FALSE;
	return property_replace(field, &boolean, sizeof(boolean));
}

static bool property_put_byte(void *field, DBusMessageIter *value)
{
	uint8_t byte;

	dbus_message_iter_get_basic(value, &byte);
	return property_replace(field, &byte, sizeof(byte));
}

static bool property_put_small(void *field, DBusMessageIter *value)
{
	dbus_uint32_t given;
	uint8_t small;

	dbus_message_iter_get_basic(value, &given);
	small = given > UINT8_MAX ? UINT8_MAX : (uint8_t)given;
	return property_replace(field, &small, sizeof(small));
}

static bool property_put_string(const struct property *property, char *field,
				DBusMessageIter *value)
{
	const char *text;

	dbus_message_iter_get_basic(value, &text);
	return property_put_text(field, property->size, text);
}

static int property_word_index(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

static bool property_put_flags(const struct property *property, void *field,
			       DBusMessageIter *value)
{
	DBusMessageIter element;
	uint32_t flags = 0;

	dbus_message_iter_recurse(value, &element);
	while (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRING) {
		const char *word;
		int bit;

		dbus_message_iter_get_basic(&element, &word);
		bit = property_word_index(property->words, word);
		if (bit >= 0)
			flags |= UINT32_C(1) << bit;
		dbus_message_iter_next(&element);
	}
	return property_replace(field, &flags, sizeof(flags));
}

static bool property_put_first(const struct property *property, char *field,
			       DBusMessageIter *value)
{
	DBusMessageIter element;
	const char *text = "";

	dbus_message_iter_recurse(value, &element);
	if (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRING)
		dbus_message_iter_get_basic(&element, &text);
	return property_put_text(field, property->size, text);
}

static bool property_is_word(const char *text)
{
	return *text && !strchr(text, ' ');
}

static bool property_put_words(const struct property *property, char *field,
			       DBusMessageIter *value)
{
	DBusMessageIter element;
	char words[512] = "";
	size_t used = 0;

	dbus_message_iter_recurse(value, &element);
	while (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_STRING) {
		const char *word;
		size_t length;

		dbus_message_iter_get_basic(&element, &word);
		length = strlen(word);
		if (property_is_word(word) && used + 1 + length < property->size &&
		    used + 1 + length < sizeof(words)) {
			if (used)
				words[used++] = ' ';
			memcpy(words + used, word, length + 1);
			used += length;
		}
		dbus_message_iter_next(&element);
	}
	return property_put_text(field, property->size, words);
}

static void property_put_count(const struct property *property, DBusMessageIter *entry,
			       uint8_t *counts)
{
	const char *word;
	uint8_t number;
	int index;

	dbus_message_iter_get_basic(entry, &word);
	dbus_message_iter_next(entry);
	dbus_message_iter_get_basic(entry, &number);
	index = property_word_index(property->words, word);
	if (index >= 0 && (size_t)index < property->size)
		counts[index] = number;
}

static bool property_put_counts(const struct property *property, uint8_t *field,
				DBusMessageIter *value)
{
	DBusMessageIter element;
	uint8_t counts[256] = { 0 };

	dbus_message_iter_recurse(value, &element);
	while (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_DICT_ENTRY) {
		DBusMessageIter entry;

		dbus_message_iter_recurse(&element, &entry);
		property_put_count(property, &entry, counts);
		dbus_message_iter_next(&element);
	}
	return property_replace(field, counts, property->size);
}

static bool property_put(const struct property *property, void *field,
			 DBusMessageIter *value)
{
	static const char *const signatures[] = {
		[PROPERTY_BOOLEAN] = "b",    [PROPERTY_BYTE] = "y",
		[PROPERTY_STRING] = "s",     [PROPERTY_FLAGS] = "as",
		[PROPERTY_FIRST] = "as",     [PROPERTY_WORDS] = "as",
		[PROPERTY_COUNTS] = "a{sy}", [PROPERTY_SMALL] = "u",
	};

	if (!property_has_signature(value, signatures[property->type]))
		return false;
	switch (property->type) {
	case PROPERTY_BOOLEAN:
		return property_put_boolean(field, value);
	case PROPERTY_BYTE:
		return property_put_byte(field, value);
	case PROPERTY_SMALL:
		return property_put_small(field, value);
	case PROPERTY_STRING:
		return property_put_string(property, field, value);
	case PROPERTY_FLAGS:
		return property_put_flags(property, field, value);
	case PROPERTY_FIRST:
		return property_put_first(property, field, value);
	case PROPERTY_WORDS:
		return property_put_words(property, field, value);
	case PROPERTY_COUNTS:
		return property_put_counts(property, field, value);
	}
	return false;
}

/* `variant` is at the variant. Returns true if the field changed. */
static bool property_store(const struct property *table, size_t count, const char *name,
			   DBusMessageIter *variant, void *structure)
{
	DBusMessageIter value;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(table[i].name, name) != 0)
			continue;
		dbus_message_iter_recurse(variant, &value);
		return property_put(&table[i], (char *)structure + table[i].offset,
				    &value);
	}
	return false;
}

bool property_store_all(const struct property *table, size_t count,
			DBusMessageIter *dictionary, void *structure)
{
	DBusMessageIter element;
	bool changed = false;

	dbus_message_iter_recurse(dictionary, &element);
	while (dbus_message_iter_get_arg_type(&element) == DBUS_TYPE_DICT_ENTRY) {
		DBusMessageIter entry;
		const char *name;

		dbus_message_iter_recurse(&element, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		changed |= property_store(table, count, name, &entry, structure);
		dbus_message_iter_next(&element);
	}
	return changed;
}

const char *property_changed_name(DBusMessage *signal)
{
	DBusMessageIter arguments;
	const char *name;

	if (!dbus_message_has_member(signal, "PropertyChanged") ||
	    !dbus_message_has_signature(signal, "sv"))
		return NULL;
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_get_basic(&arguments, &name);
	return name;
}

bool property_changed(const struct property *table, size_t count, DBusMessage *signal,
		      void *structure)
{
	const char *name = property_changed_name(signal);
	DBusMessageIter arguments;

	if (!name)
		return false;
	dbus_message_iter_init(signal, &arguments);
	dbus_message_iter_next(&arguments);
	return property_store(table, count, name, &arguments, structure);
}
