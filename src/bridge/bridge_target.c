/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/bridge.h"

#include <stdio.h>
#include <string.h>

const char *bridge_target_read_url(const char *given, char url[BRIDGE_TARGET_URL_BYTES])
{
	static const char form[] = "takes http://HOST:PORT/mcp or https://HOST:PORT/mcp";
	const char *host = strstr(given, "://"), *path;

	if (strncmp(given, "http://", strlen("http://")) != 0 &&
	    strncmp(given, "https://", strlen("https://")) != 0)
		return form;
	host += strlen("://");
	path = host + strcspn(host, "/");
	if (path == host || strpbrk(given, " \t\r\n#?@"))
		return form;
	if (strlen(given) + strlen("/mcp") >= BRIDGE_TARGET_URL_BYTES)
		return "is too long";
	snprintf(url, BRIDGE_TARGET_URL_BYTES, "%.*s%s", (int)(path - given), given,
		 path[0] && path[1] ? path : "/mcp");
	return NULL;
}

const char *bridge_target_read_token(const char *given,
				     char token[BRIDGE_TARGET_TOKEN_BYTES])
{
	size_t length = strcspn(given, "\r\n");

	if (given[length + strspn(given + length, "\r\n")])
		return "holds more than one line";
	if (!length)
		return "holds no token";
	if (length >= BRIDGE_TARGET_TOKEN_BYTES)
		return "holds more than a token";
	for (size_t at = 0; at < length; at++) {
		if (given[at] <= ' ' || given[at] > '~')
			return "holds no token, but other characters";
	}
	snprintf(token, BRIDGE_TARGET_TOKEN_BYTES, "%.*s", (int)length, given);
	return NULL;
}
