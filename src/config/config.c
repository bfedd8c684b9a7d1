/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads configuration files: inih splits the lines, config_key_table.c has the keys.
 *
 * Distributions build inih differently (continued lines, growing lines, stop at the first
 * error), and that must not matter. Hence inih gets its lines from our reader, which counts
 * them, strips leading spaces so that no line continues the one before, refuses what inih
 * would cut or drop, and ends the file at the first error.
 *
 * A file is read into a copy of the configuration and takes effect as a whole or not at
 * all. In one file a key may occur once, a list may be repeated; a later file replaces the
 * lists of an earlier one.
 */
#include "config/config.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/un.h>

#include <ini.h>

#include "base/address.h"
#include "base/buffer.h"
#include "base/explanation.h"
#include "base/json.h"
#include "base/regular_file.h"
#include "base/utf8.h"
#include "config/balance_pattern.h"
#include "config/config_key.h"
#include "config/config_sender.h"
#include "config/segment_price.h"
#include "config/ussd_code.h"
#include "config/webhook_url.h"

enum {
	CONFIG_NAME_BYTES = 64, /* "section.key" */
	CONFIG_FILE_BYTES_MAX = 1024 * 1024,
};

void config_list_clear(struct config_list *list)
{
	memset(list, 0, sizeof(*list));
}

void config_defaults(struct config *config)
{
	memset(config, 0, sizeof(*config));
	for (size_t at = 0; at < CONFIG_KEY_COUNT; at++) {
		const char *flaw = NULL;

		if (config_key_table[at].initial)
			flaw = config_key_set(&config_key_table[at], config,
					      config_key_table[at].initial);
		assert(!flaw);
		(void)flaw;
	}
}

/* ---- one file */

struct config_file {
	FILE *file;
	struct config config;
	struct config_key_place place;
	int result;		    /* if not 0, reading stops */
	int seen[CONFIG_KEY_COUNT]; /* the line where each key occurred first */
};

/*
 * Reads a line without its leading spaces and its end ("\n", "\r\n"), cut to `room`.
 * Returns its whole length, or -1 at the end of the file.
 */
static long config_file_get(struct config_file *file, char *line, long room)
{
	long length = 0;
	int byte = getc(file->file);

	if (byte == EOF)
		return -1;
	for (; byte != EOF && byte != '\n'; byte = getc(file->file)) {
		if (length == 0 && (byte == ' ' || byte == '\t'))
			continue;
		if (length < room)
			line[length] = (char)byte;
		length++;
	}
	if (length > 0 && length <= room && line[length - 1] == '\r')
		length--;
	return length;
}

static int config_file_check_line(const struct config_key_place *place, const char *line,
				  long length)
{
	char section[CONFIG_TEXT_BYTES], bracket[2];

	for (long at = 0; at < length; at++) {
		if (((unsigned char)line[at] < 0x20 && line[at] != '\t') ||
		    line[at] == 0x7f)
			return config_key_fail(place,
					       "the line has a control character (%02x)",
					       (unsigned char)line[at]);
	}
	if (!utf8_valid(line, (size_t)length))
		return config_key_fail(place, "the line is not UTF-8");
	/* inih reports a section only with its first key; "[sever]" is wrong anyway */
	if (sscanf(line, "[%175[^]]%1[]]", section, bracket) == 2 &&
	    !config_key_section_exists(section))
		return config_key_fail_section(place, section);
	return 0;
}

/* inih's reader: a line as fgets() would return it. */
static char *config_file_read_line(char *line, int size, void *data)
{
	struct config_file *file = data;
	long room = size - 2; /* "\n" and NUL */
	long length;

	if (file->result)
		return NULL;
	file->place.line++;
	length = config_file_get(file, line, room);
	if (length < 0)
		return NULL;
	if (length > 0 && (line[0] == '#' || line[0] == ';'))
		length = 0; /* comments may have any length and any bytes */
	if (length > room) {
		file->result = config_key_fail(
			&file->place, "the line is too long; the limit is %ld bytes",
			room);
		return NULL;
	}
	memcpy(line + length, "\n", sizeof("\n"));
	file->result = config_file_check_line(&file->place, line, length);
	return file->result ? NULL : line;
}

void config_find_useless(const struct config *config,
			 void (*found)(void *data, const char *text), void *data)
{
	struct explanation text;

	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		const struct config_list *list = config_key_read_field(key, config);

		for (size_t k = 0; config_key_is_list(key) && k < list->count; k++) {
			const char *at = list->items[k];

			while (config_key_next_useless(key, &at, &text))
				found(data, text.text);
		}
	}
}

enum config_pair_page config_pair_page(const struct config *config)
{
	static const char *const words[] = {
		[CONFIG_PAIR_PAGE_AUTO] = "auto",
		[CONFIG_PAIR_PAGE_ASK] = "ask",
		[CONFIG_PAIR_PAGE_NO] = "no",
	};

	for (unsigned at = 0; at < sizeof(words) / sizeof(*words); at++) {
		if (strcmp(config->pair_page, words[at]) == 0)
			return at;
	}
	/* "" is no word, but what the key has before it is set */
	return *config->pair_page ? CONFIG_PAIR_PAGE_WRONG : CONFIG_PAIR_PAGE_AUTO;
}

/* All earlier values were valid, so an error found here belongs to this place. */
static int config_set_value(const struct config_key_place *place,
			    const struct config_key *key, struct config *config,
			    const char *value)
{
	const char *flaw = config_key_set(key, config, value);
	struct explanation error;

	if (flaw)
		return config_key_fail_value(place, key, flaw);
	if (config_pair_page(config) == CONFIG_PAIR_PAGE_WRONG)
		return config_key_fail(place,
				       "server.pair_page: \"%s\" is not auto, ask or no",
				       config->pair_page);
	if (config_policy_check(&config->policy, &error) ||
	    ussd_code_check_list(&config->ussd_allow, &error) ||
	    balance_pattern_check_list(&config->ussd_balance_pattern, &error) ||
	    segment_price_check_list(&config->segment_price, &error) ||
	    config_sender_check_owners(&config->owner_numbers, &error) ||
	    config_agent_check_values(&config->agent, &error))
		return config_key_fail(place, "%s", error.text);
	while (config_key_next_useless(key, &value, &error))
		config_key_warn(place, "%s", error.text);
	return 0;
}

static int config_file_set(struct config_file *file, const struct config_key *key,
			   const char *value)
{
	const struct config_key_place *place = &file->place;
	int *seen = &file->seen[key - config_key_table];

	if (*seen && !config_key_is_list(key))
		return config_key_fail(place, "%s.%s: already set in line %d",
				       key->section, key->name, *seen);
	if (!*seen && config_key_is_list(key)) /* this file replaces the default */
		config_list_clear(config_key_field(key, &file->config));
	if (!*seen)
		*seen = place->line;
	return config_set_value(place, key, &file->config, value);
}

/* inih's handler; 0 means an error. */
static int config_file_on_pair(void *data, const char *section, const char *name,
			       const char *value)
{
	struct config_file *file = data;
	const struct config_key *key;

	if (file->result)
		return 0;
	key = config_key_find(&file->place, section, name);
	if (key)
		file->result = config_file_set(file, key, value ? value : "");
	else
		file->result = config_key_fail_name(&file->place, section, name);
	return file->result == 0;
}

static int config_file_parse(struct config_file *file)
{
	int bad_line, saved_errno;

	errno = 0;
	bad_line =
		ini_parse_stream(config_file_read_line, file, config_file_on_pair, file);
	saved_errno = errno;
	if (ferror(file->file)) {
		file->place.line = 0;
		config_key_fail(&file->place, "%s", strerror(saved_errno));
		return saved_errno ? -saved_errno : -EIO;
	}
	if (bad_line < 0) {
		file->place.line = 0;
		config_key_fail(&file->place, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	/* inih continues after a line that it cannot split; report the first error */
	if (bad_line > 0 && (!file->result || bad_line < file->place.line)) {
		file->place.line = bad_line;
		return config_key_fail(&file->place,
				       "the line is neither [SECTION] nor KEY = VALUE");
	}
	return file->result;
}

/* Whoever may write the file decides who may send. */
static int config_file_check(const struct config_key_place *place,
			     const struct stat *status)
{
	if (status->st_uid != 0 && status->st_uid != geteuid())
		return config_key_fail(place,
				       "it belongs to another user (uid %u), who could "
				       "change every limit; run: chown root %s",
				       (unsigned)status->st_uid, place->origin);
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return config_key_fail(place,
				       "other users may write it, and could change every "
				       "limit; run: chmod go-w %s",
				       place->origin);
	if (status->st_size > CONFIG_FILE_BYTES_MAX)
		return config_key_fail(place, "it is larger than 1 MiB");
	return 0;
}

static int config_file_open(struct config_file *file)
{
	const struct config_key_place *place = &file->place;
	struct stat status;
	int error, fd = regular_file_open(place->origin, &status);

	if (fd < 0) {
		config_key_fail(place, "%s",
				fd == -EINVAL ? "it is not a regular file"
					      : strerror(-fd));
		return fd;
	}
	error = config_file_check(place, &status);
	file->file = error ? NULL : fdopen(fd, "r");
	if (file->file)
		return 0;
	close(fd);
	return error ? error : config_key_fail(place, "%s", strerror(ENOMEM));
}

int config_read(struct config *config, const char *path, struct explanation *error)
{
	struct config_file file = { .place = { .origin = path, .error = error } };
	int result = config_file_open(&file);

	if (result)
		return result;
	file.config = *config;
	result = config_file_parse(&file);
	fclose(file.file);
	if (result == 0)
		*config = file.config;
	return result;
}

/* ---- a folder of files */

static int config_folder_select(const struct dirent *entry)
{
	static const char ending[] = ".conf";
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length >= sizeof(ending) &&
	       strcmp(entry->d_name + length - (sizeof(ending) - 1), ending) == 0;
}

/* Compares bytes, so that the locale does not matter. */
static int config_folder_compare(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static int config_folder_fail(struct explanation *error, const char *folder, int result)
{
	return explanation_set(error, result, "%s: %s", folder,
			       result == -E2BIG ? "too many files" : strerror(-result));
}

int config_read_folder(struct config *config, const char *folder,
		       struct explanation *error)
{
	struct dirent **entries = NULL;
	struct config read = *config;
	int count =
		scandir(folder, &entries, config_folder_select, config_folder_compare);
	int result = 0;

	if (count < 0)
		return errno == ENOENT ? 0 : config_folder_fail(error, folder, -errno);
	if (count > CONFIG_FOLDER_FILES_MAX)
		result = config_folder_fail(error, folder, -E2BIG);
	for (int i = 0; i < count && result == 0; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) >=
		    (int)sizeof(path))
			result = config_folder_fail(error, folder, -ENAMETOOLONG);
		else
			result = config_read(&read, path, error);
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	if (result == 0)
		*config = read;
	return result;
}

/* ---- all sources together */

int config_load(struct config *config, const char *path, struct explanation *error)
{
	int result;

	config_defaults(config);
	if (path)
		return config_read(config, path, error);
	result = config_read(config, CONFIG_DEFAULT_PATH, error);
	if (result != 0 && result != -ENOENT)
		return result;
	return config_read_folder(config, CONFIG_DEFAULT_FOLDER, error);
}

int config_set(struct config *config, const char *key, const char *value,
	       const char *origin, struct explanation *error)
{
	struct config_key_place place = { .origin = origin, .error = error };
	const char *dot = strchr(key, '.');
	const struct config_key *found = NULL;
	char section[32] = "";

	if (dot && (size_t)(dot - key) < sizeof(section)) {
		memcpy(section, key, (size_t)(dot - key));
		found = config_key_find(&place, section, dot + 1);
	}
	if (!found)
		return config_key_fail_name(&place, section, dot ? dot + 1 : key);
	return config_set_value(&place, found, config, value);
}

int config_load_for(struct config *config, const char *path, const char *state_dir,
		    struct explanation *error)
{
	int result = config_load(config, path, error);

	if (result != 0 || !state_dir)
		return result;
	if (!path && strcmp(config->state_dir, state_dir) != 0)
		memset(config->control_socket, 0, sizeof(config->control_socket));
	return config_set(config, "store.state_dir", state_dir, "--state-dir", error);
}

/* Unused bytes of texts and lists are zero, so that fields compare byte by byte. */
void config_adopt(struct config *config, const struct config *next,
		  void (*changed)(void *data, const char *section, const char *name,
				  bool adopted),
		  void *data)
{
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		void *field = config_key_field(key, config);
		const char *wanted = (const char *)next + key->offset;
		size_t size = config_key_size(key);

		if (memcmp(field, wanted, size) == 0)
			continue;
		if (key->live)
			memcpy(field, wanted, size);
		changed(data, key->section, key->name, key->live);
	}
}

/* ---- checks that concern several keys */

static int config_check_path(const char *key, const char *path, struct explanation *error)
{
	if (*path == '/')
		return 0;
	return explanation_set(error, -EINVAL,
			       "%s: %s is not an absolute path; it must begin with '/'",
			       key, path);
}

int config_control_path(const struct config *config, char *path, size_t size,
			struct explanation *error)
{
	const char *given = config->control_socket;
	int length;

	if (*given && config_check_path("server.control_socket", given, error))
		return -EINVAL;
	if (*given)
		length = snprintf(path, size, "%s", given);
	else
		length = snprintf(path, size, "%s/control", config->state_dir);
	if (length > 0 && (size_t)length < size)
		return 0;
	return explanation_set(
		error, -EINVAL,
		"server.control_socket: the path %s%s has %d bytes, and a UNIX socket "
		"takes at most %zu bytes; give a shorter one",
		*given ? given : config->state_dir, *given ? "" : "/control", length,
		size - 1);
}

static int config_check_paths(const struct config *config, struct explanation *error)
{
	const struct {
		const char *key;
		const char *path; /* "" if not set */
	} paths[] = {
		{ "store.spool_dir", config->spool_dir },
		{ "sim.pin_file", config->pin_file },
		{ "contacts.file", config->contacts_file },
	};
	struct sockaddr_un socket;

	if (config_check_path("store.state_dir", config->state_dir, error))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (*paths[i].path &&
		    config_check_path(paths[i].key, paths[i].path, error))
			return -EINVAL;
	}
	return config_control_path(config, socket.sun_path, sizeof(socket.sun_path),
				   error);
}

/* server.open needs no token, so it is for loopback addresses only. */
static int config_check_open(const struct config *config, struct explanation *error)
{
	struct address address;

	for (size_t i = 0; config->open && i < config->listen.count; i++) {
		const char *text = config->listen.items[i];

		if (!address_parse(text, &address) || !address_is_loopback(&address))
			return explanation_set(
				error, -EINVAL,
				"server.open: refused, because %s is not a loopback "
				"address and anybody could send messages; listen on "
				"127.0.0.1 or use a token",
				text);
	}
	return 0;
}

static int config_check_tls(const struct config *config, struct explanation *error)
{
	const char *certificate = config->tls_certificate, *key = config->tls_key;

	if (!*certificate != !*key)
		return explanation_set(
			error, -EINVAL,
			"server.%s is missing: a certificate and its key belong together",
			*key ? "tls_certificate" : "tls_key");
	if (!*key)
		return 0;
	if (config_check_path("server.tls_certificate", certificate, error))
		return -EINVAL;
	return config_check_path("server.tls_key", key, error);
}

static int config_check_receivers(const struct config *config, struct explanation *error)
{
	char flaw[2 * CONFIG_TEXT_BYTES];

	if (!webhook_url_find_flaw(&config->event_receivers, flaw, sizeof(flaw)))
		return 0;
	return explanation_set(error, -EINVAL, "events.receivers: %s", flaw);
}

int config_check(const struct config *config, struct explanation *error)
{
	if (config->listen.count == 0)
		return explanation_set(
			error, -EINVAL,
			"server.listen: at least one ADDRESS:PORT is needed");
	if (config_check_paths(config, error))
		return -EINVAL;
	if (config->policy.minimum_balance.count && !config->ussd_balance_pattern.count)
		return explanation_set(error, -EINVAL,
				       "policy.minimum_balance: without "
				       "ussd.balance_pattern the gateway never knows "
				       "a balance, so this limit would stop nothing");
	if (config_check_open(config, error) || config_check_receivers(config, error) ||
	    config_agent_check(&config->agent, error))
		return -EINVAL;
	return config_check_tls(config, error);
}

/* ---- writing */

void config_write_value(const struct config *config, const char *section,
			const char *name, struct buffer *text_out)
{
	config_key_write(config_key_find(NULL, section, name), config, text_out);
}

void config_print(const struct config *config, FILE *out)
{
	const char *section = "";
	struct config defaults;

	config_defaults(&defaults);
	fprintf(out, "# Configuration of " PROGRAM_NAME
		     ". Commented-out lines show the default or an example.\n");
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		if (strcmp(section, key->section) != 0) {
			section = key->section;
			fprintf(out, "\n[%s]\n", section);
		}
		fprintf(out, "\n");
		config_key_print(key, config, &defaults, out);
	}
}

static void config_write_json_key(const struct config_key *key,
				  const struct config *config, struct json_writer *writer)
{
	const struct config_list *list =
		(const void *)((const char *)config + key->offset);
	struct buffer text = BUFFER_INIT;
	char name[CONFIG_NAME_BYTES];

	snprintf(name, sizeof(name), "%s.%s", key->section, key->name);
	config_key_write(key, config, &text);
	if (text.length)
		json_key(writer, name);
	if (text.length && config_key_is_list(key)) {
		json_open_array(writer);
		for (size_t at = 0; at < list->count; at++)
			json_write_string(writer, list->items[at]);
		json_close_array(writer);
	} else if (text.length) {
		json_write_text(writer, text.data, text.length);
	}
	buffer_deinit(&text);
}

void config_write_json(const struct config *config, struct json_writer *writer)
{
	json_open_object(writer);
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));)
		config_write_json_key(key, config, writer);
	json_close_object(writer);
}

static bool config_read_json_value(const struct json *member, const struct json *value,
				   struct config *config)
{
	struct explanation error;
	const char *text = json_string(value);

	return text && config_set(config, member->name, text, "", &error) == 0;
}

bool config_read_json(const struct json *object, struct config *config_out)
{
	struct config config = { 0 }; /* keys without a value are not in the object */

	if (!object || object->type != JSON_OBJECT)
		return false;
	json_foreach (member, object) {
		if (member->type != JSON_ARRAY) {
			if (!config_read_json_value(member, member, &config))
				return false;
			continue;
		}
		json_foreach (item, member) {
			if (!config_read_json_value(member, item, &config))
				return false;
		}
	}
	*config_out = config;
	return true;
}
