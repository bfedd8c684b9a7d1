/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Origin: where the page comes from that a browser asks for, "http://HOST[:PORT]".
 */
#ifndef HTTP_ORIGIN_H
#define HTTP_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* Of the web, and of this machine's loopback. */
bool origin_is_local(const char *origin);
/* Of the web, and of the authority in `host`, which need not end with NUL. */
bool origin_is_of_host(const char *origin, const char *host, size_t length);

#endif
