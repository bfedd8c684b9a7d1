/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder is watched, for a file that is replaced is another one then.
 */
#include "phone/contact_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#define WATCHED                                                                 \
	(IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | \
	 IN_ATTRIB | IN_ONLYDIR)

enum { SETTLE_USEC = 500 * 1000, ACCURACY_USEC = 100 * 1000, PLACES = 2 };

/* a file in a folder */
struct place {
	struct contact_watch *watch;
	sd_event_source *source; /* NULL: nothing here */
	char path[PATH_MAX];
	const char *name; /* in path */
};

struct contact_watch {
	sd_event *loop;
	void (*changed)(void *data);
	void *data;
	sd_event_source *settling;   /* enabled when something was heard */
	struct place places[PLACES]; /* as the owner names it; what that leads to */
};

static int on_change(sd_event_source *source, const struct inotify_event *event,
		     void *data)
{
	const struct place *place = data;
	int state = SD_EVENT_OFF;

	(void)source;
	if (event->len && strcmp(event->name, place->name) != 0)
		return 0;
	sd_event_source_get_enabled(place->watch->settling, &state);
	if (state != SD_EVENT_OFF)
		return 0; /* what goes on for ever is looked at all the same */
	sd_event_source_set_time_relative(place->watch->settling, SETTLE_USEC);
	sd_event_source_set_enabled(place->watch->settling, SD_EVENT_ONESHOT);
	return 0;
}

static void leave(struct place *place)
{
	place->source = sd_event_source_disable_unref(place->source);
	*place->path = '\0';
}

/* 0 or -errno */
static int watch(struct place *place, const char *path)
{
	char *slash;
	int error;

	if (strcmp(place->path, path) == 0)
		return 0;
	leave(place);
	if (strlen(path) >= sizeof(place->path))
		return -ENAMETOOLONG;
	strcpy(place->path, path);
	slash = strrchr(place->path, '/');
	if (!slash)
		return -EINVAL;
	*slash = '\0';
	place->name = slash + 1;
	error = sd_event_add_inotify(place->watch->loop, &place->source,
				     *place->path ? place->path : "/", WATCHED, on_change,
				     place);
	*slash = '/';
	if (error < 0)
		leave(place);
	return error < 0 ? error : 0;
}

/* A link may lead elsewhere by now. */
static void follow(struct contact_watch *contact_watch)
{
	const char *path = contact_watch->places[0].path;
	struct place *target = &contact_watch->places[1];
	char *real = realpath(path, NULL);

	if (real && strcmp(real, path) != 0)
		watch(target, real);
	else if (real)
		leave(target);
	free(real);
}

static int on_settled(sd_event_source *source, uint64_t usec, void *data)
{
	struct contact_watch *contact_watch = data;

	(void)source;
	(void)usec;
	follow(contact_watch);
	contact_watch->changed(contact_watch->data);
	return 0;
}

int contact_watch_new(sd_event *loop, const char *path, void (*changed)(void *data),
		      void *data, struct contact_watch **watch_out)
{
	struct contact_watch *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return -ENOMEM;
	*made = (struct contact_watch){ .loop = loop, .changed = changed, .data = data };
	for (size_t i = 0; i < PLACES; i++)
		made->places[i].watch = made;
	error = sd_event_add_time_relative(loop, &made->settling, CLOCK_MONOTONIC,
					   SETTLE_USEC, ACCURACY_USEC, on_settled, made);
	if (error >= 0)
		error = sd_event_source_set_enabled(made->settling, SD_EVENT_OFF);
	if (error >= 0)
		error = watch(&made->places[0], path);
	if (error < 0) {
		contact_watch_free(made);
		return error;
	}
	follow(made);
	*watch_out = made;
	return 0;
}

void contact_watch_free(struct contact_watch *contact_watch)
{
	if (!contact_watch)
		return;
	for (size_t i = 0; i < PLACES; i++)
		leave(&contact_watch->places[i]);
	sd_event_source_disable_unref(contact_watch->settling);
	free(contact_watch);
}
