/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/event_view.h"

#include <stdlib.h>
#include <string.h>

#include "phone/sim.h"
#include "store/store_message.h"
#include "store/store_party.h"
#include "tools/argument.h"
#include "tools/services.h"

struct tool_call event_view_call(const struct event_query *query)
{
	return (struct tool_call){
		.client = query->client,
		.arguments = query->arguments,
		.services = query->services,
		.arena = query->arena,
	};
}

struct view event_view(const struct event_query *query, struct json_writer *writer)
{
	return (struct view){
		.services = query->services,
		.client = query->client,
		.writer = writer,
	};
}

bool event_view_is_own(const struct event_query *query, const struct feed_entry *entry)
{
	return entry->client_id == query->client->id;
}

bool event_view_is_of_sim(const struct event_query *query, int64_t sim_id)
{
	const struct tool_call call = event_view_call(query);

	return argument_integer(&call, "subscription_id", sim_id) == sim_id;
}

const char *event_view_find_problem(const struct event_query *query)
{
	const struct tool_call call = event_view_call(query);

	return argument_party_problem(&call, "from", argument_party(&call, "from"));
}

bool event_view_is_from(const struct event_query *query, int64_t sim_id,
			const char *number)
{
	const struct tool_call call = event_view_call(query);
	const char *from = argument_party(&call, "from");

	if (!from)
		return !argument_text(&call, "from"); /* else there is no memory */
	return store_party_is(query->services->store,
			      &(struct store_party_address){ sim_id, number },
			      &(struct store_party_address){ 0, from });
}

const struct message *event_view_find_message(struct event_query *query,
					      const struct feed_entry *entry)
{
	struct message *message = arena_alloc(query->arena, sizeof(*message));

	if (!message || store_message_get(query->services->store, entry->subject_id,
					  query->arena, message))
		return NULL;
	query->found = message;
	return message;
}

struct event_view_search {
	struct event *event; /* found */
	struct arena *arena;
	int64_t id;
	int outcome;
};

static void event_view_take(void *data, const struct event *event)
{
	struct event_view_search *search = data;

	if (event->id != search->id)
		return;
	*search->event = *event;
	search->event->number =
		arena_copy(search->arena, event->number, strlen(event->number));
	search->event->text = arena_copy(search->arena, event->text, strlen(event->text));
	search->outcome = arena_error(search->arena);
}

int event_view_find_row(struct store *store, enum event_kind kind, int64_t id,
			struct arena *arena, struct event *event_out)
{
	struct event_view_search search = { event_out, arena, id, STORE_E_NOT_FOUND };
	const struct store_event_query look = {
		.kind = kind,
		.before_id = id < INT64_MAX ? id + 1 : 0,
		.state = -1,
		.limit = 1,
		.visit = event_view_take,
		.data = &search,
	};
	int error = store_event_list(store, &look);

	return error ? error : search.outcome;
}

const struct event *event_view_find(struct event_query *query,
				    const struct feed_entry *entry, enum event_kind kind)
{
	struct event *event = arena_alloc(query->arena, sizeof(*event));

	if (!event || event_view_find_row(query->services->store, kind, entry->subject_id,
					  query->arena, event))
		return NULL;
	query->found = event;
	return event;
}

enum message_state event_view_message_state(const struct feed_entry *entry)
{
	return message_state_shown((enum message_state)entry->state, entry->detail);
}

/* A message that was submitted, and is again without a reason, waited for a phone's owner. */
static enum message_state event_view_previous_state(const struct feed_entry *entry)
{
	bool waited = entry->state == STATE_SUBMITTED &&
		      entry->previous_state == STATE_SUBMITTED && !*entry->detail;

	return waited ? STATE_WAITING_APPROVAL
		      : (enum message_state)entry->previous_state;
}

void event_view_put_message_state(struct json_writer *writer,
				  const struct feed_entry *entry)
{
	json_put_string(writer, "state",
			message_state_name(event_view_message_state(entry)));
	if (entry->previous_state)
		json_put_string(writer, "previous",
				message_state_name(event_view_previous_state(entry)));
	if (*entry->detail)
		json_put_string(writer, "reason", entry->detail);
}

void event_view_put_key(struct json_writer *writer, const struct message *message)
{
	size_t length = strcspn(message->idempotency_key, STORE_MESSAGE_LIST_MARK);

	if (!length)
		return;
	json_key(writer, "idempotency_key");
	json_write_text(writer, message->idempotency_key, length);
}

void event_view_put_sim_state(struct json_writer *writer, const struct feed_entry *entry)
{
	json_put_integer(writer, "subscription_id", entry->sim_id);
	json_put_string(writer, "state", sim_state_name((enum sim_state)entry->state));
	if (entry->previous_state >= 0 && entry->previous_state <= SIM_ABSENT)
		json_put_string(writer, "previous",
				sim_state_name((enum sim_state)entry->previous_state));
}

const char *event_view_read_balance(const struct feed_entry *entry,
				    char amount_out[AMOUNT_BYTES])
{
	struct amount amount;
	char *rest;

	amount.thousandths = strtoll(entry->detail, &rest, 10);
	amount.decimals = (unsigned)strtoul(rest, &rest, 10);
	if (amount.decimals > AMOUNT_DECIMALS_MAX)
		amount.decimals = AMOUNT_DECIMALS_MAX;
	amount_write(&amount, amount_out);
	return *rest == ' ' ? rest + 1 : rest;
}

const char *event_view_read_gap(const struct feed_entry *entry, int64_t *from_ms_out,
				int64_t *until_ms_out)
{
	char *rest;

	*from_ms_out = strtoll(entry->detail, &rest, 10);
	*until_ms_out = strtoll(rest, &rest, 10);
	return *rest == ' ' ? rest + 1 : rest;
}
