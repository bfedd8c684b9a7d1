/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/spool_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/log.h"

enum { DIGITS = 20, UUID_DIGITS = 40 };

/* 9999-12-31T23:59:59.999Z */
#define LAST_MS INT64_C(253402300799999)

struct spool_file_bytes {
	const char *text;
	size_t length;
};

/* The strings of a message. oFono never has longer ones. */
struct spool_file_texts {
	const char *modem, *imsi, *uuid, *sender, *sent_time, *text, *ofono;
};

static const struct {
	const char *name;
	size_t offset; /* in struct spool_file_texts */
	size_t max_bytes;
	bool is_optional;
} spool_file_fields[] = {
	{ "modem", offsetof(struct spool_file_texts, modem), 127 },
	{ "imsi", offsetof(struct spool_file_texts, imsi), 15 },
	{ "uuid", offsetof(struct spool_file_texts, uuid), UUID_DIGITS },
	{ "sender", offsetof(struct spool_file_texts, sender), 63 },
	{ "sent_time", offsetof(struct spool_file_texts, sent_time), 39 },
	{ "text", offsetof(struct spool_file_texts, text), SPOOL_FILE_BYTES_MAX },
	{ "ofono", offsetof(struct spool_file_texts, ofono), 15, .is_optional = true },
};

enum { TEXTS = sizeof(spool_file_fields) / sizeof(spool_file_fields[0]) };

/* Fields that are numbers: format and received_ms. */
enum { NUMBERS = 2 };

static bool spool_file_is_made_of(const char *text, size_t length, const char *allowed)
{
	return strspn(text, allowed) >= length;
}

bool spool_file_is_named(const char *name, const char *suffix)
{
	return strlen(name) == SPOOL_FILE_NAME_BYTES - 1 &&
	       spool_file_is_made_of(name, DIGITS, "0123456789") && name[DIGITS] == '-' &&
	       spool_file_is_made_of(name + DIGITS + 1, UUID_DIGITS,
				     "0123456789ABCDEF") &&
	       strcmp(name + DIGITS + 1 + UUID_DIGITS, suffix) == 0;
}

/* Returns what is wrong with it, or NULL. */
static const char *spool_file_status_flaw(const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "it is not a regular file";
	if (status->st_size > SPOOL_FILE_BYTES_MAX)
		return "it is too large";
	return NULL;
}

/* Reads up to `length` bytes, fewer at the end of the file. The number of bytes, or -errno. */
static ssize_t spool_file_read_bytes(int fd, char *bytes, size_t length)
{
	size_t have = 0;

	while (have < length) {
		ssize_t got = read(fd, bytes + have, length - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* Returns 0, -errno or SPOOL_FILE_E_BAD. */
static int spool_file_read_fd(int fd, struct arena *arena, struct spool_file_bytes *bytes,
			      const char **flaw_out)
{
	struct stat status;
	ssize_t length;
	char *text;

	if (fstat(fd, &status) < 0)
		return -EIO;
	*flaw_out = spool_file_status_flaw(&status);
	if (*flaw_out)
		return SPOOL_FILE_E_BAD;
	text = arena_alloc(arena, (size_t)status.st_size + 1);
	if (!text)
		return -ENOMEM;
	length = spool_file_read_bytes(fd, text, (size_t)status.st_size);
	if (length < 0)
		return (int)length;
	*bytes = (struct spool_file_bytes){ text, (size_t)length };
	return 0;
}

/* Neither waits for a pipe nor follows a link. Returns 0, -errno or SPOOL_FILE_E_BAD. */
static int spool_file_open_and_read(int folder, const char *name, struct arena *arena,
				    struct spool_file_bytes *bytes, const char **flaw_out)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int error;

	*flaw_out = "it is not a regular file";
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? SPOOL_FILE_E_BAD : -errno;
	error = spool_file_read_fd(fd, arena, bytes, flaw_out);
	close(fd);
	return error;
}

/* Returns 0, -ENOMEM or SPOOL_FILE_E_BAD. */
static int spool_file_parse(const struct spool_file_bytes *bytes, struct arena *arena,
			    const struct json **root_out, const char **flaw_out)
{
	int error = json_reader_read(arena, bytes->text, bytes->length, root_out);

	if (error > 0) {
		*flaw_out = json_reader_error_text(error);
		return SPOOL_FILE_E_BAD;
	}
	return error;
}

/* Returns false if a required field is missing or too long, or there is an unknown one. */
static bool spool_file_take_texts(const struct json *root, struct spool_file_texts *texts)
{
	size_t taken = 0;

	for (size_t i = 0; i < TEXTS; i++) {
		const struct json *member = json_member(root, spool_file_fields[i].name);
		const char *text = member ? json_string(member) : "";

		if ((!member && !spool_file_fields[i].is_optional) || !text ||
		    strlen(text) > spool_file_fields[i].max_bytes)
			return false;
		*(const char **)((char *)texts + spool_file_fields[i].offset) = text;
		taken += member != NULL;
	}
	return root->count == taken + NUMBERS;
}

static bool spool_file_texts_fit(const struct spool_file_texts *texts, const char *name)
{
	return texts->modem[0] == '/' &&
	       spool_file_is_made_of(texts->imsi, strlen(texts->imsi), "0123456789") &&
	       strlen(texts->uuid) == UUID_DIGITS &&
	       strncmp(texts->uuid, name + DIGITS + 1, UUID_DIGITS) == 0;
}

/* Returns what is wrong with it, or NULL. */
static const char *spool_file_take_message(const struct json *root, const char *name,
					   struct inbox_spooled *spooled)
{
	struct spool_file_texts texts;
	int64_t format, received_ms;

	if (!json_integer(json_member(root, "format"), &format))
		return "it has no format";
	if (format != 1)
		return "its format has another version";
	if (!json_integer(json_member(root, "received_ms"), &received_ms) ||
	    received_ms < 0 || received_ms > LAST_MS ||
	    !spool_file_take_texts(root, &texts) || !spool_file_texts_fit(&texts, name))
		return "its fields do not match the format";
	*spooled = (struct inbox_spooled){
		.file = name,
		.modem = texts.modem,
		.imsi = texts.imsi,
		.sender = texts.sender,
		.sent_time = texts.sent_time,
		.text = texts.text,
		.ofono = texts.ofono,
		.received_ms = received_ms,
	};
	return NULL;
}

/* Reads the JSON of a file of the plugin, in `arena`. Returns what spool_file_read() does. */
static int spool_file_read_json(int folder, const char *name, struct arena *arena,
				const struct json **root_out, const char **flaw_out)
{
	struct spool_file_bytes bytes = { NULL, 0 };
	int error = spool_file_open_and_read(folder, name, arena, &bytes, flaw_out);

	return error ? error : spool_file_parse(&bytes, arena, root_out, flaw_out);
}

int spool_file_read(int folder, const char *name, struct arena *arena,
		    struct inbox_spooled *spooled_out, const char **flaw_out)
{
	const struct json *root = NULL;
	int error = spool_file_read_json(folder, name, arena, &root, flaw_out);

	if (error)
		return error;
	*flaw_out = spool_file_take_message(root, name, spooled_out);
	return *flaw_out ? SPOOL_FILE_E_BAD : 0;
}

/* ---- a folder ---------------------------------------------------------------------- */

#define SPOOL_FILE_BAD ".bad"

const char *spool_file_folder_flaw(int folder)
{
	struct stat status;

	if (folder < 0 || fstat(folder, &status) < 0)
		return strerror(errno);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return "it belongs to another user";
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return "others than its owner may write there";
	return NULL;
}

bool spool_file_is_ignored(const char *name)
{
	size_t length = strlen(name), bad = strlen(SPOOL_FILE_BAD);

	return name[0] == '.' ||
	       (length > bad && strcmp(name + length - bad, SPOOL_FILE_BAD) == 0);
}

/* Inserts the name if it is among the first. */
static void spool_file_insert(struct spool_files *folder, const char *name)
{
	unsigned place = folder->count;

	while (place > 0 && strcmp(folder->names[place - 1], name) > 0)
		place--;
	if (place == SPOOL_FILE_LIST_MAX)
		return;
	if (folder->count < SPOOL_FILE_LIST_MAX)
		folder->count++;
	memmove(folder->names[place + 1], folder->names[place],
		(folder->count - place - 1) * sizeof(folder->names[0]));
	snprintf(folder->names[place], SPOOL_FILE_LISTED_BYTES, "%s", name);
}

int spool_file_list(struct spool_files *folder, const char *after)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int error;

	folder->count = 0;
	if (!entries) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error;
	}
	while ((entry = readdir(entries)))
		if (!spool_file_is_ignored(entry->d_name) &&
		    strcmp(entry->d_name, after) > 0)
			spool_file_insert(folder, entry->d_name);
	closedir(entries);
	return 0;
}

bool spool_file_set_aside(const struct spool_files *folder, const char *name,
			  const char *flaw)
{
	char aside[SPOOL_FILE_LISTED_BYTES + sizeof(SPOOL_FILE_BAD)];

	snprintf(aside, sizeof(aside), "%s" SPOOL_FILE_BAD, name);
	if (renameat2(folder->fd, name, folder->fd, aside, RENAME_NOREPLACE) < 0) {
		log_error("spool: %s/%s: not taken: %s; it cannot be renamed: %s",
			  folder->path, name, flaw, strerror(errno));
		return false;
	}
	log_error("spool: %s/%s: not taken: %s; kept as %s", folder->path, name, flaw,
		  aside);
	return true;
}

bool spool_file_remove(const struct spool_files *folder, const char *name)
{
	if (unlinkat(folder->fd, name, 0) == 0 || errno == ENOENT)
		return true;
	log_error("spool: %s/%s: stored, but cannot be removed: %s", folder->path, name,
		  strerror(errno));
	return false;
}

/* ---- a record of an outgoing message ----------------------------------------------- */

enum { UUID_AT = DIGITS + 1, NUMBER_BYTES_MAX = 63, IMSI_BYTES_MAX = 15 };

static const struct {
	const char *word;
	enum outbox_record_type type;
} spool_file_record_outcomes[] = {
	{ "sent", OUTBOX_RECORD_SENT },
	{ "failed", OUTBOX_RECORD_FAILED },
	{ "cancelled", OUTBOX_RECORD_CANCELLED },
	{ "delivered", OUTBOX_RECORD_DELIVERED },
	{ "not_delivered", OUTBOX_RECORD_NOT_DELIVERED },
};

/* Returns NULL if it is missing, no string, or too long. */
static const char *spool_file_record_text(const struct json *root, const char *name,
					  size_t max_bytes)
{
	const struct json *member = json_member(root, name);
	const char *text = member ? json_string(member) : NULL;

	return text && strlen(text) <= max_bytes ? text : NULL;
}

static bool spool_file_record_take_outcome(const struct json *root,
					   struct outbox_record *record)
{
	const char *word = spool_file_record_text(root, "status", SPOOL_FILE_BYTES_MAX);

	for (size_t i = 0; word && i < sizeof(spool_file_record_outcomes) /
						   sizeof(*spool_file_record_outcomes);
	     i++) {
		if (strcmp(spool_file_record_outcomes[i].word, word) != 0)
			continue;
		record->type = spool_file_record_outcomes[i].type;
		return true;
	}
	return false;
}

static bool spool_file_take_record(const struct json *root, const char *name,
				   struct outbox_record *record)
{
	const char *modem = spool_file_record_text(root, "modem", 127);
	int64_t format;

	record->imsi = spool_file_record_text(root, "imsi", IMSI_BYTES_MAX);
	record->uuid = spool_file_record_text(root, "uuid", UUID_DIGITS);
	if (!json_integer(json_member(root, "format"), &format) || format != 1 ||
	    !json_integer(json_member(root, "recorded_ms"), &record->at_ms) ||
	    record->at_ms < 0 || record->at_ms > LAST_MS || !modem || modem[0] != '/' ||
	    !record->imsi || strspn(record->imsi, "0123456789") != strlen(record->imsi) ||
	    !record->uuid || strlen(record->uuid) != UUID_DIGITS ||
	    strncmp(record->uuid, name + UUID_AT, UUID_DIGITS) != 0)
		return false;
	if (spool_file_is_named(name, ".end"))
		return root->count == 6 && spool_file_record_take_outcome(root, record);
	record->type = OUTBOX_RECORD_ACCEPTED;
	record->number = spool_file_record_text(root, "recipient", NUMBER_BYTES_MAX);
	record->text = spool_file_record_text(root, "text", SPOOL_FILE_BYTES_MAX);
	return root->count == 7 && record->number && record->text;
}

int spool_file_read_record(int folder, const char *name, struct arena *arena,
			   struct outbox_record *record_out, const char **flaw_out)
{
	const struct json *root = NULL;
	int error = SPOOL_FILE_E_BAD;

	*flaw_out = "it is not a file of our oFono plugin";
	*record_out = (struct outbox_record){ .number = NULL };
	if (spool_file_is_named(name, ".out") || spool_file_is_named(name, ".end"))
		error = spool_file_read_json(folder, name, arena, &root, flaw_out);
	if (error)
		return error;
	*flaw_out = "its fields do not match the format";
	return spool_file_take_record(root, name, record_out) ? 0 : SPOOL_FILE_E_BAD;
}
