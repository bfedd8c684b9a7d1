/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ledger report: what `backup` and `restore` tell of a ledger, in words or as JSON.
 */
#ifndef CLI_LEDGER_REPORT_H
#define CLI_LEDGER_REPORT_H

#include "store/store_restore.h"

/*
 * Tells on the terminal how far it is, where that is one and it takes long; and ends it on
 * SIGINT, SIGTERM or SIGHUP.
 */
struct store_backup_progress ledger_report_progress(void);
/* Before anything else is told. */
void ledger_report_progress_end(void);

/* "12 messages, 2 SIM cards, 1 client" */
void ledger_report_print(const struct store_backup_summary *summary);

/* Writes {"file":...,"messages":...}; `restored` NULL: a backup was made. False: no memory. */
bool ledger_report_json(const char *file, const struct store_backup_summary *summary,
			const struct store_restore_result *restored);

#endif
