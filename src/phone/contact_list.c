/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/contact_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "phone/vcard.h"

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
