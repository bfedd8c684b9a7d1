/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit chain in SQL: reads and writes lines of the audit log, for files of this folder.
 */
#ifndef STORE_AUDIT_CHAIN_SQL_H
#define STORE_AUDIT_CHAIN_SQL_H

#include <sqlite3.h>

#include "store/audit_chain.h"
#include "store/audit_event.h"

/* False: GnuTLS is out of memory. */
bool audit_chain_hash(const uint8_t before[AUDIT_HASH_BYTES],
		      const struct audit_chain_line *line,
		      uint8_t hash_out[AUDIT_HASH_BYTES]);

/* Reads a row of AUDIT_COLUMNS; texts live until the next step. */
#define AUDIT_COLUMNS "id, at, event, detail, hash"
void audit_chain_read_line(sqlite3_stmt *statement, struct audit_chain_line *line_out);

/* The newest line, or the anchor where a rescue saved nothing else. */
#define AUDIT_HEAD_SQL                                                      \
	"SELECT id, hash FROM audit WHERE id = (SELECT max(id) FROM audit)" \
	" AND id >= coalesce((SELECT line FROM audit_anchor), 0)"           \
	" UNION ALL SELECT line, hash FROM audit_anchor WHERE line >"       \
	" coalesce((SELECT max(id) FROM audit), 0)"
void audit_chain_read_head(sqlite3_stmt *statement, struct audit_chain_head *head_out);

/*
 * Binds AUDIT_ADD_SQL to a line that follows `head`; fills the ID, time and hash of the line.
 * Strings are borrowed until the statement is reset. False: no memory for the hash.
 */
#define AUDIT_ADD_SQL "INSERT INTO audit (" AUDIT_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5)"
bool audit_chain_bind(sqlite3_stmt *statement, const struct audit_chain_head *head,
		      struct audit_chain_line *line);

/*
 * For a database that is not opened as a store, within its transaction: adds a line, or reads
 * the head. SQLITE_OK, or the error of SQLite.
 */
int audit_chain_add(sqlite3 *database, enum audit_event event, const char *detail_json);
int audit_chain_find_head(sqlite3 *database, struct audit_chain_head *head_out);

#endif
