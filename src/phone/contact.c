/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A contact lives in the arena of its list. The book keeps pointers to all of them, in order,
 * and an index of their numbers for binary search. Every change builds a new index before the
 * old one goes, so that a lack of memory leaves the book unchanged.
 */
#include "phone/contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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
