/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Link configuration: how a phone's link reaches its broker and its gateway, and the key that it
 * shares with the hub. "ofono-mcp join" writes it; the link replaces the key in it.
 *
 * It holds secrets: the file is readable by its owner only, and is replaced as a whole.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "fleet/join_code.h"

#define LINK_CONFIG_FOLDER	 "/var/lib/ofono-mcp-link"
#define LINK_CONFIG_DEFAULT_PATH LINK_CONFIG_FOLDER "/link.conf"
#define LINK_CONFIG_STATE_PATH	 "/run/ofono-mcp-link/state"
#define LINK_CONFIG_USER	 "ofono-mcp-link"

enum {
	LINK_CONFIG_GATEWAY_BYTES = 64,
	LINK_CONFIG_TOKEN_BYTES = 129,
	LINK_CONFIG_PATH_BYTES = 256,
	LINK_CONFIG_ERROR_BYTES = 160,
};

struct link_config {
	struct join_code join;			 /* `secret`: the key; `ca` is not used */
	char ca_file[LINK_CONFIG_PATH_BYTES];	 /* "" means the system's certificates */
	char gateway[LINK_CONFIG_GATEWAY_BYTES]; /* "127.0.0.1:9531" or "[::1]:9531" */
	char token[LINK_CONFIG_TOKEN_BYTES];
};

/* Returns 0, -errno or -EINVAL; `error` says what is wrong in words. */
int link_config_read(const char *path, struct link_config *config_out,
		     char error[LINK_CONFIG_ERROR_BYTES]);

/*
 * Replaces the file, on disk when this returns. Returns 0 or -errno. If `owner` is (uid_t)-1, the
 * process stays the owner.
 */
int link_config_write(const char *path, const struct link_config *config, uid_t owner,
		      gid_t group);

/* Replaces a file of mode 0600 by this text, on disk when this returns. Returns 0 or -errno. */
int link_config_write_file(const char *path, const char *text, uid_t owner, gid_t group);
