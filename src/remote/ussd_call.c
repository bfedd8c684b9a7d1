/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USSD codes through a phone's gateway: send_ussd. The phone's owner decides which codes may be
 * dialled and whether replies are allowed; the phone ends the dialogue where they are not.
 */
#include "ofono/modem_call.h"
#include "remote/remote_private.h"

struct ussd_call {
	struct hub_call *call;
	struct modem *modem;
	void (*done)(void *data, const struct ussd_call_result *result);
	void *data;
};

/* Reads the codes of send_ussd's refusals. */
static enum ussd_call_outcome ussd_call_read_error(const char *code)
{
	static const struct {
		const char *code;
		enum ussd_call_outcome outcome;
	} rows[] = {
		{ "ussd_busy", USSD_BUSY },
		{ "ussd_not_supported", USSD_NOT_SUPPORTED },
		{ "ussd_unavailable", USSD_NOT_SUPPORTED },
		{ "ussd_timeout", USSD_TIMED_OUT },
		{ "ussd_not_active", USSD_NOT_ACTIVE },
		{ "ussd_not_allowed", USSD_NOT_ALLOWED },
		{ "outcome_unknown", USSD_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].code, code) == 0)
			return rows[i].outcome;
	}
	return USSD_FAILED;
}

static void ussd_call_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct ussd_call *call = data, copy = *call;
	const struct json *awaits = json_member(answer->result, "asks_for_reply");
	struct ussd_call_result result = { .outcome = USSD_UNKNOWN };

	if (answer->outcome == HUB_CALL_ABSENT) {
		result.outcome = USSD_NOT_SUBMITTED;
	} else if (answer->result) {
		result.text = json_string(json_member(answer->result, "answer"));
		result.outcome = result.text ? USSD_ANSWERED : USSD_FAILED;
		strcpy(copy.modem->ussd_state,
		       awaits && awaits->boolean ? "user-response" : "idle");
	} else if (answer->outcome == HUB_CALL_ANSWERED) {
		result.outcome = ussd_call_read_error(answer->error_code);
	}
	free(call);
	copy.done(copy.data, &result);
}

static struct ussd_call *ussd_call_start(
	struct modem *modem, const char *name, const char *text, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data)
{
	struct ussd_call *call = calloc(1, sizeof(*call));
	struct buffer arguments = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&arguments);

	if (writer) {
		json_open_object(writer);
		json_put_string(writer, name, text);
		json_put_integer(writer, "subscription_id", remote_sim_of(modem));
		json_close_object(writer);
		json_writer_free(writer);
	}
	if (call) {
		*call = (struct ussd_call){ .modem = modem, .done = done, .data = data };
		if (writer && !arguments.failed)
			call->call = hub_call_new(remote_phone_of(modem), "send_ussd",
						  &arguments, NULL, (unsigned)timeout_ms,
						  ussd_call_on_answer, call);
	}
	buffer_deinit(&arguments);
	if (call && !call->call) {
		free(call);
		call = NULL;
	}
	return call;
}

struct ussd_call *ussd_call_initiate(
	struct modem *modem, const char *code, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data)
{
	return ussd_call_start(modem, "code", code, timeout_ms, done, data);
}

struct ussd_call *ussd_call_respond(
	struct modem *modem, const char *reply, int timeout_ms,
	void (*done)(void *data, const struct ussd_call_result *result), void *data)
{
	return ussd_call_start(modem, "reply", reply, timeout_ms, done, data);
}

void ussd_call_stop(struct ussd_call *call)
{
	if (!call)
		return;
	hub_call_stop(call->call);
	free(call);
}

/* The phone ends a dialogue that nobody goes on with. */
void ussd_call_cancel(struct modem *modem)
{
	strcpy(modem->ussd_state, "idle");
}
