/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that only a hub fills. They are in every store, so that there is one schema, one
 * row of migrations and one check of it. Rows of a message go with the message.
 */
#include "store/store_schema.h"

/*
 * pool...: see store/store_pool.h; routed_message and attempt: store/store_attempt.h. Only a hub
 * writes them. sim_service and routed_message have the IDs of SIMs and messages.
 */
const char store_schema_fleet[] =
	"CREATE TABLE pool ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" sticky INTEGER NOT NULL, country INTEGER NOT NULL,"
	" recipients INTEGER NOT NULL, fails_over INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE pool_sim ("
	" id INTEGER PRIMARY KEY, pool_id INTEGER NOT NULL, sim_id INTEGER NOT NULL,"
	" UNIQUE (pool_id, sim_id)"
	") STRICT;"
	"CREATE TABLE sim_service ("
	" id INTEGER PRIMARY KEY, drained INTEGER NOT NULL, failures INTEGER NOT NULL,"
	" rests_until INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE sim_recipient ("
	" id INTEGER PRIMARY KEY, sim_id INTEGER NOT NULL, month INTEGER NOT NULL,"
	" phone_number TEXT NOT NULL, UNIQUE (sim_id, month, phone_number)"
	") STRICT;"
	"CREATE TABLE routed_message ("
	" id INTEGER PRIMARY KEY, pool_id INTEGER NOT NULL, resends INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE attempt ("
	" id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL, number INTEGER NOT NULL,"
	" sim_id INTEGER NOT NULL, at INTEGER NOT NULL, ended INTEGER NOT NULL,"
	" outcome TEXT NOT NULL, UNIQUE (message_id, number)"
	") STRICT;"
	"CREATE TRIGGER message_routed_removed AFTER DELETE ON message BEGIN"
	" DELETE FROM routed_message WHERE id = old.id;"
	" DELETE FROM attempt WHERE message_id = old.id;"
	"END;";

/* phone: see store/store_phone.h. Times are by the wall clock; 0 is none. */
const char store_schema_phone[] =
	"CREATE TABLE phone ("
	" id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
	" key BLOB NOT NULL CHECK (length(key) = 32),"
	" next_key BLOB CHECK (length(next_key) = 32),"
	" enrolled INTEGER NOT NULL, joined INTEGER NOT NULL DEFAULT 0,"
	" seen INTEGER NOT NULL DEFAULT 0, cursor TEXT NOT NULL DEFAULT ''"
	") STRICT;";
