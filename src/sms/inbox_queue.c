/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/inbox_queue.h"

#include <stdlib.h>
#include <string.h>

static void unstored_free(struct unstored *unstored)
{
	free((char *)unstored->draft.number);
	free((char *)unstored->draft.text);
	free((char *)unstored->draft.sent_time);
	free(unstored);
}

/* NULL: no memory. */
static struct unstored *unstored_new(const struct incoming_draft *draft,
				     const struct sim_facts *card)
{
	struct unstored *unstored = calloc(1, sizeof(*unstored));

	if (!unstored)
		return NULL;
	unstored->draft = *draft;
	unstored->card = *card;
	unstored->draft.number = strdup(draft->number);
	unstored->draft.text = strdup(draft->text);
	unstored->draft.sent_time = strdup(draft->sent_time);
	if (unstored->draft.number && unstored->draft.text && unstored->draft.sent_time)
		return unstored;
	unstored_free(unstored);
	return NULL;
}

void inbox_queue_init(struct inbox_queue *queue)
{
	TAILQ_INIT(&queue->list);
	queue->count = 0;
}

bool inbox_queue_put(struct inbox_queue *queue, const struct incoming_draft *draft,
		     const struct sim_facts *card)
{
	struct unstored *unstored = NULL;

	if (queue->count < INBOX_MEMORY_MAX)
		unstored = unstored_new(draft, card);
	if (!unstored)
		return false;
	TAILQ_INSERT_TAIL(&queue->list, unstored, link);
	queue->count++;
	return true;
}

void inbox_queue_drop(struct inbox_queue *queue)
{
	struct unstored *unstored = TAILQ_FIRST(&queue->list);

	TAILQ_REMOVE(&queue->list, unstored, link);
	queue->count--;
	unstored_free(unstored);
}
