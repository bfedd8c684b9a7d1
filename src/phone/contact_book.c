/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/contact_book.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	const char *number;
	size_t position;
};

/* made anew with every change */
struct index {
	const struct contact **contacts;
	size_t contact_count;
	struct entry *entries; /* by number, then position */
	size_t entry_count;
};

struct contact_book {
	/* by SIM, so the file is the first */
	struct contact_list *lists[CONTACT_BOOK_LISTS_MAX];
	size_t count;
	struct index index;
	uint32_t edition;
};

static int compare_entries(const void *one, const void *other)
{
	const struct entry *left = one, *right = other;
	int order = strcmp(left->number, right->number);

	if (order)
		return order;
	return (left->position > right->position) - (left->position < right->position);
}

static void index_add(struct index *index, const struct contact *contact)
{
	for (unsigned i = 0; i < contact->count; i++)
		index->entries[index->entry_count++] =
			(struct entry){ contact->numbers[i], index->contact_count };
	index->contacts[index->contact_count++] = contact;
}

static void index_free(struct index *index)
{
	free(index->contacts);
	free(index->entries);
}

static bool index_make(struct index *index, struct contact_list *const *lists,
		       size_t count)
{
	size_t contacts = 0, numbers = 0;
	const struct contact *contact;

	for (size_t i = 0; i < count; i++) {
		contacts += lists[i]->contact_count;
		numbers += lists[i]->number_count;
	}
	*index = (struct index){
		.contacts = calloc(contacts + 1, sizeof(struct contact *)),
		.entries = calloc(numbers + 1, sizeof(*index->entries)),
	};
	if (!index->contacts || !index->entries) {
		index_free(index);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		TAILQ_FOREACH (contact, &lists[i]->contacts, link) {
			index_add(index, contact);
		}
	}
	qsort(index->entries, index->entry_count, sizeof(*index->entries),
	      compare_entries);
	return true;
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
	index_free(&book->index);
	free(book);
}

/* Where the list of that SIM is, or belongs. */
static size_t place_of(const struct contact_book *book, int64_t sim_id, bool *is_there)
{
	size_t at = 0;

	while (at < book->count && book->lists[at]->sim_id < sim_id)
		at++;
	*is_there = at < book->count && book->lists[at]->sim_id == sim_id;
	return at;
}

/* What the lists would be; how many. */
static size_t replace(const struct contact_book *book, size_t at, bool is_there,
		      struct contact_list *list, struct contact_list **lists_out)
{
	size_t count = 0;

	for (size_t i = 0; i < at; i++)
		lists_out[count++] = book->lists[i];
	if (list)
		lists_out[count++] = list;
	for (size_t i = at + is_there; i < book->count; i++)
		lists_out[count++] = book->lists[i];
	return count;
}

bool contact_book_put(struct contact_book *book, int64_t sim_id,
		      struct contact_list *list)
{
	struct contact_list *lists[CONTACT_BOOK_LISTS_MAX + 1];
	struct index index;
	bool is_there;
	size_t at = place_of(book, sim_id, &is_there);
	size_t count = replace(book, at, is_there, list, lists);

	if (count > CONTACT_BOOK_LISTS_MAX || !index_make(&index, lists, count)) {
		contact_list_free(list);
		return false;
	}
	if (is_there)
		contact_list_free(book->lists[at]);
	for (size_t i = 0; i < count; i++)
		book->lists[i] = lists[i];
	book->count = count;
	index_free(&book->index);
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

/* The position of the first who has it; `count` of contacts: nobody. */
static size_t find_number(const struct index *index, const char *number)
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

const struct contact *contact_book_find(const struct contact_book *book,
					const char (*spellings)[NUMBER_FORM_BYTES],
					size_t count)
{
	size_t first;

	if (!book || !book->index.entry_count)
		return NULL;
	first = book->index.contact_count;
	for (size_t i = 0; i < count; i++) {
		size_t position = find_number(&book->index, spellings[i]);

		if (position < first)
			first = position;
	}
	return first < book->index.contact_count ? book->index.contacts[first] : NULL;
}
