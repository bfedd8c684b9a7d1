/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gateway: the daemon, from start to stop.
 */
#pragma once

struct config;
struct explanation;

/* Where the configuration comes from. */
struct gateway_config_source {
	/* Reads what a start would use now. Non-zero: failed, with the error's text. */
	int (*read)(const void *data, struct config *config_out,
		    struct explanation *error_out);
	const void *data;
};

/*
 * Runs until SIGTERM or SIGINT. SIGHUP reads `source` again into `config`. Logs what goes
 * wrong. Returns EXIT_SUCCESS or EXIT_FAILURE.
 */
int gateway_run(struct config *config, const struct gateway_config_source *source);
