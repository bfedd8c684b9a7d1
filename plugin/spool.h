/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spool: the folder in which a message lies from before ofonod acknowledges it to the
 * network until the gateway has stored it. README.md says what is in it.
 */
#ifndef PLUGIN_SPOOL_H
#define PLUGIN_SPOOL_H

#include "record.h"

enum {
	SPOOL_FILES_MAX = 4096,
	SPOOL_KIB_MAX = 32 * 1024,
};

/* Which folder; says so in the log. */
void spool_init(void);

/*
 * On disk as a file of its own when it returns. If it cannot be, that is logged and the
 * message is ofonod's to tell by its signal alone.
 */
void spool_put(const struct record *record);

#endif
