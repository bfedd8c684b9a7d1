/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the audit log: their hashes, the text form of a head, and their columns in
 * SQL. The layout of a hash is in audit_chain.h.
 *
 * A new line needs the hash of the newest one, so reading the head, computing the hash
 * and inserting the line happen in one transaction. A database that is not opened as a
 * store, during a restore or rebuild, gets its line by audit_chain_add().
 */
#include "store/audit_chain.h"

#include <gnutls/crypto.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/audit_chain_sql.h"
#include "store/store_internal.h"

enum { DIGITS_MAX = 18 };

void audit_chain_write_head(const struct audit_chain_head *head,
			    char text[AUDIT_HEAD_TEXT_BYTES])
{
	int length =
		snprintf(text, AUDIT_HEAD_TEXT_BYTES, "%lld:", (long long)head->line);

	for (int i = 0; i < AUDIT_HASH_BYTES; i++)
		length += snprintf(text + length, AUDIT_HEAD_TEXT_BYTES - (size_t)length,
				   "%02x", head->hash[i]);
}

/* -1: not a hexadecimal digit */
static int audit_chain_hex_digit(char letter)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *found = letter ? strchr(digits, letter) : NULL;
	int digit = found ? (int)(found - digits) : -1;

	return digit < 16 ? digit : digit - 6;
}

static bool audit_chain_parse_hash(const char *text, uint8_t hash_out[AUDIT_HASH_BYTES])
{
	for (int i = 0; i < AUDIT_HASH_BYTES; i++) {
		int high = audit_chain_hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : audit_chain_hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		hash_out[i] = (uint8_t)(high << 4 | low);
	}
	return !text[2 * AUDIT_HASH_BYTES];
}

bool audit_chain_parse_head(const char *text, struct audit_chain_head *head_out)
{
	struct audit_chain_head head = { .line = 0 };
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > DIGITS_MAX || text[digits] != ':' ||
	    !audit_chain_parse_hash(text + digits + 1, head.hash))
		return false;
	for (size_t i = 0; i < digits; i++)
		head.line = head.line * 10 + (text[i] - '0');
	*head_out = head;
	return true;
}

static int audit_chain_hash_number(gnutls_hash_hd_t digest, uint64_t number)
{
	uint8_t bytes[sizeof(number)];

	for (size_t i = sizeof(bytes); i-- > 0; number >>= 8)
		bytes[i] = (uint8_t)number;
	return gnutls_hash(digest, bytes, sizeof(bytes));
}

static int audit_chain_hash_text(gnutls_hash_hd_t digest, const char *text)
{
	size_t length = strlen(text);
	int error = audit_chain_hash_number(digest, length);

	return error ? error : gnutls_hash(digest, text, length);
}

bool audit_chain_hash(const uint8_t before[AUDIT_HASH_BYTES],
		      const struct audit_chain_line *line,
		      uint8_t hash_out[AUDIT_HASH_BYTES])
{
	gnutls_hash_hd_t digest;
	int error = gnutls_hash_init(&digest, GNUTLS_DIG_SHA256);

	if (error)
		return false;
	error = gnutls_hash(digest, before, AUDIT_HASH_BYTES);
	if (!error)
		error = audit_chain_hash_number(digest, (uint64_t)line->id);
	if (!error)
		error = audit_chain_hash_number(digest, (uint64_t)line->at_ms);
	if (!error)
		error = audit_chain_hash_text(digest, line->event);
	if (!error)
		error = audit_chain_hash_text(digest, line->detail);
	gnutls_hash_deinit(digest, hash_out);
	return !error;
}

static void audit_chain_read_hash(sqlite3_stmt *statement, int column, uint8_t *hash_out)
{
	memset(hash_out, 0, AUDIT_HASH_BYTES);
	if (sqlite3_column_bytes(statement, column) == AUDIT_HASH_BYTES)
		memcpy(hash_out, sqlite3_column_blob(statement, column),
		       AUDIT_HASH_BYTES);
}

/*
 * SQL ends a text at a NUL, but the hash covers all of it: a line with a NUL counts as
 * having no text.
 */
static const char *audit_chain_read_text(sqlite3_stmt *statement, int column)
{
	const char *text = store_column_text(statement, column);

	return strlen(text) == (size_t)sqlite3_column_bytes(statement, column) ? text
									       : "";
}

void audit_chain_read_line(sqlite3_stmt *statement, struct audit_chain_line *line_out)
{
	*line_out = (struct audit_chain_line){
		.id = sqlite3_column_int64(statement, 0),
		.at_ms = sqlite3_column_int64(statement, 1),
		.event = audit_chain_read_text(statement, 2),
		.detail = audit_chain_read_text(statement, 3),
	};
	audit_chain_read_hash(statement, 4, line_out->hash);
}

void audit_chain_read_head(sqlite3_stmt *statement, struct audit_chain_head *head_out)
{
	head_out->line = sqlite3_column_int64(statement, 0);
	audit_chain_read_hash(statement, 1, head_out->hash);
}

bool audit_chain_bind(sqlite3_stmt *statement, const struct audit_chain_head *head,
		      struct audit_chain_line *line)
{
	line->id = head->line + 1;
	line->at_ms = clock_wall_ms();
	if (!audit_chain_hash(head->hash, line, line->hash))
		return false;
	sqlite3_bind_int64(statement, 1, line->id);
	sqlite3_bind_int64(statement, 2, line->at_ms);
	store_bind_text(statement, 3, line->event);
	store_bind_text(statement, 4, line->detail);
	sqlite3_bind_blob(statement, 5, line->hash, AUDIT_HASH_BYTES, SQLITE_STATIC);
	return true;
}

int audit_chain_find_head(sqlite3 *database, struct audit_chain_head *head_out)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(database, AUDIT_HEAD_SQL, -1, &statement, NULL);

	*head_out = (struct audit_chain_head){ .line = 0 };
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		audit_chain_read_head(statement, head_out);
	sqlite3_finalize(statement);
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}

int audit_chain_add(sqlite3 *database, enum audit_event event, const char *detail_json)
{
	struct audit_chain_line line = { .event = audit_events[event].name,
					 .detail = detail_json };
	struct audit_chain_head head;
	sqlite3_stmt *statement = NULL;
	int result = audit_chain_find_head(database, &head);

	if (!result)
		result =
			sqlite3_prepare_v2(database, AUDIT_ADD_SQL, -1, &statement, NULL);
	if (!result)
		result = audit_chain_bind(statement, &head, &line)
				 ? sqlite3_step(statement)
				 : SQLITE_NOMEM;
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}
