/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statements of store_search.c and store_index.c, for store_sql.c. */
#pragma once

#include "store/store_schema_index.h"

/* Is the block within the times? */
#define SPAN_OVERLAPS "last >= ?2 AND first < ?3"

/* What an index has between two IDs. */
#define TEXT_FIND(order)                                             \
	"SELECT rowid FROM message_text WHERE message_text MATCH ?3" \
	" AND rowid > ?1 AND rowid < ?2 ORDER BY rowid " order
#define KIND_FIND(order)                                      \
	"SELECT message_id FROM message_kind WHERE kind = ?3" \
	" AND message_id > ?1 AND message_id < ?2 ORDER BY message_id " order

#define STORE_SQL_INDEX_STATEMENTS                                                                                                                 \
	[SPAN_LOWEST] = "SELECT min(block) FROM message_span",                                                                                     \
	[SPAN_HIGHEST] = "SELECT max(block) FROM message_span",                                                                                    \
	[SPAN_WITHIN_BELOW] =                                                                                                                      \
		"SELECT block FROM message_span WHERE block <= ?1"                                                                                 \
		" AND ?4 = 0 AND " SPAN_OVERLAPS " ORDER BY block DESC LIMIT 1",                                                                   \
	[SPAN_OUTSIDE_BELOW] =                                                                                                                     \
		"SELECT block FROM message_span WHERE block < ?1 AND block > ?4"                                                                   \
		" AND NOT (" SPAN_OVERLAPS ") ORDER BY block DESC LIMIT 1",                                                                        \
	[SPAN_WITHIN_ABOVE] =                                                                                                                      \
		"SELECT block FROM message_span WHERE block >= ?1"                                                                                 \
		" AND ?4 = 0 AND " SPAN_OVERLAPS " ORDER BY block LIMIT 1",                                                                        \
	[SPAN_OUTSIDE_ABOVE] =                                                                                                                     \
		"SELECT block FROM message_span WHERE block > ?1 AND block < ?4"                                                                   \
		" AND NOT (" SPAN_OVERLAPS ") ORDER BY block LIMIT 1",                                                                             \
	[INDEX_TEXT_FROM] = "SELECT text_from FROM message_index WHERE id = 1",                                                                    \
	[INDEX_KIND_FROM] = "SELECT kind_from FROM message_index WHERE id = 1",                                                                    \
	[TEXT_FOUND] = TEXT_FIND("DESC"), [TEXT_FOUND_UP] = TEXT_FIND("ASC"),                                                                      \
	[KIND_FOUND] = KIND_FIND("DESC"), [KIND_FOUND_UP] = KIND_FIND("ASC"),                                                                      \
	[INDEX_READ] = "SELECT text_from, kind_from, kind_version, outdated"                                                                       \
		       " FROM message_index WHERE id = 1",                                                                                         \
	[INDEX_TEXT_SET] = "UPDATE message_index SET text_from = ?1 WHERE id = 1",                                                                 \
	[INDEX_KIND_SET] = "UPDATE message_index SET kind_from = ?1 WHERE id = 1",                                                                 \
	[INDEX_KIND_BEGIN] =                                                                                                                       \
		"UPDATE message_index SET kind_version = ?1, kind_from ="                                                                          \
		" (SELECT coalesce(max(id), 0) + 1 FROM message) WHERE id = 1"                                                                     \
		" AND kind_version <> ?1",                                                                                                         \
	[INDEX_OUTDATED_SET] = "UPDATE message_index SET outdated = ?1 WHERE id = 1",                                                              \
	[INDEX_OUTDATED_END] =                                                                                                                     \
		"UPDATE message_index SET outdated = 0 WHERE id = 1"                                                                               \
		" AND outdated = 2", /* the first of the ?2 messages before ?1 */                                                                  \
		[INDEX_EDGE] = "SELECT min(id) FROM (SELECT id FROM message NOT INDEXED"                                                           \
			       " WHERE id < ?1 AND id > 0 ORDER BY id DESC LIMIT ?2)",                                                             \
	[INDEX_TEXT_ADD] = "INSERT INTO message_text (rowid, text)"                                                                                \
			   " SELECT id, " STORE_INDEXED_TEXT " FROM message NOT INDEXED"                                                           \
			   " WHERE id >= ?1 AND id < ?2 ORDER BY id",                                                                              \
	[INDEX_TEXT_PUT] =                                                                                                                         \
		"INSERT INTO message_text (rowid, text)"                                                                                           \
		" SELECT message.id, " STORE_INDEXED_TEXT " FROM message_index, message"                                                           \
		" WHERE message.id = ?1 AND ?1 >= text_from", /* FTS5 has to be told what it has. */                                               \
		[INDEX_TEXT_FORGET] =                                                                                                              \
			"INSERT INTO message_text (message_text, rowid, text)"                                                                     \
			" SELECT 'delete', message.id, " STORE_INDEXED_TEXT                                                                        \
			" FROM message_index, message WHERE message_index.id = 1"                                                                  \
			" AND message.id = ?1 AND ?1 >= text_from",                                                                                \
	[INDEX_OUTDATE] = "UPDATE message_index SET outdated = 1"                                                                                  \
			  " WHERE id = 1 AND outdated <> 1 AND ?1 >= text_from",                                                                   \
	[INDEX_TEXT_MERGE] =                                                                                                                       \
		"INSERT INTO message_text (message_text, rank) VALUES ('merge', ?1)",                                                              \
	[INDEX_KIND_ROWS] = "SELECT id, text, flags FROM message NOT INDEXED"                                                                      \
			    " WHERE id >= ?1 AND id < ?2 AND direction = 1",                                                                       \
	[INDEX_KIND_CLEAR] = "DELETE FROM message_kind WHERE kind = ?1"                                                                            \
			     " AND message_id >= ?2 AND message_id < ?3",                                                                          \
	[INDEX_KIND_ADD] =                                                                                                                         \
		"INSERT OR IGNORE INTO message_kind VALUES (?1, ?2)", /* the newest message below the lowest block, or below that of the newest */ \
		[INDEX_SPAN_NEXT] =                                                                                                                \
			"SELECT max(id) FROM message WHERE id < (SELECT coalesce("                                                                 \
			"(SELECT min(block) FROM message_span), max(id) >> 8) << 8 "                                                               \
			"FROM message)",                                                                                                           \
	[INDEX_SPAN_ADD] = "INSERT INTO message_span SELECT ?1, min(created), "                                                                    \
			   "max(created)"                                                                                                          \
			   " FROM message NOT INDEXED WHERE id >= ?1 << 8 AND id < (?1 "                                                           \
			   "+ 1) << 8", /* of messages that were removed */                                                                        \
		[INDEX_SPAN_CLEAR] =                                                                                                               \
			"DELETE FROM message_span WHERE block < (SELECT min(id) >> "                                                               \
			"8 FROM message)",
