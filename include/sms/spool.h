/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spool: the folder where our plugin in ofonod (plugin/README.md) writes each message before
 * ofonod acknowledges it to the network. It is emptied at the start and whenever a file comes:
 * the inbox stores the message first, then the file is removed, so that the message is always
 * in at least one of the two (tests/integration/test_plugin.py).
 *
 * If the folder cannot be created or trusted, that is logged, and messages still come through
 * oFono's signals. Damaged and foreign files are renamed to end with ".bad" and kept. When the
 * disk is full, the files stay and are tried again.
 */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

#include "sms/inbox.h"

struct spool;

/*
 * The folder is created with mode 0700 if it is missing; its parents must exist. Work begins with
 * the next turn of the loop. Returns 0 or -errno.
 */
int spool_new(sd_event *loop, const char *folder, struct inbox *inbox,
	      struct spool **spool_out);
void spool_free(struct spool *spool); /* NULL is fine */

/* Time before the disk is tried again; 5 s. */
void spool_set_retry(struct spool *spool, uint64_t retry_ms); /* tests */
