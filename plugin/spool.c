/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ofonod is root, the folder may belong to an ordinary user: it is never reached by a
 * link, everything happens below its descriptor, and a file goes to the folder's owner.
 *
 * .incoming.tmp -> write, fsync -> rename to its name -> fsync of the folder. A crash
 * leaves .incoming.tmp at most, which the next message replaces. On a full disk the room
 * for it is that of the reserve.
 */
#include "spool.h"

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

#include "reserve.h"

#define VARIABLE   "OFONO_MCP_SPOOL"
#define UNFINISHED ".incoming.tmp"

/* "": messages are not spooled */
static const char *folder = SPOOL_FOLDER;

struct spool {
	int fd;
	struct stat status;
};

static void say(const char *what)
{
	ofono_error("ofono-mcp: a message was not spooled, %s: %s", folder, what);
}

static bool spool_open(struct spool *spool)
{
	spool->fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->fd < 0 || fstat(spool->fd, &spool->status) < 0) {
		say(strerror(errno));
		return false;
	}
	if (spool->status.st_mode & (S_IWGRP | S_IWOTH)) {
		say("others than its owner may write there");
		return false;
	}
	return true;
}

static void spool_close(const struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
}

static long kib_of(int fd, const char *name)
{
	struct stat status;

	if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (long)(status.st_blocks / 2);
}

static bool is_within_limits(DIR *list)
{
	const struct dirent *entry;
	long files = 0, kib = 0;

	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		files++;
		kib += kib_of(dirfd(list), entry->d_name);
		if (files >= SPOOL_FILES_MAX || kib >= SPOOL_KIB_MAX)
			return false;
	}
	return true;
}

/* Nobody may be there to empty it for weeks: the disk is not to be filled. */
static bool spool_has_room(const struct spool *spool)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	bool has_room;

	if (!list) {
		say(strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	has_room = is_within_limits(list);
	closedir(list);
	if (!has_room)
		say("it is full; does ofono-mcp run?");
	return has_room;
}

/* 0, or an errno. */
static int write_all(int fd, const char *text, size_t length)
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

/* 0, or an errno. */
static int spool_fill(const struct spool *spool, int fd, const char *text, size_t length)
{
	int error = write_all(fd, text, length);

	if (error)
		return error;
	if (spool->status.st_uid != geteuid() &&
	    fchown(fd, spool->status.st_uid, spool->status.st_gid) < 0)
		return errno;
	return fsync(fd) < 0 ? errno : 0;
}

/* 0, or an errno. */
static int spool_write(const struct spool *spool, const char *name, const char *text,
		       size_t length)
{
	int fd, error;

	unlinkat(spool->fd, UNFINISHED, 0);
	fd = openat(spool->fd, UNFINISHED,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	error = spool_fill(spool, fd, text, length);
	if (close(fd) < 0 && !error)
		error = errno;
	if (!error && renameat(spool->fd, UNFINISHED, spool->fd, name) < 0)
		error = errno;
	if (error)
		unlinkat(spool->fd, UNFINISHED, 0);
	else if (fsync(spool->fd) < 0)
		error = errno; /* the file is there; whether it stays is not known */
	return error;
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

/* On a full disk what was kept back for that is used up. 0, or an errno. */
static int spool_write_always(const struct spool *spool, const char *name,
			      const char *text, size_t length)
{
	int error = spool_write(spool, name, text, length);

	while (is_full(error) && reserve_give(spool->fd, &spool->status, length))
		error = spool_write(spool, name, text, length);
	return error;
}

/* Names sort in the order of reception. */
static int spool_write_record(const struct spool *spool, const struct record *record)
{
	char name[128];
	size_t length;
	char *text = record_text(record, &length);
	int error;

	if (!text)
		return ENOMEM;
	snprintf(name, sizeof(name), "%011lld%09ld-%s.sms",
		 (long long)record->received.tv_sec, record->received.tv_nsec,
		 record->uuid);
	error = spool_write_always(spool, name, text, length);
	free(text);
	return error;
}

void spool_put(const struct record *record)
{
	struct spool spool;
	int error;

	if (!*folder)
		return;
	if (spool_open(&spool) && spool_has_room(&spool)) {
		error = spool_write_record(&spool, record);
		if (error)
			say(strerror(error));
		else
			reserve_keep(spool.fd, &spool.status);
	}
	spool_close(&spool);
}

void spool_init(void)
{
	const char *wanted = getenv(VARIABLE);

	if (wanted)
		folder = wanted;
	ofono_info("ofono-mcp: messages are spooled to %s", *folder ? folder : "nowhere");
}
