/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outgoing file: a record of an outgoing message, or of its outcome, as our plugin in ofonod
 * wrote it; plugin/README.md has the format. It is read strictly.
 *
 * Private to src/sms/outgoing_spool.c.
 */
#pragma once

#include "base/arena.h"
#include "sms/outbox_record.h"

/*
 * Strings of the record are in `arena`. Returns 0, -errno (-ENOENT if it is gone), or
 * SPOOL_FILE_E_BAD with the reason in *flaw_out.
 */
int outgoing_file_read(int folder, const char *name, struct arena *arena,
		       struct outbox_record *record_out, const char **flaw_out);
