/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sms/indexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_loop.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/store_index.h"
#include "text/extract.h"

enum {
	USEC_PER_MS = 1000,
	ACCURACY_USEC = 5 * 1000,
	START_MS = 2 * 1000,
	PAUSE_MS = 10,
};

struct indexer {
	struct store *store;
	struct store_index_pass pass;
	bool at_work;
	int64_t ended_ms; /* clock_boot_ms() */
	sd_event_source *step;
	sd_event_source *look;
};

unsigned indexer_judge(const char *text)
{
	struct extract extract;

	extract_from(text, &extract);
	return (*extract.code ? MESSAGE_HAS_CODE : 0) |
	       (*extract.link ? MESSAGE_HAS_LINK : 0);
}

static void indexer_step_later(struct indexer *indexer, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(indexer->step, pause_ms * USEC_PER_MS);
	sd_event_source_set_enabled(indexer->step, SD_EVENT_ONESHOT);
}

static void indexer_begin(struct indexer *indexer, uint64_t pause_ms)
{
	indexer->pass = (struct store_index_pass){ .judge = indexer_judge };
	indexer->at_work = true;
	indexer_step_later(indexer, pause_ms);
}

static void indexer_end(struct indexer *indexer)
{
	indexer->at_work = false;
	indexer->ended_ms = clock_boot_ms();
	if (indexer->pass.added)
		log_info("store: %lld messages were added to the search index",
			 (long long)indexer->pass.added);
}

static int indexer_on_step(sd_event_source *source, uint64_t usec, void *data)
{
	struct indexer *indexer = data;
	int error = store_index_step(indexer->store, &indexer->pass);

	if (error)
		log_warning("store: the search index cannot be worked on now: %s",
			    error < 0 ? strerror(-error) : "the disk is full");
	if (error || indexer->pass.done)
		indexer_end(indexer);
	else
		indexer_step_later(indexer, PAUSE_MS);
	return 0;
}

/* Called whenever something else has woken the loop. */
static int indexer_on_look(sd_event_source *source, void *data)
{
	struct indexer *indexer = data;

	if (!indexer->at_work && clock_boot_ms() - indexer->ended_ms >= CLOCK_MS_PER_DAY)
		indexer_begin(indexer, PAUSE_MS);
	return 0;
}

int indexer_new(sd_event *loop, struct store *store, struct indexer **indexer_out)
{
	struct indexer *indexer = calloc(1, sizeof(*indexer));
	int error;

	if (!indexer)
		return -ENOMEM;
	indexer->store = store;
	if (store_index_begin(store, OFONO_MCP_VERSION))
		log_warning("store: the kinds of messages cannot be indexed now");
	error = sd_event_add_time_relative(loop, &indexer->step, CLOCK_MONOTONIC, 0,
					   ACCURACY_USEC, indexer_on_step, indexer);
	if (error >= 0)
		error = event_loop_add_before_sleep(loop, &indexer->look, indexer_on_look,
						    indexer);
	if (error < 0) {
		indexer_free(indexer);
		return error;
	}
	indexer_begin(indexer, START_MS);
	*indexer_out = indexer;
	return 0;
}

void indexer_free(struct indexer *indexer)
{
	if (!indexer)
		return;
	sd_event_source_disable_unref(indexer->step);
	sd_event_source_disable_unref(indexer->look);
	free(indexer);
}
