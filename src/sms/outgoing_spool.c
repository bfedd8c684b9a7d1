/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass lists the first names, takes their files in this order, which is that of the
 * records, and goes on until the list is empty. It stops at a file that has to wait, since
 * later ones may be about the same message, and continues after a pause. A file that can neither
 * be removed nor renamed is read once in each pass, and blocks no other one.
 *
 * inotify begins a pass at once, before the loop looks at D-Bus: so an outcome that ofonod has
 * recorded is known before its answer that the message is gone
 * (tests/integration/test_phone_messages.py).
 */
#include "sms/outgoing_spool.h"

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
#include "config/config.h"
#include "sms/spool_file.h"

#define FOLDER ".outgoing"
#define SINCE  ".since"

enum {
	PASSES_MAX = 128, /* without returning to the loop: twice the plugin's limit */
	PAUSE_MS = 20,
	RETRY_MS = 5000,
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 1000,
	ARENA_BYTES = 3 * SPOOL_FILE_BYTES_MAX,
};

struct outgoing_spool {
	struct outbox *outbox;
	sd_event_source *watch;
	sd_event_source *pause;
	bool is_stuck;		  /* the store refuses; already logged */
	bool has_rest;		  /* a file of this pass could not be removed */
	struct spool_files files; /* the list */
	char handled[SPOOL_FILE_LISTED_BYTES]; /* the last name that is; "" for none */
	char folder[];
};

/* ---- one file --------------------------------------------------------------------- */

/* Returns 0 if the file is done; -EAGAIN, or an error of the store: it stays. */
static int outgoing_spool_take(struct outgoing_spool *spool, const char *name)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	struct outbox_record record;
	const char *flaw = "";
	int error = arena ? spool_file_read_record(spool->files.fd, name, arena, &record,
						   &flaw)
			  : -ENOMEM;

	if (!error) {
		error = outbox_record_take(spool->outbox, &record);
		flaw = "it cannot be stored";
		if (error == -EINVAL)
			error = SPOOL_FILE_E_BAD;
		else if (error > 0)
			error = -ENOSPC;
	}
	arena_free(arena);
	if (error == SPOOL_FILE_E_BAD) {
		/* It is as if there were no record (tests/integration/test_lost_calls.py). */
		unlinkat(spool->files.fd, SINCE, 0);
		spool->has_rest |= !spool_file_set_aside(&spool->files, name, flaw);
		return 0;
	}
	if (!error)
		spool->has_rest |= !spool_file_remove(&spool->files, name);
	return error == -ENOENT ? 0 : error;
}

static int outgoing_spool_watch(struct outgoing_spool *spool);

static void outgoing_spool_pause(struct outgoing_spool *spool, int error)
{
	bool is_stuck = error != -EAGAIN;

	if (is_stuck && !spool->is_stuck)
		log_error(
			"spool: the records in %s stay there: they cannot be stored (%s)",
			spool->folder, strerror(-error));
	spool->is_stuck = is_stuck;
	sd_event_source_set_time_relative(spool->pause,
					  (is_stuck ? RETRY_MS : PAUSE_MS) * USEC_PER_MS);
	sd_event_source_set_enabled(spool->pause, SD_EVENT_ONESHOT);
}

static int outgoing_spool_take_list(struct outgoing_spool *spool)
{
	int error = 0;

	for (unsigned i = 0; !error && i < spool->files.count; i++)
		error = outgoing_spool_take(spool, spool->files.names[i]);
	if (!error)
		strcpy(spool->handled, spool->files.names[spool->files.count - 1]);
	return error;
}

/* The clock may have been set back: a new file's name may be an earlier one. */
static void outgoing_spool_list(struct outgoing_spool *spool)
{
	spool_file_list(&spool->files, spool->handled);
	if (spool->files.count || !*spool->handled || spool->has_rest)
		return;
	spool->handled[0] = '\0';
	spool_file_list(&spool->files, "");
}

/* ---- the folder ------------------------------------------------------------------- */

/* Creates what is missing. Returns -1 if it is not to be read, which is logged. */
static int outgoing_spool_open(const struct outgoing_spool *spool)
{
	char parent[PATH_MAX];
	const char *flaw;
	int parent_fd, fd = -1;

	snprintf(parent, sizeof(parent), "%.*s",
		 (int)(strlen(spool->folder) - strlen("/" FOLDER)), spool->folder);
	mkdir(parent, 0700);
	parent_fd = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	flaw = spool_file_folder_flaw(parent_fd);
	if (!flaw) {
		mkdirat(parent_fd, FOLDER, 0700);
		fd = openat(parent_fd, FOLDER,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		flaw = spool_file_folder_flaw(fd);
	}
	if (parent_fd >= 0)
		close(parent_fd);
	if (!flaw)
		return fd;
	log_error("spool: %s: %s; messages that other programs send are not read",
		  spool->folder, flaw);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- the pass --------------------------------------------------------------------- */

static int outgoing_spool_take_all(struct outgoing_spool *spool)
{
	int error = 0;

	spool->has_rest = false;
	spool->handled[0] = '\0';
	outgoing_spool_list(spool);
	for (int i = 0; !error && spool->files.count && i < PASSES_MAX; i++) {
		error = outgoing_spool_take_list(spool);
		if (!error)
			outgoing_spool_list(spool);
	}
	return error;
}

/*
 * Returns true if nothing is left. An open folder would not be reported when it is deleted, so it
 * is closed again.
 */
static bool outgoing_spool_pass(struct outgoing_spool *spool)
{
	int error;

	spool->files.fd = outgoing_spool_open(spool);
	if (spool->files.fd < 0)
		return false;
	error = outgoing_spool_watch(spool);
	if (!error)
		error = outgoing_spool_take_all(spool);
	close(spool->files.fd);
	spool->files.fd = -1;
	if (error)
		outgoing_spool_pause(spool, error);
	else
		spool->is_stuck = false;
	return !error && !spool->files.count && !spool->has_rest;
}

static int outgoing_spool_on_file(sd_event_source *source,
				  const struct inotify_event *event, void *data)
{
	struct outgoing_spool *spool = data;

	if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) {
		log_warning("spool: %s is gone", spool->folder);
		spool->watch = sd_event_source_disable_unref(spool->watch);
	}
	outgoing_spool_pass(spool);
	return 0;
}

static int outgoing_spool_watch(struct outgoing_spool *spool)
{
	int error;

	if (spool->watch)
		return 0;
	error = sd_event_add_inotify(
		sd_event_source_get_event(spool->pause), &spool->watch, spool->folder,
		IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW,
		outgoing_spool_on_file, spool);
	if (error >= 0)
		error = sd_event_source_set_priority(spool->watch,
						     SD_EVENT_PRIORITY_NORMAL - 1);
	return error < 0 ? error : 0;
}

static int outgoing_spool_on_pause_over(sd_event_source *source, uint64_t usec,
					void *data)
{
	outgoing_spool_pass(data);
	return 0;
}

int outgoing_spool_new(sd_event *loop, const char *spool_folder, struct outbox *outbox,
		       struct outgoing_spool **spool_out)
{
	size_t bytes = strlen(spool_folder) + sizeof("/" FOLDER);
	struct outgoing_spool *spool = calloc(1, sizeof(*spool) + bytes);
	int error;

	if (!spool)
		return -ENOMEM;
	spool->outbox = outbox;
	spool->files = (struct spool_files){ .path = spool->folder, .fd = -1 };
	snprintf(spool->folder, bytes, "%s/" FOLDER, spool_folder);
	error = sd_event_add_time_relative(loop, &spool->pause, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, outgoing_spool_on_pause_over,
					   spool);
	if (error >= 0)
		error = sd_event_source_set_enabled(spool->pause, SD_EVENT_OFF);
	if (error < 0) {
		outgoing_spool_free(spool);
		return error;
	}
	*spool_out = spool;
	return 0;
}

static int64_t outgoing_spool_read_since(const char *folder)
{
	char path[PATH_MAX], text[32] = "";
	long long since_ms;
	int fd;

	snprintf(path, sizeof(path), "%s/" SINCE, folder);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return sscanf(text, "%lld", &since_ms) == 1 && since_ms > 0 ? since_ms : 0;
}

int64_t outgoing_spool_since(const struct config *config)
{
	char folder[PATH_MAX];

	if (*config->spool_dir)
		snprintf(folder, sizeof(folder), "%s/" FOLDER, config->spool_dir);
	else
		snprintf(folder, sizeof(folder), "%s/spool/" FOLDER, config->state_dir);
	return outgoing_spool_read_since(folder);
}

/* ofonod removes ".since" when a record fails, and writes another when it starts. */
static bool outgoing_spool_read_all(void *data, int64_t since_boot_ms)
{
	struct outgoing_spool *spool = data;

	return outgoing_spool_pass(spool) &&
	       outgoing_spool_read_since(spool->folder) == since_boot_ms;
}

void outgoing_spool_start(struct outgoing_spool *spool)
{
	outbox_record_set_reader(spool->outbox, outgoing_spool_read_all, spool);
	outgoing_spool_pass(spool);
}

void outgoing_spool_free(struct outgoing_spool *spool)
{
	if (!spool)
		return;
	sd_event_source_disable_unref(spool->watch);
	sd_event_source_disable_unref(spool->pause);
	free(spool);
}
