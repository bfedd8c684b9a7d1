/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clients: who is paired, and what each may do.
 */
#include <errno.h>

#include "gateway/client_view.h"
#include "gateway/control_command.h"

static void write_row(void *data, const struct store_client_row *row)
{
	struct json_writer *writer = data;

	json_open_object(writer);
	client_view_put(writer, row);
	json_close_object(writer);
}

/* A list that breaks off would read like one of fewer clients. */
static void run(struct control_call *call)
{
	struct buffer list = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&list);
	struct json_writer *result;
	int error = -ENOMEM;

	if (writer) {
		json_open_array(writer);
		error = store_client_list(call->control->store, write_row, writer);
		json_close_array(writer);
		json_writer_free(writer);
	}
	if (!error && list.failed)
		error = -ENOMEM;
	if (error) {
		control_fail_store(call, error);
	} else if ((result = control_result_open(call))) {
		json_key(result, "clients");
		json_write_raw(result, list.data, list.length);
		control_close(call);
	}
	buffer_deinit(&list);
}

const struct control_command control_clients = {
	.name = "clients",
	.run = run,
};
