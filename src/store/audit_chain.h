/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit chain: how a line hangs on the one before.
 *
 *	hash = SHA-256(hash before || id || at || length || event || length || detail)
 *
 * Numbers have 8 bytes, the greatest first. The lengths are there so that no byte can move
 * from one part into the next. Before the first line the hash is 32 zeros.
 *
 * The hashes are no signature: who can write the file can compute all of them anew. So heads
 * are noted elsewhere (doc/security.md).
 *
 * Private to src/store.
 */
#ifndef STORE_AUDIT_CHAIN_H
#define STORE_AUDIT_CHAIN_H

#include <sqlite3.h>
#include <stdbool.h>

#include "store/audit_line.h"

/* False: GnuTLS fails, for want of memory. */
bool audit_chain_hash(const uint8_t before[AUDIT_HASH_BYTES],
		      const struct audit_line *line, uint8_t hash_out[AUDIT_HASH_BYTES]);

/* In the order of AUDIT_COLUMNS; texts live until the next step. */
#define AUDIT_COLUMNS "id, at, event, detail, hash"
void audit_chain_read(sqlite3_stmt *statement, struct audit_line *line_out);

/* The newest line, or the anchor where a rescue left nothing else. */
#define AUDIT_HEAD_SQL                                                      \
	"SELECT id, hash FROM audit WHERE id = (SELECT max(id) FROM audit)" \
	" AND id >= coalesce((SELECT line FROM audit_anchor), 0)"           \
	" UNION ALL SELECT line, hash FROM audit_anchor WHERE line >"       \
	" coalesce((SELECT max(id) FROM audit), 0)"
void audit_chain_read_head(sqlite3_stmt *statement, struct audit_head *head_out);

#define AUDIT_ADD_SQL "INSERT INTO audit (" AUDIT_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5)"
/* After `head`; the strings are borrowed until the statement is given back. False: no hash. */
bool audit_chain_bind(sqlite3_stmt *statement, const struct audit_head *head,
		      struct audit_line *line);

/*
 * A line in a database that is not opened as a store, within its transaction. A result of
 * SQLite: SQLITE_OK, or why not.
 */
int audit_chain_add(sqlite3 *database, enum audit_event event, const char *detail_json);
int audit_chain_head(sqlite3 *database, struct audit_head *head_out);

#endif
