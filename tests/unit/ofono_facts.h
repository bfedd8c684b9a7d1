/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oFono's interfaces and properties as they are on the bus, and some modems made of them.
 */
#pragma once

#include "bus_lab.h"

#define MANAGER	 "org.ofono.Manager"
#define MODEM	 "org.ofono.Modem"
#define SIM	 "org.ofono.SimManager"
#define NETWORK	 "org.ofono.NetworkRegistration"
#define MESSAGES "org.ofono.MessageManager"
#define MESSAGE	 "org.ofono.Message"
#define VOICE	 "org.ofono.VoiceCallManager"
#define USSD	 "org.ofono.SupplementaryServices"
#define FORKS	 "org.nemomobile.ofono."

/* One property; a list of them ends with LAST. */
struct fact {
	const char *name;
	const char *type;     /* "b", "y", "u", "s", "as", "a{sy}" */
	const char *text;     /* "s"; "a{sy}": the only key */
	int number;	      /* "b", "y", "u"; "a{sy}": the only value */
	const char *words[6]; /* "as"; ends with NULL */
};

#define FLAG(fact_name, fact_value) \
	{ .name = fact_name, .type = "b", .number = fact_value }
#define BYTE(fact_name, fact_value) \
	{ .name = fact_name, .type = "y", .number = fact_value }
#define NUMBER(fact_name, fact_value) \
	{ .name = fact_name, .type = "u", .number = fact_value }
#define TEXT(fact_name, fact_value) { .name = fact_name, .type = "s", .text = fact_value }
#define WORDS(fact_name, ...)                                             \
	{                                                                 \
		.name = fact_name, .type = "as", .words = { __VA_ARGS__ } \
	}
#define COUNT(fact_name, fact_key, fact_value) \
	{ .name = fact_name, .type = "a{sy}", .text = fact_key, .number = fact_value }
#define LAST { .name = NULL }

static inline void fact_append(DBusMessageIter *iterator, const struct fact *fact)
{
	dbus_bool_t boolean = fact->number != 0;
	uint8_t byte = (uint8_t)fact->number;
	DBusMessageIter variant, array, entry;

	dbus_message_iter_open_container(iterator, DBUS_TYPE_VARIANT, fact->type,
					 &variant);
	if (strcmp(fact->type, "b") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &boolean);
	} else if (strcmp(fact->type, "y") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_BYTE, &byte);
	} else if (strcmp(fact->type, "u") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_UINT32, &fact->number);
	} else if (strcmp(fact->type, "s") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &fact->text);
	} else if (strcmp(fact->type, "as") == 0) {
		dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &array);
		for (size_t i = 0; fact->words[i]; i++)
			dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING,
						       &fact->words[i]);
		dbus_message_iter_close_container(&variant, &array);
	} else if (strcmp(fact->type, "a{sy}") == 0) {
		dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "{sy}",
						 &array);
		dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL,
						 &entry);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &fact->text);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_BYTE, &byte);
		dbus_message_iter_close_container(&array, &entry);
		dbus_message_iter_close_container(&variant, &array);
	} else {
		fail_msg("no such type: %s", fact->type);
	}
	dbus_message_iter_close_container(iterator, &variant);
}

static inline void facts_append(DBusMessageIter *iterator, const struct fact *facts)
{
	DBusMessageIter array, entry;

	dbus_message_iter_open_container(iterator, DBUS_TYPE_ARRAY, "{sv}", &array);
	for (; facts && facts->name; facts++) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL,
						 &entry);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &facts->name);
		fact_append(&entry, facts);
		dbus_message_iter_close_container(&array, &entry);
	}
	dbus_message_iter_close_container(iterator, &array);
}

static const struct fact idle_modem[] = {
	FLAG("Powered", 0),
	TEXT("Type", "hardware"),
	WORDS("Interfaces", NULL),
	LAST,
};

static const struct fact modem_with_card[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	TEXT("Type", "hardware"),
	TEXT("Serial", "350000000003770"),
	WORDS("Interfaces", SIM, "org.ofono.Unheard", NETWORK, MESSAGES),
	LAST,
};

static const struct fact card_present[] = {
	FLAG("Present", 1),
	TEXT("SubscriberIdentity", "216300000000000"),
	LAST,
};

static const struct fact network_registered[] = {
	TEXT("Status", "registered"),
	LAST,
};
