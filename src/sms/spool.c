/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass goes through all file names once, in their order, which is that of reception:
 *
 *   list: the first LIST_MAX names after the last one that was handled
 *   take: a few of them in each turn of the loop: they are stored together, then removed. If
 *         the store refuses them together, they are stored one by one.
 *   repeat until a list is empty; files that have come meanwhile begin another pass
 *
 * So a file that cannot be removed is read once in each pass, and never in a loop. The store
 * recognises it by its name.
 */
#include "sms/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "sms/spool_file.h"

#define BAD ".bad"

enum {
	NAME_BYTES = NAME_MAX + 1,
	LIST_MAX = 64,
	TURN_MAX = INBOX_SPOOLED_MAX, /* files, with one fsync */
	RETRY_MS = 5000,
	ACCURACY_USEC = 1,			      /* the next turn follows at once */
	GROUP_ARENA_BYTES = 3 * SPOOL_FILE_BYTES_MAX, /* enough for the largest file */
};

/* The plugin renames its finished files. Others may write files, or remove the folder. */
#define WATCHED                                                                      \
	(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | \
	 IN_DONT_FOLLOW)

/* The files of one turn, in the order of their names. */
struct spool_group {
	struct arena *arena;
	struct inbox_spooled files[TURN_MAX];
	size_t count;
	unsigned end; /* index of the first name that is left for the next turn */
};

struct spool {
	sd_event *loop;
	struct inbox *inbox;
	uint64_t retry_ms;
	int fd; /* the folder, during a turn of work; otherwise -1 */
	sd_event_source *watch;
	sd_event_source *work; /* enabled during a pass */
	bool again;	       /* a file has come since the pass began */
	bool is_stuck;	       /* the store refuses; already logged */
	char handled[NAME_BYTES];
	char names[LIST_MAX][NAME_BYTES]; /* sorted */
	unsigned count, next;
	char folder[];
};

/* ---- the list --------------------------------------------------------------------- */

/* The file is unfinished, or was set aside. */
static bool spool_is_ignored(const char *name)
{
	size_t length = strlen(name);

	if (name[0] == '.')
		return true;
	return length >= sizeof(BAD) && strcmp(name + length - strlen(BAD), BAD) == 0;
}

/* Inserts the name if it is among the first LIST_MAX. */
static void spool_list_insert(struct spool *spool, const char *name)
{
	unsigned place = spool->count;

	while (place > 0 && strcmp(spool->names[place - 1], name) > 0)
		place--;
	if (place == LIST_MAX)
		return;
	if (spool->count < LIST_MAX)
		spool->count++;
	memmove(spool->names[place + 1], spool->names[place],
		(spool->count - place - 1) * sizeof(spool->names[0]));
	snprintf(spool->names[place], NAME_BYTES, "%s", name);
}

static DIR *spool_list_open(const struct spool *spool)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries && fd >= 0)
		close(fd);
	return entries;
}

/* Lists the names after the last one that was handled. 0 or -errno. */
static int spool_list_read(struct spool *spool)
{
	DIR *entries = spool_list_open(spool);
	const struct dirent *entry;

	if (!entries)
		return -errno;
	spool->count = spool->next = 0;
	while ((entry = readdir(entries))) {
		if (!spool_is_ignored(entry->d_name) &&
		    strcmp(entry->d_name, spool->handled) > 0)
			spool_list_insert(spool, entry->d_name);
	}
	closedir(entries);
	return 0;
}

/* ---- one file --------------------------------------------------------------------- */

/* Neither overwrites nor deletes a file: somebody may want to look at it. */
static void spool_set_aside(const struct spool *spool, const char *name, const char *flaw)
{
	char aside[NAME_BYTES + sizeof(BAD)];

	snprintf(aside, sizeof(aside), "%s" BAD, name);
	if (renameat2(spool->fd, name, spool->fd, aside, RENAME_NOREPLACE) < 0)
		log_error("spool: %s/%s: not taken: %s; it cannot be renamed: %s",
			  spool->folder, name, flaw, strerror(errno));
	else
		log_error("spool: %s/%s: not taken: %s; kept as %s", spool->folder, name,
			  flaw, aside);
}

static void spool_remove_file(const struct spool *spool, const char *name)
{
	if (unlinkat(spool->fd, name, 0) < 0 && errno != ENOENT)
		log_error("spool: %s/%s: stored, but cannot be removed: %s",
			  spool->folder, name, strerror(errno));
}

/* 0: it is in the group, or will not be read; -ENOMEM. */
static int spool_group_read(struct spool *spool, struct spool_group *group,
			    const char *name)
{
	const char *flaw = "it is not a file of our oFono plugin";
	int error = SPOOL_FILE_E_BAD;

	if (spool_file_is_named(name, ".sms"))
		error = spool_file_read(spool->fd, name, group->arena,
					&group->files[group->count], &flaw);
	if (error == SPOOL_FILE_E_BAD)
		spool_set_aside(spool, name, flaw);
	else if (error && error != -ENOMEM && error != -ENOENT)
		log_error("spool: %s/%s: cannot be read: %s", spool->folder, name,
			  strerror(-error));
	group->count += !error;
	return error == -ENOMEM ? error : 0;
}

/* 0 or -ENOMEM. A file that does not fit behind others is left for the next turn. */
static int spool_group_fill(struct spool *spool, struct spool_group *group)
{
	int error = group->arena ? 0 : -ENOMEM;

	group->end = spool->next;
	for (int i = 0; !error && i < TURN_MAX && group->end < spool->count; i++) {
		error = spool_group_read(spool, group, spool->names[group->end]);
		group->end += !error;
	}
	return group->count ? 0 : error;
}

/* 0: the file is done. Otherwise the store's error, and the file stays for the next pass. */
static int spool_store_alone(struct spool *spool, const struct inbox_spooled *file)
{
	int error = inbox_take_spooled(spool->inbox, file, 1);

	if (error == -EINVAL) /* it must not block all others for ever */
		spool_set_aside(spool, file->file, "the store refuses it");
	else if (error)
		return error;
	else
		spool_remove_file(spool, file->file);
	strcpy(spool->handled, file->file);
	return 0;
}

static int spool_group_store(struct spool *spool, const struct spool_group *group)
{
	int error;

	if (!inbox_take_spooled(spool->inbox, group->files, group->count)) {
		for (size_t i = 0; i < group->count; i++)
			spool_remove_file(spool, group->files[i].file);
		return 0;
	}
	error = 0;
	for (size_t i = 0; !error && i < group->count; i++)
		error = spool_store_alone(spool, &group->files[i]);
	return error;
}

static int spool_take_group(struct spool *spool)
{
	struct spool_group group = { .arena = arena_new(GROUP_ARENA_BYTES) };
	int error = spool_group_fill(spool, &group);

	if (!error)
		error = spool_group_store(spool, &group);
	arena_free(group.arena);
	if (error) { /* the list is read again, after the last handled name */
		spool->count = spool->next = 0;
		return error;
	}
	strcpy(spool->handled, spool->names[group.end - 1]);
	spool->next = group.end;
	return 0;
}

/* ---- the timer -------------------------------------------------------------------- */

static void spool_work_after(struct spool *spool, uint64_t ms)
{
	sd_event_source_set_time_relative(spool->work, ms * 1000);
	sd_event_source_set_enabled(spool->work, SD_EVENT_ONESHOT);
}

static void spool_begin_pass(struct spool *spool)
{
	spool->again = false;
	spool->handled[0] = '\0';
	spool->count = spool->next = 0;
	spool_work_after(spool, 0);
}

static void spool_wait_for_disk(struct spool *spool, int error)
{
	if (!spool->is_stuck)
		log_error("spool: the messages in %s stay there: they cannot be stored "
			  "(%s)",
			  spool->folder,
			  error < 0 ? strerror(-error) : "the disk is full");
	spool->is_stuck = true;
	spool_work_after(spool, spool->retry_ms);
}

/* ---- the folder ------------------------------------------------------------------- */

/* A pass that waits for the disk tries again: the disk may accept writes now. */
static void spool_on_file(struct spool *spool)
{
	int state = SD_EVENT_OFF;

	sd_event_source_get_enabled(spool->work, &state);
	if (state == SD_EVENT_OFF || spool->is_stuck)
		spool_begin_pass(spool);
	else
		spool->again = true;
}

static int spool_on_change(sd_event_source *source, const struct inotify_event *event,
			   void *data)
{
	struct spool *spool = data;

	if (!(event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))) {
		if (!event->len || !spool_is_ignored(event->name))
			spool_on_file(spool);
		return 0;
	}
	log_warning("spool: %s is gone", spool->folder);
	spool->watch = sd_event_source_disable_unref(spool->watch);
	spool_begin_pass(spool); /* creates it again */
	return 0;
}

/* What is wrong with the folder, or NULL. Anybody who can write there can forge messages. */
static const char *spool_folder_flaw(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return strerror(errno);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return "it belongs to another user";
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return "others than its owner may write there";
	return NULL;
}

/* What is wrong, or NULL: then it is open until spool_close_folder(). */
static const char *spool_open_folder(struct spool *spool)
{
	spool->fd = open(spool->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->fd >= 0)
		return spool_folder_flaw(spool->fd);
	if (errno == ENOTDIR || errno == ELOOP)
		return "it is not a folder, or a link to one";
	return strerror(errno);
}

/* An open folder would not be reported when it is deleted. */
static void spool_close_folder(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

/* Creates the folder if necessary. What is wrong, or NULL: then it is watched. */
static const char *spool_watch_folder(struct spool *spool)
{
	int error;

	if (spool->watch)
		return NULL;
	if (mkdir(spool->folder, 0700) < 0 && errno != EEXIST)
		return strerror(errno);
	error = sd_event_add_inotify(spool->loop, &spool->watch, spool->folder, WATCHED,
				     spool_on_change, spool);
	return error < 0 && error != -ENOTDIR && error != -ELOOP ? strerror(-error)
								 : NULL;
}

static void spool_give_up(struct spool *spool, const char *flaw)
{
	log_error("spool: %s: %s; messages of the oFono plugin are not read until a "
		  "restart",
		  spool->folder, flaw);
	spool->watch = sd_event_source_disable_unref(spool->watch);
}

/* ---- the pass --------------------------------------------------------------------- */

/* 0, or an error of the folder or the store. */
static int spool_take_some(struct spool *spool)
{
	int error = 0;

	if (spool->next == spool->count)
		error = spool_list_read(spool);
	if (!error && spool->next < spool->count)
		error = spool_take_group(spool);
	return error;
}

static void spool_continue(struct spool *spool)
{
	if (spool->is_stuck)
		log_info("spool: the store takes messages again");
	spool->is_stuck = false;
	if (spool->count)
		spool_work_after(spool, 0);
	else if (spool->again)
		spool_begin_pass(spool);
}

static int spool_on_work(sd_event_source *source, uint64_t usec, void *data)
{
	struct spool *spool = data;
	const char *flaw = spool_watch_folder(spool);
	int error = 0;

	if (!flaw)
		flaw = spool_open_folder(spool);
	if (!flaw)
		error = spool_take_some(spool);
	spool_close_folder(spool);
	if (flaw)
		spool_give_up(spool, flaw);
	else if (error)
		spool_wait_for_disk(spool, error);
	else
		spool_continue(spool);
	return 0;
}

int spool_new(sd_event *loop, const char *folder, struct inbox *inbox,
	      struct spool **spool_out)
{
	struct spool *spool = calloc(1, sizeof(*spool) + strlen(folder) + 1);
	int error;

	if (!spool)
		return -ENOMEM;
	spool->loop = loop;
	spool->inbox = inbox;
	spool->retry_ms = RETRY_MS;
	spool->fd = -1;
	strcpy(spool->folder, folder);
	error = sd_event_add_time_relative(loop, &spool->work, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, spool_on_work, spool);
	if (error < 0) {
		free(spool);
		return error;
	}
	spool_begin_pass(spool);
	*spool_out = spool;
	return 0;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	sd_event_source_disable_unref(spool->watch);
	sd_event_source_disable_unref(spool->work);
	free(spool);
}

void spool_set_retry(struct spool *spool, uint64_t retry_ms)
{
	spool->retry_ms = retry_ms;
}
