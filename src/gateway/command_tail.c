/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tail: every message that comes in, and every change of one that goes out, as an item each,
 * until the owner leaves.
 *
 * At most TAILS_MAX at a time, for each keeps a connection of the control socket, of which
 * other commands need some, too. One that does not read is dropped, as any asker
 * (gateway/control_connection.h).
 */
#include "base/observer.h"
#include "gateway/owner_table.h"
#include "gateway/tool_command.h"
#include "tools/message_view.h"
#include "tools/services.h"

enum {
	TAILS_MAX = 4,
	ROW_ARENA_BYTES = 1024 * 1024,
};

/* lives in the arena of its call */
struct tail {
	struct control_call *call;
	struct observer inbox;
	struct observer outbox;
};

static unsigned tail_count;

static void stop(struct tail *tail)
{
	observer_remove(&tail->inbox);
	observer_remove(&tail->outbox);
	tail->call = NULL;
	tail_count--;
}

static void on_abandoned(struct control_call *call)
{
	stop(call->state);
}

static void write_item(struct control_call *call, struct message *message)
{
	const struct services *services = call->control->services;
	struct view view = { .services = services, .client = &owner_client };

	view.writer = control_item_open(call);
	if (!view.writer)
		return;
	message->reason = message_view_reason(services, message);
	json_key(view.writer, "message");
	message_view_write(&view, message);
	control_close(call);
}

static void tell(struct tail *tail, int64_t message_id)
{
	struct control_call *call = tail->call;
	const struct services *services = call->control->services;
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct message message;

	if (arena && store_message_get(services->store, message_id, arena, &message) == 0)
		write_item(call, &message);
	else
		control_fail(call, "internal_error",
			     "Look into the log of the gateway, then try again",
			     "message %lld could not be read", (long long)message_id);
	arena_free(arena);
	if (call->is_over) {
		call->abandoned = NULL;
		stop(tail);
	}
}

static void on_inbox(void *data, const void *event_data)
{
	const struct inbox_event *event = event_data;

	tell(data, event->message_id);
}

static void on_outbox(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;

	tell(data, event->message_id);
}

static void run(struct control_call *call)
{
	const struct services *services = call->control->services;
	struct tail *tail = arena_alloc(call->arena, sizeof(*tail));

	if (!tail || tail_count == TAILS_MAX) {
		control_fail(call, "busy", "End another, then try again",
			     "there are %u already that follow the messages", tail_count);
		return;
	}
	*tail = (struct tail){ .call = call };
	observer_add(inbox_observers(services->inbox), &tail->inbox, on_inbox, tail);
	observer_add(outbox_observers(services->outbox), &tail->outbox, on_outbox, tail);
	tail_count++;
	call->state = tail;
	call->abandoned = on_abandoned;
	control_progress(call, "following the messages; Ctrl-C ends it");
}

const struct control_command owner_tail = {
	.name = "tail",
	.needs_gateway = true,
	.run = run,
};
