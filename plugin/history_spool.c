/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ofonod runs as root, and the folder may belong to an ordinary user: it is never opened
 * through a link, everything happens below its descriptor, and files get the folder's owner.
 *
 * .incoming.tmp -> write, fsync -> rename to its name -> fsync of the folder. A crash leaves
 * at most .incoming.tmp, which the next message replaces. On a full disk the reserve provides
 * the space.
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

/* "": no spooling */
static const char *history_spool_folder = SPOOL_FOLDER;

struct history_spool {
	int fd;
	struct stat status;
};

static void history_spool_log(const char *what)
{
	ofono_error("ofono-mcp: a message was not spooled, %s: %s", history_spool_folder,
		    what);
}

static bool history_spool_open(struct history_spool *spool)
{
	spool->fd = open(history_spool_folder,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->fd < 0 || fstat(spool->fd, &spool->status) < 0) {
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
	if (spool->fd >= 0)
		close(spool->fd);
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

/* 0, or an errno. */
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

/* 0, or an errno. */
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

/* 0, or an errno. */
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

/* Uses the reserve on a full disk. 0, or an errno. */
static int history_spool_write_always(const struct history_spool *spool, const char *name,
				      const char *text, size_t length)
{
	int error = history_spool_write(spool, name, text, length);

	while (history_spool_is_full(error) &&
	       history_reserve_release(spool->fd, &spool->status, length))
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

static void history_spool_print(FILE *out, const struct history_spool_message *message)
{
	long long received_ms = (long long)message->received.tv_sec * 1000 +
				message->received.tv_nsec / 1000000;

	fprintf(out, "{\n\"format\": 1,\n\"received_ms\": %lld", received_ms);
	history_spool_print_member(out, "modem", message->modem);
	history_spool_print_member(out, "imsi", message->imsi);
	history_spool_print_member(out, "uuid", message->uuid);
	history_spool_print_member(out, "sender", message->sender);
	history_spool_print_member(out, "sent_time", message->sent_time);
	history_spool_print_member(out, "text", message->text);
	history_spool_print_member(out, "ofono", message->ofono);
	fputs("\n}\n", out);
}

/* The caller frees it. NULL: no memory. */
static char *history_spool_text(const struct history_spool_message *message,
				size_t *length_out)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length_out);
	int failed;

	if (!out)
		return NULL;
	history_spool_print(out, message);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}

/* Names sort in the order of reception. */
static int history_spool_write_message(const struct history_spool *spool,
				       const struct history_spool_message *message)
{
	char name[128];
	size_t length;
	char *text = history_spool_text(message, &length);
	int error;

	if (!text)
		return ENOMEM;
	snprintf(name, sizeof(name), "%011lld%09ld-%s.sms",
		 (long long)message->received.tv_sec, message->received.tv_nsec,
		 message->uuid);
	error = history_spool_write_always(spool, name, text, length);
	free(text);
	return error;
}

void history_spool_put(const struct history_spool_message *message)
{
	struct history_spool spool;
	int error;

	if (!*history_spool_folder)
		return;
	if (history_spool_open(&spool) && history_spool_has_space(&spool)) {
		error = history_spool_write_message(&spool, message);
		if (error)
			history_spool_log(strerror(error));
		else
			history_reserve_refill(spool.fd, &spool.status);
	}
	history_spool_close(&spool);
}

void history_spool_init(void)
{
	const char *wanted = getenv(SPOOL_VARIABLE);

	if (wanted)
		history_spool_folder = wanted;
	ofono_info("ofono-mcp: messages are spooled to %s",
		   *history_spool_folder ? history_spool_folder : "nowhere");
}
