/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spool file: one message as our plugin in ofonod wrote it; plugin/README.md has the format.
 * It is read strictly: a file with any deviation is damaged, or is not of the plugin.
 *
 * Private to src/sms/spool.c and src/sms/outgoing_file.c.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/json.h"
#include "sms/inbox.h"

enum {
	SPOOL_FILE_NAME_BYTES = 20 + 1 + 40 + 4 + 1,
	SPOOL_FILE_BYTES_MAX = 1 << 20,
};

/* outcomes */
enum {
	SPOOL_FILE_E_BAD = 1,
};

/* Does the name have the form that the plugin uses? suffix: ".sms" or as long. */
bool spool_file_is_named(const char *name, const char *suffix);

/* Reads the JSON of a file of the plugin, in `arena`. The results of spool_file_read(). */
int spool_file_read_json(int folder, const char *name, struct arena *arena,
			 const struct json **root_out, const char **flaw_out);

/*
 * Reads the file `name` of `folder`. The strings of the message are in `arena`, except the name.
 * Returns 0, -errno (-ENOENT if it is gone), or SPOOL_FILE_E_BAD with the reason in *flaw_out.
 */
int spool_file_read(int folder, const char *name, struct arena *arena,
		    struct inbox_spooled *spooled_out, const char **flaw_out);
