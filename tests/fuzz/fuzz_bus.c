/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bus traffic into src/ofono: signals and answers of oFono, of a broken oFono and of strangers.
 * This file replaces src/bus/bus.c.
 *
 * A line is a step, with tabs between its words:
 *
 *   c | d | u                               the bus is connected, lost, unreachable
 *   o NAME                                  the bus reports the owner of oFono's name; none: nobody
 *   s INTERFACE MEMBER PATH SIGNATURE ...   a signal of oFono
 *   S ...                                   the same from a stranger
 *   r SIGNATURE ...                         the answer to the oldest waiting call
 *   e NAME                                  an error instead of it
 *   h NUMBER TEXT | l | k UUID | p PIN      we submit, list, cancel, unlock, on the last modem
 *   v NUMBER | w | m CODE | y REPLY         we call, list calls, dial a code, reply, on the same
 *   x ...                                   the rest is a message as it is on the wire
 *
 * Values follow the signature: an array begins with its count, a variant with its signature.
 */
#include <dbus/dbus.h>

#include "base/log.h"
#include "base/utf8.h"
#include "bus/bus.h"
#include "fuzz.h"
#include "ofono/message.h"
#include "ofono/ofono.h"
#include "ofono/modem_call.h"

#define OWNER	 ":1.7"
#define STRANGER ":1.8"

enum { STEPS_MOST = 64, ELEMENTS_MOST = 8, DEPTH_MOST = 6, TASKS_MOST = 16 };
enum { LIMIT_MS = 60 * 1000, DIGITS_MOST = 20 };

/* ---- the bus */

struct bus_call {
	bus_reply reply;
	void *data;
	bool is_cancelled;
	TAILQ_ENTRY(bus_call) link;
};

struct bus {
	sd_event *loop;
	const struct bus_handlers *handlers;
	void *data;
	bool is_connected;
	TAILQ_HEAD(, bus_call) calls;
};

static struct bus bus;

int bus_new(sd_event *loop, const char *address, const char *const *match_rules,
	    const struct bus_handlers *handlers, void *data, struct bus **bus_out)
{
	bus = (struct bus){ .loop = loop, .handlers = handlers, .data = data };
	TAILQ_INIT(&bus.calls);
	*bus_out = &bus;
	return 0;
}

static struct bus_call *take_call(void)
{
	struct bus_call *call = TAILQ_FIRST(&bus.calls);

	if (call)
		TAILQ_REMOVE(&bus.calls, call, link);
	return call;
}

void bus_free(struct bus *unused)
{
	struct bus_call *call;

	while ((call = take_call()))
		free(call);
}

bool bus_is_connected(const struct bus *unused)
{
	return bus.is_connected;
}

const char *bus_address(const struct bus *unused)
{
	return "unix:path=/run/none";
}

uint64_t bus_calls_sent(const struct bus *unused)
{
	return 0;
}

sd_event *bus_loop(const struct bus *unused)
{
	return bus.loop;
}

struct bus_call *bus_call(struct bus *unused, DBusMessage *message, int timeout_ms,
			  bus_reply reply, void *data)
{
	struct bus_call *call = malloc(sizeof(*call)); /* NULL: no memory */

	FUZZ_CHECK(message);
	dbus_message_unref(message);
	FUZZ_CHECK(call || fuzz_starve);
	if (!call)
		return NULL;
	*call = (struct bus_call){ .reply = reply, .data = data };
	TAILQ_INSERT_TAIL(&bus.calls, call, link);
	return call;
}

void bus_call_cancel(struct bus_call *call)
{
	if (call)
		call->is_cancelled = true;
}

/* Takes over `reply`. */
static void answer(DBusMessage *reply)
{
	struct bus_call *call = take_call();

	if (call && reply && !call->is_cancelled)
		FUZZ_TRY(call->reply(call->data, reply));
	free(call);
	if (reply)
		dbus_message_unref(reply);
}

static void disconnect(void)
{
	if (!bus.is_connected)
		return;
	bus.is_connected = false;
	FUZZ_TRY(bus.handlers->disconnected(bus.data));
	while (!TAILQ_EMPTY(&bus.calls)) {
		DBusMessage *error = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR);

		dbus_message_set_error_name(error, DBUS_ERROR_DISCONNECTED);
		answer(error);
	}
}

/* ---- messages made from words */

static char *next_word(char **line)
{
	char *word = strsep(line, "\t");

	return word ? word : (char *)"";
}

static void append_text(DBusMessageIter *into, int type, const char *word)
{
	if (type == DBUS_TYPE_OBJECT_PATH && !dbus_validate_path(word, NULL))
		word = "/";
	if (type == DBUS_TYPE_SIGNATURE && !dbus_signature_validate(word, NULL))
		word = "";
	if (!dbus_validate_utf8(word, NULL))
		word = "?";
	dbus_message_iter_append_basic(into, type, &word);
}

static void append_number(DBusMessageIter *into, int type, const char *word)
{
	DBusBasicValue value = { .u64 = strtoull(word, NULL, 0) };

	if (type == DBUS_TYPE_UNIX_FD)
		value.fd = 2;
	if (type == DBUS_TYPE_BOOLEAN)
		value.bool_val = value.u64 != 0;
	dbus_message_iter_append_basic(into, type, &value);
}

static void append(DBusMessageIter *into, DBusSignatureIter *signature, char **line,
		   int depth);

static void append_all(DBusMessageIter *into, DBusSignatureIter *signature, char **line,
		       int depth)
{
	do {
		append(into, signature, line, depth);
	} while (dbus_signature_iter_next(signature));
}

static void append_variant(DBusMessageIter *into, char **line, int depth)
{
	const char *word = next_word(line);
	DBusMessageIter value;
	DBusSignatureIter signature;

	if (depth > DEPTH_MOST || !dbus_signature_validate_single(word, NULL))
		word = "s";
	dbus_message_iter_open_container(into, DBUS_TYPE_VARIANT, word, &value);
	dbus_signature_iter_init(&signature, word);
	append(&value, &signature, line, depth + 1);
	dbus_message_iter_close_container(into, &value);
}

static void append_array(DBusMessageIter *into, DBusSignatureIter *signature, char **line,
			 int depth)
{
	unsigned long count = strtoul(next_word(line), NULL, 10);
	DBusMessageIter elements;
	DBusSignatureIter element;
	char *text;

	dbus_signature_iter_recurse(signature, &element);
	text = dbus_signature_iter_get_signature(&element);
	dbus_message_iter_open_container(into, DBUS_TYPE_ARRAY, text, &elements);
	for (unsigned long at = 0; at < count && at < ELEMENTS_MOST; at++)
		append(&elements, &element, line, depth + 1);
	dbus_message_iter_close_container(into, &elements);
	dbus_free(text);
}

static void append_struct(DBusMessageIter *into, DBusSignatureIter *signature,
			  char **line, int depth)
{
	int type = dbus_signature_iter_get_current_type(signature);
	DBusMessageIter members;
	DBusSignatureIter member;

	dbus_signature_iter_recurse(signature, &member);
	dbus_message_iter_open_container(into, type, NULL, &members);
	append_all(&members, &member, line, depth + 1);
	dbus_message_iter_close_container(into, &members);
}

/* One value of the type at which the signature points. */
static void append(DBusMessageIter *into, DBusSignatureIter *signature, char **line,
		   int depth)
{
	int type = dbus_signature_iter_get_current_type(signature);

	if (type == DBUS_TYPE_VARIANT)
		append_variant(into, line, depth);
	else if (type == DBUS_TYPE_ARRAY)
		append_array(into, signature, line, depth);
	else if (dbus_type_is_container(type))
		append_struct(into, signature, line, depth);
	else if (type == DBUS_TYPE_STRING || type == DBUS_TYPE_OBJECT_PATH ||
		 type == DBUS_TYPE_SIGNATURE)
		append_text(into, type, next_word(line));
	else
		append_number(into, type, next_word(line));
}

static void append_body(DBusMessage *message, char **line)
{
	const char *word = next_word(line);
	DBusSignatureIter signature;
	DBusMessageIter body;

	if (!*word || !dbus_signature_validate(word, NULL) || strlen(word) > 16)
		return;
	dbus_message_iter_init_append(message, &body);
	dbus_signature_iter_init(&signature, word);
	append_all(&body, &signature, line, 0);
}

/* NULL: no signal on a bus can have this signature. */
static DBusMessage *read_signal(char **line, const char *sender)
{
	const char *interface = next_word(line), *member = next_word(line);
	const char *path = next_word(line);
	DBusMessage *signal;

	if (!dbus_validate_interface(interface, NULL) ||
	    !dbus_validate_member(member, NULL) || !dbus_validate_path(path, NULL))
		return NULL;
	signal = dbus_message_new_signal(path, interface, member);
	dbus_message_set_sender(signal, sender);
	append_body(signal, line);
	return signal;
}

static DBusMessage *read_return(char **line)
{
	DBusMessage *reply = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN);

	append_body(reply, line);
	return reply;
}

static DBusMessage *read_error(char **line)
{
	DBusMessage *error = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR);
	const char *name = next_word(line);

	if (!dbus_validate_error_name(name, NULL))
		name = DBUS_ERROR_FAILED;
	dbus_message_set_error_name(error, name);
	return error;
}

static DBusMessage *read_owner(char **line)
{
	DBusMessage *signal = dbus_message_new_signal(DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS,
						      "NameOwnerChanged");
	const char *name = "org.ofono", *before = "", *owner = next_word(line);

	if (!dbus_validate_utf8(owner, NULL))
		owner = "";
	dbus_message_set_sender(signal, DBUS_SERVICE_DBUS);
	dbus_message_append_args(signal, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
				 &before, DBUS_TYPE_STRING, &owner, DBUS_TYPE_INVALID);
	return signal;
}

/* ---- the gateway's own work meanwhile */

static struct ofono *ofono;
static unsigned task_count; /* in progress or finished */
static struct task {
	struct modem *modem;
	struct message_send *send;
	struct message_listing *listing;
	struct message_cancel *cancel;
	struct sim_unlock *unlock;
	struct voice_call_dial *dial;
	struct voice_call_listing *calls;
	struct ussd_call *ussd;
} tasks[TASKS_MOST];

static void on_sent(void *data, const struct message_send_result *result)
{
	struct task *task = data;

	task->send = NULL;
	FUZZ_CHECK(result->outcome != SEND_ACCEPTED ||
		   strlen(result->uuid) < MESSAGE_UUID_BYTES);
}

static void on_listed(void *data, char (*uuids)[MESSAGE_UUID_BYTES], size_t count)
{
	struct task *task = data;

	task->listing = NULL;
	for (size_t at = 0; uuids && at < count; at++)
		FUZZ_CHECK(memchr(uuids[at], 0, MESSAGE_UUID_BYTES));
}

static void on_cancelled(void *data, enum message_cancel_outcome outcome)
{
	struct task *task = data;

	task->cancel = NULL;
	FUZZ_CHECK(outcome <= CANCEL_UNKNOWN);
}

static void on_unlocked(void *data, enum sim_unlock_outcome outcome)
{
	struct task *task = data;

	task->unlock = NULL;
	FUZZ_CHECK(sim_unlock_outcome_name(outcome));
}

static void on_placed(void *data, const struct voice_call_dial_result *result)
{
	struct task *task = data;

	task->dial = NULL;
	FUZZ_CHECK((result->outcome == DIAL_PLACED) == (result->path != NULL));
}

static void on_call_found(void *data, const struct voice_call *call)
{
	struct task *task = data;

	if (!call)
		task->calls = NULL;
	else
		FUZZ_CHECK(call->path && call->state && call->number);
}

static void on_code_answered(void *data, const struct ussd_call_result *result)
{
	struct task *task = data;

	task->ussd = NULL;
	FUZZ_CHECK((result->outcome == USSD_ANSWERED) == (result->text != NULL));
	FUZZ_CHECK(!result->text || utf8_valid(result->text, strlen(result->text)));
}

/* The caller has already checked the number, or the code. */
static void begin_talk(char what, struct task *task, const char *word)
{
	size_t digits = strspn(word, "0123456789");
	bool is_number = digits > 0 && digits <= DIGITS_MOST && !word[digits];

	if (what == 'v' && is_number)
		FUZZ_TRY(task->dial = voice_call_dial(task->modem, word, LIMIT_MS,
						      on_placed, task));
	else if (what == 'w')
		FUZZ_TRY(task->calls = voice_call_list(task->modem, on_call_found, task));
	else if (what == 'm' && utf8_valid(word, strlen(word)))
		FUZZ_TRY(task->ussd = ussd_call_initiate(task->modem, word, LIMIT_MS,
							 on_code_answered, task));
	else if (what == 'y' && utf8_valid(word, strlen(word)))
		FUZZ_TRY(task->ussd = ussd_call_respond(task->modem, word, LIMIT_MS,
							on_code_answered, task));
}

static void begin_task(char what, char **line)
{
	struct modem *modem = TAILQ_LAST(ofono_modems(ofono), modem_list);
	struct task *task = &tasks[task_count];
	const char *word = next_word(line), *text = next_word(line);
	const struct sim_unlock_codes codes = { word, NULL };
	const struct message_order order = { .number = word, .text = text, .uuid = word };

	if (!modem || task_count == TASKS_MOST)
		return;
	task_count++;
	task->modem = modem;
	begin_talk(what, task, word);
	if (what == 'h')
		FUZZ_TRY(task->send = message_send(modem, &order, on_sent, task));
	else if (what == 'l')
		FUZZ_TRY(task->listing = message_list(modem, &order, on_listed, task));
	else if (what == 'k' && strlen(word) < MESSAGE_UUID_BYTES &&
		 strspn(word, "0123456789ABCDEF") == strlen(word))
		FUZZ_TRY(task->cancel =
				 message_cancel(modem, &order, on_cancelled, task));
	else if (what == 'p' && sim_unlock_pin_is_valid(word))
		FUZZ_TRY(task->unlock = sim_unlock(modem, &codes, on_unlocked, task));
}

static void end_talk(struct task *task)
{
	voice_call_dial_stop(task->dial);
	voice_call_listing_stop(task->calls);
	ussd_call_stop(task->ussd);
	task->dial = NULL;
	task->calls = NULL;
	task->ussd = NULL;
}

/* A call or dialogue has ended before its modem disappears. */
static void lose_modem(const struct modem *modem)
{
	for (struct task *task = tasks; task < tasks + task_count; task++) {
		if (task->modem == modem)
			end_talk(task);
	}
}

static void end_tasks(void)
{
	for (struct task *task = tasks; task < tasks + task_count; task++) {
		message_send_cancel(task->send);
		message_listing_cancel(task->listing);
		message_cancel_stop(task->cancel);
		sim_unlock_stop(task->unlock);
		end_talk(task);
		*task = (struct task){ NULL };
	}
	task_count = 0;
}

static void check_text(const char *text)
{
	FUZZ_CHECK(!text || utf8_valid(text, strlen(text)));
}

static void on_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	check_text(event->uuid);
	check_text(event->sender);
	check_text(event->text);
	check_text(event->sent_time);
	check_text(event->local_sent_time);
	if (!event->modem)
		return;
	if (event->type == MODEM_REMOVED)
		lose_modem(event->modem);
	check_text(event->modem->path);
	check_text(event->modem->sim.service_provider_name);
	check_text(event->modem->remembered.service_provider_name);
	check_text(event->modem->sim.own_number);
	check_text(event->modem->network.name);
	check_text(event->modem->emergency_numbers);
}

/* ---- the steps */

/* Borrowed; a bus delivers nothing else. */
static void hear(DBusMessage *signal)
{
	if (bus.is_connected && dbus_message_get_sender(signal))
		FUZZ_TRY(bus.handlers->signal(bus.data, signal));
}

static void hear_and_free(DBusMessage *signal)
{
	if (!signal)
		return;
	hear(signal);
	dbus_message_unref(signal);
}

/* As libdbus parses it; what it refuses never reaches us. */
static void hear_raw(const char *bytes, size_t length)
{
	DBusMessage *message = dbus_message_demarshal(bytes, (int)length, NULL);

	if (!message)
		return;
	if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL)
		hear_and_free(message);
	else if (bus.is_connected &&
		 dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
		answer(message);
	else
		dbus_message_unref(message);
}

static void connect(void)
{
	if (bus.is_connected)
		return;
	bus.is_connected = true;
	FUZZ_TRY(bus.handlers->connected(bus.data));
}

static void step(char *line)
{
	char what = *next_word(&line);

	if (what == 'c')
		connect();
	else if (what == 'd')
		disconnect();
	else if (what == 'u' && !bus.is_connected)
		FUZZ_TRY(bus.handlers->unreachable(bus.data));
	else if (what == 'o')
		hear_and_free(read_owner(&line));
	else if (what == 's' || what == 'S')
		hear_and_free(read_signal(&line, what == 's' ? OWNER : STRANGER));
	else if (what == 'r' && bus.is_connected)
		answer(read_return(&line));
	else if (what == 'e' && bus.is_connected)
		answer(read_error(&line));
	else
		begin_task(what, &line);
}

static void run(char *text, size_t length)
{
	char *end = text + length, *rest = text;

	for (unsigned count = 0; rest && count < STEPS_MOST; count++) {
		if (strncmp(rest, "x\t", 2) == 0) {
			hear_raw(rest + 2, (size_t)(end - rest - 2));
			return;
		}
		step(strsep(&rest, "\n"));
		while (sd_event_run(bus.loop, 0) > 0)
			;
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_set_level(0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static sd_event *loop;
	char *text = fuzz_text(data, length);
	struct observer observer;

	if (!loop)
		FUZZ_CHECK(sd_event_new(&loop) >= 0);
	FUZZ_CHECK(ofono_new(loop, NULL, &ofono) == 0);
	observer_add(ofono_observers(ofono), &observer, on_event, NULL);
	ofono_use_delivery_reports(ofono);
	ofono_use_phonebooks(ofono, true);
	run(text, length);
	end_tasks();
	ofono_flush_pending(ofono);
	observer_remove(&observer);
	ofono_free(ofono);
	free(text);
	return 0;
}
