/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reload: the configuration is read again while the gateway runs (SIGHUP), as a start would
 * read it, with the options of the command line over the file.
 *
 * All of it or nothing: a file that a start would refuse changes nothing. Keys that cannot
 * change while the program runs keep their values, and the log says that they need a restart
 * (tests/integration/test_reload.py).
 */
#ifndef GATEWAY_RELOAD_H
#define GATEWAY_RELOAD_H

#include "gateway/control.h"
#include "store/store_audit.h"

struct config;
struct explanation;

struct config_source {
	/* What a start would take now. Not 0: the error has its text. */
	int (*read)(const void *data, struct config *config_out,
		    struct explanation *error_out);
	const void *data;
};

/*
 * False: refused, with the reload's error, and `config` is as it was. What differs is a line
 * of the audit each.
 */
bool reload_config(struct config *config, const struct config_source *source,
		   struct store *store, struct control_reload *reload);

#endif
