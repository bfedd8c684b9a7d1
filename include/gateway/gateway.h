/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gateway: the daemon put together, from start to stop.
 */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include "gateway/reload.h"

struct config;

/*
 * Runs until SIGTERM or SIGINT; SIGHUP changes `config` to what `source` has. EXIT_SUCCESS or
 * EXIT_FAILURE; says on the log what went wrong.
 */
int gateway_run(struct config *config, const struct config_source *source);

#endif
