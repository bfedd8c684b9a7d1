/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spool: the folder that keeps a message from before ofonod acknowledges it to the network
 * until the gateway has stored it. README.md describes its files.
 */
#ifndef PLUGIN_HISTORY_SPOOL_H
#define PLUGIN_HISTORY_SPOOL_H

#include <time.h>

enum {
	SPOOL_FILES_MAX = 4096,
	SPOOL_KIB_MAX = 32 * 1024,
};

struct history_spool_message { /* strings borrowed, valid UTF-8 */
	const char *modem;     /* object path */
	const char *imsi;      /* "" unknown */
	const char *uuid;      /* of the PDUs: a repeated message has the same */
	const char *sender;
	const char *sent_time; /* as in oFono's signal */
	const char *text;
	const char *ofono; /* the ofonod version that this plugin is built for */
	struct timespec received;
};

/* Chooses the folder and logs it. */
void history_spool_init(void);

/*
 * When it returns, the message is on disk as a file of its own. Otherwise the error is
 * logged, and only ofonod's signal reports the message.
 */
void history_spool_put(const struct history_spool_message *message);

#endif
