/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass goes through all file names once, in their order, which is that of reception:
 *
 *   list: the first names after the last one that was handled
 *   take: a few of them in each turn of the loop: they are stored together, then removed. If
 *         the store refuses them together, they are stored one by one.
 *   repeat until a list is empty; files that have come meanwhile begin another pass
 *
 * So a file that cannot be removed is read once in each pass, and never in a loop. The store
 * recognises it by its name.
 */
#include "sms/spool.h"

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

enum {
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
	sd_event_source *watch;
	sd_event_source *work; /* enabled during a pass */
	bool again;	       /* a file has come since the pass began */
	bool is_stuck;	       /* the store refuses; already logged */
	char handled[SPOOL_FILE_LISTED_BYTES];
	struct spool_files files; /* the list */
	unsigned next;		  /* of its names */
	char folder[];
};

/* ---- one file --------------------------------------------------------------------- */

/* Returns 0 if it is in the group, or will not be read; -ENOMEM. */
static int spool_group_read(struct spool *spool, struct spool_group *group,
			    const char *name)
{
	const char *flaw = "it is not a file of our oFono plugin";
	int error = SPOOL_FILE_E_BAD;

	if (spool_file_is_named(name, ".sms"))
		error = spool_file_read(spool->files.fd, name, group->arena,
					&group->files[group->count], &flaw);
	if (error == SPOOL_FILE_E_BAD)
		spool_file_set_aside(&spool->files, name, flaw);
	else if (error && error != -ENOMEM && error != -ENOENT)
		log_error("spool: %s/%s: cannot be read: %s", spool->folder, name,
			  strerror(-error));
	group->count += !error;
	return error == -ENOMEM ? error : 0;
}

/* Returns 0 or -ENOMEM. A file that does not fit behind others is left for the next turn. */
static int spool_group_fill(struct spool *spool, struct spool_group *group)
{
	int error = group->arena ? 0 : -ENOMEM;

	group->end = spool->next;
	for (int i = 0; !error && i < TURN_MAX && group->end < spool->files.count; i++) {
		error = spool_group_read(spool, group, spool->files.names[group->end]);
		group->end += !error;
	}
	return group->count ? 0 : error;
}

/*
 * Returns 0 if the file is done. Otherwise the store's error, and the file stays for the next pass.
 */
static int spool_store_alone(struct spool *spool, const struct inbox_spooled *file)
{
	int error = inbox_take_spooled(spool->inbox, file, 1);

	if (error == -EINVAL) /* it must not block all others for ever */
		spool_file_set_aside(&spool->files, file->file, "the store refuses it");
	else if (error)
		return error;
	else
		spool_file_remove(&spool->files, file->file);
	strcpy(spool->handled, file->file);
	return 0;
}

static int spool_group_store(struct spool *spool, const struct spool_group *group)
{
	int error;

	if (!inbox_take_spooled(spool->inbox, group->files, group->count)) {
		for (size_t i = 0; i < group->count; i++)
			spool_file_remove(&spool->files, group->files[i].file);
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
		spool->files.count = spool->next = 0;
		return error;
	}
	strcpy(spool->handled, spool->files.names[group.end - 1]);
	spool->next = group.end;
	return 0;
}

/* ---- the timer -------------------------------------------------------------------- */

static void spool_work_after(struct spool *spool, uint64_t ms)
{
	sd_event_source_set_time_relative(spool->work, ms * 1000);
	sd_event_source_set_enabled(spool->work, SD_EVENT_ONESHOT);
}

/* Lists the names after the last one that was handled. Returns 0 or -errno. */
static int spool_read_list(struct spool *spool)
{
	spool->next = 0;
	return spool_file_list(&spool->files, spool->handled);
}

static void spool_begin_pass(struct spool *spool)
{
	spool->again = false;
	spool->handled[0] = '\0';
	spool->files.count = spool->next = 0;
	spool_work_after(spool, 0);
}

static void spool_wait_for_disk(struct spool *spool, int error)
{
	if (!spool->is_stuck)
		log_error(
			"spool: the messages in %s stay there: they cannot be stored (%s)",
			spool->folder, error < 0 ? strerror(-error) : "the disk is full");
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
		if (!event->len || !spool_file_is_ignored(event->name))
			spool_on_file(spool);
		return 0;
	}
	log_warning("spool: %s is gone", spool->folder);
	spool->watch = sd_event_source_disable_unref(spool->watch);
	spool_begin_pass(spool); /* creates it again */
	return 0;
}

/* Returns what is wrong, or NULL: then it is open until spool_close_folder(). */
static const char *spool_open_folder(struct spool *spool)
{
	spool->files.fd =
		open(spool->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (spool->files.fd >= 0)
		return spool_file_folder_flaw(spool->files.fd);
	if (errno == ENOTDIR || errno == ELOOP)
		return "it is not a folder, or a link to one";
	return strerror(errno);
}

/* An open folder would not be reported when it is deleted. */
static void spool_close_folder(struct spool *spool)
{
	if (spool->files.fd >= 0)
		close(spool->files.fd);
	spool->files.fd = -1;
}

/* Creates the folder if necessary. Returns what is wrong, or NULL: then it is watched. */
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
	log_error(
		"spool: %s: %s; messages of the oFono plugin are not read until a restart",
		spool->folder, flaw);
	spool->watch = sd_event_source_disable_unref(spool->watch);
}

/* ---- the pass --------------------------------------------------------------------- */

/* Returns 0, or an error of the folder or the store. */
static int spool_take_some(struct spool *spool)
{
	int error = 0;

	if (spool->next == spool->files.count)
		error = spool_read_list(spool);
	if (!error && spool->next < spool->files.count)
		error = spool_take_group(spool);
	return error;
}

static void spool_continue(struct spool *spool)
{
	if (spool->is_stuck)
		log_info("spool: the store takes messages again");
	spool->is_stuck = false;
	if (spool->files.count)
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
	spool->files = (struct spool_files){ .path = spool->folder, .fd = -1 };
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
