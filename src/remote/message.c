/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages through a phone's gateway (ofono/message.h): send_sms, cancel_sms and get_sms_status
 * with the message's key (remote.c). The phone answers when it has stored the message; what
 * becomes of it comes with the feed, or with the answer if it is known by then.
 */
#include "ofono/message.h"

#include "base/clock.h"
#include "remote/remote_private.h"

enum { MESSAGE_VALID_LEAST_S = 60, MESSAGE_VALID_MOST_S = 30 * 24 * 3600 };

/* The modem, and even the phone, may be gone before the answer. */
struct message_send {
	struct ofono *ofono;
	struct hub_call *call;
	char phone[STORE_PHONE_NAME_BYTES], uuid[MESSAGE_UUID_BYTES];
	int64_t sim_id, order_id;
	unsigned attempt;
	bool is_repeat;
	void (*done)(void *data, const struct message_send_result *result);
	void *data;
};

/* ---- sending */

static void message_send_name(struct message_send *send, struct modem *modem,
			      const struct message_order *order)
{
	send->ofono = modem->ofono;
	send->sim_id = remote_sim_of(modem);
	send->order_id = order->id;
	send->attempt = order->attempt;
	strcpy(send->phone, remote_phone_of(modem)->row.name);
	remote_write_uuid(remote_phone_of(modem), order->id, order->attempt, send->uuid);
}

static struct modem *message_find_modem(struct ofono *ofono, const char *phone,
					int64_t sim_id)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, &ofono->modems, link) {
		if (remote_modem_of(modem)->sim_id == sim_id &&
		    strcmp(remote_phone_of(modem)->row.name, phone) == 0)
			return modem;
	}
	return NULL;
}

/*
 * An answer may have an outcome that the feed has shown already, when the message was not known by
 * its UUID yet.
 */
static void message_report_state(const struct message_send *send,
				 const struct hub_call_answer *answer)
{
	struct ofono *ofono = send->ofono;
	struct ofono_event event = {
		.type = MESSAGE_STATE,
		.modem = message_find_modem(ofono, send->phone, send->sim_id),
		.uuid = send->uuid,
		.order_id = send->order_id,
		.attempt = send->attempt,
	};

	if (!event.modem || !remote_read_state(answer->result, &event) ||
	    event.state == MESSAGE_PENDING)
		return;
	remote_report_state(ofono, answer->result, &event);
}

static bool message_has_error(const struct hub_call_answer *answer, const char *code)
{
	return answer->outcome == HUB_CALL_ANSWERED && answer->error_code &&
	       strcmp(answer->error_code, code) == 0;
}

/* The phone's store was restored or repaired since: it may not know what it was given before. */
static bool message_is_of_other_epoch(const struct hub_call_answer *answer)
{
	return message_has_error(answer, "other_epoch");
}

/* Does the phone refuse the message itself, which no other SIM may or can send, either? */
static bool message_is_refused(const struct hub_call_answer *answer)
{
	return message_has_error(answer, "invalid_number") ||
	       message_has_error(answer, "emergency_number_blocked") ||
	       message_has_error(answer, "recipient_opted_out");
}

static void message_send_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct message_send *send = data, copy = *send;
	struct message_send_result result = { .outcome = SEND_UNKNOWN };

	if (answer->outcome == HUB_CALL_ABSENT && !send->is_repeat) {
		result.outcome = SEND_NOT_SUBMITTED;
	} else if (answer->outcome == HUB_CALL_ANSWERED && answer->result) {
		result.outcome = SEND_ACCEPTED;
		strcpy(result.uuid, send->uuid);
	} else if (message_is_of_other_epoch(answer)) {
		result.outcome = send->is_repeat ? SEND_FORGOTTEN : SEND_NOT_SUBMITTED;
		result.error = answer->error_code;
	} else if (json_member(answer->facts, "replayed")) {
		result.outcome = SEND_FOUND; /* and it has failed, or ended otherwise */
		strcpy(result.uuid, send->uuid);
	} else if (answer->outcome == HUB_CALL_ANSWERED &&
		   strcmp(answer->error_code, "rpc_error") != 0) {
		result.outcome =
			message_is_refused(answer) ? SEND_REFUSED : SEND_NOT_HERE;
		result.error = answer->error_code;
	}
	free(send);
	copy.done(copy.data, &result);
	if (result.outcome == SEND_ACCEPTED)
		message_report_state(&copy, answer);
}

static bool message_write_order(struct buffer *arguments, const struct modem *modem,
				const struct message_order *order)
{
	struct json_writer *writer = json_writer_new(arguments);
	int64_t left_s = (order->expires_ms - clock_wall_ms() + 999) / 1000;
	char key[REMOTE_KEY_BYTES];

	if (!writer)
		return false;
	remote_write_key(modem->ofono, order->id, order->attempt, key);
	json_open_object(writer);
	json_put_string(writer, "to_phone_number", order->number);
	json_put_string(writer, "sms_text", order->text);
	json_put_integer(writer, "subscription_id", remote_sim_of(modem));
	json_put_string(writer, "idempotency_key", key);
	json_put_string(writer, "wait_for", "none");
	if (order->expires_ms)
		json_put_integer(writer, "valid_for_seconds",
				 left_s < MESSAGE_VALID_LEAST_S	 ? MESSAGE_VALID_LEAST_S
				 : left_s > MESSAGE_VALID_MOST_S ? MESSAGE_VALID_MOST_S
								 : left_s);
	json_close_object(writer);
	json_writer_free(writer);
	return !arguments->failed;
}

struct message_send *message_send(struct modem *modem, const struct message_order *order,
				  void (*done)(void *data,
					       const struct message_send_result *result),
				  void *data)
{
	const struct hub_call_facts facts = { order->on_behalf, order->epoch };
	struct message_send *send = calloc(1, sizeof(*send));
	struct buffer arguments = BUFFER_INIT;

	if (!send)
		return NULL;
	send->is_repeat = order->is_repeat;
	send->done = done;
	send->data = data;
	message_send_name(send, modem, order);
	arguments.secret = true;
	if (message_write_order(&arguments, modem, order))
		send->call = hub_call_new(remote_phone_of(modem), "send_sms", &arguments,
					  &facts, REMOTE_TIMEOUT_MS,
					  message_send_on_answer, send);
	buffer_deinit(&arguments);
	if (!send->call) {
		free(send);
		return NULL;
	}
	return send;
}

void message_send_cancel(struct message_send *send)
{
	if (!send)
		return;
	hub_call_stop(send->call);
	free(send);
}

/* ---- listing: a phone keeps what it has; it is asked about a message by its key */

struct message_listing {
	struct message_send asked; /* its message and call */
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count);
	void *data;
};

static void message_listing_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct message_listing *listing = data, copy = *listing;
	bool is_known = answer->outcome == HUB_CALL_ANSWERED && answer->result;
	bool is_missing = message_has_error(answer, "key_not_found") ||
			  message_has_error(answer, "not_found");

	free(listing);
	copy.done(copy.data, is_known || is_missing ? &copy.asked.uuid : NULL, is_known);
	if (is_known)
		message_report_state(&copy.asked, answer);
}

struct message_listing *message_list(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count),
	void *data)
{
	struct message_listing *listing = calloc(1, sizeof(*listing));
	struct buffer arguments = BUFFER_INIT;
	char key[REMOTE_KEY_BYTES], text[REMOTE_KEY_BYTES + 64];

	if (!listing)
		return NULL;
	listing->done = done;
	listing->data = data;
	message_send_name(&listing->asked, modem, order);
	remote_write_key(modem->ofono, order->id, order->attempt, key);
	snprintf(text, sizeof(text), "{\"idempotency_key\":\"%s\"}", key);
	buffer_append_text(&arguments, text);
	if (!arguments.failed)
		listing->asked.call = hub_call_new(
			remote_phone_of(modem), "get_sms_status", &arguments, NULL,
			REMOTE_TIMEOUT_MS, message_listing_on_answer, listing);
	buffer_deinit(&arguments);
	if (!listing->asked.call) {
		free(listing);
		return NULL;
	}
	return listing;
}

void message_listing_cancel(struct message_listing *listing)
{
	if (!listing)
		return;
	hub_call_stop(listing->asked.call);
	free(listing);
}

/* ---- cancelling */

struct message_cancel {
	struct message_send asked; /* its message and call */
	void (*done)(void *data, enum message_cancel_outcome outcome);
	void *data;
};

static enum message_cancel_outcome message_cancel_judge(
	const struct hub_call_answer *answer)
{
	const char *state = json_string(json_member(answer->result, "state"));

	if (answer->outcome == HUB_CALL_ABSENT)
		return CANCEL_NOT_ASKED;
	if (answer->outcome != HUB_CALL_ANSWERED)
		return CANCEL_UNKNOWN;
	if (message_is_of_other_epoch(answer))
		return CANCEL_FORGOTTEN;
	if (!state)
		return CANCEL_REFUSED;
	if (strcmp(state, "cancelled") == 0 || strcmp(state, "closed") == 0)
		return CANCEL_DONE;
	return strcmp(state, "held") == 0 ? CANCEL_UNKNOWN : CANCEL_REFUSED;
}

static void message_cancel_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct message_cancel *cancel = data, copy = *cancel;
	enum message_cancel_outcome outcome = message_cancel_judge(answer);
	const char *state = json_string(json_member(answer->result, "state"));

	free(cancel);
	/* This answer does not say why a message failed, on which depends what follows. */
	if (outcome == CANCEL_REFUSED && state && strcmp(state, "failed") != 0)
		message_report_state(&copy.asked, answer);
	copy.done(copy.data, outcome);
}

struct message_cancel *message_cancel(
	struct modem *modem, const struct message_order *order,
	void (*done)(void *data, enum message_cancel_outcome outcome), void *data)
{
	const struct hub_call_facts facts = { order->on_behalf, order->epoch };
	struct message_cancel *cancel = calloc(1, sizeof(*cancel));
	struct buffer arguments = BUFFER_INIT;
	char key[REMOTE_KEY_BYTES], text[REMOTE_KEY_BYTES + 64];

	if (!cancel)
		return NULL;
	cancel->done = done;
	cancel->data = data;
	message_send_name(&cancel->asked, modem, order);
	remote_write_key(modem->ofono, order->id, order->attempt, key);
	snprintf(text, sizeof(text), "{\"idempotency_key\":\"%s\",\"close\":true}", key);
	buffer_append_text(&arguments, text);
	if (!arguments.failed)
		cancel->asked.call = hub_call_new(remote_phone_of(modem), "cancel_sms",
						  &arguments, &facts, REMOTE_TIMEOUT_MS,
						  message_cancel_on_answer, cancel);
	buffer_deinit(&arguments);
	if (!cancel->asked.call) {
		free(cancel);
		return NULL;
	}
	return cancel;
}

void message_cancel_stop(struct message_cancel *cancel)
{
	if (!cancel)
		return;
	hub_call_stop(cancel->asked.call);
	free(cancel);
}
