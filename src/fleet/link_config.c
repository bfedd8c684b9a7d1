/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/link_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_sync.h"
#include "base/regular_file.h"

enum { LINK_CONFIG_LINE_BYTES = 512, LINK_CONFIG_TEXT_BYTES = 4096 };

static const char link_config_digits[] = "0123456789abcdef";

/* Keys and where their texts go; `port`, `tls` and `key` are numbers of their own. */
struct link_config_row {
	const char *name;
	size_t at, size;
};

#define LINK_CONFIG_ROW(name, member)                 \
	{ name, offsetof(struct link_config, member), \
	  sizeof(((struct link_config *)0)->member) }

static const struct link_config_row link_config_rows[] = {
	LINK_CONFIG_ROW("fleet", join.prefix), LINK_CONFIG_ROW("phone", join.phone),
	LINK_CONFIG_ROW("broker", join.host),  LINK_CONFIG_ROW("password", join.password),
	LINK_CONFIG_ROW("ca_file", ca_file),   LINK_CONFIG_ROW("gateway", gateway),
	LINK_CONFIG_ROW("token", token),
};

enum { LINK_CONFIG_ROWS = sizeof(link_config_rows) / sizeof(link_config_rows[0]) };

/* Reading */

static bool link_config_take_key(struct fleet_frame_key *key, const char *value)
{
	if (strlen(value) != (size_t)2 * FLEET_KEY_BYTES)
		return false;
	for (size_t at = 0; at < FLEET_KEY_BYTES; at++) {
		const char *high = strchr(link_config_digits, value[2 * at]);
		const char *low = strchr(link_config_digits, value[2 * at + 1]);

		if (!high || !low)
			return false;
		key->bytes[at] = (uint8_t)((high - link_config_digits) << 4 |
					   (low - link_config_digits));
	}
	return true;
}

/* Returns false if there is no such key, or it cannot have this value. */
static bool link_config_take(struct link_config *config, const char *name,
			     const char *value)
{
	char *end;

	for (size_t at = 0; at < LINK_CONFIG_ROWS; at++) {
		const struct link_config_row *row = &link_config_rows[at];

		if (strcmp(name, row->name) != 0)
			continue;
		if (strlen(value) >= row->size)
			return false;
		snprintf((char *)config + row->at, row->size, "%s", value);
		return true;
	}
	if (strcmp(name, "port") == 0) {
		config->join.port = (unsigned)strtoul(value, &end, 10);
		return *value && !*end && config->join.port <= UINT16_MAX;
	}
	if (strcmp(name, "tls") == 0) {
		config->join.tls = strcmp(value, "no") != 0;
		return !config->join.tls || strcmp(value, "yes") == 0;
	}
	return strcmp(name, "key") == 0 &&
	       link_config_take_key(&config->join.secret, value);
}

/* In place: without spaces at both ends. */
static char *link_config_trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	return text;
}

static int link_config_read_line(struct link_config *config, char *line, unsigned number,
				 char error[LINK_CONFIG_ERROR_BYTES])
{
	char *name = link_config_trim(line), *value = strchr(name, '=');

	if (!*name || *name == '#')
		return 0;
	if (value) {
		*value++ = '\0';
		name = link_config_trim(name);
		if (link_config_take(config, name, link_config_trim(value)))
			return 0;
	}
	/* The value may be a secret. */
	snprintf(error, LINK_CONFIG_ERROR_BYTES, "line %u is not valid", number);
	return -EINVAL;
}

static int link_config_check(const struct link_config *config,
			     char error[LINK_CONFIG_ERROR_BYTES])
{
	static const struct fleet_frame_key none;
	const char *wrong = NULL;

	if (!fleet_topic_is_prefix(config->join.prefix))
		wrong = "fleet";
	else if (!fleet_topic_is_name(config->join.phone))
		wrong = "phone";
	else if (!config->join.host[0])
		wrong = "broker";
	else if (!config->join.port)
		wrong = "port";
	else if (!config->gateway[0])
		wrong = "gateway";
	else if (!config->token[0])
		wrong = "token";
	else if (memcmp(&config->join.secret, &none, sizeof(none)) == 0)
		wrong = "key";
	if (!wrong)
		return 0;
	snprintf(error, LINK_CONFIG_ERROR_BYTES, "%s is missing or not valid", wrong);
	return -EINVAL;
}

int link_config_read(const char *path, struct link_config *config_out,
		     char error[LINK_CONFIG_ERROR_BYTES])
{
	struct link_config config = { .join = { .tls = true } };
	char line[LINK_CONFIG_LINE_BYTES];
	struct stat status;
	int result = 0, fd = regular_file_open(path, &status);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file) {
		result = fd < 0 ? fd : -errno;
		snprintf(error, LINK_CONFIG_ERROR_BYTES, "%s",
			 fd == -EINVAL ? "it is not a regular file" : strerror(-result));
		if (fd >= 0)
			close(fd);
		return result;
	}
	for (unsigned number = 1; !result && fgets(line, sizeof(line), file); number++)
		result = link_config_read_line(&config, line, number, error);
	if (!result && ferror(file)) {
		result = -EIO;
		snprintf(error, LINK_CONFIG_ERROR_BYTES, "it cannot be read");
	}
	fclose(file);
	if (!result)
		result = link_config_check(&config, error);
	if (!result)
		*config_out = config;
	explicit_bzero(line, sizeof(line));
	explicit_bzero(&config, sizeof(config));
	return result;
}

/* Writing */

static int link_config_sync_folder(const char *path)
{
	char folder[LINK_CONFIG_PATH_BYTES];
	const char *slash = strrchr(path, '/');

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	return file_sync(folder);
}

static int link_config_fill(int fd, const char *text, uid_t owner, gid_t group)
{
	size_t length = strlen(text);

	if (fchmod(fd, 0600) < 0 || fchown(fd, owner, group) < 0)
		return -errno;
	for (ssize_t written; length; text += written, length -= (size_t)written) {
		written = write(fd, text, length);
		if (written < 0)
			return -errno;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int link_config_write_file(const char *path, const char *text, uid_t owner, gid_t group)
{
	char fresh[LINK_CONFIG_PATH_BYTES];
	int error, fd;

	if (snprintf(fresh, sizeof(fresh), "%s.new", path) >= (int)sizeof(fresh))
		return -ENAMETOOLONG;
	/* What is left of an attempt that was cut short; and no link is followed. */
	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = link_config_fill(fd, text, owner, group);
	close(fd);
	if (!error && rename(fresh, path) < 0)
		error = -errno;
	if (error) {
		unlink(fresh);
		return error;
	}
	return link_config_sync_folder(path);
}

int link_config_write(const char *path, const struct link_config *config, uid_t owner,
		      gid_t group)
{
	char text[LINK_CONFIG_TEXT_BYTES], key[2 * FLEET_KEY_BYTES + 1];
	const struct join_code *join = &config->join;
	int error, length;

	for (size_t at = 0; at < FLEET_KEY_BYTES; at++)
		snprintf(key + 2 * at, 3, "%02x", join->secret.bytes[at]);
	length = snprintf(
		text, sizeof(text),
		"# Written by \"ofono-mcp join\". It holds secrets.\n"
		"fleet = %s\nphone = %s\nbroker = %s\nport = %u\ntls = %s\nca_file = %s\n"
		"password = %s\nkey = %s\ngateway = %s\ntoken = %s\n",
		join->prefix, join->phone, join->host, join->port,
		join->tls ? "yes" : "no", config->ca_file, join->password, key,
		config->gateway, config->token);
	error = length < (int)sizeof(text)
			? link_config_write_file(path, text, owner, group)
			: -EMSGSIZE;
	explicit_bzero(text, sizeof(text));
	explicit_bzero(key, sizeof(key));
	return error;
}
