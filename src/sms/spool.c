/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass goes over all names once, in their order, which is that of reception:
 *
 *   list: the first so many names behind the last one that was handled
 *   take: a few of them in each turn of the loop, stored together, then removed; what the
 *         store refuses together it is given one by one
 *   ... until a list is empty. What came in meanwhile begins another pass.
 *
 * So a file that cannot be removed is met once in each pass and never looped on. The store
 * knows it by its name.
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
	ACCURACY_USEC = 1, /* a turn is not to wait for the next one */
	GROUP_ARENA_BYTES = 3 * SPOOL_FILE_BYTES_MAX, /* the largest file needs that */
};

/* The plugin moves its files to their names; others may write theirs, or take the folder. */
#define WATCHED                                                                      \
	(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | \
	 IN_DONT_FOLLOW)

/* Files that were read in this turn, in the order of their names. */
struct spool_group {
	struct arena *arena;
	struct inbox_spooled files[TURN_MAX];
	size_t count;
	unsigned end; /* names before this one are in it, or need no more work */
};

struct spool {
	sd_event *loop;
	struct inbox *inbox;
	uint64_t retry_ms;
	int fd; /* the folder, in a turn of work; else -1 */
	sd_event_source *watch;
	sd_event_source *work; /* enabled during a pass */
	bool again;	       /* something came since the pass began */
	bool is_stuck;	       /* the store or the folder refuses; it was said */
	char handled[NAME_BYTES];
	char names[LIST_MAX][NAME_BYTES]; /* sorted */
	unsigned count, next;
	char folder[];
};

/* ---- the list --------------------------------------------------------------------- */

/* It is not finished, or was set aside. */
static bool is_left_alone(const char *name)
{
	size_t length = strlen(name);

	if (name[0] == '.')
		return true;
	return length >= sizeof(BAD) && strcmp(name + length - strlen(BAD), BAD) == 0;
}

/* Among the first LIST_MAX, if it belongs there. */
static void list_insert(struct spool *spool, const char *name)
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

static DIR *list_open(const struct spool *spool)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries && fd >= 0)
		close(fd);
	return entries;
}

/* What is behind the last one that was handled. 0 or -errno. */
static int list_read(struct spool *spool)
{
	DIR *entries = list_open(spool);
	const struct dirent *entry;

	if (!entries)
		return -errno;
	spool->count = spool->next = 0;
	while ((entry = readdir(entries))) {
		if (!is_left_alone(entry->d_name) &&
		    strcmp(entry->d_name, spool->handled) > 0)
			list_insert(spool, entry->d_name);
	}
	closedir(entries);
	return 0;
}

/* ---- one file --------------------------------------------------------------------- */

/* Never over another one, never removed: somebody may want to look at it. */
static void set_aside(const struct spool *spool, const char *name, const char *flaw)
{
	char aside[NAME_BYTES + sizeof(BAD)];

	snprintf(aside, sizeof(aside), "%s" BAD, name);
	if (renameat2(spool->fd, name, spool->fd, aside, RENAME_NOREPLACE) < 0)
		log_error("spool: %s/%s: not taken, %s; it cannot be renamed: %s",
			  spool->folder, name, flaw, strerror(errno));
	else
		log_error("spool: %s/%s: not taken, %s; it is kept as %s", spool->folder,
			  name, flaw, aside);
}

static void remove_file(const struct spool *spool, const char *name)
{
	if (unlinkat(spool->fd, name, 0) < 0 && errno != ENOENT)
		log_error("spool: %s/%s: is stored, but cannot be removed: %s",
			  spool->folder, name, strerror(errno));
}

/* 0: it is in the group, or nothing is to be done with it; -ENOMEM. */
static int group_read(struct spool *spool, struct spool_group *group, const char *name)
{
	const char *flaw = "it is not a file of oFono's plugin";
	int error = SPOOL_FILE_E_BAD;

	if (spool_file_is_named(name))
		error = spool_file_read(spool->fd, name, group->arena,
					&group->files[group->count], &flaw);
	if (error == SPOOL_FILE_E_BAD)
		set_aside(spool, name, flaw);
	else if (error && error != -ENOMEM && error != -ENOENT)
		log_error("spool: %s/%s: cannot be read: %s", spool->folder, name,
			  strerror(-error));
	group->count += !error;
	return error == -ENOMEM ? error : 0;
}

/* 0 or -ENOMEM; what has no room behind others has it in the next turn. */
static int group_fill(struct spool *spool, struct spool_group *group)
{
	int error = group->arena ? 0 : -ENOMEM;

	group->end = spool->next;
	for (int i = 0; !error && i < TURN_MAX && group->end < spool->count; i++) {
		error = group_read(spool, group, spool->names[group->end]);
		group->end += !error;
	}
	return group->count ? 0 : error;
}

/* 0: done with it. Else the store's error: the file stays for the next pass. */
static int store_alone(struct spool *spool, const struct inbox_spooled *file)
{
	int error = inbox_take_spooled(spool->inbox, file, 1);

	if (error == -EINVAL) /* not to stand in the way of all others for ever */
		set_aside(spool, file->file, "the store refuses it");
	else if (error)
		return error;
	else
		remove_file(spool, file->file);
	strcpy(spool->handled, file->file);
	return 0;
}

static int group_store(struct spool *spool, const struct spool_group *group)
{
	int error;

	if (!inbox_take_spooled(spool->inbox, group->files, group->count)) {
		for (size_t i = 0; i < group->count; i++)
			remove_file(spool, group->files[i].file);
		return 0;
	}
	error = 0;
	for (size_t i = 0; !error && i < group->count; i++)
		error = store_alone(spool, &group->files[i]);
	return error;
}

static int take_group(struct spool *spool)
{
	struct spool_group group = { .arena = arena_new(GROUP_ARENA_BYTES) };
	int error = group_fill(spool, &group);

	if (!error)
		error = group_store(spool, &group);
	arena_free(group.arena);
	if (error) { /* the list is read again, from what was handled */
		spool->count = spool->next = 0;
		return error;
	}
	strcpy(spool->handled, spool->names[group.end - 1]);
	spool->next = group.end;
	return 0;
}

/* ---- the timer -------------------------------------------------------------------- */

static void work_after(struct spool *spool, uint64_t ms)
{
	sd_event_source_set_time_relative(spool->work, ms * 1000);
	sd_event_source_set_enabled(spool->work, SD_EVENT_ONESHOT);
}

static void begin_pass(struct spool *spool)
{
	spool->again = false;
	spool->handled[0] = '\0';
	spool->count = spool->next = 0;
	work_after(spool, 0);
}

static void wait_for_the_disk(struct spool *spool, int error)
{
	if (!spool->is_stuck)
		log_error("spool: the messages in %s stay there, the store takes none "
			  "(%s)",
			  spool->folder, error < 0 ? strerror(-error) : "it is full");
	spool->is_stuck = true;
	work_after(spool, spool->retry_ms);
}

/* ---- the folder ------------------------------------------------------------------- */

/* A pass that waits for the disk is told at once: the disk may be well again. */
static void on_file(struct spool *spool)
{
	int state = SD_EVENT_OFF;

	sd_event_source_get_enabled(spool->work, &state);
	if (state == SD_EVENT_OFF || spool->is_stuck)
		begin_pass(spool);
	else
		spool->again = true;
}

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *data)
{
	struct spool *spool = data;

	(void)source;
	if (!(event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))) {
		if (!event->len || !is_left_alone(event->name))
			on_file(spool);
		return 0;
	}
	log_warning("spool: %s is gone", spool->folder);
	spool->watch = sd_event_source_disable_unref(spool->watch);
	begin_pass(spool); /* which makes it again */
	return 0;
}

/* What is wrong with it, or NULL: whoever writes there makes messages. */
static const char *folder_flaw(int fd)
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

/* What is wrong, or NULL: then it is open, until close_folder(). */
static const char *open_folder(struct spool *spool)
{
	spool->fd = open(spool->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->fd >= 0)
		return folder_flaw(spool->fd);
	if (errno == ENOTDIR || errno == ELOOP)
		return "it is no folder, or a link to one";
	return strerror(errno);
}

/* It is not kept open, or we would not be told when it is deleted. */
static void close_folder(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

/* What is wrong, or NULL: it is watched. */
static const char *watch_folder(struct spool *spool)
{
	int error;

	if (spool->watch)
		return NULL;
	if (mkdir(spool->folder, 0700) < 0 && errno != EEXIST)
		return strerror(errno);
	error = sd_event_add_inotify(spool->loop, &spool->watch, spool->folder, WATCHED,
				     on_change, spool);
	return error < 0 && error != -ENOTDIR && error != -ELOOP ? strerror(-error)
								 : NULL;
}

static void give_up(struct spool *spool, const char *flaw)
{
	log_error("spool: %s: %s; what oFono's plugin lays down there is not taken until "
		  "a restart",
		  spool->folder, flaw);
	spool->watch = sd_event_source_disable_unref(spool->watch);
}

/* ---- the pass --------------------------------------------------------------------- */

/* 0, or what hinders. */
static int take_some(struct spool *spool)
{
	int error = 0;

	if (spool->next == spool->count)
		error = list_read(spool);
	if (!error && spool->next < spool->count)
		error = take_group(spool);
	return error;
}

static void go_on(struct spool *spool)
{
	if (spool->is_stuck)
		log_info("spool: the store takes messages again");
	spool->is_stuck = false;
	if (spool->count)
		work_after(spool, 0);
	else if (spool->again)
		begin_pass(spool);
}

static int on_work(sd_event_source *source, uint64_t usec, void *data)
{
	struct spool *spool = data;
	const char *flaw = watch_folder(spool);
	int error = 0;

	(void)source;
	(void)usec;
	if (!flaw)
		flaw = open_folder(spool);
	if (!flaw)
		error = take_some(spool);
	close_folder(spool);
	if (flaw)
		give_up(spool, flaw);
	else if (error)
		wait_for_the_disk(spool, error);
	else
		go_on(spool);
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
					   ACCURACY_USEC, on_work, spool);
	if (error < 0) {
		free(spool);
		return error;
	}
	begin_pass(spool);
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
