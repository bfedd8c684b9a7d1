/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixture of the store's tests: a store in a folder of its own, direct SQL, and a disk
 * that can be full.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "full_disk.h"
#include "store/store_client.h"
#include "store/store_schema.h"
#include "store_steps.h"
#include "scratch.h"

/* A client with the default permissions. */
#define NAMED(text)                                            \
	((struct client){ .name = text,                        \
			  .scopes = CLIENT_READ | CLIENT_SEND, \
			  .limits = { -1, -1, -1, -1 } })

static char root[64];
static char folder[80];
static char path[96];
static struct store *store;

static inline int remove_entry(const char *name, const struct stat *status, int type,
			       struct FTW *place)
{
	return remove(name);
}

static inline int store_set_up(void **state)
{
	if (!mkdtemp(scratch_template(root, sizeof(root), "test_store")))
		return -1;
	snprintf(folder, sizeof(folder), "%s/state", root);
	snprintf(path, sizeof(path), "%s/gateway.db", folder);
	return 0;
}

static inline int store_tear_down(void **state)
{
	fill_disk(false);
	store_close(store);
	store = NULL;
	return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void open_store(void)
{
	struct explanation error = { "" };

	if (store_open(folder, &store, &error))
		fail_msg("%s", error.text);
}

static inline void reopen_store(void)
{
	store_close(store);
	store = NULL;
	open_store();
}

static inline int64_t identify(const char *iccid, const char *imsi)
{
	int64_t sim_id = -1;

	assert_int_equal(store_sim_identify(store, iccid, imsi, &sim_id), 0);
	return sim_id;
}

static inline int64_t add_message(const char *text)
{
	struct store_message_draft draft = {
		.sim_id = identify("8936", ""),
		.client_id = 7,
		.number = "+36201234567",
		.text = text,
		.segments = 1,
	};
	int64_t message_id = -1;

	assert_int_equal(store_message_add(store, &draft, &message_id), 0);
	return message_id;
}

static inline enum message_state state_of(int64_t message_id)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	assert_int_equal(store_message_get(store, message_id, arena, &message), 0);
	arena_free(arena);
	return message.state;
}

/* Runs SQL directly on the file; returns the first column of the first row. */
static inline int64_t sql(const char *text)
{
	sqlite3 *database;
	sqlite3_stmt *statement;
	int64_t value = -1;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, text, -1, &statement, NULL),
			 SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	return value;
}

/* Any number of statements, directly on the file. */
static inline void sql_script(const char *text)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(database));
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* Replaces the database at `path` by a closed one of that schema with these rows. */
static inline void make_old_ledger(int version, const char *rows)
{
	sqlite3 *database;

	store_close(store);
	store = NULL;
	remove(path);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(store_schema_migrate(database, 0, version), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	sql_script(rows);
	sql_script("PRAGMA journal_mode = WAL");
}

static char history[256];

static inline void note_change(void *data, const struct message_change *change)
{
	size_t length = strlen(history);

	assert_true(change->at_ms > 0);
	snprintf(history + length, sizeof(history) - length, "%s(%s) ",
		 message_state_name(change->state), change->reason);
}

static inline void assert_history(int64_t message_id, const char *expected)
{
	history[0] = '\0';
	assert_int_equal(store_message_changes(store, message_id, note_change, NULL), 0);
	assert_string_equal(history, expected);
}

/* An open store that knows two cards. */
static inline int store_set_up_with_cards(void **state)
{
	int failed = store_set_up(state);

	if (failed)
		return failed;
	open_store();
	identify("8936", "");
	identify("8937", "");
	return 0;
}
