/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contact lives in the arena of its list. The book keeps pointers to all of them, in order,
 * and an index of their numbers for binary search. Every change builds a new index before the
 * old one goes, so that a lack of memory leaves the book unchanged.
 */
#include "phone/contact.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/regular_file.h"
#include "base/utf8.h"

/* ---- lists */

struct contact_list *contact_list_new(int64_t sim_id, size_t limit_bytes)
{
	struct contact_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	TAILQ_INIT(&list->contacts);
	list->sim_id = sim_id;
	list->arena = arena_new(limit_bytes);
	if (list->arena)
		return list;
	free(list);
	return NULL;
}

void contact_list_free(struct contact_list *list)
{
	if (!list)
		return;
	arena_free(list->arena);
	free(list);
}

void contact_list_add(void *data, const struct vcard *card)
{
	struct contact_list *list = data;
	struct contact *contact = arena_alloc(list->arena, sizeof(*contact));
	const char **numbers = arena_alloc(list->arena, card->count * sizeof(*numbers));
	const char *name = arena_copy(list->arena, card->name, strlen(card->name));

	for (unsigned i = 0; numbers && i < card->count; i++)
		numbers[i] = arena_copy(list->arena, card->numbers[i],
					strlen(card->numbers[i]));
	list->is_full |= arena_failed(list->arena);
	if (list->is_full)
		return;
	*contact = (struct contact){
		.name = name,
		.count = card->count,
		.numbers = numbers,
		.sim_id = list->sim_id,
	};
	TAILQ_INSERT_TAIL(&list->contacts, contact, link);
	list->contact_count++;
	list->number_count += card->count;
}

/* ---- the book */

struct contact_index_entry {
	const char *number;
	size_t position;
};

struct contact_index {
	const struct contact **contacts;
	size_t contact_count;
	struct contact_index_entry *entries; /* sorted by number, then position */
	size_t entry_count;
};

struct contact_book {
	struct contact_list *lists[CONTACT_BOOK_LISTS_MAX]; /* sorted by SIM ID */
	size_t count;
	struct contact_index index;
	uint32_t edition;
};

static int contact_index_compare(const void *one, const void *other)
{
	const struct contact_index_entry *left = one, *right = other;
	int order = strcmp(left->number, right->number);

	if (order)
		return order;
	return (left->position > right->position) - (left->position < right->position);
}

static void contact_index_add(struct contact_index *index, const struct contact *contact)
{
	for (unsigned i = 0; i < contact->count; i++)
		index->entries[index->entry_count++] =
			(struct contact_index_entry){ contact->numbers[i],
						      index->contact_count };
	index->contacts[index->contact_count++] = contact;
}

static void contact_index_free(struct contact_index *index)
{
	free(index->contacts);
	free(index->entries);
}

/* Returns false if memory runs out. */
static bool contact_index_build(struct contact_index *index,
				struct contact_list *const *lists, size_t count)
{
	size_t contacts = 0, numbers = 0;
	const struct contact *contact;

	for (size_t i = 0; i < count; i++) {
		contacts += lists[i]->contact_count;
		numbers += lists[i]->number_count;
	}
	*index = (struct contact_index){
		.contacts = calloc(contacts + 1, sizeof(struct contact *)),
		.entries = calloc(numbers + 1, sizeof(*index->entries)),
	};
	if (!index->contacts || !index->entries) {
		contact_index_free(index);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		TAILQ_FOREACH (contact, &lists[i]->contacts, link) {
			contact_index_add(index, contact);
		}
	}
	qsort(index->entries, index->entry_count, sizeof(*index->entries),
	      contact_index_compare);
	return true;
}

/* Returns the first position that has the number; the count of contacts when none has. */
static size_t contact_index_find(const struct contact_index *index, const char *number)
{
	size_t low = 0, high = index->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(index->entries[middle].number, number) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == index->entry_count || strcmp(index->entries[low].number, number) != 0)
		return index->contact_count;
	return index->entries[low].position;
}

struct contact_book *contact_book_new(void)
{
	return calloc(1, sizeof(struct contact_book));
}

void contact_book_free(struct contact_book *book)
{
	if (!book)
		return;
	for (size_t i = 0; i < book->count; i++)
		contact_list_free(book->lists[i]);
	contact_index_free(&book->index);
	free(book);
}

bool contact_book_put(struct contact_book *book, int64_t sim_id,
		      struct contact_list *list)
{
	struct contact_list *lists[CONTACT_BOOK_LISTS_MAX + 1];
	struct contact_list *replaced = NULL;
	struct contact_index index;
	size_t at = 0, count;

	while (at < book->count && book->lists[at]->sim_id < sim_id) {
		lists[at] = book->lists[at];
		at++;
	}
	count = at;
	if (list)
		lists[count++] = list;
	if (at < book->count && book->lists[at]->sim_id == sim_id)
		replaced = book->lists[at++];
	while (at < book->count)
		lists[count++] = book->lists[at++];
	if (count > CONTACT_BOOK_LISTS_MAX ||
	    !contact_index_build(&index, lists, count)) {
		contact_list_free(list);
		return false;
	}
	contact_list_free(replaced);
	for (size_t i = 0; i < count; i++)
		book->lists[i] = lists[i];
	book->count = count;
	contact_index_free(&book->index);
	book->index = index;
	book->edition++;
	return true;
}

size_t contact_book_count(const struct contact_book *book)
{
	return book->index.contact_count;
}

const struct contact *contact_book_at(const struct contact_book *book, size_t position)
{
	return book->index.contacts[position];
}

uint32_t contact_book_edition(const struct contact_book *book)
{
	return book->edition;
}

const struct contact *contact_book_find(const struct contact_book *book,
					const char (*spellings)[NUMBER_FORM_BYTES],
					size_t count)
{
	size_t first;

	if (!book || !book->index.entry_count)
		return NULL;
	first = book->index.contact_count;
	for (size_t i = 0; i < count; i++) {
		size_t position = contact_index_find(&book->index, spellings[i]);

		if (position < first)
			first = position;
	}
	return first < book->index.contact_count ? book->index.contacts[first] : NULL;
}

/* ---- queries */

/*
 * Characters that utf8_fold() keeps, but that people leave out or cannot type when they search
 * for a name: from, to.
 */
static const uint32_t contact_query_plain[][2] = {
	/* Greek */
	{ 0x386, 0x3b1 },
	{ 0x388, 0x3b5 },
	{ 0x389, 0x3b7 },
	{ 0x38a, 0x3b9 },
	{ 0x38c, 0x3bf },
	{ 0x38e, 0x3c5 },
	{ 0x38f, 0x3c9 },
	{ 0x390, 0x3b9 },
	{ 0x3aa, 0x3b9 },
	{ 0x3ab, 0x3c5 },
	{ 0x3ac, 0x3b1 },
	{ 0x3ad, 0x3b5 },
	{ 0x3ae, 0x3b7 },
	{ 0x3af, 0x3b9 },
	{ 0x3b0, 0x3c5 },
	{ 0x3c2, 0x3c3 },
	{ 0x3ca, 0x3b9 },
	{ 0x3cb, 0x3c5 },
	{ 0x3cc, 0x3bf },
	{ 0x3cd, 0x3c5 },
	{ 0x3ce, 0x3c9 },
	/* Cyrillic */
	{ 0x450, 0x435 },
	{ 0x451, 0x435 },
	/* Romanian */
	{ 0x218, 's' },
	{ 0x219, 's' },
	{ 0x21a, 't' },
	{ 0x21b, 't' },
	/* quotation marks */
	{ 0x2018, '\'' },
	{ 0x2019, '\'' },
};

/* The folded text is never longer than the text. */
static void contact_query_fold(const char *text, char *folded_out)
{
	const size_t count = sizeof(contact_query_plain) / sizeof(contact_query_plain[0]);
	size_t length = 0;

	while (*text) {
		uint32_t letter = utf8_fold(utf8_next(&text));

		for (size_t i = 0; letter > 0x7f && i < count; i++) {
			if (contact_query_plain[i][0] == letter) {
				letter = contact_query_plain[i][1];
				break;
			}
		}
		if (!utf8_is_accent(letter))
			length += utf8_write(letter, folded_out + length);
	}
	folded_out[length] = '\0';
}

bool contact_query_parse(struct contact_query *query, const char *name)
{
	if (strlen(name) >= sizeof(query->words))
		return false;
	contact_query_fold(name, query->words);
	return true;
}

bool contact_query_matches(const struct contact_query *query, const char *name)
{
	char folded[VCARD_NAME_BYTES], words[VCARD_NAME_BYTES];
	char *rest = strcpy(words, query->words);
	const char *word;

	contact_query_fold(name, folded);
	while ((word = strsep(&rest, " \t\n"))) {
		if (!strstr(folded, word))
			return false;
	}
	return true;
}

/* ---- the owner's file */

enum { CONTACT_FILE_PIECE_BYTES = 4096 };

struct contact_file {
	int fd;
	size_t total;
	struct contact_list *list;
	struct vcard_reader reader;
};

int contact_file_open(const char *path, struct contact_file **file_out)
{
	struct contact_file *file = calloc(1, sizeof(*file));
	struct stat status;
	int error = -ENOMEM;

	if (!file)
		return error;
	file->fd = -1;
	file->list = contact_list_new(0, CONTACT_LIST_FILE_BYTES);
	vcard_reader_init(&file->reader, contact_list_add, file->list);
	if (file->list)
		error = file->fd = regular_file_open(path, &status);
	if (error < 0) {
		contact_file_close(file);
		return error;
	}
	*file_out = file;
	return 0;
}

int contact_file_step(struct contact_file *file, size_t bytes)
{
	char piece[CONTACT_FILE_PIECE_BYTES];
	size_t end = file->total + bytes;

	while (file->total < end) {
		ssize_t length = read(file->fd, piece, sizeof(piece));

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		if (!length)
			vcard_reader_finish(&file->reader);
		file->total += (size_t)length;
		vcard_reader_feed(&file->reader, piece, (size_t)length);
		if (vcard_reader_text_bytes(&file->reader) > CONTACT_FILE_MAX ||
		    file->total > CONTACT_FILE_TOTAL_MAX)
			return -EFBIG;
		if (!length)
			return 0;
	}
	return 1;
}

struct contact_list *contact_file_take(struct contact_file *file)
{
	struct contact_list *list = file->list;

	list->skips = file->reader.skips;
	file->list = NULL;
	return list;
}

void contact_file_close(struct contact_file *file)
{
	if (!file)
		return;
	file->reader.depth = 0; /* nothing is found any more */
	vcard_reader_finish(&file->reader);
	contact_list_free(file->list);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

static const char *contact_file_error_text(int error)
{
	switch (-error) {
	case ENOENT:
		return "there is no such file";
	case EACCES:
		return "the gateway's user may not read it";
	case EFBIG:
		return "it is larger than 8 MiB without its photographs, or than 512 MiB with them";
	case EINVAL:
		return "it is not a regular file";
	default:
		return strerror(-error);
	}
}

void contact_file_describe(const char *path, int error, const struct contact_list *list,
			   char problem_out[CONTACT_FILE_PROBLEM_BYTES])
{
	char skipped[VCARD_SKIPS_BYTES] = "";
	const char *text = "";

	if (!error)
		vcard_skips_describe(&list->skips, 0, VCARD_SKIP_DEFECTS, skipped);
	if (error)
		text = contact_file_error_text(error);
	else if (list->is_full)
		text = "it has more contacts than the gateway keeps; the last ones are left out";
	else if (!list->contact_count)
		text = "it has no vCard with a name and a number";
	*problem_out = '\0';
	if (*text || *skipped)
		snprintf(problem_out, CONTACT_FILE_PROBLEM_BYTES, "%s: %s%s%s%s", path,
			 text, *text && *skipped ? "; " : "",
			 *skipped ? "left out: " : "", skipped);
}

/* ---- the watch */

/*
 * The watch is on the folder of the file: a file that is replaced by rename is another inode,
 * which a watch on the old file would never report.
 */

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
	sd_event_source *source; /* NULL if nothing is watched */
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

	if (event->len && strcmp(event->name, place->name) != 0)
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
