/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watch is on the folder of the file: a file that is replaced by rename is another inode,
 * which a watch on the old file would never report.
 */
#include "phone/contact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading */

enum { CONTACT_FILE_PIECE_BYTES = 4096 };

static int contact_file_read_fd(int fd, struct vcard_reader *reader)
{
	char piece[CONTACT_FILE_PIECE_BYTES];
	size_t total = 0;
	ssize_t length;

	while ((length = read(fd, piece, sizeof(piece))) != 0) {
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		total += (size_t)length;
		if (total > CONTACT_FILE_MAX)
			return -EFBIG;
		vcard_reader_feed(reader, piece, (size_t)length);
	}
	vcard_reader_finish(reader);
	return 0;
}

static int contact_file_read_list(const char *path, struct contact_list *list)
{
	struct vcard_reader reader;
	struct stat file;
	int error;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	vcard_reader_init(&reader, contact_list_add, list);
	if (fstat(fd, &file) < 0)
		error = -errno;
	else
		error = S_ISREG(file.st_mode) ? contact_file_read_fd(fd, &reader)
					      : -EINVAL;
	close(fd);
	return error;
}

static const char *contact_file_error_text(int error)
{
	switch (-error) {
	case ENOENT:
		return "there is no such file";
	case EACCES:
		return "the gateway's user may not read it";
	case EFBIG:
		return "it is larger than 8 MiB; leave the photographs out";
	case EINVAL:
		return "it is not a regular file";
	default:
		return strerror(-error);
	}
}

int contact_file_read(const char *path, struct contact_list **list_out,
		      char problem[CONTACT_FILE_PROBLEM_BYTES])
{
	struct contact_list *list = contact_list_new(0, CONTACT_LIST_FILE_BYTES);
	int error = list ? contact_file_read_list(path, list) : -ENOMEM;
	const char *text = NULL;

	if (error)
		text = contact_file_error_text(error);
	else if (list->is_full)
		text = "it has more contacts than the gateway keeps; the last ones are "
		       "left out";
	else if (!list->contact_count)
		text = "it has no vCard with a name and a number";
	*problem = '\0';
	if (text)
		snprintf(problem, CONTACT_FILE_PROBLEM_BYTES, "%s: %s", path, text);
	if (error) {
		contact_list_free(list);
		return error;
	}
	*list_out = list;
	return 0;
}

/* ---- watching */

#define CONTACT_FILE_WATCH_EVENTS                                               \
	(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | \
	 IN_ATTRIB | IN_ONLYDIR)

enum {
	CONTACT_FILE_WATCH_USEC = 500 * 1000,
	CONTACT_FILE_WATCH_ACCURACY_USEC = 100 * 1000,
};

/* A file in a watched folder. */
struct contact_file_watch_place {
	struct contact_file_watch *watch;
	sd_event_source *source; /* NULL: nothing is watched */
	char path[PATH_MAX];
	const char *name; /* in path */
};

struct contact_file_watch {
	sd_event *loop;
	void (*changed)(void *data);
	void *data;
	sd_event_source *timer;			/* enabled after a change */
	struct contact_file_watch_place file;	/* the path that the owner configured */
	struct contact_file_watch_place target; /* where it leads, when it is a link */
};

static int contact_file_watch_on_event(sd_event_source *source,
				       const struct inotify_event *event, void *data)
{
	const struct contact_file_watch_place *place = data;
	sd_event_source *timer = place->watch->timer;
	int state = SD_EVENT_OFF;

	(void)source;
	if (event->len && strcmp(event->name, place->name) != 0)
		return 0;
	sd_event_source_get_enabled(timer, &state);
	if (state != SD_EVENT_OFF)
		return 0; /* not put off: changes without end are reported, too */
	sd_event_source_set_time_relative(timer, CONTACT_FILE_WATCH_USEC);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
	return 0;
}

static void contact_file_watch_stop(struct contact_file_watch_place *place)
{
	place->source = sd_event_source_disable_unref(place->source);
	*place->path = '\0';
}

/* 0 or -errno */
static int contact_file_watch_start(struct contact_file_watch_place *place,
				    const char *path)
{
	char *slash;
	int error;

	if (strcmp(place->path, path) == 0)
		return 0;
	contact_file_watch_stop(place);
	if (strlen(path) >= sizeof(place->path))
		return -ENAMETOOLONG;
	strcpy(place->path, path);
	slash = strrchr(place->path, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	place->name = slash + 1;
	error = sd_event_add_inotify(
		place->watch->loop, &place->source, *place->path ? place->path : "/",
		CONTACT_FILE_WATCH_EVENTS, contact_file_watch_on_event, place);
	*slash = '/';
	if (error < 0)
		contact_file_watch_stop(place);
	return error < 0 ? error : 0;
}

/* Watches the target of the link, which may be another one by now. */
static void contact_file_watch_follow_link(struct contact_file_watch *watch)
{
	char *real = realpath(watch->file.path, NULL);

	if (real && strcmp(real, watch->file.path) != 0)
		contact_file_watch_start(&watch->target, real);
	else if (real)
		contact_file_watch_stop(&watch->target);
	free(real);
}

static int contact_file_watch_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct contact_file_watch *watch = data;

	(void)source;
	(void)usec;
	contact_file_watch_follow_link(watch);
	watch->changed(watch->data);
	return 0;
}

int contact_file_watch_new(sd_event *loop, const char *path, void (*changed)(void *data),
			   void *data, struct contact_file_watch **watch_out)
{
	struct contact_file_watch *watch = calloc(1, sizeof(*watch));
	int error;

	if (!watch)
		return -ENOMEM;
	watch->loop = loop;
	watch->changed = changed;
	watch->data = data;
	watch->file.watch = watch->target.watch = watch;
	error = sd_event_add_time_relative(
		loop, &watch->timer, CLOCK_MONOTONIC, CONTACT_FILE_WATCH_USEC,
		CONTACT_FILE_WATCH_ACCURACY_USEC, contact_file_watch_on_timer, watch);
	if (error >= 0)
		error = sd_event_source_set_enabled(watch->timer, SD_EVENT_OFF);
	if (error >= 0)
		error = contact_file_watch_start(&watch->file, path);
	if (error < 0) {
		contact_file_watch_free(watch);
		return error;
	}
	contact_file_watch_follow_link(watch);
	*watch_out = watch;
	return 0;
}

void contact_file_watch_free(struct contact_file_watch *watch)
{
	if (!watch)
		return;
	contact_file_watch_stop(&watch->file);
	contact_file_watch_stop(&watch->target);
	sd_event_source_disable_unref(watch->timer);
	free(watch);
}
