/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/client_copy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct copy {
	LIST_ENTRY(copy) link;
	unsigned takers;
	struct client client;
};

/* Who asked last stands first. */
static LIST_HEAD(copy_list, copy) copies = LIST_HEAD_INITIALIZER(copies);

static bool is_same(const struct client *one, const struct client *other)
{
	return one->id == other->id && one->scopes == other->scopes &&
	       one->ask == other->ask &&
	       memcmp(&one->limits, &other->limits, sizeof(one->limits)) == 0 &&
	       strcmp(one->name, other->name) == 0 &&
	       strcmp(one->sims, other->sims) == 0 &&
	       strcmp(one->allow, other->allow) == 0;
}

static struct copy *find(const struct client *client)
{
	struct copy *copy = LIST_FIRST(&copies);

	while (copy && !is_same(&copy->client, client))
		copy = LIST_NEXT(copy, link);
	return copy;
}

const struct client *client_copy_take(const struct client *client)
{
	struct copy *copy = find(client);

	if (copy) {
		LIST_REMOVE(copy, link);
	} else {
		copy = malloc(sizeof(*copy));
		if (!copy)
			return NULL;
		copy->takers = 0;
		copy->client = *client;
	}
	copy->takers++;
	LIST_INSERT_HEAD(&copies, copy, link);
	return &copy->client;
}

void client_copy_drop(const struct client *client)
{
	struct copy *copy =
		client ? (struct copy *)((char *)client - offsetof(struct copy, client))
		       : NULL;

	if (!copy || --copy->takers)
		return;
	LIST_REMOVE(copy, link);
	free(copy);
}
