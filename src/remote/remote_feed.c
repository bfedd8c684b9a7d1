/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One phone, as the hub follows it with list_changes (doc/protocol.md):
 *
 *   present -> asks at once, for the whole phone -> what happened -> cursor stored -> asks and
 *   waits -> ...
 *   silent or refused -> a pause, which doubles
 *   absent -> asks every few minutes: presence is only a hint
 *
 * What an answer brings is on disk before its cursor is: an incoming message at once, the rest
 * in the order of the log of the same file. So after a crash the same rows come again. An
 * incoming message is recognised by where it came from, a state by what is known already. If a message cannot be stored, nothing behind it is read.
 *
 * A phone that joins begins behind its own past, which is its owner's. A phone whose message
 * store was restored or repaired names another epoch: its whole feed is read again.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "remote/remote_private.h"

enum {
	REMOTE_FEED_WAIT_S = 100,
	REMOTE_FEED_LIMIT = 100,
	REMOTE_FEED_PAUSE_FIRST_MS = 500,
	REMOTE_FEED_PAUSE_MAX_MS = 60 * 1000,
	REMOTE_FEED_ABSENT_MS = 5 * 60 * 1000,
	REMOTE_FEED_EPOCH_DIGITS = 16,
	REMOTE_FEED_ORIGIN_BYTES = 64,
	REMOTE_FEED_ACCURACY_US = 10 * 1000,
};

static void remote_feed_pull(struct remote_feed *feed);

static void remote_feed_pause(struct remote_feed *feed, uint64_t pause_ms)
{
	sd_event_source_set_time_relative(feed->timer, pause_ms * 1000);
	sd_event_source_set_enabled(feed->timer, SD_EVENT_ONESHOT);
}

static void remote_feed_back_off(struct remote_feed *feed)
{
	if (!feed->phone->is_present) {
		remote_feed_pause(feed, REMOTE_FEED_ABSENT_MS);
		return;
	}
	feed->pause_ms = feed->pause_ms ? 2 * feed->pause_ms : REMOTE_FEED_PAUSE_FIRST_MS;
	if (feed->pause_ms > REMOTE_FEED_PAUSE_MAX_MS)
		feed->pause_ms = REMOTE_FEED_PAUSE_MAX_MS;
	remote_feed_pause(feed, feed->pause_ms);
}

/* ---- what happened */

static const char *remote_feed_text(const struct json *change, const char *name)
{
	const char *text = json_string(json_member(change, name));

	return text ? text : "";
}

/*
 * Where the message came from: the same for the same message, also after the phone's store was
 * restored and gave its ID to another one.
 */
static void remote_feed_write_origin(const struct remote_feed *feed,
				     const struct json *change,
				     char origin[REMOTE_FEED_ORIGIN_BYTES])
{
	const char *texts[] = { remote_feed_text(change, "from"),
				remote_feed_text(change, "text"),
				remote_feed_text(change, "sent_time") };
	int64_t numbers[2] = { 0, 0 };
	uint64_t hash;

	json_integer(json_member(change, "message_id"), &numbers[0]);
	json_integer(json_member(change, "at_ms"), &numbers[1]);
	hash = hash_add(HASH_START, &numbers[1], sizeof(numbers[1]));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		hash = hash_add(hash, texts[i], strlen(texts[i]) + 1);
	snprintf(origin, REMOTE_FEED_ORIGIN_BYTES, "%s.%" PRId64 ".%016" PRIx64,
		 feed->phone->row.name, numbers[0], hash);
}

static bool remote_feed_has_flag(const struct json *change, const char *flag)
{
	const struct json *flags = json_member(change, "flags");

	if (!flags || flags->type != JSON_ARRAY)
		return false;
	json_foreach (item, flags) {
		if (json_string(item) && strcmp(json_string(item), flag) == 0)
			return true;
	}
	return false;
}

/* A card that the phone does not show any more gets a modem for this event alone. */
static struct modem *remote_feed_modem(struct remote_feed *feed,
				       const struct json *change,
				       struct remote_modem *stand_in)
{
	struct modem *modem;
	int64_t sim_id = 0;

	json_integer(json_member(change, "subscription_id"), &sim_id);
	modem = remote_modem_find(feed, sim_id);
	if (modem)
		return modem;
	*stand_in = (struct remote_modem){ .feed = feed, .sim_id = sim_id };
	stand_in->modem.ofono = feed->ofono;
	return &stand_in->modem;
}

/* Returns false if it is not stored. */
static bool remote_feed_take_received(struct remote_feed *feed, const struct json *change)
{
	char origin[REMOTE_FEED_ORIGIN_BYTES];
	struct remote_modem stand_in;
	bool is_lost = false;
	const struct ofono_event event = {
		.type = MESSAGE_RECEIVED,
		.modem = remote_feed_modem(feed, change, &stand_in),
		.sender = remote_feed_text(change, "from"),
		.text = remote_feed_text(change, "text"),
		.sent_time = remote_feed_text(change, "sent_time"),
		.local_sent_time = "",
		.immediate = remote_feed_has_flag(change, "immediate"),
		.origin = origin,
		.is_lost = &is_lost,
	};

	remote_feed_write_origin(feed, change, origin);
	observers_notify(&feed->ofono->observers, &event);
	return !is_lost;
}

static void remote_feed_take_state(struct remote_feed *feed, const struct json *change)
{
	struct remote_modem stand_in;
	char uuid[MESSAGE_UUID_BYTES];
	struct ofono_event event = {
		.type = MESSAGE_STATE,
		.modem = remote_feed_modem(feed, change, &stand_in),
		.uuid = uuid,
	};

	if (!remote_read_key(feed->ofono, remote_feed_text(change, "idempotency_key"),
			     &event.order_id, &event.attempt))
		return; /* of a former hub */
	remote_write_uuid(feed->phone, event.order_id, event.attempt, uuid);
	if (remote_read_state(change, &event))
		remote_report_state(feed->ofono, change, &event);
}

/* Calls: the hub's own have a path that its dial knows; those of others likewise. */
static void remote_feed_take_call(struct remote_feed *feed, const struct json *change)
{
	static const char *const over[] = { "missed", "answered",   "refused", "ended",
					    "failed", "unanswered", "busy",    NULL };
	const char *state = remote_feed_text(change, "state");
	struct remote_modem stand_in;
	char path[64];
	int64_t call_id = 0;
	struct ofono_event event = {
		.type = CALL_ADDED,
		.modem = remote_feed_modem(feed, change, &stand_in),
		.call = path,
		.sender = remote_feed_text(change, "number"),
		.call_state = "incoming",
	};

	if (strcmp(remote_feed_text(change, "direction"), "in") != 0 ||
	    event.modem == &stand_in.modem ||
	    !json_integer(json_member(change, "call_id"), &call_id))
		return;
	snprintf(path, sizeof(path), "/%s/call%" PRId64, feed->phone->row.name, call_id);
	if (strcmp(state, "ringing") == 0) {
		observers_notify(&feed->ofono->observers, &event);
		return;
	}
	if (strcmp(state, "answered") == 0) {
		event.type = CALL_CHANGED;
		event.sender = NULL;
		event.call_state = "active";
		observers_notify(&feed->ofono->observers, &event);
	}
	for (size_t i = 0; over[i]; i++) {
		if (strcmp(over[i], state) != 0)
			continue;
		event.type = CALL_REMOVED;
		observers_notify(&feed->ofono->observers, &event);
		return;
	}
}

static void remote_feed_take_alert(struct remote_feed *feed, const struct json *change)
{
	struct remote_modem stand_in;
	int64_t topic = -1;
	struct ofono_event event = {
		.type = BROADCAST_RECEIVED,
		.modem = remote_feed_modem(feed, change, &stand_in),
		.text = remote_feed_text(change, "text"),
	};

	json_integer(json_member(change, "topic"), &topic);
	event.topic = topic >= 0 && topic <= UINT16_MAX ? (int)topic : -1;
	if (strcmp(remote_feed_text(change, "state"), "emergency") == 0)
		event.emergency = remote_feed_text(change, "emergency_type");
	if (event.modem != &stand_in.modem)
		observers_notify(&feed->ofono->observers, &event);
}

/* Returns false to stop here, and read it again later. */
static bool remote_feed_take_change(struct remote_feed *feed, const struct json *change)
{
	const char *type = remote_feed_text(change, "type");

	if (strcmp(type, "received") == 0)
		return remote_feed_take_received(feed, change);
	if (strcmp(type, "state") == 0)
		remote_feed_take_state(feed, change);
	else if (strcmp(type, "call") == 0)
		remote_feed_take_call(feed, change);
	else if (strcmp(type, "alert") == 0)
		remote_feed_take_alert(feed, change);
	return true;
}

static bool remote_feed_take_changes(struct remote_feed *feed, const struct json *result)
{
	const struct json *changes = json_member(result, "changes");

	if (feed->is_joining || !changes || changes->type != JSON_ARRAY)
		return true;
	json_foreach (change, changes) {
		if (!remote_feed_take_change(feed, change))
			return false;
	}
	return true;
}

/* ---- answers */

/*
 * The epoch is the beginning of a cursor. What was given to the phone before names another one
 * and is refused there (message.c).
 */
static void remote_feed_read_epoch(struct remote_feed *feed, const char *cursor)
{
	const char *former = feed->phone->row.cursor;

	if (*former && strcmp(former, HUB_PHONE_CURSOR_NEW) != 0 &&
	    strncmp(former, cursor, REMOTE_FEED_EPOCH_DIGITS) != 0)
		log_warning("hub: the message store of phone %s was restored or repaired",
			    feed->phone->row.name);
	feed->epoch = (int64_t)strtoull(cursor, NULL, 16);
}

static void remote_feed_take(struct remote_feed *feed, const struct json *result)
{
	const char *cursor = json_string(json_member(result, "cursor"));
	const struct json *more = json_member(result, "more");
	bool has_more = more && more->boolean;
	int error;

	feed->was_read = true;
	feed->is_waiting = !has_more;
	if (cursor)
		remote_feed_read_epoch(feed, cursor);
	remote_modem_read_all(feed, json_member(result, "phone"));
	if (!cursor || !remote_feed_take_changes(feed, result)) {
		remote_feed_back_off(feed);
		return;
	}
	if (feed->is_joining && has_more) {
		snprintf(feed->cursor, sizeof(feed->cursor), "%s", cursor);
	} else {
		error = strcmp(cursor, feed->phone->row.cursor) != 0
				? hub_phones_advance(feed->phone, cursor)
				: 0;
		if (error) {
			remote_feed_back_off(feed);
			return;
		}
		feed->is_joining = false;
	}
	feed->pause_ms = 0;
	remote_feed_pause(feed, 0);
}

static void remote_feed_on_answer(void *data, const struct hub_call_answer *answer)
{
	struct remote_feed *feed = data;

	feed->call = NULL;
	if (answer->outcome == HUB_CALL_ANSWERED && answer->result) {
		remote_feed_take(feed, answer->result);
		return;
	}
	if (answer->outcome == HUB_CALL_ANSWERED)
		log_warning("hub: phone %s does not say what happened: %s",
			    feed->phone->row.name, answer->error_code);
	remote_feed_back_off(feed);
}

/* ---- asking */

/* With another digest of the phone the answer has the phone in any case. */
static void remote_feed_write_cursor(const struct remote_feed *feed, char *text,
				     size_t size)
{
	const char *cursor = feed->is_joining ? feed->cursor : feed->phone->row.cursor;
	uint64_t epoch;
	int64_t entry, snapshot;

	if (feed->was_read ||
	    sscanf(cursor, "%16" SCNx64 ".%20" SCNd64 ".%*16[0-9a-f].%20" SCNd64, &epoch,
		   &entry, &snapshot) != 3)
		snprintf(text, size, "%s", cursor);
	else
		snprintf(text, size, "%016" PRIx64 ".%" PRId64 ".%016x.%" PRId64, epoch,
			 entry, 0, snapshot);
}

static void remote_feed_pull(struct remote_feed *feed)
{
	unsigned wait_s = feed->is_waiting && feed->was_read ? REMOTE_FEED_WAIT_S : 0;
	struct buffer arguments = BUFFER_INIT;
	char cursor[STORE_PHONE_CURSOR_BYTES];
	struct json_writer *writer;

	if (feed->call)
		return;
	feed->is_joining |= strcmp(feed->phone->row.cursor, HUB_PHONE_CURSOR_NEW) == 0;
	remote_feed_write_cursor(feed, cursor, sizeof(cursor));
	writer = json_writer_new(&arguments);
	if (writer) {
		json_open_object(writer);
		if (*cursor)
			json_put_string(writer, "after", cursor);
		json_put_integer(writer, "wait_seconds", wait_s);
		json_put_integer(writer, "limit", REMOTE_FEED_LIMIT);
		json_close_object(writer);
		json_writer_free(writer);
	}
	if (writer && !arguments.failed)
		feed->call = hub_call_new(feed->phone, "list_changes", &arguments, NULL,
					  REMOTE_TIMEOUT_MS + wait_s * 1000,
					  remote_feed_on_answer, feed);
	buffer_deinit(&arguments);
	if (!feed->call)
		remote_feed_back_off(feed);
}

static int remote_feed_on_timer(sd_event_source *source, uint64_t usec, void *data)
{
	remote_feed_pull(data);
	return 0;
}

void remote_feed_wake(struct remote_feed *feed)
{
	hub_call_stop(feed->call);
	feed->call = NULL;
	feed->was_read = false;
	feed->pause_ms = 0;
	remote_feed_pause(feed, 0);
}

struct remote_feed *remote_feed_new(struct ofono *ofono, struct hub_phone *phone)
{
	struct remote_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	if (sd_event_add_time_relative(ofono->loop, &feed->timer, CLOCK_MONOTONIC,
				       REMOTE_FEED_ABSENT_MS * UINT64_C(1000),
				       REMOTE_FEED_ACCURACY_US, remote_feed_on_timer,
				       feed) < 0) {
		free(feed);
		return NULL;
	}
	feed->ofono = ofono;
	feed->phone = phone;
	TAILQ_INSERT_TAIL(&ofono->feeds, feed, link);
	return feed;
}

void remote_feed_free(struct remote_feed *feed)
{
	if (!feed)
		return;
	hub_call_stop(feed->call);
	sd_event_source_disable_unref(feed->timer);
	remote_modem_remove_all(feed);
	TAILQ_REMOVE(&feed->ofono->feeds, feed, link);
	free(feed);
}
