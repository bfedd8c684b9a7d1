/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address source: which address books the owner's desktop has, of those that evolution-data-server
 * lists. An address book counts only if neither itself nor the account it belongs to is disabled.
 *
 * Source: evolution-data-server 3.46, org.gnome.evolution.dataserver.Source, and
 * e_source_registry_check_enabled().
 */
#pragma once

#include <dbus/dbus.h>
#include <stddef.h>

enum { ADDRESS_SOURCE_UID_BYTES = 128, ADDRESS_SOURCE_BOOKS_MAX = 16 };

struct address_source_list {
	/* sorted, so that two lists compare as memory; unused bytes are zero */
	char uids[ADDRESS_SOURCE_BOOKS_MAX][ADDRESS_SOURCE_UID_BYTES];
	size_t count;
};

/* `reply` is an answer of ObjectManager.GetManagedObjects. Returns 0; -EBADMSG or -ENOMEM. */
int address_source_read(DBusMessage *reply, struct address_source_list *list_out);
