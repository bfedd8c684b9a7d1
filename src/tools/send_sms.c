/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_sms: check, choose the SIM, put it on disk, wait for the network's word, answer.
 *
 * Until outbox_submit() nothing has happened and every refusal is free. After it the
 * message goes its way whatever becomes of this call: the answer only reports.
 */
#include "base/utf8.h"
#include "sms/phone_number.h"
#include "sms/segments.h"
#include "tools/sim_choice.h"
#include "tools/tool_table.h"

static const struct schema_field input[] = {
	{ "to_phone_number", SCHEMA_STRING, true,
	  "Recipient in international format, + and country code, for example "
	  "+36201234567" },
	{ "sms_text", SCHEMA_STRING, true,
	  "The text. One segment holds 160 characters of the GSM alphabet, or 70 of any "
	  "other; a longer text is sent, and paid, as several segments" },
	{ "subscription_id", SCHEMA_INTEGER, false,
	  "SIM to send from, as get_sms_subscriptions lists it; needed when more than "
	  "one "
	  "SIM can send" },
	{ 0 },
};

static const char *const encodings[] = { "gsm7", "ucs2", NULL };

static const struct schema_field output[] = {
	{ "message_id", SCHEMA_INTEGER, true, "The gateway's number of this message" },
	{ "state", SCHEMA_STRING, true,
	  "queued: waits in the gateway; handing, handed: given to oFono; held: oFono "
	  "keeps "
	  "it until the modem is back; sent: the network took it, which is not yet "
	  "delivery" },
	{ "to_phone_number", SCHEMA_STRING, true, "Recipient as given to the network" },
	{ "subscription_id", SCHEMA_INTEGER, true, "SIM it goes out from" },
	{ "segments", SCHEMA_INTEGER, true,
	  "Messages that the network counts and bills" },
	{ "encoding", SCHEMA_STRING, true, "Alphabet of the segments",
	  .words = encodings },
	{ 0 },
};

/* one call; lives in the call's arena */
struct sending {
	struct tool_call *call;
	const char *recipient; /* as the caller wrote it */
	const char *text;
	char number[PHONE_NUMBER_BYTES];
	struct segments segments;
	int64_t sim_id;
	int64_t message_id;
	enum message_state state;
	struct observer watch;
	sd_event_source *timer;
};

static bool check_number(struct sending *sending)
{
	enum phone_number_problem problem =
		phone_number_parse(sending->recipient, sending->number);

	if (problem == PHONE_NUMBER_OK)
		return true;
	failure_answer(sending->call, FAILURE_INVALID_NUMBER,
		       arena_printf(sending->call->arena, "to_phone_number %s.",
				    phone_number_problem_text(problem)));
	return false;
}

/* The character `code` of the text, shown and numbered: "U+1F600 (...)". */
static const char *name_character(const struct sending *sending, uint32_t code)
{
	const char *end = sending->text;
	const char *at = end;

	while (*end) {
		at = end;
		if (utf8_next(&end) == code)
			break;
	}
	return arena_printf(sending->call->arena, "U+%04X (%.*s)", code, (int)(end - at),
			    at);
}

static int64_t units_in(enum segments_encoding encoding, int64_t segments)
{
	if (segments == 1)
		return encoding == SEGMENTS_GSM7 ? 160 : 70;
	return segments * (encoding == SEGMENTS_GSM7 ? 153 : 67);
}

static const char *explain_length(const struct sending *sending, int64_t most)
{
	const struct segments *segments = &sending->segments;
	struct arena *arena = sending->call->arena;
	const char *cause = "";

	if (segments->culprit)
		cause = arena_printf(
			arena,
			" The character %s is not in the GSM alphabet; without "
			"such characters more than twice as much fits.",
			name_character(sending, segments->culprit));
	return arena_printf(
		arena,
		"The text needs %u segments, and the owner allows %lld in one "
		"message: it has %u units in %s, and %lld fit.%s",
		segments->count, (long long)most, segments->units,
		segments_encoding_name(segments->encoding),
		(long long)units_in(segments->encoding, most), cause ? cause : "");
}

static bool check_text(struct sending *sending)
{
	const struct services *services = sending->call->services;
	int64_t most = services->config->max_segments;

	if (!*sending->text) {
		failure_answer(sending->call, FAILURE_INVALID_TEXT, "sms_text is empty.");
		return false;
	}
	segments_measure(sending->text, &sending->segments);
	if (sending->segments.count <= most)
		return true;
	failure_answer(sending->call, FAILURE_TEXT_TOO_LONG,
		       explain_length(sending, most));
	return false;
}

static bool submit(struct sending *sending)
{
	const struct services *services = sending->call->services;
	struct message_draft draft = {
		.sim_id = sending->sim_id,
		.client_id = exchange_client(sending->call->request->exchange)->id,
		.number = sending->number,
		.text = sending->text,
		.segments = sending->segments.count,
	};

	switch (outbox_submit(services->outbox, &draft, &sending->message_id)) {
	case 0:
		return true;
	case OUTBOX_E_FULL:
		failure_answer(sending->call, FAILURE_QUEUE_FULL,
			       "Too many messages are waiting to be sent.");
		return false;
	case OUTBOX_E_STORAGE:
		failure_answer(
			sending->call, FAILURE_STORAGE_FULL,
			"The message could not be written to the phone's storage.");
		return false;
	default:
		failure_answer(sending->call, FAILURE_INTERNAL,
			       "The message could not be stored.");
		return false;
	}
}

static void write_structured(const struct sending *sending, struct buffer *structured)
{
	struct json_writer *writer = json_writer_new(structured);

	if (!writer) {
		structured->failed = true;
		return;
	}
	json_open_object(writer);
	json_put_integer(writer, "message_id", sending->message_id);
	json_put_string(writer, "state", message_state_name(sending->state));
	json_put_string(writer, "to_phone_number", sending->number);
	json_put_integer(writer, "subscription_id", sending->sim_id);
	json_put_integer(writer, "segments", sending->segments.count);
	json_put_string(writer, "encoding",
			segments_encoding_name(sending->segments.encoding));
	json_close_object(writer);
	json_writer_free(writer);
}

static void succeed(struct sending *sending, const char *text)
{
	struct buffer structured = BUFFER_INIT;

	write_structured(sending, &structured);
	tool_call_succeed(sending->call, text, &structured, true);
}

static void stop_waiting(struct sending *sending)
{
	observer_remove(&sending->watch);
	sending->timer = sd_event_source_disable_unref(sending->timer);
}

static const char *explain_character(const struct sending *sending)
{
	return arena_printf(
		sending->call->arena,
		"The oFono of this phone cannot encode the character %s; nothing "
		"was sent. Leave it out.",
		name_character(sending, sending->segments.unsendable));
}

static void answer_failure(struct sending *sending, const char *reason)
{
	enum failure failure = failure_of_code(reason);
	struct arena *arena = sending->call->arena;

	if (failure == FAILURE_INVALID_TEXT && sending->segments.unsendable)
		failure_answer(sending->call, failure, explain_character(sending));
	else if (failure == FAILURE_NETWORK_REFUSED)
		failure_answer(
			sending->call, failure,
			arena_printf(arena,
				     "SMS to %s failed: oFono reports that the network "
				     "did not take it (message %lld).",
				     sending->recipient, (long long)sending->message_id));
	else
		failure_answer(
			sending->call, failure,
			arena_printf(arena,
				     "SMS to %s failed: oFono refused it (message %lld).",
				     sending->recipient, (long long)sending->message_id));
}

static void answer_unknown(struct sending *sending)
{
	failure_answer(
		sending->call, FAILURE_UNKNOWN_OUTCOME,
		arena_printf(
			sending->call->arena,
			"It is not known whether the SMS to %s was sent: oFono gave no "
			"answer or went away with it (message %lld). The gateway will "
			"not send it again.",
			sending->recipient, (long long)sending->message_id));
}

/* The wait is over and oFono has not told the outcome: say exactly that. */
static void answer_pending(struct sending *sending)
{
	static const char *const where[STATE_LAST + 1] = {
		[STATE_QUEUED] = "waits in the gateway's queue",
		[STATE_HANDING] = "is being handed to oFono",
		[STATE_HANDED] =
			"was handed to oFono, and the network has not confirmed it yet",
		[STATE_HELD] = "is kept by oFono until the modem is back",
	};

	succeed(sending,
		arena_printf(sending->call->arena,
			     "SMS to %s is not sent yet: it %s (message %lld). It goes "
			     "out by itself; do not send it again.",
			     sending->recipient, where[sending->state],
			     (long long)sending->message_id));
}

static void on_change(void *data, const void *event_data)
{
	const struct outbox_event *event = event_data;
	struct sending *sending = data;

	sending->state = event->state;
	if (!message_state_is_final(event->state))
		return;
	stop_waiting(sending);
	if (event->state == STATE_SENT)
		succeed(sending, arena_printf(sending->call->arena, "SMS sent to %s",
					      sending->recipient));
	else if (event->state == STATE_UNKNOWN)
		answer_unknown(sending);
	else if (event->state == STATE_CANCELLED)
		failure_answer(sending->call, FAILURE_CANCELLED,
			       "The message was cancelled before it was sent.");
	else
		answer_failure(sending, event->reason);
}

static void give_up(void *data)
{
	struct sending *sending = data;

	stop_waiting(sending);
	answer_pending(sending);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	give_up(data);
	return 0;
}

static void on_abandoned(void *data)
{
	/* The client left. Its message goes on: it was accepted, and may be on the air. */
	stop_waiting(data);
}

static const struct request_waiting waiting = {
	.abandoned = on_abandoned,
	.stopping = give_up,
};

static void wait_for_network(struct sending *sending)
{
	const struct services *services = sending->call->services;
	uint64_t usec = (uint64_t)services->config->send_wait_seconds * 1000000;

	sending->state = STATE_QUEUED;
	if (usec == 0 || !outbox_watch(services->outbox, sending->message_id,
				       &sending->watch, on_change, sending)) {
		answer_pending(sending);
		return;
	}
	if (sd_event_add_time_relative(services->loop, &sending->timer, CLOCK_MONOTONIC,
				       usec, 0, on_timer, sending) < 0) {
		give_up(sending);
		return;
	}
	tool_call_wait(sending->call, &waiting, sending);
}

static void run(struct tool_call *call)
{
	struct sending *sending = arena_alloc(call->arena, sizeof(*sending));
	const struct sim *sim;

	if (!sending) {
		failure_answer(call, FAILURE_INTERNAL, NULL);
		return;
	}
	sending->call = call;
	sending->recipient = json_string(json_member(call->arguments, "to_phone_number"));
	sending->text = json_string(json_member(call->arguments, "sms_text"));
	if (!check_number(sending) || !check_text(sending))
		return;
	sim = sim_choice(call);
	if (!sim)
		return;
	sending->sim_id = sim->id;
	if (submit(sending))
		wait_for_network(sending);
}

const struct tool tool_send_sms = {
	.name = "send_sms",
	.title = "Send a text message",
	.description = "Sends one text message (SMS) from a SIM of this phone and "
		       "answers when the "
		       "network has taken it. Each segment costs the owner money and "
		       "cannot be recalled, "
		       "so send only what the person asked for. When more than one SIM "
		       "can send, "
		       "subscription_id is needed. \"SMS sent\" means that the network "
		       "accepted the "
		       "message; it does not prove that anybody received or read it.",
	.input = input,
	.output = output,
	.flags = TOOL_DESTRUCTIVE | TOOL_OPEN_WORLD,
	.run = run,
};
