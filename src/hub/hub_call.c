/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request to a phone:
 *
 *   published -> PUBACK 0x10, or never published             absent
 *             -> the link's answer: other session            published once more, there
 *             -> the link's answer: nothing was done         absent
 *             -> the gateway's answer                        answered
 *             -> nothing until the time is over              silent
 *
 * A request has one text and one correlation, and a new number and seal each time it is
 * published. It is published a second time only after the link refused the first one unread. A
 * broker that loses what it acknowledged, or delivers late, ends as silence: who called asks
 * again, with the same idempotency key (tests/unit/test_hub_phones.c).
 */
#include "hub/hub_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/json_reader.h"
#include "fleet/fleet_error.h"
#include "fleet/fleet_topic.h"
#include "hub/hub_phones.h"

enum {
	HUB_CALL_EPOCH_BYTES = 20,
	HUB_CALL_ANSWER_MAX = 4 * FLEET_TEXT_MAX, /* bytes of its values */
	HUB_CALL_ACCURACY_US = 50 * 1000,
};

#define HUB_CALL_META "io.modelcontextprotocol/"

static void hub_call_free(struct hub_call *call)
{
	if (call->phone) {
		TAILQ_REMOVE(&call->phone->calls, call, link);
		call->phone->call_count--;
	}
	sd_event_source_disable_unref(call->timer);
	arena_free(call->arena);
	if (call->text)
		explicit_bzero(call->text, call->length); /* a key, or a message */
	free(call->text);
	free(call->kept);
	free(call);
}

void hub_call_stop(struct hub_call *call)
{
	if (call)
		hub_call_free(call);
}

/* ---- the end */

/* From the loop: a callback never runs inside the function that caused it. */
static int hub_call_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	struct hub_call *call = data;
	void (*done)(void *data, const struct hub_call_answer *answer) = call->done;
	struct hub_call_answer answer;
	struct hub_call copy;

	if (call->phone) {
		hub_call_end(call, HUB_CALL_SILENT);
		return 0;
	}
	answer = call->answer;
	copy = *call;
	call->arena = NULL;
	call->kept = NULL;
	hub_call_free(call);
	done(copy.data, &answer);
	arena_free(copy.arena);
	free(copy.kept);
	return 0;
}

static void hub_call_finish(struct hub_call *call)
{
	struct hub_phone *phone = call->phone;

	TAILQ_REMOVE(&phone->calls, call, link);
	phone->call_count--;
	call->phone = NULL;
	sd_event_source_set_time_relative(call->timer, 0);
	sd_event_source_set_enabled(call->timer, SD_EVENT_ONESHOT);
}

void hub_call_end(struct hub_call *call, enum hub_call_outcome outcome)
{
	call->answer = (struct hub_call_answer){
		.outcome = outcome == HUB_CALL_ABSENT && call->may_have_arrived
				   ? HUB_CALL_SILENT
				   : outcome,
	};
	hub_call_finish(call);
}

/* ---- sending */

/* The call may have ended meanwhile: it is found by its correlation. */
struct hub_call_published {
	struct hub_phones *phones;
	char phone[STORE_PHONE_NAME_BYTES];
	uint8_t correlation[FLEET_CORRELATION_BYTES];
	uint64_t number;
};

static void hub_call_on_published(void *data, enum mqtt_outcome outcome)
{
	struct hub_call_published *published = data;
	struct hub_phone *phone = hub_phones_find(published->phones, published->phone);
	struct hub_call *call = phone ? hub_call_find(phone, published->correlation,
						      sizeof(published->correlation))
				      : NULL;

	if (call && call->number == published->number) {
		if (outcome == MQTT_DELIVERED || outcome == MQTT_LOST) {
			call->may_have_arrived = true;
		} else {
			hub_call_end(call, HUB_CALL_ABSENT);
			if (outcome == MQTT_ABSENT)
				hub_phones_set_absent(phone);
		}
	}
	free(published);
}

/* Publishes it in the phone's session. */
static void hub_call_publish(struct hub_call *call)
{
	struct hub_phone *phone = call->phone;
	struct hub_phones *phones = phone->phones;
	struct fleet_frame frame = {
		.kind = call->is_rekey ? FLEET_REKEY : FLEET_REQUEST,
		.epoch = hub_phones_epoch(phones),
	};
	struct hub_call_published *published = calloc(1, sizeof(*published));
	char topic[FLEET_TOPIC_BYTES], answer_topic[FLEET_TOPIC_BYTES];
	const struct fleet_frame_place place = { topic, call->correlation,
						 sizeof(call->correlation) };
	struct buffer sealed = BUFFER_INIT;
	struct fleet_frame_key key;
	int error = -ENOMEM;

	fleet_topic_rpc(hub_phones_prefix(phones), phone->row.name, topic);
	fleet_topic_answer(hub_phones_prefix(phones), phone->row.name, answer_topic);
	memcpy(frame.session, phone->session, sizeof(frame.session));
	frame.number = call->number = ++phone->number;
	if (published) {
		published->phones = phones;
		strcpy(published->phone, phone->row.name);
		memcpy(published->correlation, call->correlation,
		       sizeof(call->correlation));
		published->number = call->number;
		hub_phones_read_key(phone, false, &key);
		error = fleet_frame_seal(&key, &frame, &place, call->text, call->length,
					 &sealed);
		explicit_bzero(&key, sizeof(key));
	}
	if (!error)
		error = hub_phones_publish(
			phones,
			&(struct mqtt_message){
				.topic = topic,
				.payload = sealed.data,
				.length = sealed.length,
				.response_topic = answer_topic,
				.correlation = call->correlation,
				.correlation_length = sizeof(call->correlation),
				.expiry_s = FLEET_EXPIRY_S,
			},
			hub_call_on_published, published);
	buffer_deinit(&sealed);
	if (error) {
		free(published);
		hub_call_end(call, HUB_CALL_ABSENT);
	}
}

static void hub_call_write(struct json_writer *writer, const struct hub_phone *phone,
			   const char *tool, const struct buffer *arguments,
			   const struct hub_call_facts *facts)
{
	char epoch[HUB_CALL_EPOCH_BYTES];

	json_open_object(writer);
	json_put_string(writer, "jsonrpc", "2.0");
	json_put_integer(writer, "id", 1); /* the correlation data tell calls apart */
	json_put_string(writer, "method", "tools/call");
	json_open_object_at(writer, "params");
	json_open_object_at(writer, "_meta");
	json_put_string(writer, HUB_CALL_META "protocolVersion", "2026-07-28");
	json_open_object_at(writer, HUB_CALL_META "clientInfo");
	json_put_string(writer, "name", PROGRAM_NAME);
	json_put_string(writer, "version", OFONO_MCP_VERSION);
	json_close_object(writer);
	json_open_object_at(writer, HUB_CALL_META "clientCapabilities");
	json_close_object(writer);
	json_put_integer(writer, HUB_CALL_META_EPOCH,
			 (int64_t)hub_phones_epoch(phone->phones));
	if (facts && facts->on_behalf)
		json_put_string(writer, HUB_CALL_META_BEHALF, facts->on_behalf);
	if (facts && facts->store_epoch) {
		snprintf(epoch, sizeof(epoch), "%016" PRIx64,
			 (uint64_t)facts->store_epoch);
		json_put_string(writer, HUB_CALL_META_STORE, epoch);
	}
	json_close_object(writer);
	json_put_string(writer, "name", tool);
	json_key(writer, "arguments");
	json_write_raw(writer, arguments->data, arguments->length);
	json_close_object(writer);
	json_close_object(writer);
}

static struct hub_call *hub_call_prepare(
	struct hub_phone *phone, unsigned timeout_ms,
	void (*done)(void *data, const struct hub_call_answer *answer), void *data)
{
	struct hub_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->done = done;
	call->data = data;
	if (!fleet_frame_draw(call->correlation, sizeof(call->correlation)) ||
	    sd_event_add_time_relative(hub_phones_loop(phone->phones), &call->timer,
				       CLOCK_MONOTONIC, timeout_ms * UINT64_C(1000),
				       HUB_CALL_ACCURACY_US, hub_call_on_timer,
				       call) < 0) {
		free(call);
		return NULL;
	}
	call->phone = phone;
	TAILQ_INSERT_TAIL(&phone->calls, call, link);
	phone->call_count++;
	return call;
}

struct hub_call *hub_call_new(
	struct hub_phone *phone, const char *tool, const struct buffer *arguments,
	const struct hub_call_facts *facts, unsigned timeout_ms,
	void (*done)(void *data, const struct hub_call_answer *answer), void *data)
{
	struct hub_call *call = hub_call_prepare(phone, timeout_ms, done, data);
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer;

	if (!call)
		return NULL;
	writer = json_writer_new(&text);
	if (writer)
		hub_call_write(writer, phone, tool, arguments, facts);
	json_writer_free(writer);
	call->text = buffer_take(&text, &call->length);
	if (!call->text) {
		hub_call_free(call);
		return NULL;
	}
	hub_phones_count_call(phone->phones);
	if (phone->row.joined_ms && !phone->is_stale)
		hub_call_publish(call);
	else
		hub_call_end(call, HUB_CALL_ABSENT);
	return call;
}

struct hub_call *hub_call_new_rekey(struct hub_phone *phone, unsigned timeout_ms,
				    void (*done)(void *data,
						 const struct hub_call_answer *answer),
				    void *data)
{
	struct hub_call *call = hub_call_prepare(phone, timeout_ms, done, data);

	if (!call)
		return NULL;
	call->is_rekey = true;
	call->length = sizeof(phone->row.next_key);
	call->text = malloc(call->length);
	if (!call->text) {
		hub_call_free(call);
		return NULL;
	}
	memcpy(call->text, phone->row.next_key, call->length);
	hub_call_publish(call);
	return call;
}

/* ---- answers */

struct hub_call *hub_call_find(struct hub_phone *phone, const void *correlation,
			       size_t length)
{
	struct hub_call *call;

	if (length != FLEET_CORRELATION_BYTES)
		return NULL;
	TAILQ_FOREACH (call, &phone->calls, link) {
		if (memcmp(call->correlation, correlation, length) == 0)
			return call;
	}
	return NULL;
}

/* Reads {"error": {"code": ..., "message": ..., "data": {"may_have_run": ...}}} */
static void hub_call_read_error(struct hub_call *call, const struct json *error)
{
	const struct json *data = json_member(error, "data");
	const struct json *may_have_run = json_member(data, "may_have_run");
	int64_t code = 0;

	json_integer(json_member(error, "code"), &code);
	if (code == FLEET_ERROR_CODE) {
		call->answer.outcome = may_have_run && !may_have_run->boolean
					       ? HUB_CALL_ABSENT
					       : HUB_CALL_SILENT;
		call->answer.error_code = json_string(json_member(data, "error"));
	} else {
		call->answer.error_code = "rpc_error";
	}
}

bool hub_call_is_stale(const struct hub_call *call)
{
	const char *code = call->answer.error_code;

	return code && strcmp(code, failure_words(FAILURE_STALE_HUB)->code) == 0;
}

/* The facts of a failed tool call are a JSON object in its first text block. */
static const struct json *hub_call_read_facts(struct hub_call *call,
					      const struct json *result)
{
	const struct json *content = json_member(result, "content");
	const char *text =
		content ? json_string(json_member(content->first, "text")) : NULL;
	const struct json *facts = NULL;

	if (!text || json_reader_read(call->arena, text, strlen(text), &facts) != 0)
		return NULL;
	return facts;
}

static void hub_call_read_result(struct hub_call *call, const struct json *result)
{
	const struct json *is_error = json_member(result, "isError");

	if (!is_error || !is_error->boolean) {
		call->answer.result = json_member(result, "structuredContent");
		if (!call->answer.result)
			call->answer.error_code = "rpc_error";
		return;
	}
	call->answer.facts = hub_call_read_facts(call, result);
	call->answer.error_code = json_string(json_member(call->answer.facts, "code"));
	if (!call->answer.error_code)
		call->answer.error_code = "rpc_error";
	if (hub_call_is_stale(call)) /* before the tool ran */
		call->answer.outcome = HUB_CALL_ABSENT;
}

static void hub_call_read_answer(struct hub_call *call, const char *text, size_t length)
{
	const struct json *root = NULL;

	call->answer = (struct hub_call_answer){ .outcome = HUB_CALL_ANSWERED };
	call->kept = malloc(length + 1);
	call->arena = arena_new(HUB_CALL_ANSWER_MAX);
	if (call->kept && call->arena) {
		memcpy(call->kept, text, length);
		if (json_reader_read(call->arena, call->kept, length, &root) != 0)
			root = NULL;
	}
	if (json_member(root, "error"))
		hub_call_read_error(call, json_member(root, "error"));
	else if (json_member(root, "result"))
		hub_call_read_result(call, json_member(root, "result"));
	else
		call->answer.outcome = HUB_CALL_SILENT;
	hub_call_finish(call);
}

bool hub_call_is_current(const struct hub_call *call, const struct fleet_frame *frame)
{
	return frame->number == call->number &&
	       frame->epoch == hub_phones_epoch(call->phone->phones);
}

void hub_call_take(struct hub_call *call, const struct fleet_frame *frame,
		   const char *text, size_t length)
{
	switch (frame->kind) {
	case FLEET_ANSWER:
		if (call->is_rekey)
			break;
		hub_call_read_answer(call, text, length);
		return;
	case FLEET_REKEYED:
		if (!call->is_rekey)
			break;
		hub_call_end(call, HUB_CALL_ANSWERED);
		return;
	case FLEET_OTHER_SESSION:
		if (call->was_moved)
			break;
		call->was_moved = true;
		call->may_have_arrived = false; /* refused unread */
		hub_call_publish(call);
		return;
	case FLEET_STALE_HUB:
		call->may_have_arrived = false;
		hub_call_end(call, HUB_CALL_ABSENT);
		return;
	default: /* a replay of the broker's: the answer to the original counts */
		break;
	}
}
