/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store schema, what makes listings fast: the full-text index, the times of blocks, and the
 * kinds of messages. All of it is derived from the table `message` and changes in its commits:
 * the full-text index by statements of store_index.c, because Debian 12's SQLite lets no trigger
 * write to it in a schema that is not trusted, the others by triggers. store_index.c also adds
 * the messages that were there before.
 */
#pragma once

/* A message's block is its ID divided by this; see store_search.c. */
enum { STORE_SPAN_SHIFT = 8 };
/* Likewise of a shard. */
enum { STORE_SHARD_SHIFT = 14 };

/*
 * What the full-text index has of a message: the text with the letters of ASCII in lower case,
 * and at its end two characters that name its shard.
 */
#define STORE_INDEXED_TEXT                                           \
	"lower(text) || char(1, 19968 + (message.id >> 21 & 16383)," \
	" 256 + (message.id >> 14 & 127))"

/*
 * message_index has one row, except while rows are copied into a new database: then the triggers
 * add nothing. Messages from text_from on are in message_text, those from kind_from on in
 * message_kind, whose kinds are those of enum store_message_kind, as found by the program
 * kind_version. outdated: message_text still has pieces of texts that were removed (1), or they
 * are being removed (2).
 *
 * message_text contains no texts, and no positions in them: that takes a third of the space, and
 * each match is compared with the text itself.
 *
 * message_span has the times of each block that is full, from some block on.
 */
#define STORE_SCHEMA_INDEX_TABLES                                                   \
	"CREATE TABLE message_index ("                                              \
	" id INTEGER PRIMARY KEY CHECK (id = 1), text_from INTEGER NOT NULL,"       \
	" kind_from INTEGER NOT NULL, kind_version TEXT NOT NULL,"                  \
	" outdated INTEGER NOT NULL"                                                \
	") STRICT;" STORE_SCHEMA_BEGIN_INDEX                                        \
	"CREATE VIRTUAL TABLE message_text USING fts5 (text, content='',"           \
	" columnsize=0, detail='none', tokenize='trigram case_sensitive 1');"       \
	"INSERT INTO message_text (message_text, rank) VALUES ('pgsz', 1000),"      \
	" ('usermerge', 2);"                                                        \
	"CREATE TABLE message_kind ("                                               \
	" kind INTEGER NOT NULL, message_id INTEGER NOT NULL,"                      \
	" PRIMARY KEY (kind, message_id)"                                           \
	") STRICT, WITHOUT ROWID;"                                                  \
	"CREATE TABLE message_span ("                                               \
	" block INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL" \
	") STRICT;"

#define STORE_SCHEMA_BEGIN_INDEX                                                \
	"INSERT OR REPLACE INTO message_index SELECT 1, next, next, '', 0 FROM" \
	" (SELECT coalesce(max(id), 0) + 1 AS next FROM message);"

/* 6208: MESSAGE_COMMAND, MESSAGE_HAS_CODE, MESSAGE_HAS_LINK */
#define STORE_SCHEMA_INDEX_TRIGGERS                                                      \
	"CREATE TRIGGER message_kind_added AFTER INSERT ON message"                      \
	" WHEN new.direction = 1 AND new.flags & 6208 BEGIN"                             \
	" INSERT INTO message_kind SELECT 1, new.id FROM message_index"                  \
	"  WHERE new.flags & 2048;"                                                      \
	" INSERT INTO message_kind SELECT 2, new.id FROM message_index"                  \
	"  WHERE new.flags & 4096;"                                                      \
	" INSERT INTO message_kind SELECT 3, new.id FROM message_index"                  \
	"  WHERE new.flags & 64;"                                                        \
	"END;"                                                                           \
	"CREATE TRIGGER message_kind_removed AFTER DELETE ON message"                    \
	" WHEN old.direction = 1 BEGIN"                                                  \
	" DELETE FROM message_kind WHERE kind = 1 AND message_id = old.id;"              \
	" DELETE FROM message_kind WHERE kind = 2 AND message_id = old.id;"              \
	" DELETE FROM message_kind WHERE kind = 3 AND message_id = old.id;"              \
	"END;"                                                                           \
	"CREATE TRIGGER message_span_ended AFTER INSERT ON message"                      \
	" WHEN (SELECT max(id) >> 8 FROM message WHERE id < new.id) < new.id >> 8 BEGIN" \
	" INSERT OR REPLACE INTO message_span SELECT message.id >> 8, min(created),"     \
	"  max(created) FROM message_index, message WHERE message.id < new.id"           \
	"  AND message.id >= (SELECT max(id) >> 8 << 8 FROM message WHERE id < new.id)"  \
	"  GROUP BY 1;"                                                                  \
	"END;"

/* usage_message: of a message that is edited or cancelled. */
#define STORE_SCHEMA_INDEX                                    \
	STORE_SCHEMA_INDEX_TABLES STORE_SCHEMA_INDEX_TRIGGERS \
		"CREATE INDEX usage_message ON usage (message_id);"
