/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of phones, and what the broker delivers:
 *
 *   F/phone/P/here    presence of P: a session, "here" or not
 *   F/hub/answer/P    an answer: to the call with its correlation data
 *
 * A frame opens with the phone's key or with the one that is to replace it; whatever opens with
 * the latter proves that the link has it on disk, and the old key is forgotten. A broker can
 * deliver old presence again. So "here" with another session only makes the hub try, and an
 * answer, or a refusal that names the session, decides. RabbitMQ delivers no retained presence to
 * "+": who says nothing soon after the hub is connected is asked.
 *
 * The epoch grows with each start, and is at least the time in seconds: a hub that was restored
 * from a backup follows its former self. Only that depends on the clock, and a phone refuses the
 * lower one of two (tests/unit/test_hub_phones.c).
 */
#include "hub/hub_phones.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/explanation.h"
#include "base/json_reader.h"
#include "base/log.h"
#include "fleet/fleet_topic.h"
#include "hub/hub_broker.h"
#include "hub/hub_call.h"
#include "store/store.h"
#include "store/store_setting.h"

#define HUB_PHONES_EPOCH "hub_epoch"
#define HUB_PHONES_ID	 "hub_id"

enum {
	HUB_PHONES_ID_BYTES = 17,
	HUB_PHONES_ASK_MS = 30 * 1000,
	HUB_PHONES_ASK_AFTER_USEC = 2 * 1000 * 1000,
	HUB_PHONES_HERE_MAX = 4096, /* bytes of presence */
	HUB_PHONES_CONDITION_BYTES = 256,
};

_Static_assert((int)FLEET_NAME_BYTES == (int)STORE_PHONE_NAME_BYTES &&
		       (int)FLEET_KEY_BYTES == (int)STORE_PHONE_KEY_BYTES,
	       "the store knows no fleet");

struct hub_phones {
	struct hub_phones_parts parts;
	struct hub_phones_transport transport;
	struct hub_broker *broker; /* NULL with a test's transport */
	struct observers observers;
	struct hub_phone_list list;
	char id[HUB_PHONES_ID_BYTES];
	char prefix[FLEET_PREFIX_BYTES];
	uint64_t epoch;
	uint64_t calls;
	bool is_connected;
	sd_event_source *ask_timer; /* NULL before the first connection */
	char condition[HUB_PHONES_CONDITION_BYTES];
	struct log_pace forged_pace;
};

/* ---- small questions */

struct observers *hub_phones_observers(struct hub_phones *phones)
{
	return &phones->observers;
}

struct hub_phone_list *hub_phones_list(struct hub_phones *phones)
{
	return &phones->list;
}

struct hub_phone *hub_phones_find(struct hub_phones *phones, const char *name)
{
	struct hub_phone *phone;

	TAILQ_FOREACH (phone, &phones->list, link) {
		if (strcmp(phone->row.name, name) == 0)
			return phone;
	}
	return NULL;
}

const char *hub_phones_condition(const struct hub_phones *phones)
{
	return phones->condition;
}

bool hub_phones_is_connected(const struct hub_phones *phones)
{
	return phones->is_connected;
}

uint64_t hub_phones_calls(const struct hub_phones *phones)
{
	return phones->calls;
}

void hub_phones_count_call(struct hub_phones *phones)
{
	phones->calls++;
}

const char *hub_phones_id(const struct hub_phones *phones)
{
	return phones->id;
}

uint64_t hub_phones_epoch(const struct hub_phones *phones)
{
	return phones->epoch;
}

const char *hub_phones_prefix(const struct hub_phones *phones)
{
	return phones->prefix;
}

sd_event *hub_phones_loop(const struct hub_phones *phones)
{
	return phones->parts.loop;
}

void hub_phones_read_key(const struct hub_phone *phone, bool next,
			 struct fleet_frame_key *key_out)
{
	memcpy(key_out->bytes, next ? phone->row.next_key : phone->row.key,
	       sizeof(key_out->bytes));
}

int hub_phones_publish(struct hub_phones *phones, const struct mqtt_message *message,
		       void (*done)(void *data, enum mqtt_outcome outcome), void *data)
{
	return phones->transport.publish(phones->transport.data, message, done, data);
}

/* ---- presence */

static void hub_phones_report(struct hub_phones *phones, enum hub_phone_event_type type,
			      struct hub_phone *phone)
{
	const struct hub_phone_event event = { type, phone };

	observers_notify(&phones->observers, &event);
}

static void hub_phones_ask(struct hub_phone *phone);

/*
 * `is_new` says that it is another session: what was sent to the former one gets no answer any
 * more.
 */
static void hub_phones_set_present(struct hub_phone *phone, bool is_new)
{
	if (!phone->row.joined_ms) {
		hub_phones_ask(phone);
		return;
	}
	if ((phone->is_present && !is_new) || phone->is_stale)
		return;
	if (!phone->is_present) {
		phone->present_ms = clock_wall_ms();
		log_info("hub: phone %s is present", phone->row.name);
	}
	phone->is_present = true;
	hub_phones_report(phone->phones, HUB_PHONE_PRESENT, phone);
}

void hub_phones_set_absent(struct hub_phone *phone)
{
	if (!phone->is_present)
		return;
	phone->is_present = false;
	phone->present_ms = clock_wall_ms();
	log_info("hub: phone %s is absent", phone->row.name);
	hub_phones_report(phone->phones, HUB_PHONE_ABSENT, phone);
}

/* What the link had has no answer: its connection has gone. */
static void hub_phones_end_calls(struct hub_phone *phone)
{
	struct hub_call *call, *next;

	hub_call_stop(phone->asking); /* it may be asked again at once */
	phone->asking = NULL;
	for (call = TAILQ_FIRST(&phone->calls); call; call = next) {
		next = TAILQ_NEXT(call, link);
		hub_call_end(call, HUB_CALL_SILENT);
	}
}

/* Returns true if it is another one than before. */
static bool hub_phones_set_session(struct hub_phone *phone, const uint8_t *session)
{
	if (phone->has_session &&
	    memcmp(phone->session, session, sizeof(phone->session)) == 0)
		return false;
	memcpy(phone->session, session, sizeof(phone->session));
	phone->has_session = true;
	return true;
}

/* {"state":"here"}; the will says another state */
static bool hub_phones_says_here(const char *text, size_t length)
{
	struct arena *arena = arena_new(HUB_PHONES_HERE_MAX * 8);
	const struct json *root = NULL;
	const char *state = NULL;
	bool is_here;

	if (!arena)
		return false;
	if (json_reader_read(arena, text, length, &root) == 0 && root)
		state = json_string(json_member(root, "state"));
	is_here = state && strcmp(state, "here") == 0;
	arena_free(arena);
	return is_here;
}

static void hub_phones_take_presence(struct hub_phone *phone,
				     const struct fleet_frame *frame, const char *text,
				     size_t length)
{
	bool is_current = phone->has_session && memcmp(phone->session, frame->session,
						       sizeof(phone->session)) == 0;
	bool is_new;

	if (!hub_phones_says_here(text, length)) {
		if (is_current) { /* else an old will */
			hub_phones_end_calls(phone);
			hub_phones_set_absent(phone);
		}
		return;
	}
	is_new = hub_phones_set_session(phone, frame->session);
	if (is_new)
		hub_phones_end_calls(phone);
	hub_phones_set_present(phone, is_new);
}

/* ---- keys */

/* The link has the next key on disk: the former one opens nothing any more. */
static void hub_phones_promote_key(struct hub_phone *phone)
{
	struct store_phone_row row = phone->row;
	int error;

	memcpy(row.key, row.next_key, sizeof(row.key));
	explicit_bzero(row.next_key, sizeof(row.next_key));
	row.has_next_key = false;
	if (!row.joined_ms)
		row.joined_ms = clock_wall_ms();
	error = store_phone_put(phone->phones->parts.store, &row);
	if (error) {
		log_error("hub: the key of phone %s is not stored: %s", row.name,
			  error < 0 ? strerror(-error) : "the disk is full");
	} else {
		if (!phone->row.joined_ms)
			log_info("hub: phone %s has joined", row.name);
		phone->row = row;
	}
	explicit_bzero(&row, sizeof(row));
}

/* The answer, or what comes next, is sealed with the next key: hub_phones_open() sees that. */
static void hub_phones_on_rekeyed(void *data, const struct hub_call_answer *answer)
{
	struct hub_phone *phone = data;

	phone->asking = NULL;
	if (answer->outcome != HUB_CALL_ANSWERED)
		return; /* the next presence begins again, with the same key */
	hub_phones_promote_key(phone);
	if (phone->row.joined_ms)
		hub_phones_set_present(phone, true);
}

/* The new key is on disk before it leaves. */
static bool hub_phones_prepare_key(struct hub_phone *phone)
{
	struct store_phone_row row = phone->row;
	int error = 0;

	if (row.has_next_key)
		return true;
	row.has_next_key = true;
	if (!fleet_frame_draw(row.next_key, sizeof(row.next_key)))
		error = -EIO;
	if (!error)
		error = store_phone_put(phone->phones->parts.store, &row);
	if (!error)
		phone->row = row;
	else
		log_error("hub: phone %s gets no key: %s", row.name,
			  error < 0 ? strerror(-error) : "the disk is full");
	explicit_bzero(&row, sizeof(row));
	return !error;
}

/* hub_phones_take_answer() has noted that it is present. */
static void hub_phones_on_asked(void *data, const struct hub_call_answer *answer)
{
	struct hub_phone *phone = data;

	phone->asking = NULL;
}

/* Gives the phone its first key, or asks whether it is there. */
static void hub_phones_ask(struct hub_phone *phone)
{
	const struct buffer arguments = { .data = (char[]){ "{}" }, .length = 2 };

	if (phone->asking || phone->is_present)
		return;
	if (phone->row.joined_ms)
		phone->asking =
			hub_call_new(phone, "get_gateway_status", &arguments, NULL,
				     HUB_PHONES_ASK_MS, hub_phones_on_asked, phone);
	else if (hub_phones_prepare_key(phone))
		phone->asking = hub_call_new_rekey(phone, HUB_PHONES_ASK_MS,
						   hub_phones_on_rekeyed, phone);
}

static int hub_phones_on_silence(sd_event_source *source, uint64_t usec, void *data)
{
	struct hub_phones *phones = data;
	struct hub_phone *phone;

	TAILQ_FOREACH (phone, &phones->list, link)
		hub_phones_ask(phone);
	return 0;
}

/* ---- what arrives */

/* Opens it with either key. Returns false if it is forged, or sealed for another place. */
static bool hub_phones_open(struct hub_phone *phone, const struct mqtt_message *message,
			    struct fleet_frame *frame_out, struct buffer *text)
{
	const struct fleet_frame_place place = { message->topic, message->correlation,
						 message->correlation_length };
	struct fleet_frame_key key;
	int error = FLEET_E_FORGED;

	for (int next = 0; next <= (phone->row.has_next_key ? 1 : 0) && error; next++) {
		hub_phones_read_key(phone, next, &key);
		error = fleet_frame_open(&key, &place, message->payload, message->length,
					 frame_out, text);
		if (!error && next)
			hub_phones_promote_key(phone);
	}
	explicit_bzero(&key, sizeof(key));
	return !error;
}

static void hub_phones_take_stale(struct hub_phone *phone)
{
	if (phone->is_stale)
		return;
	log_error("hub: phone %s refuses this hub, as it works with a newer one",
		  phone->row.name);
	phone->is_stale = phone->is_present = true; /* so that its absence is reported */
	hub_phones_set_absent(phone);
}

/* A refusal by the link may name another session; an answer proves that the phone is there. */
static void hub_phones_take_answer(struct hub_phone *phone,
				   const struct mqtt_message *message,
				   const struct fleet_frame *frame,
				   const struct buffer *text)
{
	struct hub_call *call =
		hub_call_find(phone, message->correlation, message->correlation_length);
	bool is_new = false;

	if (!call || !hub_call_is_current(call, frame))
		return;
	if (frame->kind != FLEET_STALE_HUB)
		is_new = hub_phones_set_session(phone, frame->session);
	phone->row.seen_ms = clock_wall_ms();
	hub_call_take(call, frame, text->data, text->length);
	if (frame->kind == FLEET_STALE_HUB || hub_call_is_stale(call))
		hub_phones_take_stale(phone);
	else if (frame->kind == FLEET_ANSWER)
		hub_phones_set_present(phone, is_new && phone->is_present);
}

void hub_phones_receive(struct hub_phones *phones, const struct mqtt_message *message)
{
	char name[FLEET_NAME_BYTES], more[LOG_PACE_TEXT_BYTES];
	enum fleet_topic_kind kind =
		fleet_topic_read(phones->prefix, message->topic, name);
	struct hub_phone *phone =
		kind == FLEET_TOPIC_OTHER ? NULL : hub_phones_find(phones, name);
	struct buffer text = BUFFER_INIT;
	struct fleet_frame frame;

	if (!phone || !message->length) /* an empty one deletes what is retained */
		return;
	text.secret = true;
	if (!hub_phones_open(phone, message, &frame, &text)) {
		if (log_pace_passes(&phones->forged_pace, more))
			log_warning("hub: a message was published as phone %s, but is "
				    "not sealed with its key%s",
				    name, more);
	} else if (kind == FLEET_TOPIC_HERE && frame.kind == FLEET_HERE) {
		hub_phones_take_presence(phone, &frame, text.data, text.length);
	} else if (kind == FLEET_TOPIC_ANSWER && frame.kind != FLEET_HERE) {
		hub_phones_take_answer(phone, message, &frame, &text);
	}
	buffer_deinit(&text);
}

void hub_phones_set_connected(struct hub_phones *phones, bool connected, const char *why)
{
	struct hub_phone *phone;

	phones->is_connected = connected;
	snprintf(phones->condition, sizeof(phones->condition), "%s", why);
	if (!connected) {
		TAILQ_FOREACH (phone, &phones->list, link)
			hub_phones_set_absent(phone);
	} else {
		sd_event_source_disable_unref(phones->ask_timer);
		phones->ask_timer = NULL;
		sd_event_add_time_relative(phones->parts.loop, &phones->ask_timer,
					   CLOCK_MONOTONIC, HUB_PHONES_ASK_AFTER_USEC, 0,
					   hub_phones_on_silence, phones);
	}
	hub_phones_report(phones, HUB_PHONES_BROKER, NULL);
}

/* ---- the set */

static struct hub_phone *hub_phones_insert(struct hub_phones *phones,
					   const struct store_phone_row *row)
{
	struct hub_phone *phone = calloc(1, sizeof(*phone));
	struct hub_phone *other;

	if (!phone)
		return NULL;
	phone->row = *row;
	phone->phones = phones;
	TAILQ_INIT(&phone->calls);
	TAILQ_FOREACH (other, &phones->list, link) {
		if (strcmp(row->name, other->row.name) < 0)
			break;
	}
	if (other)
		TAILQ_INSERT_BEFORE(other, phone, link);
	else
		TAILQ_INSERT_TAIL(&phones->list, phone, link);
	return phone;
}

static void hub_phones_free_phone(struct hub_phone *phone)
{
	hub_phones_end_calls(phone);
	TAILQ_REMOVE(&phone->phones->list, phone, link);
	explicit_bzero(&phone->row, sizeof(phone->row));
	free(phone);
}

/* Stores a new secret for a phone that has none in use, or a new phone. */
static int hub_phones_store(struct hub_phones *phones, struct store_phone_row *row)
{
	struct hub_phone *phone = hub_phones_find(phones, row->name);
	int error;

	if (!phone) {
		error = store_phone_add(phones->parts.store, row);
		if (error)
			return error;
		phone = hub_phones_insert(phones, row);
		if (!phone)
			return -ENOMEM; /* the next start knows it */
		hub_phones_report(phones, HUB_PHONE_ADDED, phone);
		return 0;
	}
	if (phone->row.joined_ms)
		return -EEXIST;
	row->id = phone->row.id;
	error = store_phone_put(phones->parts.store, row);
	if (!error) {
		hub_call_stop(phone->asking);
		phone->asking = NULL;
		phone->row = *row;
	}
	return error;
}

int hub_phones_enrol(struct hub_phones *phones, const char *name, const char *password,
		     struct join_code *code_out, struct explanation *error)
{
	struct store_phone_row row = {
		.enrolled_ms = clock_wall_ms(),
		.cursor = HUB_PHONE_CURSOR_NEW,
	};
	int result;

	if (!fleet_topic_is_name(name) || strcmp(name, FLEET_HUB_NAME) == 0)
		return explanation_set(
			error, -EINVAL,
			"a phone's name has 1 to 32 of a-z, 0-9 and \"-\", "
			"begins with a letter or digit, and is not \"%s\"",
			FLEET_HUB_NAME);
	result = hub_broker_fill_code(phones->parts.config, code_out, error);
	if (result)
		return result;
	snprintf(row.name, sizeof(row.name), "%s", name);
	snprintf(code_out->phone, sizeof(code_out->phone), "%s", name);
	snprintf(code_out->password, sizeof(code_out->password), "%s", password);
	if (!fleet_frame_draw(row.key, sizeof(row.key)))
		return explanation_set(error, -EIO, "there are no random numbers");
	memcpy(code_out->secret.bytes, row.key, sizeof(row.key));
	result = hub_phones_store(phones, &row);
	explicit_bzero(&row, sizeof(row));
	if (result == -EEXIST)
		return explanation_set(error, result, "phone %s has joined already",
				       name);
	return result;
}

int hub_phones_revoke(struct hub_phones *phones, struct hub_phone *phone)
{
	int error = store_phone_remove(phones->parts.store, &phone->row);

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	log_info("hub: phone %s is revoked", phone->row.name);
	hub_phones_set_absent(phone);
	hub_phones_report(phones, HUB_PHONE_REMOVED, phone);
	hub_phones_free_phone(phone);
	return 0;
}

int hub_phones_advance(struct hub_phone *phone, const char *cursor)
{
	struct store_phone_row row = phone->row;
	int error;

	if (strlen(cursor) >= sizeof(row.cursor))
		return -EINVAL;
	strcpy(row.cursor, cursor);
	error = store_phone_advance(phone->phones->parts.store, &row);
	if (!error)
		phone->row = row;
	explicit_bzero(&row, sizeof(row));
	return error;
}

/* ---- start and stop */

static int hub_phones_read_id(struct hub_phones *phones)
{
	char value[STORE_SETTING_BYTES];
	uint64_t random;
	int error = store_setting_get(phones->parts.store, HUB_PHONES_ID, value);

	if (error == STORE_E_NOT_FOUND) {
		if (!fleet_frame_draw(&random, sizeof(random)))
			return -EIO;
		snprintf(value, sizeof(value), "%016" PRIx64, random);
		error = store_setting_set(phones->parts.store, HUB_PHONES_ID, value);
	}
	if (!error)
		snprintf(phones->id, sizeof(phones->id), "%.16s", value);
	return error;
}

static int hub_phones_begin_epoch(struct hub_phones *phones)
{
	char value[STORE_SETTING_BYTES] = "";
	int64_t seconds = clock_wall_ms() / 1000;
	int error = store_setting_get(phones->parts.store, HUB_PHONES_EPOCH, value);

	if (error && error != STORE_E_NOT_FOUND)
		return error;
	phones->epoch = strtoull(value, NULL, 10) + 1;
	if (seconds > 0 && (uint64_t)seconds > phones->epoch)
		phones->epoch = (uint64_t)seconds;
	snprintf(value, sizeof(value), "%" PRIu64, phones->epoch);
	return store_setting_set(phones->parts.store, HUB_PHONES_EPOCH, value);
}

static void hub_phones_add_row(void *data, const struct store_phone_row *row)
{
	hub_phones_insert(data, row);
}

static int hub_phones_open_transport(struct hub_phones *phones)
{
	if (phones->parts.transport) {
		phones->transport = *phones->parts.transport;
		return 0;
	}
	return hub_broker_new(phones, phones->parts.loop, phones->parts.config,
			      &phones->broker, &phones->transport);
}

int hub_phones_new(const struct hub_phones_parts *parts, struct hub_phones **phones_out)
{
	struct hub_phones *phones = calloc(1, sizeof(*phones));
	int error;

	if (!phones)
		return -ENOMEM;
	phones->parts = *parts;
	TAILQ_INIT(&phones->list);
	observers_init(&phones->observers);
	snprintf(phones->prefix, sizeof(phones->prefix), "%s",
		 hub_broker_prefix(parts->config));
	strcpy(phones->condition, "no connection to the broker yet");
	error = hub_phones_read_id(phones);
	if (!error)
		error = hub_phones_begin_epoch(phones);
	if (!error)
		error = store_phone_list(parts->store, hub_phones_add_row, phones);
	if (!error)
		error = hub_phones_open_transport(phones);
	if (error) {
		hub_phones_free(phones);
		return error < 0 ? error : -ENOSPC;
	}
	*phones_out = phones;
	return 0;
}

void hub_phones_free(struct hub_phones *phones)
{
	struct hub_phone *phone;

	if (!phones)
		return;
	while ((phone = TAILQ_FIRST(&phones->list)))
		hub_phones_free_phone(phone);
	hub_broker_free(phones->broker);
	sd_event_source_disable_unref(phones->ask_timer);
	observers_deinit(&phones->observers);
	free(phones);
}
