/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Outgoing spool: the folder where our plugin in ofonod (plugin/README.md) records what every
 * program gives ofonod to send, and what becomes of it. Each file is removed when the outbox has
 * stored what it says. Damaged and foreign files are renamed to end with ".bad".
 */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

struct config;
struct outbox;
struct outgoing_spool;

/*
 * The folder is ".outgoing" in `spool_folder`; both are created if necessary, with mode 0700.
 * Returns 0 or -errno.
 */
int outgoing_spool_new(sd_event *loop, const char *spool_folder, struct outbox *outbox,
		       struct outgoing_spool **spool_out);
/* Returns from when on ofonod has recorded everything, by CLOCK_BOOTTIME; 0 if unknown. */
int64_t outgoing_spool_since(const struct config *config);
/* Reads what is there, when the store keeps what it accepts. */
void outgoing_spool_start(struct outgoing_spool *spool);
void outgoing_spool_free(struct outgoing_spool *spool); /* NULL is fine */
