/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule about what is asked for a second time.
 *
 * With an idempotency_key, of the client's or of what its person was asked about, the
 * message that this client's key stands for, whenever that was. Without one, the first with
 * the same number, text and send_at within sms.duplicate_seconds that did not fail: a client
 * that lost its connection and asks again must not send twice, and one that was told of a
 * failure must be able to try again. A number is the same however it is spelt.
 */
#include <string.h>

#include "policy/policy_case.h"
#include "store/store_message.h"
#include "store/store_party.h"
#include "config/config.h"

enum { MS_PER_SECOND = 1000 };

static bool is_to_another(const struct policy_case *about, const struct message *message)
{
	const struct store_party_address one = { message->sim_id, message->number };
	const struct store_party_address other = { about->request->sim_id,
						   recipient_form(&about->recipient) };

	return !store_party_is(about->policy->parts.store, &one, &other);
}

static int refuse_key(struct policy_case *about, const struct message *message)
{
	bool other_number = is_to_another(about, message);

	return policy_refuse(
		about, FAILURE_KEY_TAKEN,
		arena_printf(
			about->request->arena,
			"This idempotency_key stands for message %lld already, which "
			"has another %s.",
			(long long)message->id, other_number ? "number" : "text"));
}

static int find_by_key(const struct policy_case *about, struct message *message_out)
{
	const struct policy_request *request = about->request;

	return store_message_by_key(about->policy->parts.store, request->client->id,
				    request->idempotency_key, request->arena,
				    message_out);
}

/* A time that is over by now was not when it was asked for the first time. */
static int find_same(const struct policy_case *about, struct message *message_out)
{
	const struct policy_request *request = about->request;
	const struct store_message_draft draft = {
		.client_id = request->client->id,
		.sim_id = request->sim_id,
		.number = recipient_form(&about->recipient),
		.text = request->text,
		.send_at_ms = request->send_at_ms,
	};
	int64_t seconds = about->policy->parts.config->duplicate_seconds;

	if (seconds == 0)
		return STORE_E_NOT_FOUND;
	return store_message_find_same(about->policy->parts.store, &draft,
				       seconds * MS_PER_SECOND, request->arena,
				       message_out);
}

static bool is_another(const struct policy_case *about, const struct message *message)
{
	return is_to_another(about, message) ||
	       strcmp(message->text, about->request->text) != 0;
}

int policy_check_repeat(struct policy_case *about)
{
	const struct policy_request *request = about->request;
	const char *key = request->idempotency_key;
	struct message message;
	int error = key ? find_by_key(about, &message) : STORE_E_NOT_FOUND;
	bool found = key && !error;

	if (error == STORE_E_NOT_FOUND && (!key || request->key_is_ours))
		error = find_same(about, &message);
	if (error == STORE_E_NOT_FOUND)
		return 0;
	if (error)
		return policy_refuse_unread(about, "The messages could not be read.");
	if (found && is_another(about, &message))
		return refuse_key(about, &message);
	about->repeat = found ? POLICY_REPEAT_KEY : POLICY_REPEAT_SAME;
	about->first = message;
	return POLICY_E_REPEAT;
}
