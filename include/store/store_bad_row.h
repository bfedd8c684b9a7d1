/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store, bad rows: rows that the gateway would not have written, and whose values its code does
 * not expect. Whoever opens the store for a gateway sets them aside first.
 */
#pragma once

#include <sqlite3.h>
#include <stdint.h>

/*
 * Moves every bad row to the table bad_row, corrects what keeps its meaning, and sets counters of
 * IDs right that have reached their end. Logs how many rows of which table, not what they contain.
 * Returns SQLITE_OK, or the error of the database if nothing has changed.
 */
int store_bad_row_set_aside(sqlite3 *database);

/*
 * How many rows of each table were set aside, read-only, whether or not a gateway runs. Nothing
 * is visited when the store cannot be read. `table` lives during the visit.
 */
void store_bad_row_list(const char *folder,
			void (*visit)(void *data, const char *table, int64_t rows),
			void *data);
