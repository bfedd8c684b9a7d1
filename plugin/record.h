/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record: one message that came in, as the text of its file in the spool. README.md
 * describes the format.
 */
#ifndef PLUGIN_RECORD_H
#define PLUGIN_RECORD_H

#include <stddef.h>
#include <time.h>

struct record {		   /* strings borrowed, valid UTF-8 */
	const char *modem; /* object path */
	const char *imsi;  /* "" unknown */
	const char *uuid;  /* of the message's PDUs: a repeated one has the same */
	const char *sender;
	const char *sent_time; /* as oFono's signal shows it */
	const char *text;
	const char *ofono; /* version of the ofonod that this plugin is built for */
	struct timespec received;
};

/* The caller frees it. NULL: no memory. */
char *record_text(const struct record *record, size_t *length_out);

#endif
