/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/store_rescue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "store/store_opening.h"
#include "store/store_place.h"
#include "store/store_remake.h"
#include "store/store_retention.h"
#include "store/store_statement.h"

static int64_t count_rows(struct store *store, const char *sql)
{
	struct explanation ignored;
	struct store_opening opening = { .database = store->database, .error = &ignored };
	int64_t count = 0;

	store_opening_ask(&opening, sql, &count);
	return count;
}

static void tell(struct store *store, bool is_complete, const char *aside,
		 const char *cause)
{
	log_error("store: THE LEDGER WAS DAMAGED: %s", cause);
	log_error(
		"store: it was moved to %s and left as it is; a new one begins with %s: "
		"%lld messages, %lld SIM cards, %lld clients",
		aside, is_complete ? "all rows of it" : "what could be read of it",
		(long long)count_rows(store, "SELECT count(*) FROM message"),
		(long long)count_rows(store, "SELECT count(*) FROM sim"),
		(long long)count_rows(store, "SELECT count(*) FROM client"));
	snprintf(store->notice, sizeof(store->notice),
		 "the ledger was damaged and is now at %.440s", aside);
}

static int rescue(const char *folder, struct store **store_out,
		  const struct explanation *cause, struct explanation *error)
{
	struct store_remade remade;
	int failure = store_remake(folder, STORE_REMAKE_DAMAGED, &remade, error);

	if (!failure)
		failure = store_open(folder, store_out, error);
	if (!failure)
		tell(*store_out, remade.is_complete, remade.aside, cause->text);
	return failure;
}

static int open_or_rescue(const char *folder, struct store **store_out,
			  struct explanation *error)
{
	struct explanation cause = { "" };
	int failure = store_open(folder, store_out, &cause);

	if (!failure)
		store_retention_convert(*store_out);
	if (failure == -EUCLEAN)
		return rescue(folder, store_out, &cause, error);
	*error = cause;
	return failure;
}

/* One that is no copy any more, for nothing waits in it. */
static int settle_copy(const char *folder, struct store **store,
		       struct explanation *error)
{
	struct store_remade remade;
	int failure;

	store_close(*store);
	*store = NULL;
	failure = store_remake(folder, STORE_REMAKE_COPY, &remade, error);
	if (failure == -EUCLEAN) {
		const struct explanation cause = *error;

		return rescue(folder, store, &cause, error);
	}
	return failure ? failure : open_or_rescue(folder, store, error);
}

int store_open_or_rescue(const char *folder, struct store **store_out,
			 struct explanation *error)
{
	struct store *store = NULL;
	int failure = open_or_rescue(folder, &store, error);

	if (!failure && !store_place_is_here(store->database, folder))
		failure = settle_copy(folder, &store, error);
	if (failure)
		return failure;
	failure = store_place_note(store->database, folder);
	if (failure) /* the last note still holds */
		log_warning("store: which file it is cannot be noted: %s",
			    strerror(-failure));
	*store_out = store;
	return 0;
}

const char *store_rescue_notice(const struct store *store)
{
	return *store->notice ? store->notice : NULL;
}
