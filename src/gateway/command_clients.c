/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair, clients, change, rotate, revoke: which agents are paired, and what each may do.
 * pairings, pair_check, pair_reject: the computers that ask to be; `pair` with their code approves
 * one.
 *
 * A new token is in the answer of pair or rotate and nowhere else; the store keeps its hash.
 * A change applies immediately.  If the agent may now do less, its streams and connections end;
 * it reconnects with the same token.  Revoking ends everything that the agent has open.
 * Messages accepted from it before are still sent, unless the owner cancels them: the token may
 * have been stolen.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "config/config.h"
#include "gateway/command.h"
#include "gateway/control.h"
#include "gateway/paired_client.h"
#include "gateway/running.h"
#include "store/store_message.h"
#include "tools/view.h"

/* Computers that ask to be paired (policy/pairing.h). No answer has a code. */

enum {
	COMMAND_PAIR_MS_PER_SECOND = 1000,
	/* `pair --wait` calls again within this time, or it has ended */
	COMMAND_PAIR_OPEN_MS = 15 * 1000,
};

static struct pairing *command_clients_pairing(const struct control_call *call)
{
	return running_pairing(call->control->running);
}

static void command_clients_put_request(struct json_writer *writer,
					const struct pairing_request *request)
{
	int64_t age_ms = clock_boot_ms() - request->begun_ms;

	json_put_string(writer, "name", request->name);
	json_put_string(writer, "address", request->address);
	view_put_time(writer, "asked_at", clock_wall_ms() - age_ms);
	view_put_time(writer, "until", clock_wall_ms() + pairing_left_ms(request));
	json_put_integer(writer, "seconds_left",
			 pairing_left_ms(request) / COMMAND_PAIR_MS_PER_SECOND);
}

static const struct pairing_request *command_clients_next_request(
	const struct control_call *call, const struct pairing_request *after)
{
	return pairing_next(command_clients_pairing(call), after ? after->number : 0);
}

bool command_clients_send_waiting(struct control_call *call, unsigned *count_out)
{
	const struct pairing_request *request = NULL;
	struct json_writer *writer;

	*count_out = 0;
	while (call->control->running &&
	       (request = command_clients_next_request(call, request))) {
		if (!(writer = control_call_open_item(call)))
			return false;
		json_put_string(writer, "approval", "pairing");
		command_clients_put_request(writer, request);
		control_call_close(call);
		(*count_out)++;
	}
	return true;
}

/* Returns false if the call has been answered. */
static bool command_clients_may_be_asked(struct control_call *call)
{
	if (config_pair_page(call->control->config) != CONFIG_PAIR_PAGE_NO)
		return true;
	control_call_fail(
		call, "pair_page_off",
		"Set pair_page = auto under [server] in the configuration and run " PROGRAM_NAME
		" reload, or pair a program by its name: " PROGRAM_NAME " pair NAME",
		"no computer can ask to be paired, because pair_page is no");
	return false;
}

/* With "open" it also opens the page to the network, for as long as it is called again. */
static void command_clients_run_pairings(struct control_call *call)
{
	const struct pairing_request *request = NULL;
	struct json_writer *writer;

	if (!command_clients_may_be_asked(call))
		return;
	if (control_call_flag(call, "open"))
		running_open_pairing(call->control->running, COMMAND_PAIR_OPEN_MS);
	if (control_call_flag(call, "close"))
		running_open_pairing(call->control->running, 0);
	if (!(writer = control_call_open_result(call)))
		return;
	json_open_array_at(writer, "pairings");
	while ((request = command_clients_next_request(call, request))) {
		json_open_object(writer);
		command_clients_put_request(writer, request);
		json_close_object(writer);
	}
	json_close_array(writer);
	agent_url_write(call->control, writer);
	control_call_close(call);
}

static struct pairing_request *command_clients_find_request(struct control_call *call)
{
	const char *code = control_call_argument(call, "code");
	struct pairing *pairing;
	struct pairing_request *request;
	long long left_s;

	if (!call->control->running) {
		control_call_fail(
			call, "not_running", "Start it: systemctl start " PROGRAM_NAME,
			"the gateway is not running, so no computer has a code");
		return NULL;
	}
	pairing = command_clients_pairing(call);
	switch (pairing_check_code(pairing, code ? code : "", &request)) {
	case 0:
		return request;
	case PAIRING_E_PAUSED:
		left_s = (pairing->paused_until_ms - clock_boot_ms()) /
			 COMMAND_PAIR_MS_PER_SECOND;
		control_call_fail(
			call, "paused",
			"Wait, then type the code that the computer shows now",
			"too many wrong codes; the next is taken in %lld seconds",
			left_s + 1);
		return NULL;
	default:
		control_call_fail(
			call, "wrong_code",
			"Compare it with the computer's page; a code is valid for ten minutes",
			"no computer that waits shows this code");
		return NULL;
	}
}

static void command_clients_report_request(const struct control_call *call)
{
	if (call->control->services)
		change_source_report_status(call->control->services->changes);
}

static void command_clients_run_check(struct control_call *call)
{
	const struct pairing_request *request = command_clients_find_request(call);
	struct json_writer *writer;

	if (!request || !(writer = control_call_open_result(call)))
		return;
	json_open_object_at(writer, "pairing");
	command_clients_put_request(writer, request);
	json_close_object(writer);
	control_call_close(call);
}

static void command_clients_run_reject(struct control_call *call)
{
	struct pairing_request *request = command_clients_find_request(call);
	struct json_writer *writer;

	if (!request)
		return;
	pairing_reject(request);
	command_clients_report_request(call);
	if (!(writer = control_call_open_result(call)))
		return;
	json_put_string(writer, "rejected", request->name);
	control_call_close(call);
}

const struct control_command command_pairings = {
	.name = "pairings",
	.needs_gateway = true,
	.run = command_clients_run_pairings,
};

const struct control_command command_pair_check = {
	.name = "pair_check",
	.needs_gateway = true,
	.run = command_clients_run_check,
};

const struct control_command command_pair_reject = {
	.name = "pair_reject",
	.needs_gateway = true,
	.run = command_clients_run_reject,
};

/* clients */

static void command_clients_write_row(void *data, const struct store_client_row *row)
{
	struct json_writer *writer = data;

	json_open_object(writer);
	paired_client_put(writer, row);
	json_close_object(writer);
}

static int command_clients_write_list(struct control_call *call,
				      struct json_writer *writer)
{
	int error;

	json_open_array_at(writer, "clients");
	error = store_client_list(call->control->store, command_clients_write_row,
				  writer);
	json_close_array(writer);
	return error;
}

static void command_clients_run_list(struct control_call *call)
{
	control_call_write_result(call, command_clients_write_list);
}

/* pair, rotate */

/* Returns false if the call has been answered. */
static bool command_clients_make_token(struct control_call *call,
				       char token[TOKEN_TEXT_BYTES],
				       uint8_t hash[CLIENT_HASH_BYTES])
{
	if (crypto_make_random(token, TOKEN_TEXT_BYTES)) {
		crypto_hash_token(token, TOKEN_TEXT_BYTES - 1, hash);
		return true;
	}
	control_call_fail(call, "internal", "Try again later",
			  "no random numbers are available");
	return false;
}

/* Clears the token after writing it into the answer. */
static void command_clients_answer_token(struct control_call *call,
					 const struct store_client_row *row,
					 char token[TOKEN_TEXT_BYTES])
{
	struct json_writer *writer = control_call_open_result(call);

	if (!writer)
		return;
	paired_client_put_member(writer, row);
	json_put_string(writer, "token", token);
	explicit_bzero(token, TOKEN_TEXT_BYTES);
	agent_url_write(call->control, writer);
	control_call_close(call);
}

/*
 * Loads or creates the certificate before the token exists, so that the port that the new client
 * opens uses TLS. Without --tls a bad certificate is no error: the owner must be able to replace a
 * token. Returns false if the call has been answered.
 */
static bool command_clients_secure(struct control_call *call)
{
	bool wanted = control_call_flag(call, "tls");
	struct explanation error = { "" };

	if (!agent_url_secure(call->control, wanted, &error) || !wanted)
		return true;
	control_call_fail(call, "no_certificate",
			  "Correct that, or leave out --tls; no token was made", "%s",
			  error.text);
	return false;
}

/*
 * `request` is a computer that has asked, under its own name unless the owner gives another; or
 * NULL.
 */
static bool command_clients_read_name(struct control_call *call,
				      const struct pairing_request *request,
				      struct client *client)
{
	const char *given = control_call_argument(call, "name");
	const char *name = given || !request ? given : request->name;
	const char *error = name ? paired_client_name_error(name)
				 : "the name of the agent is missing";

	if (error) {
		control_call_fail(call, CONTROL_INVALID_ARGUMENT,
				  "Use a name of at most 63 bytes of visible characters",
				  "%s", error);
		return false;
	}
	snprintf(client->name, sizeof(client->name), "%s", name);
	return true;
}

static void command_clients_fail_exists(struct control_call *call, const char *name)
{
	control_call_fail(call, "exists",
			  "Choose another name; or, for a new token: " PROGRAM_NAME
			  " client rotate",
			  "%s is already paired", name);
}

/* The computer that has asked gets the token, and nobody else. */
static void command_clients_answer_request(struct control_call *call,
					   const struct store_client_row *row,
					   struct pairing_request *request,
					   char token[TOKEN_TEXT_BYTES])
{
	struct json_writer *writer = control_call_open_result(call);

	pairing_approve(request, &row->client, token);
	command_clients_report_request(call);
	explicit_bzero(token, TOKEN_TEXT_BYTES);
	if (!writer)
		return;
	paired_client_put_member(writer, row);
	json_put_string(writer, "address", request->address);
	control_call_close(call);
}

static void command_clients_add(struct control_call *call, const struct client *client,
				struct pairing_request *request)
{
	struct store *store = call->control->store;
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];
	struct store_client_row row;
	int64_t client_id;
	int error;

	if (store_client_get(store, client->name, &row) == 0) {
		command_clients_fail_exists(call, client->name);
		return;
	}
	if (!command_clients_secure(call) ||
	    !command_clients_make_token(call, token, hash))
		return;
	error = store_client_add(store, client, hash, &client_id);
	if (!error)
		error = store_client_get(store, client->name, &row);
	if (!error) {
		running_client_changed(call->control->running, client_id,
				       RUNNING_CLIENT_CHANGED);
		if (request)
			command_clients_answer_request(call, &row, request, token);
		else
			command_clients_answer_token(call, &row, token);
	} else if (error == STORE_E_EXISTS) {
		command_clients_fail_exists(call, client->name);
	} else {
		control_call_fail_store(call, error);
	}
}

/* Returns false if the call has been answered. */
static bool command_clients_check_token(struct control_call *call,
					const struct client *client)
{
	if (!client_is_local(client))
		return true;
	control_call_fail(
		call, "no_token",
		"Its user runs " PROGRAM_NAME
		" stdio on the gateway's machine; client set and revoke work as for others",
		"%s is a user of this machine and has no token", client->name);
	return false;
}

static void command_clients_run_pair(struct control_call *call)
{
	struct client client = client_paired;
	struct pairing_request *request = NULL;

	if (control_call_argument(call, "code") &&
	    !(request = command_clients_find_request(call)))
		return;
	if (!command_clients_read_name(call, request, &client) ||
	    !command_clients_check_token(call, &client) ||
	    !paired_client_apply_permissions(call, &client))
		return;
	/* what it reads could be sent to anybody, so a stranger is asked for */
	if (client_may_leak_codes(&client) && !control_call_argument(call, "ask"))
		client.ask = CLIENT_ASK_NEW_RECIPIENTS;
	command_clients_add(call, &client, request);
}

static void command_clients_run_rotate(struct control_call *call)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];
	struct store_client_row row;
	int error;

	if (!paired_client_find(call, &row) ||
	    !command_clients_check_token(call, &row.client) ||
	    !command_clients_secure(call) ||
	    !command_clients_make_token(call, token, hash))
		return;
	error = store_client_rotate(call->control->store, &row.client, hash);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	running_client_changed(call->control->running, row.client.id,
			       RUNNING_CLIENT_ROTATED);
	command_clients_answer_token(call, &row, token);
}

/* change */

static void command_clients_change(struct control_call *call,
				   struct store_client_row *row)
{
	const struct control *control = call->control;
	struct client before = row->client;
	struct json_writer *writer;
	int error;

	if (!paired_client_apply_permissions(call, &row->client))
		return;
	error = store_client_change(control->store, &row->client);
	if (error) {
		control_call_fail_store(call, error);
		return;
	}
	running_client_changed(control->running, before.id,
			       paired_client_permissions_narrow(&before, &row->client)
				       ? RUNNING_CLIENT_CUT
				       : RUNNING_CLIENT_CHANGED);
	if (!(writer = control_call_open_result(call)))
		return;
	paired_client_put_member(writer, row);
	control_call_close(call);
}

/*
 * A user of this machine may be given permissions before its first request. Returns true if it was.
 */
static bool command_clients_add_local(struct control_call *call)
{
	const char *name = control_call_argument(call, "name");
	struct store *store = call->control->store;
	struct client client = client_paired;
	struct store_client_row row;
	struct json_writer *writer;
	int error;

	if (!name || paired_client_name_error(name) ||
	    store_client_get(store, name, &row) != STORE_E_NOT_FOUND)
		return false;
	snprintf(client.name, sizeof(client.name), "%s", name);
	if (!client_is_local(&client))
		return false;
	if (!paired_client_apply_permissions(call, &client))
		return true;
	error = paired_client_add_local(store, &client);
	if (!error)
		error = store_client_get(store, name, &row);
	if (error) {
		control_call_fail_store(call, error);
	} else if ((writer = control_call_open_result(call))) {
		paired_client_put_member(writer, &row);
		control_call_close(call);
	}
	return true;
}

static void command_clients_run_change(struct control_call *call)
{
	struct store_client_row row;

	if (!paired_client_permissions_are_given(call))
		control_call_fail(
			call, CONTROL_INVALID_ARGUMENT,
			"Give at least one of --scope, --sim, --allow, --ask, "
			"--per-minute, --per-hour, --per-day, --segments-per-month",
			"nothing to change");
	else if (!command_clients_add_local(call) && paired_client_find(call, &row))
		command_clients_change(call, &row);
}

/* revoke */

static const char command_clients_revoked[] = "client_revoked";

struct command_clients_waiting {
	int64_t client_id;
	struct buffer ids; /* int64_t each */
};

static void command_clients_add_waiting(void *data, const struct message *message)
{
	struct command_clients_waiting *waiting = data;

	if (message->client_id == waiting->client_id &&
	    message_state_is_waiting(message->state))
		buffer_append(&waiting->ids, (const char *)&message->id,
			      sizeof(message->id));
}

static bool command_clients_cancel(const struct control *control, int64_t message_id)
{
	const struct store_message_transition move = {
		.to = STATE_CANCELLED,
		.reason = command_clients_revoked,
	};

	if (control->services && control->services->outbox)
		return outbox_cancel_waiting(control->services->outbox, message_id,
					     command_clients_revoked) == 0;
	return store_message_change_state(control->store, message_id, &move) == 0;
}

/* Returns the number that was cancelled; those whose change could not be stored still wait. */
static int64_t command_clients_cancel_all(const struct control *control,
					  const struct command_clients_waiting *waiting)
{
	int64_t message_id, count = 0;

	for (size_t at = 0; at < waiting->ids.length; at += sizeof(message_id)) {
		memcpy(&message_id, waiting->ids.data + at, sizeof(message_id));
		count += command_clients_cancel(control, message_id);
	}
	return count;
}

static void command_clients_answer_revoke(struct control_call *call,
					  const struct client *client, bool is_kept)
{
	struct command_clients_waiting waiting = { client->id, BUFFER_INIT };
	struct json_writer *writer;
	int64_t count, cancelled = 0;

	/* The client is revoked even if its messages cannot be counted. */
	store_message_list_unfinished(call->control->store, command_clients_add_waiting,
				      &waiting);
	count = (int64_t)(waiting.ids.length / sizeof(int64_t));
	if (control_call_flag(call, "cancel"))
		cancelled = command_clients_cancel_all(call->control, &waiting);
	buffer_deinit(&waiting.ids);
	if (!(writer = control_call_open_result(call)))
		return;
	json_put_string(writer, "revoked", client->name);
	json_put_integer(writer, "waiting_messages", count - cancelled);
	json_put_integer(writer, "cancelled_messages", cancelled);
	if (!is_kept)
		json_put_boolean(writer, "kept", false);
	control_call_close(call);
}

static void command_clients_run_revoke(struct control_call *call)
{
	const struct control *control = call->control;
	struct store_client_row row;
	int error;

	if (!paired_client_find(call, &row))
		return;
	error = store_client_revoke(control->store, &row.client);
	/* In a running gateway, the revocation holds even if it could not be stored. */
	if (error && !(control->running && error != STORE_E_NOT_FOUND &&
		       store_client_bar(control->store, row.client.id))) {
		control_call_fail_store(call, error);
		return;
	}
	running_client_changed(control->running, row.client.id, RUNNING_CLIENT_REVOKED);
	command_clients_answer_revoke(call, &row.client, !error);
}

const struct control_command command_clients = {
	.name = "clients",
	.run = command_clients_run_list,
};

const struct control_command command_pair = {
	.name = "pair",
	.may_be_first = true,
	.run = command_clients_run_pair,
};

const struct control_command command_rotate = {
	.name = "rotate",
	.run = command_clients_run_rotate,
};

const struct control_command command_change = {
	.name = "change",
	.run = command_clients_run_change,
};

const struct control_command command_revoke = {
	.name = "revoke",
	.run = command_clients_run_revoke,
};
