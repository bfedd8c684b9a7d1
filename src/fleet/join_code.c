/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/join_code.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/crypto.h"
#include "base/json.h"
#include "base/json_reader.h"

enum {
	JOIN_CODE_CHECK_CHARACTERS = 8,
	JOIN_CODE_SECRET_TEXT_BYTES = 2 * FLEET_KEY_BYTES + 1,
	JOIN_CODE_ARENA_MAX = 64 * 1024,
};

#define JOIN_CODE_CA_BEGIN "-----BEGIN CERTIFICATE-----"

/* The host is a name or an address: what libmosquitto resolves, and what a TLS name may be. */
static bool join_code_is_host(const char *host)
{
	static const char characters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
	size_t length = strlen(host);

	return length > 0 && length < JOIN_CODE_HOST_BYTES &&
	       strspn(host, characters) == length && host[0] != '-';
}

/* It becomes a line of a file. */
static bool join_code_is_password(const char *password)
{
	for (const char *at = password; *at; at++) {
		if (*at <= ' ' || *at > '~')
			return false;
	}
	return strlen(password) < JOIN_CODE_PASSWORD_BYTES;
}

static bool join_code_is_valid(const struct join_code *code)
{
	return fleet_topic_is_prefix(code->prefix) && fleet_topic_is_name(code->phone) &&
	       join_code_is_host(code->host) && code->port > 0 &&
	       code->port <= UINT16_MAX && join_code_is_password(code->password) &&
	       (!code->ca[0] || strstr(code->ca, JOIN_CODE_CA_BEGIN));
}

/* Writing */

static void join_code_write_json(const struct join_code *code, struct buffer *json)
{
	char secret[JOIN_CODE_SECRET_TEXT_BYTES];
	struct json_writer *writer = json_writer_new(json);

	if (!writer)
		return;
	for (size_t at = 0; at < FLEET_KEY_BYTES; at++)
		snprintf(secret + 2 * at, 3, "%02x", code->secret.bytes[at]);
	json_open_object(writer);
	json_put_string(writer, "fleet", code->prefix);
	json_put_string(writer, "phone", code->phone);
	json_put_string(writer, "host", code->host);
	json_put_integer(writer, "port", code->port);
	json_put_boolean(writer, "tls", code->tls);
	json_put_string(writer, "password", code->password);
	if (code->ca[0])
		json_put_string(writer, "ca", code->ca);
	json_put_string(writer, "secret", secret);
	json_close_object(writer);
	json_writer_free(writer);
	explicit_bzero(secret, sizeof(secret));
}

/* Appends base64 with the alphabet of RFC 4648, section 5, and without padding. */
static bool join_code_append_base64(const struct buffer *bytes, struct buffer *out)
{
	size_t length = crypto_base64_length(bytes->length);
	char *text = malloc(length + 1);

	if (!text || !crypto_base64_encode(bytes->data, bytes->length, text)) {
		free(text);
		return false;
	}
	for (size_t at = 0; at < length; at++) {
		if (text[at] == '+')
			text[at] = '-';
		else if (text[at] == '/')
			text[at] = '_';
	}
	while (length && text[length - 1] == '=')
		length--;
	buffer_append(out, text, length);
	explicit_bzero(text, length);
	free(text);
	return true;
}

int join_code_write(const struct join_code *code, struct buffer *out)
{
	struct buffer json = BUFFER_INIT;
	char digest[MAC_DIGEST_BYTES];
	bool written;

	if (!join_code_is_valid(code))
		return -EINVAL;
	json.secret = true;
	join_code_write_json(code, &json);
	written = !json.failed && crypto_digest(json.data, json.length, digest);
	buffer_append_text(out, JOIN_CODE_START);
	written = written && join_code_append_base64(&json, out);
	buffer_append_text(out, ".");
	if (written)
		buffer_append(out, digest, JOIN_CODE_CHECK_CHARACTERS);
	buffer_wipe(&json);
	return written && !out->failed ? 0 : -ENOMEM;
}

/* Reading */

static bool join_code_take_text(const struct json *object, const char *name, char *text,
				size_t size)
{
	const char *value = json_string(json_member(object, name));

	if (!value || strlen(value) >= size)
		return false;
	snprintf(text, size, "%s", value);
	return true;
}

static bool join_code_take_secret(const struct json *object,
				  struct fleet_frame_key *secret)
{
	const char *text = json_string(json_member(object, "secret"));

	if (!text || strlen(text) != JOIN_CODE_SECRET_TEXT_BYTES - 1 ||
	    strspn(text, "0123456789abcdef") != JOIN_CODE_SECRET_TEXT_BYTES - 1)
		return false;
	for (size_t at = 0; at < FLEET_KEY_BYTES; at++) {
		char byte[3] = { text[2 * at], text[2 * at + 1], '\0' };

		secret->bytes[at] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return true;
}

static bool join_code_read_json(const char *text, size_t length, struct join_code *code)
{
	struct arena *arena = arena_new(JOIN_CODE_ARENA_MAX);
	const struct json *object = NULL, *tls;
	int64_t port = 0;
	bool read;

	if (!arena)
		return false;
	*code = (struct join_code){ .tls = true };
	read = json_reader_read(arena, text, length, &object) == 0 &&
	       join_code_take_text(object, "fleet", code->prefix, sizeof(code->prefix)) &&
	       join_code_take_text(object, "phone", code->phone, sizeof(code->phone)) &&
	       join_code_take_text(object, "host", code->host, sizeof(code->host)) &&
	       json_member(object, "port") &&
	       json_integer(json_member(object, "port"), &port) && port > 0 &&
	       port <= UINT16_MAX &&
	       join_code_take_text(object, "password", code->password,
				   sizeof(code->password)) &&
	       join_code_take_secret(object, &code->secret) &&
	       (!json_member(object, "ca") ||
		join_code_take_text(object, "ca", code->ca, sizeof(code->ca)));
	if (read) {
		tls = json_member(object, "tls");
		code->port = (unsigned)port;
		code->tls = !tls || tls->type != JSON_BOOLEAN || tls->boolean;
		read = join_code_is_valid(code);
	}
	arena_free(arena);
	return read;
}

/* Copies the code without white space. Returns its length; 0 if it is too long. */
static size_t join_code_compact(const char *text, char compact[JOIN_CODE_MAX])
{
	size_t length = 0;

	for (; *text; text++) {
		if (strchr(" \t\r\n", *text))
			continue;
		if (length + 1 >= JOIN_CODE_MAX)
			return 0;
		compact[length++] = *text;
	}
	compact[length] = '\0';
	return length;
}

/* Converts in place from the alphabet of URLs to that of crypto_base64_decode(), with padding. */
static size_t join_code_pad(char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		if (text[at] == '-')
			text[at] = '+';
		else if (text[at] == '_')
			text[at] = '/';
	}
	while (length % 4)
		text[length++] = '=';
	return length;
}

/* `compact` has room for the padding. */
static const char *join_code_read_compact(char *compact, struct join_code *code_out)
{
	static const char cut[] = "the code is damaged or cut; copy all of it";
	char *body = compact + strlen(JOIN_CODE_START), *end = strrchr(body, '.');
	char check[JOIN_CODE_CHECK_CHARACTERS + 1], digest[MAC_DIGEST_BYTES];
	char json[JOIN_CODE_MAX];
	const char *error = NULL;
	size_t length;

	if (!end || strlen(end + 1) != JOIN_CODE_CHECK_CHARACTERS)
		return cut;
	memcpy(check, end + 1, sizeof(check));
	length = join_code_pad(body, (size_t)(end - body));
	if (!crypto_base64_decode(body, length, json, &length) ||
	    !crypto_digest(json, length, digest) ||
	    strncasecmp(check, digest, JOIN_CODE_CHECK_CHARACTERS) != 0)
		error = cut;
	else if (!join_code_read_json(json, length, code_out))
		error = "the code is of another version of ofono-mcp-hub";
	explicit_bzero(json, sizeof(json));
	return error;
}

const char *join_code_read(const char *text, struct join_code *code_out)
{
	char compact[JOIN_CODE_MAX] = "";
	const char *error;

	if (!join_code_compact(text, compact))
		return "the code is empty or too long";
	if (strncmp(compact, JOIN_CODE_START, strlen(JOIN_CODE_START)) != 0)
		return "a code begins with \"" JOIN_CODE_START
		       "\"; on the hub, \"ofono-mcp-hub enrol NAME\" prints one";
	error = join_code_read_compact(compact, code_out);
	explicit_bzero(compact, sizeof(compact));
	return error;
}
