/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * approvals: the messages that wait for the owner's yes, oldest first, a page at a time.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/escape.h"
#include "gateway/control_command.h"
#include "sms/outbox_approval.h"
#include "store/store_client.h"

enum { ROW_ARENA_BYTES = 1024 * 1024 };

/* What an agent wrote moves no cursor and hides nothing. */
static void put_shown(struct json_writer *writer, const char *key, const char *text,
		      bool (*append)(struct buffer *buffer, const char *text))
{
	struct buffer shown = BUFFER_INIT;

	append(&shown, text);
	json_key(writer, key);
	json_write_text(writer, shown.failed || !shown.data ? "" : shown.data,
			shown.failed ? 0 : shown.length);
	buffer_deinit(&shown);
}

static void put_time(struct json_writer *writer, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT_BYTES];

	clock_format(wall_ms, text);
	json_put_string(writer, key, text);
}

static void put_row(struct json_writer *writer, const struct control *control,
		    const struct message *message)
{
	const struct sim *sim =
		control->sims ? sims_find(control->sims, message->sim_id) : NULL;
	char client[CLIENT_NAME_BYTES] = "";

	store_client_name(control->store, message->client_id, client);
	json_put_integer(writer, "message_id", message->id);
	put_shown(writer, "client", client, escape_line);
	put_shown(writer, "phone_number", message->number, escape_line);
	json_put_integer(writer, "subscription_id", message->sim_id);
	if (sim)
		put_shown(writer, "sim", sim->display_name, escape_line);
	put_shown(writer, "text", message->text, escape_text);
	json_put_integer(writer, "segments", message->segments);
	put_time(writer, "asked_at", message->created_ms);
	if (message->send_at_ms)
		put_time(writer, "send_at", message->send_at_ms);
	put_time(writer, "until",
		 outbox_approval_until(control->outbox, control->config, message));
}

/* False: the call is over. */
static bool tell(struct control_call *call, int64_t message_id)
{
	struct arena *arena = arena_new(ROW_ARENA_BYTES);
	struct json_writer *writer = NULL;
	struct message message;
	int error = arena ? store_message_get(call->control->store, message_id, arena,
					      &message)
			  : -ENOMEM;

	if (error)
		control_fail_store(call, error < 0 ? error : -EIO);
	else
		writer = control_item_open(call);
	if (writer) {
		put_row(writer, call->control, &message);
		control_close(call);
	}
	arena_free(arena);
	return writer && !call->is_over;
}

static void run(struct control_call *call)
{
	const struct json *after = json_member(call->arguments, "after");
	struct outbox_approval_page page;
	struct json_writer *writer;
	int64_t after_id = 0;
	int error;

	if (after && !json_integer(after, &after_id)) {
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "Give the number of a message", "after is no whole number");
		return;
	}
	error = outbox_approval_page_read(call->control->store, after_id, &page);
	if (error) {
		control_fail_store(call, error);
		return;
	}
	for (unsigned i = 0; i < page.listed; i++) {
		if (!tell(call, page.ids[i]))
			return;
	}
	writer = control_result_open(call);
	if (!writer)
		return;
	json_put_integer(writer, "listed", page.listed);
	json_put_integer(writer, "more", page.waiting - page.listed);
	control_close(call);
}

const struct control_command control_approvals = {
	.name = "approvals",
	.run = run,
};
