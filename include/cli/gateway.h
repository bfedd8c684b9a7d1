/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gateway: the daemon put together, from start to stop.
 */
#ifndef CLI_GATEWAY_H
#define CLI_GATEWAY_H

#include "base/config.h"
#include "cli/reload.h"

/*
 * Runs until SIGTERM or SIGINT; SIGHUP changes `config` to what `source` has. Returns the exit
 * code; says on the log what went wrong.
 */
int gateway_run(struct config *config, const struct config_source *source);

#endif
