/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source is described by a key file:
 *
 *   [Data Source]
 *   Enabled=true
 *   Parent=local-stub       the account, or a group of sources
 *   [Address Book]          only an address book has this section
 */
#include "session/address_source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS_SOURCE_INTERFACE "org.gnome.evolution.dataserver.Source"

enum { ADDRESS_SOURCE_MAX = 256, ADDRESS_SOURCE_DEPTH_MAX = 8 };

struct address_source {
	char uid[ADDRESS_SOURCE_UID_BYTES];    /* "" if it is none that counts */
	char parent[ADDRESS_SOURCE_UID_BYTES]; /* "" if there is none */
	bool is_enabled, is_book;
};

struct address_source_tree {
	struct address_source all[ADDRESS_SOURCE_MAX];
	size_t count;
};

/* An ID that does not fit is left empty. */
static void address_source_copy(char uid_out[ADDRESS_SOURCE_UID_BYTES], const char *text,
				size_t length)
{
	memset(uid_out, 0, ADDRESS_SOURCE_UID_BYTES);
	if (length < ADDRESS_SOURCE_UID_BYTES)
		memcpy(uid_out, text, length);
}

/* Returns the value if the line is "KEY=value"; NULL if it is not. */
static const char *address_source_value(const char *line, const char *key)
{
	size_t length = strlen(key);

	return strncmp(line, key, length) == 0 && line[length] == '=' ? line + length + 1
								      : NULL;
}

static void address_source_read_data(struct address_source *source, const char *line)
{
	bool is_head = false;
	const char *value;

	source->is_enabled = true;
	while (*line) {
		size_t length = strcspn(line, "\n");

		if (*line == '[')
			is_head = strncmp(line, "[Data Source]", 13) == 0;
		source->is_book |= strncmp(line, "[Address Book]", 14) == 0;
		if (is_head && (value = address_source_value(line, "Enabled")))
			source->is_enabled = strncmp(value, "false", 5) != 0;
		if (is_head && (value = address_source_value(line, "Parent")))
			address_source_copy(source->parent, value,
					    length - (size_t)(value - line));
		line += length + (line[length] != '\0');
	}
}

/* `members` is at the a{sv} of one interface. */
static void address_source_read_properties(struct address_source *source,
					   DBusMessageIter *members)
{
	DBusMessageIter all, entry, value;
	const char *name, *text;

	dbus_message_iter_recurse(members, &all);
	for (; dbus_message_iter_get_arg_type(&all) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&all)) {
		dbus_message_iter_recurse(&all, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		dbus_message_iter_recurse(&entry, &value);
		if (dbus_message_iter_get_arg_type(&value) != DBUS_TYPE_STRING)
			continue;
		dbus_message_iter_get_basic(&value, &text);
		if (strcmp(name, "UID") == 0)
			address_source_copy(source->uid, text, strlen(text));
		else if (strcmp(name, "Data") == 0)
			address_source_read_data(source, text);
	}
}

/* `object` is in the dictionary entry of an object. */
static void address_source_read_object(struct address_source *source,
				       DBusMessageIter *object)
{
	DBusMessageIter interfaces, interface;
	const char *name;

	dbus_message_iter_next(object);
	dbus_message_iter_recurse(object, &interfaces);
	for (; dbus_message_iter_get_arg_type(&interfaces) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&interfaces)) {
		dbus_message_iter_recurse(&interfaces, &interface);
		dbus_message_iter_get_basic(&interface, &name);
		dbus_message_iter_next(&interface);
		if (strcmp(name, ADDRESS_SOURCE_INTERFACE) == 0)
			address_source_read_properties(source, &interface);
	}
}

/* The accounts form no circle, but nothing says that they cannot. */
static bool address_source_is_shown(const struct address_source_tree *tree,
				    const struct address_source *source)
{
	for (unsigned depth = 0; depth < ADDRESS_SOURCE_DEPTH_MAX; depth++) {
		const char *parent = source->parent;

		if (!source->is_enabled)
			return false;
		for (size_t i = 0; *parent && i < tree->count; i++) {
			if (strcmp(tree->all[i].uid, parent) == 0)
				source = &tree->all[i];
		}
		if (source->parent == parent)
			return true;
	}
	return false;
}

static int address_source_compare(const void *one, const void *other)
{
	return strcmp(one, other);
}

static void address_source_list_fill(struct address_source_list *list,
				     const struct address_source_tree *tree)
{
	memset(list, 0, sizeof(*list));
	for (size_t i = 0; i < tree->count && list->count < ADDRESS_SOURCE_BOOKS_MAX;
	     i++) {
		const struct address_source *source = &tree->all[i];

		if (source->is_book && *source->uid &&
		    address_source_is_shown(tree, source))
			strcpy(list->uids[list->count++], source->uid);
	}
	qsort(list->uids, list->count, sizeof(*list->uids), address_source_compare);
}

int address_source_read(DBusMessage *reply, struct address_source_list *list_out)
{
	struct address_source_tree *tree;
	DBusMessageIter answer, objects, object;

	if (!dbus_message_has_signature(reply, "a{oa{sa{sv}}}"))
		return -EBADMSG;
	tree = calloc(1, sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	dbus_message_iter_init(reply, &answer);
	dbus_message_iter_recurse(&answer, &objects);
	for (; dbus_message_iter_get_arg_type(&objects) == DBUS_TYPE_DICT_ENTRY &&
	       tree->count < ADDRESS_SOURCE_MAX;
	     dbus_message_iter_next(&objects)) {
		dbus_message_iter_recurse(&objects, &object);
		address_source_read_object(&tree->all[tree->count++], &object);
	}
	address_source_list_fill(list_out, tree);
	free(tree);
	return 0;
}
