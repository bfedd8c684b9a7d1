/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gateway: the daemon put together, from start to stop.
 */
#ifndef CLI_GATEWAY_H
#define CLI_GATEWAY_H

#include "base/config.h"

/* Runs until SIGTERM or SIGINT. Returns the exit code; says on the log what went wrong. */
int gateway_run(const struct config *config);

#endif
