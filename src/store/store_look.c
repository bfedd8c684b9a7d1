/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_look.h"

#include "store/store_statement.h"

/* Without it each read is of its own moment. */
void store_look_begin(struct store *store)
{
	if (!store_is_writing(store))
		store->looks = store_run(store, store_use(store, LOOK)) == 0;
}

void store_look_end(struct store *store)
{
	if (!store->looks)
		return;
	store->looks = false;
	store_run(store, store_use(store, COMMIT));
}
