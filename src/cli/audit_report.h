/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Audit report: lines of the audit and what is true of them, for a person or as JSON.
 *
 * What stands in a line may come from strangers, and in a changed one from anybody: nothing
 * of it reaches a terminal as it is.
 */
#ifndef CLI_AUDIT_REPORT_H
#define CLI_AUDIT_REPORT_H

#include "store/audit_reader.h"

/* "2026-11-21T08:30:00.000Z  12  message accepted: client laptop, ..." */
void audit_report_print(const struct audit_chain_line *line);
/* One object per line. */
void audit_report_json(const struct audit_chain_line *line);

void audit_report_print_verdict(const struct audit_reader_verdict *verdict);
void audit_report_json_verdict(const struct audit_reader_verdict *verdict);

#endif
