/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair, rotate: a token for one agent, which is in the answer and nowhere else.
 */
#include <stdio.h>
#include <string.h>

#include "base/crypto.h"
#include "gateway/client_name.h"
#include "gateway/client_view.h"
#include "gateway/control_command.h"
#include "gateway/permission_order.h"

/* False: answered. */
static bool make_token(struct control_call *call, char token[TOKEN_TEXT_BYTES],
		       uint8_t hash[CLIENT_HASH_BYTES])
{
	if (crypto_make_token(token)) {
		crypto_hash_token(token, TOKEN_TEXT_BYTES - 1, hash);
		return true;
	}
	control_fail(call, "internal_error", "Try again later",
		     "no random numbers are to be had");
	return false;
}

/* After it the token is in the answer alone. */
static void answer(struct control_call *call, const struct store_client_row *row,
		   char token[TOKEN_TEXT_BYTES])
{
	struct json_writer *writer = control_result_open(call);

	if (!writer)
		return;
	client_view_put_whole(writer, row);
	json_put_string(writer, "token", token);
	explicit_bzero(token, TOKEN_TEXT_BYTES);
	call->control->reach->write(call->control->config, writer);
	control_close(call);
}

/*
 * Before a token is there: the port that it opens opens with TLS. False: answered. Without
 * --tls a certificate that is no good stops nobody who has to replace a token.
 */
static bool secure(struct control_call *call)
{
	const struct json *tls = json_member(call->arguments, "tls");
	bool wanted = tls && tls->type == JSON_BOOLEAN && tls->boolean;
	struct explanation error = { "" };

	if (!call->control->reach->secure(call->control->config, wanted, &error) ||
	    !wanted)
		return true;
	control_fail(call, "no_certificate",
		     "Mend that, or leave out --tls; no token was made", "%s",
		     error.text);
	return false;
}

static bool read_name(struct control_call *call, struct client *client)
{
	const char *name = control_argument(call, "name");
	const char *flaw = name ? client_name_flaw(name) : "no agent is named";

	if (flaw) {
		control_fail(call, CONTROL_INVALID_ARGUMENT,
			     "Give it a name of at most 63 bytes that can be seen", "%s",
			     flaw);
		return false;
	}
	snprintf(client->name, sizeof(client->name), "%s", name);
	return true;
}

static void fail_exists(struct control_call *call, const char *name)
{
	control_fail(call, "exists",
		     "Choose another name; or, for a new token: ofono-mcp rotate",
		     "%s is paired already", name);
}

static void add(struct control_call *call, const struct client *client)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];
	struct store_client_row row;
	int64_t client_id;
	int error;

	if (store_client_get(call->control->store, client->name, &row) == 0) {
		fail_exists(call, client->name);
		return;
	}
	if (!secure(call) || !make_token(call, token, hash))
		return;
	error = store_client_add(call->control->store, client, hash, &client_id);
	if (!error)
		error = store_client_get(call->control->store, client->name, &row);
	if (!error) {
		control_tell_client(call->control, client_id, CONTROL_CLIENT_CHANGED);
		answer(call, &row, token);
	} else if (error == STORE_E_EXISTS) {
		fail_exists(call, client->name);
	} else {
		control_fail_store(call, error);
	}
}

static void run_pair(struct control_call *call)
{
	struct client client = client_paired;

	if (read_name(call, &client) && permission_order_apply(call, &client))
		add(call, &client);
}

static void run_rotate(struct control_call *call)
{
	uint8_t hash[CLIENT_HASH_BYTES];
	char token[TOKEN_TEXT_BYTES];
	struct store_client_row row;
	int error;

	if (!client_name_find(call, &row) || !secure(call) ||
	    !make_token(call, token, hash))
		return;
	error = store_client_rotate(call->control->store, &row.client, hash);
	if (error) {
		control_fail_store(call, error);
		return;
	}
	control_tell_client(call->control, row.client.id, CONTROL_CLIENT_CUT);
	answer(call, &row, token);
}

const struct control_command control_pair = {
	.name = "pair",
	.may_be_first = true,
	.run = run_pair,
};

const struct control_command control_rotate = {
	.name = "rotate",
	.run = run_rotate,
};
