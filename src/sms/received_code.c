/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The codes are kept in an array, each with the time of its message, and in an index for the
 * search. The messages of the last day are read from the store after a start, in pieces between
 * other events. Before a text is judged, what is left of them and the messages since the last
 * time are read, and codes older than a day are dropped.
 *
 * A text is searched by itself and then behind the client's messages before it, because a code
 * can be sent in two halves.
 */
#include "sms/received_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "store/store_listing.h"
#include "text/code_index.h"
#include "text/leak_search.h"

enum {
	CODES_MOST = 1 << 15, /* of more the oldest go first */
	LISTING_ROWS = 256,
	TURN_ROWS = 16,
	TURN_MS = 1,
	ACCURACY_USEC = 1,
	EARLIER_MESSAGES = 12,
	EARLIER_ROWS = 200,
	JUDGED_MS = 10 * 1000,
	DROP_LATE_MS = 30 * 1000, /* so that the index is not made for each of them */
};

#define RECEIVED_CODE_MS (INT64_C(1000) * 60 * 60 * RECEIVED_CODE_HOURS)

const char received_code_reason[] = "contains_received_code";

struct received_code {
	int64_t at_ms; /* wall clock */
	enum code_index_kind kind;
	size_t length;
	char *symbols;
};

struct received_codes {
	struct store *store;
	struct number_words *words;
	struct code_index *index;
	struct received_code *list;
	size_t count, room;
	/* messages up to this one have been read; 0 if there is none */
	int64_t seen_id;
	int64_t adding_ms; /* of the message that is being read */
	int64_t oldest_ms; /* of the list */
	bool failed;
	bool is_ready;
	struct observers observers;
	sd_event_source *turn; /* enabled until the codes are ready */
	struct {
		struct store_listing_query query;
		int64_t newest_id;
		bool is_under_way;
	} reading;
	struct {
		char *text; /* NULL if there is none */
		int64_t client_id, message_id, newest_id, at_ms;
		bool found;
	} last; /* judged; a call with many recipients asks about one text again and again */
};

/* ---- the codes of the last day ------------------------------------------------------- */

/* Drops what is older than `from_ms`, and makes the index anew. */
static void received_codes_drop(struct received_codes *codes, int64_t from_ms)
{
	size_t kept = 0;

	codes->oldest_ms = INT64_MAX;
	code_index_clear(codes->index);
	for (size_t i = 0; i < codes->count; i++) {
		struct received_code *code = &codes->list[i];

		if (code->at_ms < from_ms) {
			explicit_bzero(code->symbols, code->length);
			free(code->symbols);
			continue;
		}
		if (!code_index_add(codes->index, code->kind, code->symbols,
				    code->length))
			codes->failed = true;
		if (code->at_ms < codes->oldest_ms)
			codes->oldest_ms = code->at_ms;
		codes->list[kept++] = *code;
	}
	codes->count = kept;
}

static int received_code_compare(const void *one, const void *other)
{
	int64_t one_ms = ((const struct received_code *)one)->at_ms;
	int64_t other_ms = ((const struct received_code *)other)->at_ms;

	return (one_ms > other_ms) - (one_ms < other_ms);
}

static bool received_codes_make_room(struct received_codes *codes)
{
	size_t room = codes->room ? 2 * codes->room : 64;
	struct received_code *list;

	if (codes->count < codes->room)
		return true;
	if (codes->count >= CODES_MOST) {
		qsort(codes->list, codes->count, sizeof(*codes->list),
		      received_code_compare);
		received_codes_drop(codes, codes->list[CODES_MOST / 8].at_ms + 1);
		return codes->count < codes->room;
	}
	list = realloc(codes->list, room * sizeof(*list));
	if (!list)
		return false;
	codes->list = list;
	codes->room = room;
	return true;
}

static void received_codes_add(void *data, enum code_index_kind kind, const char *symbols,
			       size_t length)
{
	struct received_codes *codes = data;
	char *copy = malloc(length);

	if (!copy || !received_codes_make_room(codes) ||
	    !code_index_add(codes->index, kind, symbols, length)) {
		codes->failed = true;
		free(copy);
		return;
	}
	memcpy(copy, symbols, length);
	codes->list[codes->count++] = (struct received_code){
		.at_ms = codes->adding_ms,
		.kind = kind,
		.length = length,
		.symbols = copy,
	};
	if (codes->adding_ms < codes->oldest_ms)
		codes->oldest_ms = codes->adding_ms;
}

static bool received_codes_read_message(void *data, const struct message *message)
{
	struct received_codes *codes = data;
	const struct code_list_visit visit = { codes->words, received_codes_add, codes };

	codes->adding_ms = message->created_ms;
	if (message->created_ms < clock_wall_ms() - RECEIVED_CODE_MS)
		return true;
	if (code_list_read(message->text, &visit))
		codes->failed = true;
	return !codes->failed;
}

/* Begins to read the messages since the last time, unless that is under way. */
static int received_codes_begin(struct received_codes *codes)
{
	int64_t newest_id;
	int error = codes->reading.is_under_way
			    ? 0
			    : store_message_newest(codes->store, &newest_id);

	if (error || codes->reading.is_under_way)
		return error;
	codes->failed = false;
	codes->reading.newest_id = newest_id;
	codes->reading.query = (struct store_listing_query){
		.filter = { .incoming_only = true, .after_id = codes->seen_id },
		.visit = received_codes_read_message,
		.data = codes,
	};
	if (!codes->seen_id)
		codes->reading.query.filter.since_ms = clock_wall_ms() - RECEIVED_CODE_MS;
	codes->reading.is_under_way = newest_id != codes->seen_id;
	return 0;
}

/*
 * Returns 0 if all are read, STORE_E_MORE if not yet. After an error the next time begins here
 * again.
 */
static int received_codes_read(struct received_codes *codes, unsigned rows)
{
	int error = 0;

	if (codes->reading.is_under_way)
		error = store_listing_messages(codes->store, &codes->reading.query, rows);
	if (error == STORE_E_MORE && !codes->failed)
		return error;
	codes->reading.is_under_way = false;
	if (!error && codes->failed)
		error = -ENOMEM;
	if (!error)
		codes->seen_id = codes->reading.newest_id;
	return error;
}

/* Returns false if not all messages could be read. */
static bool received_codes_refresh(struct received_codes *codes)
{
	int64_t from_ms = clock_wall_ms() - RECEIVED_CODE_MS;
	int error = STORE_E_MORE;

	/* twice: what was under way does not end with the newest message */
	for (int round = 0; round < 2 && (!error || error == STORE_E_MORE); round++) {
		error = received_codes_begin(codes);
		if (error)
			break;
		do
			error = received_codes_read(codes, LISTING_ROWS);
		while (error == STORE_E_MORE);
	}
	if (codes->oldest_ms < from_ms - DROP_LATE_MS)
		received_codes_drop(codes, from_ms);
	return !error;
}

/* ---- after a start ------------------------------------------------------------------- */

/* If the store cannot be read, the next text that is judged tries again. */
static void received_codes_be_ready(struct received_codes *codes)
{
	codes->turn = sd_event_source_disable_unref(codes->turn);
	codes->is_ready = true;
	observers_notify(&codes->observers, NULL);
}

static int received_codes_on_turn(sd_event_source *source, uint64_t usec, void *data)
{
	struct received_codes *codes = data;
	int64_t end_ms = clock_monotonic_ms() + TURN_MS;
	int error = received_codes_begin(codes);

	if (!error) {
		do
			error = received_codes_read(codes, TURN_ROWS);
		while (error == STORE_E_MORE && clock_monotonic_ms() < end_ms);
	}
	if (error != STORE_E_MORE ||
	    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0)
		received_codes_be_ready(codes);
	return 0;
}

bool received_codes_are_ready(const struct received_codes *codes)
{
	return codes->is_ready;
}

struct observers *received_codes_observers(struct received_codes *codes)
{
	return &codes->observers;
}

/* ---- the client's earlier messages --------------------------------------------------- */

struct received_code_earlier {
	const struct received_code_question *question;
	int64_t from_ms;
	char *texts[EARLIER_MESSAGES]; /* newest first */
	size_t count;
	bool failed;
};

static bool received_code_keep_earlier(void *data, const struct message *message)
{
	struct received_code_earlier *earlier = data;
	int64_t own_id = earlier->question->message_id;

	if (message->client_id != earlier->question->client_id ||
	    message->created_ms < earlier->from_ms || message->state == STATE_FAILED ||
	    message->state == STATE_CANCELLED || message->state == STATE_EXPIRED ||
	    (own_id && message->id >= own_id))
		return true;
	for (size_t i = 0; i < earlier->count; i++) {
		if (strcmp(earlier->texts[i], message->text) == 0)
			return true; /* to another recipient of a list */
	}
	earlier->texts[earlier->count] = strdup(message->text);
	if (!earlier->texts[earlier->count]) {
		earlier->failed = true;
		return false;
	}
	return ++earlier->count < EARLIER_MESSAGES;
}

/*
 * Appends the texts of the client's last messages, oldest first. Returns false if memory runs out.
 */
static bool received_code_read_earlier(struct received_codes *codes,
				       const struct received_code_question *question,
				       struct buffer *text)
{
	struct received_code_earlier earlier = {
		.question = question,
		.from_ms = clock_wall_ms() - RECEIVED_CODE_MS,
	};
	struct store_listing_query query = {
		.filter = { .outgoing_only = true },
		.visit = received_code_keep_earlier,
		.data = &earlier,
	};
	int error = store_listing_messages(codes->store, &query, EARLIER_ROWS);

	for (; earlier.count > 0; earlier.count--) {
		buffer_append_text(text, earlier.texts[earlier.count - 1]);
		buffer_append_text(text, "\n");
		free(earlier.texts[earlier.count - 1]);
	}
	return (!error || error == STORE_E_MORE) && !earlier.failed && !text->failed;
}

/* ---- judging ------------------------------------------------------------------------- */

static bool received_codes_judge(struct received_codes *codes,
				 const struct received_code_question *question)
{
	struct leak_search search = { codes->index, codes->words, question->text, "" };
	struct buffer earlier = BUFFER_INIT;
	bool found = leak_search_has_code(&search);

	if (!found) {
		found = !received_code_read_earlier(codes, question, &earlier);
		buffer_append(&earlier, "", 1);
		found = found || earlier.failed;
	}
	if (!found && *earlier.data) {
		search.earlier = earlier.data;
		found = leak_search_has_code(&search);
	}
	buffer_deinit(&earlier);
	return found;
}

static bool received_codes_judged_just_now(const struct received_codes *codes,
					   const struct received_code_question *question,
					   int64_t newest_id)
{
	int64_t age_ms = clock_monotonic_ms() - codes->last.at_ms;

	return codes->last.text && age_ms < JUDGED_MS &&
	       codes->last.client_id == question->client_id &&
	       codes->last.message_id == question->message_id &&
	       codes->last.newest_id == newest_id &&
	       strcmp(codes->last.text, question->text) == 0;
}

static void received_codes_forget_last(struct received_codes *codes)
{
	if (codes->last.text)
		explicit_bzero(codes->last.text, strlen(codes->last.text));
	free(codes->last.text);
	codes->last.text = NULL;
}

bool received_codes_are_in(struct received_codes *codes,
			   const struct received_code_question *question)
{
	if (!received_codes_refresh(codes))
		return true;
	if (code_index_is_empty(codes->index))
		return false;
	if (received_codes_judged_just_now(codes, question, codes->seen_id))
		return codes->last.found;
	received_codes_forget_last(codes);
	codes->last.text = strdup(question->text);
	codes->last.client_id = question->client_id;
	codes->last.message_id = question->message_id;
	codes->last.newest_id = codes->seen_id;
	codes->last.at_ms = clock_monotonic_ms();
	codes->last.found = received_codes_judge(codes, question);
	return codes->last.found;
}

void received_codes_free(struct received_codes *codes)
{
	if (!codes)
		return;
	sd_event_source_disable_unref(codes->turn);
	received_codes_forget_last(codes);
	received_codes_drop(codes, INT64_MAX);
	observers_deinit(&codes->observers);
	free(codes->list);
	number_words_free(codes->words);
	code_index_free(codes->index);
	free(codes);
}

int received_codes_new(sd_event *loop, struct store *store,
		       struct received_codes **codes_out)
{
	struct received_codes *codes = calloc(1, sizeof(*codes));
	int error = 0;

	if (!codes)
		return -ENOMEM;
	codes->store = store;
	codes->oldest_ms = INT64_MAX;
	observers_init(&codes->observers);
	codes->words = number_words_new();
	codes->index = code_index_new();
	if (!codes->words || !codes->index)
		error = -ENOMEM;
	/* a timer that is due at once, for the reason in doc/libraries.md, sd-event 1 */
	if (!error)
		error = sd_event_add_time(loop, &codes->turn, CLOCK_MONOTONIC, 0,
					  ACCURACY_USEC, received_codes_on_turn, codes);
	if (error < 0) {
		received_codes_free(codes);
		return error;
	}
	*codes_out = codes;
	return 0;
}
