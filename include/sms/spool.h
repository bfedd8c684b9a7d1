/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spool: the folder into which our plugin in ofonod (plugin/README.md) lays each message
 * before it is acknowledged to the network. It is emptied at the start and whenever a file
 * comes: stored by the inbox first, then removed, so that one of both always has it
 * (tests/integration/test_plugin.py).
 *
 * A folder that cannot be made or trusted is a state, told in the log: oFono's signals are
 * heard all the same. What is damaged or foreign in it is renamed to end with ".bad" and
 * kept. When the disk takes nothing, the files stay and are tried again.
 */
#ifndef SMS_SPOOL_H
#define SMS_SPOOL_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "sms/inbox.h"

struct spool;

/*
 * The folder is made, with mode 0700, when it is missing, its parents are not. Begins with
 * the next turn of the loop. 0 or -errno.
 */
int spool_new(sd_event *loop, const char *folder, struct inbox *inbox,
	      struct spool **spool_out);
void spool_free(struct spool *spool); /* NULL is fine */

/* before the disk is tried again, in milliseconds; 5 s */
void spool_set_retry(struct spool *spool, uint64_t retry_ms); /* tests */

#endif
