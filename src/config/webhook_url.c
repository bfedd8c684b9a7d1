/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	scheme "://" host [":" port] [path] ["?" query]
 *
 * libcurl would accept far more, and mend some of it: "https:/host", a user name before the
 * host, "/a/../b". Here such a text is refused, because the owner's prefix is compared with
 * the text, and what libcurl makes of it must be the same place
 * (tests/unit/test_webhook_url.c).
 */
#include "config/webhook_url.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config/config_list.h"

enum {
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
	PORT_MAX = 65535,
	LABEL_MAX = 63,
};

static bool webhook_url_has_bad_character(const char *text)
{
	for (; *text; text++) {
		if (*text <= ' ' || *text >= 0x7f || strchr("\\\"<>^`{|}#", *text))
			return true;
	}
	return false;
}

/* "https://" or "http://"; the text after it, or NULL. */
static const char *webhook_url_read_scheme(const char *text, bool *is_https_out)
{
	static const char secure[] = "https://", plain[] = "http://";

	*is_https_out = strncasecmp(text, secure, sizeof(secure) - 1) == 0;
	if (*is_https_out)
		return text + sizeof(secure) - 1;
	return strncasecmp(text, plain, sizeof(plain) - 1) == 0 ? text + sizeof(plain) - 1
								: NULL;
}

/* A name has labels of letters, digits, "-" and "_" between dots; its last dot may stay. */
static bool webhook_url_is_name(const char *host)
{
	size_t label = 0;

	for (; *host; host++) {
		if (*host == '.' && label == 0)
			return false;
		label = *host == '.' ? 0 : label + 1;
		if (label > LABEL_MAX ||
		    !strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *host))
			return false;
	}
	return true;
}

static bool webhook_url_is_bracketed(const char *host, size_t length)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr binary;

	if (length < 2 || length - 2 >= sizeof(address) || host[length - 1] != ']')
		return false;
	memcpy(address, host + 1, length - 2);
	address[length - 2] = '\0';
	return inet_pton(AF_INET6, address, &binary) == 1;
}

/* Returns the text after it, or NULL if it is not a host. */
static const char *webhook_url_read_host(const char *text,
					 char host_out[WEBHOOK_HOST_BYTES])
{
	size_t length = *text == '[' ? strcspn(text, "]") + 1 : strcspn(text, ":/?");

	if (!length || length >= WEBHOOK_HOST_BYTES || length > strlen(text))
		return NULL;
	for (size_t at = 0; at < length; at++)
		host_out[at] = (char)(text[at] >= 'A' && text[at] <= 'Z' ? text[at] | 0x20
									 : text[at]);
	host_out[length] = '\0';
	if (*text == '[' ? !webhook_url_is_bracketed(host_out, length)
			 : !webhook_url_is_name(host_out))
		return NULL;
	return text + length;
}

/* `text` begins with the colon. Returns NULL if it is not a port. */
static const char *webhook_url_read_port(const char *text, uint16_t *port_out)
{
	uint32_t port = 0;

	if (text[1] < '0' || text[1] > '9')
		return NULL;
	for (text++; *text >= '0' && *text <= '9' && port <= PORT_MAX; text++)
		port = port * 10 + (uint32_t)(*text - '0');
	if (!port || port > PORT_MAX)
		return NULL;
	*port_out = (uint16_t)port;
	return text;
}

/* Returns the length of a dot at the start, plain or escaped; 0 if there is none. */
static size_t webhook_url_dot(const char *text)
{
	return *text == '.' ? 1 : strncasecmp(text, "%2e", 3) == 0 ? 3 : 0;
}

/* Is a segment of the path "." or ".."? */
static bool webhook_url_has_dot_segment(const char *path)
{
	const char *end = path + strcspn(path, "?");

	while (path < end && *path == '/') {
		size_t first = webhook_url_dot(++path);
		size_t second = first ? webhook_url_dot(path + first) : 0;
		size_t length = strcspn(path, "/?");

		if (first && (length == first || (second && length == first + second)))
			return true;
		path += length;
	}
	return false;
}

/* Does it have an encoded separator that some servers decode, as in /hooks%2f..%2fadmin? */
static bool webhook_url_has_hidden_separator(const char *path)
{
	const char *end = path + strcspn(path, "?");

	for (; path < end; path++) {
		if (strncasecmp(path, "%2f", 3) == 0 || strncasecmp(path, "%5c", 3) == 0)
			return true;
	}
	return false;
}

const char *webhook_url_parse(const char *text, struct webhook_url *url_out)
{
	struct webhook_url url = { .port = HTTPS_PORT };

	if (strlen(text) > WEBHOOK_URL_MAX)
		return "is too long";
	if (webhook_url_has_bad_character(text))
		return "has a character that a URL cannot have";
	text = webhook_url_read_scheme(text, &url.is_https);
	if (!text)
		return "must begin with https://";
	if (memchr(text, '@', strcspn(text, "/?")))
		return "must not have a user name";
	text = webhook_url_read_host(text, url.host);
	if (!text)
		return "has no valid host";
	if (!url.is_https)
		url.port = HTTP_PORT;
	if (*text == ':')
		text = webhook_url_read_port(text, &url.port);
	if (!text || (*text && *text != '/' && *text != '?'))
		return "has no valid port";
	if (webhook_url_has_dot_segment(text) || webhook_url_has_hidden_separator(text))
		return "must not have . or .. or an escaped / in its path";
	url.rest = text;
	*url_out = url;
	return NULL;
}

void webhook_url_write_origin(const struct webhook_url *url,
			      char origin_out[WEBHOOK_ORIGIN_BYTES])
{
	const char *scheme = url->is_https ? "https" : "http";

	if (url->port == (url->is_https ? HTTPS_PORT : HTTP_PORT))
		snprintf(origin_out, WEBHOOK_ORIGIN_BYTES, "%s://%s", scheme, url->host);
	else
		snprintf(origin_out, WEBHOOK_ORIGIN_BYTES, "%s://%s:%u", scheme,
			 url->host, url->port);
}

bool webhook_url_is_below(const struct webhook_url *url, const struct webhook_url *prefix)
{
	const char *path = *prefix->rest == '/' ? prefix->rest : "/";
	const char *rest = *url->rest == '/' ? url->rest : "/";
	size_t length = strlen(path);

	if (url->is_https != prefix->is_https || url->port != prefix->port ||
	    strcmp(url->host, prefix->host) != 0 || strncmp(rest, path, length) != 0)
		return false;
	return path[length - 1] == '/' || strchr("/?", rest[length]); /* also its end */
}

/* Copies the next receiver to `text`; NULL if there is none. Else the rest after it. */
static const char *webhook_url_next(const char *rest, char text[CONFIG_TEXT_BYTES])
{
	static const char separators[] = ", \t";
	size_t length;

	rest += strspn(rest, separators);
	length = strcspn(rest, separators);
	if (!length || length >= CONFIG_TEXT_BYTES)
		return NULL;
	memcpy(text, rest, length);
	text[length] = '\0';
	return rest + length;
}

bool webhook_url_is_listed(const struct webhook_url *url,
			   const struct config_list *receivers)
{
	char text[CONFIG_TEXT_BYTES];
	struct webhook_url prefix;

	for (size_t at = 0; at < receivers->count; at++) {
		const char *rest = receivers->items[at];

		while ((rest = webhook_url_next(rest, text))) {
			if (!webhook_url_parse(text, &prefix) &&
			    webhook_url_is_below(url, &prefix))
				return true;
		}
	}
	return false;
}

bool webhook_url_find_flaw(const struct config_list *receivers, char *text, size_t size)
{
	char one[CONFIG_TEXT_BYTES];
	struct webhook_url prefix;

	for (size_t at = 0; at < receivers->count; at++) {
		const char *rest = receivers->items[at];

		while ((rest = webhook_url_next(rest, one))) {
			const char *flaw = webhook_url_parse(one, &prefix);

			if (!flaw)
				continue;
			snprintf(text, size, "%s %s", one, flaw);
			return true;
		}
	}
	return false;
}
