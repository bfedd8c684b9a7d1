/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ofonod runs as root, and the folder may belong to an ordinary user: it is never opened
 * through a link, everything happens below its descriptor, and files get the folder's owner.
 *
 * .incoming.tmp -> write, fsync -> rename to its name -> fsync of the folder. A crash leaves
 * at most .incoming.tmp, which the next message replaces. On a full disk the reserve provides
 * the space.
 *
 * .outgoing/.since says from when on every message that ofonod accepted has a file, by
 * CLOCK_BOOTTIME. It disappears when one could not be written, and when ofonod starts.
 */
#include "history_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OFONO_API_SUBJECT_TO_CHANGE
#include <ofono/log.h>

#include "history_reserve.h"

#define SPOOL_VARIABLE	 "OFONO_MCP_SPOOL"
#define SPOOL_UNFINISHED ".incoming.tmp"
#define SPOOL_OUTGOING	 ".outgoing"
#define SPOOL_SINCE	 ".since"

/* "" if nothing is spooled */
static const char *history_spool_folder = SPOOL_FOLDER;

/* A record is missing, and .outgoing/.since could not be removed. */
static bool history_spool_has_stale_since;

struct history_spool {
	int fd;	  /* of the folder for the file */
	int root; /* of the spool, which has the reserve; may be the same */
	struct stat status;
};

static void history_spool_log(const char *what)
{
	ofono_error("ofono-mcp: a message was not spooled, %s: %s", history_spool_folder,
		    what);
}

static bool history_spool_is_trusted(struct history_spool *spool)
{
	if (fstat(spool->fd, &spool->status) < 0) {
		history_spool_log(strerror(errno));
		return false;
	}
	if (spool->status.st_mode & (S_IWGRP | S_IWOTH)) {
		history_spool_log("others than its owner may write to it");
		return false;
	}
	return true;
}

static void history_spool_close(const struct history_spool *spool)
{
	if (spool->fd >= 0 && spool->fd != spool->root)
		close(spool->fd);
	if (spool->root >= 0)
		close(spool->root);
}

/* Returns false also when nobody reads outgoing messages. Close it in any case. */
static bool history_spool_open(struct history_spool *spool, bool is_outgoing)
{
	spool->root = spool->fd = open(history_spool_folder,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->root < 0) {
		if (!is_outgoing)
			history_spool_log(strerror(errno));
		return false;
	}
	if (!history_spool_is_trusted(spool))
		return false;
	if (!is_outgoing)
		return true;
	spool->fd = openat(spool->root, SPOOL_OUTGOING,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->fd < 0 && errno != ENOENT)
		history_spool_log(strerror(errno));
	return spool->fd >= 0 && history_spool_is_trusted(spool);
}

static long history_spool_kib(int fd, const char *name)
{
	struct stat status;

	if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (long)(status.st_blocks / 2);
}

static bool history_spool_is_within_limits(DIR *list)
{
	const struct dirent *entry;
	long files = 0, kib = 0;

	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		files++;
		kib += history_spool_kib(dirfd(list), entry->d_name);
		if (files >= SPOOL_FILES_MAX || kib >= SPOOL_KIB_MAX)
			return false;
	}
	return true;
}

/* The gateway may be down for weeks; the spool must not fill the disk. */
static bool history_spool_has_space(const struct history_spool *spool)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	bool has_space;

	if (!list) {
		history_spool_log(strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	has_space = history_spool_is_within_limits(list);
	closedir(list);
	if (!has_space)
		history_spool_log("it is full; is ofono-mcp running?");
	return has_space;
}

/* Returns 0 or a positive errno. */
static int history_spool_write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}

/* Returns 0 or a positive errno. */
static int history_spool_fill(const struct history_spool *spool, int fd, const char *text,
			      size_t length)
{
	int error = history_spool_write_all(fd, text, length);

	if (error)
		return error;
	if (spool->status.st_uid != geteuid() &&
	    fchown(fd, spool->status.st_uid, spool->status.st_gid) < 0)
		return errno;
	return fsync(fd) < 0 ? errno : 0;
}

/* Returns 0 or a positive errno. */
static int history_spool_write(const struct history_spool *spool, const char *name,
			       const char *text, size_t length)
{
	int fd, error;

	unlinkat(spool->fd, SPOOL_UNFINISHED, 0);
	fd = openat(spool->fd, SPOOL_UNFINISHED,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	error = history_spool_fill(spool, fd, text, length);
	if (close(fd) < 0 && !error)
		error = errno;
	if (!error && renameat(spool->fd, SPOOL_UNFINISHED, spool->fd, name) < 0)
		error = errno;
	if (error)
		unlinkat(spool->fd, SPOOL_UNFINISHED, 0);
	else if (fsync(spool->fd) < 0)
		error = errno; /* the file exists; it may not survive a crash */
	return error;
}

static bool history_spool_is_full(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

/* Uses the reserve on a full disk. Returns 0 or a positive errno. */
static int history_spool_write_always(const struct history_spool *spool, const char *name,
				      const char *text, size_t length)
{
	int error = history_spool_write(spool, name, text, length);

	while (history_spool_is_full(error) &&
	       history_reserve_release(spool->root, &spool->status, length))
		error = history_spool_write(spool, name, text, length);
	return error;
}

/*
 * Writes JSON by itself, because a library would have to be loaded into ofonod. Escapes only
 * what RFC 8259 requires; the text is valid UTF-8, since ofonod puts it into a D-Bus signal.
 */
static void history_spool_print_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < 0x20)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static void history_spool_print_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, ",\n\"%s\": ", name);
	history_spool_print_string(out, text);
}

static void history_spool_print(FILE *out, const struct history_spool_record *record)
{
	long long at_ms =
		(long long)record->at.tv_sec * 1000 + record->at.tv_nsec / 1000000;

	fprintf(out, "{\n\"format\": 1,\n\"%s\": %lld", record->time_name, at_ms);
	for (size_t i = 0; i < record->count; i++)
		history_spool_print_member(out, record->members[i].name,
					   record->members[i].text);
	history_spool_print_member(out, "uuid", record->uuid);
	fputs("\n}\n", out);
}

/* The caller frees it. Returns NULL if memory runs out. */
static char *history_spool_text(const struct history_spool_record *record,
				size_t *length_out)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length_out);
	int failed;

	if (!out)
		return NULL;
	history_spool_print(out, record);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}

/* Names sort in the order of their records. */
static int history_spool_write_record(const struct history_spool *spool,
				      const struct history_spool_record *record)
{
	char name[128];
	size_t length;
	char *text = history_spool_text(record, &length);
	int error;

	if (!text)
		return ENOMEM;
	snprintf(name, sizeof(name), "%011lld%09ld-%s%s", (long long)record->at.tv_sec,
		 record->at.tv_nsec, record->uuid, record->suffix);
	error = history_spool_write_always(spool, name, text, length);
	free(text);
	return error;
}

/* From now on every outgoing message has a file. */
static void history_spool_begin_since(const struct history_spool *spool)
{
	struct timespec now;
	char text[32];

	if (faccessat(spool->fd, SPOOL_SINCE, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return;
	clock_gettime(CLOCK_BOOTTIME, &now);
	snprintf(text, sizeof(text), "%lld\n",
		 (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
	history_spool_write(spool, SPOOL_SINCE, text, strlen(text));
}

/*
 * A record is missing, also where the spool is not trusted and nothing is written: nobody else
 * has a file of that name. What cannot be removed now, for want of descriptors, is removed before
 * the next record is vouched for (tests/integration/test_lost_calls.py).
 */
static void history_spool_end_since(const struct history_spool *spool)
{
	bool is_open = spool->fd >= 0 && spool->fd != spool->root;
	int fd = is_open ? spool->fd
			 : openat(spool->root, SPOOL_OUTGOING,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	history_spool_has_stale_since =
		fd < 0 ? errno != ENOENT
		       : unlinkat(fd, SPOOL_SINCE, 0) < 0 && errno != ENOENT;
	if (fd >= 0 && !is_open)
		close(fd);
}

void history_spool_put(const struct history_spool_record *record)
{
	struct history_spool spool = { .fd = -1, .root = -1 };
	bool is_written = false;
	int error;

	if (!*history_spool_folder)
		return;
	if (history_spool_open(&spool, record->is_outgoing) &&
	    history_spool_has_space(&spool)) {
		error = history_spool_write_record(&spool, record);
		is_written = !error;
		if (error)
			history_spool_log(strerror(error));
		else
			history_reserve_refill(spool.root, &spool.status);
	}
	if (record->is_outgoing && (!is_written || history_spool_has_stale_since))
		history_spool_end_since(&spool);
	if (record->is_outgoing && is_written)
		history_spool_begin_since(&spool);
	history_spool_close(&spool);
}

/* What an earlier ofonod vouched for says nothing about messages while there was none. */
static void history_spool_renew_since(void)
{
	struct history_spool spool = { .fd = -1, .root = -1 };
	bool is_open;

	if (!*history_spool_folder)
		return;
	is_open = history_spool_open(&spool, true);
	history_spool_end_since(&spool);
	if (is_open)
		history_spool_begin_since(&spool);
	history_spool_close(&spool);
}

void history_spool_init(void)
{
	const char *wanted = getenv(SPOOL_VARIABLE);

	if (wanted)
		history_spool_folder = wanted;
	ofono_info("ofono-mcp: messages are spooled to %s",
		   *history_spool_folder ? history_spool_folder : "nowhere");
	history_spool_renew_since();
}
