/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder is read as one text, file by file in the order of their names, into one list. A file
 * of it that cannot be read is counted, not named: many programs name such files after people,
 * and no name of a contact goes into a log.
 */
#include "phone/contact.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

enum { CONTACT_FILE_PIECE_BYTES = 4096 };

struct contact_file {
	int fd; /* -1 before the next file of a folder */
	size_t total;
	size_t text_bytes; /* of the files before */
	struct contact_list *list;
	struct vcard_reader reader;
	/* Of a folder: */
	char *folder; /* NULL for a single file */
	struct dirent **entries;
	size_t count, next;
};

/* ---- folders */

/* Is it read in a folder? */
static bool contact_file_is_vcard(const char *name)
{
	size_t length = strlen(name);

	return *name != '.' && length > strlen(".vcf") &&
	       strcasecmp(name + length - strlen(".vcf"), ".vcf") == 0;
}

static int contact_file_filter(const struct dirent *entry)
{
	return entry->d_type != DT_DIR && contact_file_is_vcard(entry->d_name);
}

static int contact_file_compare(const struct dirent **one, const struct dirent **other)
{
	return strcmp((*one)->d_name, (*other)->d_name);
}

static int contact_file_open_folder(struct contact_file *file, const char *path)
{
	int count =
		scandir(path, &file->entries, contact_file_filter, contact_file_compare);

	if (count < 0)
		return -errno;
	file->count = (size_t)count;
	file->folder = strdup(path);
	if (!file->folder)
		return -ENOMEM;
	return count > CONTACT_FILE_FOLDER_MAX ? -E2BIG : 0;
}

static void contact_file_count_unread(struct contact_file *file, int error)
{
	struct contact_list_unread *unread = &file->list->unread;

	if (!unread->count++) {
		unread->first = file->next;
		unread->error = error;
	}
}

/* Opens the next file of the folder that can be opened. Returns false after the last one. */
static bool contact_file_open_next(struct contact_file *file)
{
	char path[PATH_MAX];
	struct stat status;

	if (file->next == file->count)
		return false;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", file->folder,
			     file->entries[file->next++]->d_name) >= sizeof(path))
		file->fd = -ENAMETOOLONG;
	else
		file->fd = regular_file_open(path, &status);
	if (file->fd < 0)
		contact_file_count_unread(file, file->fd);
	return true;
}

/* ---- reading */

int contact_file_open(const char *path, struct contact_file **file_out)
{
	struct contact_file *file = calloc(1, sizeof(*file));
	struct stat status = { 0 };
	int error = -ENOMEM;

	if (!file)
		return error;
	file->fd = -1;
	file->list = contact_list_new(CONTACT_OF_FILE, CONTACT_LIST_FILE_BYTES);
	vcard_reader_init(&file->reader, contact_list_add, file->list);
	if (file->list)
		error = file->fd = regular_file_open(path, &status);
	if (error == -EINVAL && S_ISDIR(status.st_mode))
		error = contact_file_open_folder(file, path);
	if (error < 0) {
		contact_file_close(file);
		return error;
	}
	*file_out = file;
	return 0;
}

/* The end of one file: a card without END ends there. */
static void contact_file_end(struct contact_file *file)
{
	vcard_reader_finish(&file->reader);
	file->text_bytes += vcard_reader_text_bytes(&file->reader);
	if (file->folder)
		vcard_skips_merge(&file->list->skips, &file->reader.skips);
	else
		file->list->skips = file->reader.skips;
	vcard_reader_init(&file->reader, contact_list_add, file->list);
	close(file->fd);
	file->fd = -1;
}

/* Reads a piece of the open file. Returns 0 or -errno. */
static int contact_file_read(struct contact_file *file)
{
	char piece[CONTACT_FILE_PIECE_BYTES];
	ssize_t length = read(file->fd, piece, sizeof(piece));
	int error = length < 0 ? -errno : 0;

	if (error == -EINTR)
		return 0;
	if (error && !file->folder)
		return error;
	if (error)
		contact_file_count_unread(file, error);
	if (length > 0) {
		file->total += (size_t)length;
		vcard_reader_feed(&file->reader, piece, (size_t)length);
	} else {
		contact_file_end(file);
	}
	return file->text_bytes + vcard_reader_text_bytes(&file->reader) >
				       CONTACT_FILE_MAX ||
			       file->total > CONTACT_FILE_TOTAL_MAX
		       ? -EFBIG
		       : 0;
}

int contact_file_step(struct contact_file *file, size_t bytes)
{
	int error = 0;

	/* To open a file counts as a piece, so that many empty ones are bounded, too. */
	for (size_t at = 0; at < bytes && !error; at += CONTACT_FILE_PIECE_BYTES) {
		if (file->fd >= 0)
			error = contact_file_read(file);
		else if (!contact_file_open_next(file))
			return 0;
	}
	return error ? error : 1;
}

struct contact_list *contact_file_take(struct contact_file *file)
{
	struct contact_list *list = file->list;

	file->list = NULL;
	return list;
}

void contact_file_close(struct contact_file *file)
{
	if (!file)
		return;
	vcard_reader_abandon(&file->reader);
	contact_list_free(file->list);
	if (file->fd >= 0)
		close(file->fd);
	for (size_t i = 0; i < file->count; i++)
		free(file->entries[i]);
	free(file->entries);
	free(file->folder);
	free(file);
}

/* ---- what is wrong, in words */

static const char *contact_file_error_text(int error)
{
	switch (-error) {
	case ENOENT:
		return "there is no such file";
	case EACCES:
		return "the gateway's user may not read it";
	case EFBIG:
		return "it is larger than 8 MiB without its photographs, or than 512 MiB with them";
	case E2BIG:
		return "it has more than 10,000 vCard files";
	case EINVAL:
		return "it is not a regular file";
	default:
		return strerror(-error);
	}
}

static void contact_file_describe_unread(const struct contact_list_unread *unread,
					 char *text_out, size_t bytes)
{
	if (unread->count)
		snprintf(text_out, bytes,
			 "%zu of its files cannot be read; the first of them, number %zu "
			 "in the order of names: %s",
			 unread->count, unread->first,
			 contact_file_error_text(unread->error));
}

void contact_file_describe(const char *path, int error, const struct contact_list *list,
			   char problem_out[CONTACT_FILE_PROBLEM_BYTES])
{
	char skipped[VCARD_SKIPS_BYTES] = "", unread[256] = "";
	const char *text = "";
	FILE *problem;

	*problem_out = '\0';
	if (!error) {
		vcard_skips_describe(&list->skips, 0, VCARD_SKIP_DEFECTS, skipped);
		contact_file_describe_unread(&list->unread, unread, sizeof(unread));
	}
	if (error)
		text = contact_file_error_text(error);
	else if (list->is_full)
		text = "it has more contacts than the gateway keeps; the last ones are left out";
	else if (!list->contact_count)
		text = "it has no vCard with a name and a number";
	if (!*text && !*skipped && !*unread)
		return;
	problem = fmemopen(problem_out, CONTACT_FILE_PROBLEM_BYTES, "w");
	if (!problem)
		return;
	fprintf(problem, "%s: %s", path, text);
	if (*unread)
		fprintf(problem, "%s%s", *text ? "; " : "", unread);
	if (*skipped)
		fprintf(problem, "%sleft out: %s", *text || *unread ? "; " : "", skipped);
	fclose(problem);
}

/* ---- the watch */

/*
 * The watch is on the folder of the file: a file that is replaced by rename is another inode,
 * which a watch on the old file would never report. If what the owner configured is a folder
 * itself, another watch is on that, for the files in it.
 */

#define CONTACT_FILE_WATCH_EVENTS                                               \
	(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | \
	 IN_ATTRIB | IN_ONLYDIR)

enum {
	CONTACT_FILE_WATCH_USEC = 500 * 1000,
	CONTACT_FILE_WATCH_ACCURACY_USEC = 100 * 1000,
};

/* What is watched: a file in a folder, or all vCard files in one. */
struct contact_file_watch_place {
	struct contact_file_watch *watch;
	sd_event_source *source; /* NULL if nothing is watched */
	char path[PATH_MAX];
	const char *name; /* in path; NULL if the path is the folder of all of them */
};

struct contact_file_watch {
	sd_event *loop;
	void (*changed)(void *data);
	void *data;
	sd_event_source *timer;			/* enabled after a change */
	struct contact_file_watch_place file;	/* the path that the owner configured */
	struct contact_file_watch_place target; /* where it leads, when it is a link */
	struct contact_file_watch_place folder; /* the files there, when it is a folder */
};

static int contact_file_watch_on_event(sd_event_source *source,
				       const struct inotify_event *event, void *data)
{
	const struct contact_file_watch_place *place = data;
	sd_event_source *timer = place->watch->timer;
	int state = SD_EVENT_OFF;

	/* Without a name the event is about the watched folder. */
	if (event->len && !(place->name ? strcmp(event->name, place->name) == 0
					: contact_file_is_vcard(event->name)))
		return 0;
	sd_event_source_get_enabled(timer, &state);
	if (state != SD_EVENT_OFF)
		return 0; /* not put off, so that changes without end are reported */
	sd_event_source_set_time_relative(timer, CONTACT_FILE_WATCH_USEC);
	sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
	return 0;
}

static void contact_file_watch_stop(struct contact_file_watch_place *place)
{
	place->source = sd_event_source_disable_unref(place->source);
	*place->path = '\0';
}

/* Returns 0 or -errno */
static int contact_file_watch_add(struct contact_file_watch_place *place,
				  const char *folder)
{
	int error = sd_event_add_inotify(place->watch->loop, &place->source, folder,
					 CONTACT_FILE_WATCH_EVENTS,
					 contact_file_watch_on_event, place);

	return error < 0 ? error : 0;
}

/* Returns 0 or -errno */
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
	for (size_t end = strlen(path); end > 1 && place->path[end - 1] == '/'; end--)
		place->path[end - 1] = '\0';
	slash = strrchr(place->path, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	place->name = slash + 1;
	error = contact_file_watch_add(place, *place->path ? place->path : "/");
	*slash = '/';
	if (error)
		contact_file_watch_stop(place);
	return error;
}

/* Watches what the path leads to, which may be something else by now. */
static void contact_file_watch_follow(struct contact_file_watch *watch)
{
	char *real = realpath(watch->file.path, NULL);

	contact_file_watch_stop(&watch->folder);
	if (real)
		contact_file_watch_add(&watch->folder, real); /* fails for a file */
	if (real && strcmp(real, watch->file.path) != 0)
		contact_file_watch_start(&watch->target, real);
	else if (real)
		contact_file_watch_stop(&watch->target);
	free(real);
}

static int contact_file_watch_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct contact_file_watch *watch = data;

	contact_file_watch_follow(watch);
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
	watch->file.watch = watch->target.watch = watch->folder.watch = watch;
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
	contact_file_watch_follow(watch);
	*watch_out = watch;
	return 0;
}

void contact_file_watch_free(struct contact_file_watch *watch)
{
	if (!watch)
		return;
	contact_file_watch_stop(&watch->file);
	contact_file_watch_stop(&watch->target);
	contact_file_watch_stop(&watch->folder);
	sd_event_source_disable_unref(watch->timer);
	free(watch);
}
