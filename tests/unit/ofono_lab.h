/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oFono lab: a peer that owns org.ofono on the lab's bus and says what a test tells it to
 * say, and a recorder of what struct ofono tells about it.
 */
#ifndef TESTS_OFONO_LAB_H
#define TESTS_OFONO_LAB_H

#include "bus_lab.h"

#include "ofono/ofono.h"

#define MANAGER	 "org.ofono.Manager"
#define MODEM	 "org.ofono.Modem"
#define SIM	 "org.ofono.SimManager"
#define NETWORK	 "org.ofono.NetworkRegistration"
#define MESSAGES "org.ofono.MessageManager"
#define MESSAGE	 "org.ofono.Message"
#define VOICE	 "org.ofono.VoiceCallManager"
#define USSD	 "org.ofono.SupplementaryServices"
#define FORKS	 "org.nemomobile.ofono."

enum { FAKE_MODEMS_MAX = 40, FAKE_CALLS_MAX = 64 };

/* One property; a list of them ends with LAST. */
struct fact {
	const char *name;
	const char *type;     /* "b", "y", "u", "s", "as", "a{sy}" */
	const char *text;     /* "s"; "a{sy}": the only key */
	int number;	      /* "b", "y", "u"; "a{sy}": the only value */
	const char *words[6]; /* "as"; ends with NULL */
};

#define FLAG(fact_name, fact_value)                                  \
	{                                                            \
		.name = fact_name, .type = "b", .number = fact_value \
	}
#define BYTE(fact_name, fact_value)                                  \
	{                                                            \
		.name = fact_name, .type = "y", .number = fact_value \
	}
#define NUMBER(fact_name, fact_value)                                \
	{                                                            \
		.name = fact_name, .type = "u", .number = fact_value \
	}
#define TEXT(fact_name, fact_value)                                \
	{                                                          \
		.name = fact_name, .type = "s", .text = fact_value \
	}
#define WORDS(fact_name, ...)                                             \
	{                                                                 \
		.name = fact_name, .type = "as", .words = { __VA_ARGS__ } \
	}
#define COUNT(fact_name, fact_key, fact_value)                        \
	{                                                             \
		.name = fact_name, .type = "a{sy}", .text = fact_key, \
		.number = fact_value                                  \
	}
#define LAST                 \
	{                    \
		.name = NULL \
	}

struct fake_modem {
	const char *path;
	const struct fact *modem;
	const struct fact *sim;	     /* NULL: GetProperties is UnknownMethod */
	const struct fact *network;  /* likewise */
	const struct fact *voice;    /* likewise */
	const struct fact *messages; /* likewise */
};

struct fake {
	struct peer peer;
	struct fake_modem modems[FAKE_MODEMS_MAX + 1]; /* ends with a NULL path */
	/* The next so many calls of this member get this error; "" = no answer, kept. */
	const char *failing_member;
	const char *failing_error;
	int failing_count;
	char log[4096]; /* "GetModems GetProperties:/sim0 " */
	DBusMessage *kept[FAKE_CALLS_MAX];
	size_t kept_count;
	/* A call of the forks' interfaces; NULL: UnknownMethod. */
	void (*fork_called)(struct fake *fake, DBusMessage *call);
	/* Any other call; may be NULL. */
	void (*called)(struct fake *fake, DBusMessage *call);
};

static inline void fact_append(DBusMessageIter *iterator, const struct fact *fact)
{
	dbus_bool_t boolean = fact->number != 0;
	uint8_t byte = (uint8_t)fact->number;
	DBusMessageIter variant, array, entry;

	dbus_message_iter_open_container(iterator, DBUS_TYPE_VARIANT, fact->type,
					 &variant);
	if (strcmp(fact->type, "b") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &boolean);
	} else if (strcmp(fact->type, "y") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_BYTE, &byte);
	} else if (strcmp(fact->type, "u") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_UINT32, &fact->number);
	} else if (strcmp(fact->type, "s") == 0) {
		dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &fact->text);
	} else if (strcmp(fact->type, "as") == 0) {
		dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "s", &array);
		for (size_t i = 0; fact->words[i]; i++)
			dbus_message_iter_append_basic(&array, DBUS_TYPE_STRING,
						       &fact->words[i]);
		dbus_message_iter_close_container(&variant, &array);
	} else if (strcmp(fact->type, "a{sy}") == 0) {
		dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, "{sy}",
						 &array);
		dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL,
						 &entry);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &fact->text);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_BYTE, &byte);
		dbus_message_iter_close_container(&array, &entry);
		dbus_message_iter_close_container(&variant, &array);
	} else {
		fail_msg("no such type: %s", fact->type);
	}
	dbus_message_iter_close_container(iterator, &variant);
}

static inline void facts_append(DBusMessageIter *iterator, const struct fact *facts)
{
	DBusMessageIter array, entry;

	dbus_message_iter_open_container(iterator, DBUS_TYPE_ARRAY, "{sv}", &array);
	for (; facts && facts->name; facts++) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_DICT_ENTRY, NULL,
						 &entry);
		dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &facts->name);
		fact_append(&entry, facts);
		dbus_message_iter_close_container(&array, &entry);
	}
	dbus_message_iter_close_container(iterator, &array);
}

static inline DBusMessage *changed_signal(const char *path, const char *interface,
					  struct fact fact)
{
	DBusMessage *signal = dbus_message_new_signal(path, interface, "PropertyChanged");
	DBusMessageIter iterator;

	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &fact.name);
	fact_append(&iterator, &fact);
	return signal;
}

static inline void fake_changed(struct fake *fake, const char *path,
				const char *interface, struct fact fact)
{
	peer_send(&fake->peer, changed_signal(path, interface, fact));
}

static inline DBusMessage *incoming_signal(const char *path, const char *member,
					   const char *text, const char *sender)
{
	const struct fact info[] = {
		TEXT("Sender", sender),
		TEXT("SentTime", "2026-11-21T07:30:00+0100"),
		TEXT("LocalSentTime", "2026-11-21T06:30:00+0000"),
		LAST,
	};
	DBusMessage *signal = dbus_message_new_signal(path, MESSAGES, member);
	DBusMessageIter iterator;

	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, DBUS_TYPE_STRING, &text);
	facts_append(&iterator, info);
	return signal;
}

static inline void fake_incoming(struct fake *fake, const char *path, const char *text)
{
	peer_send(&fake->peer,
		  incoming_signal(path, "IncomingMessage", text, "+4915112345678"));
}

static inline void fake_modem_added(struct fake *fake, const struct fake_modem *modem)
{
	DBusMessage *signal = dbus_message_new_signal("/", MANAGER, "ModemAdded");
	DBusMessageIter iterator;

	dbus_message_iter_init_append(signal, &iterator);
	dbus_message_iter_append_basic(&iterator, DBUS_TYPE_OBJECT_PATH, &modem->path);
	facts_append(&iterator, modem->modem);
	peer_send(&fake->peer, signal);
}

static inline void fake_modem_removed(struct fake *fake, const char *path)
{
	DBusMessage *signal = dbus_message_new_signal("/", MANAGER, "ModemRemoved");

	dbus_message_append_args(signal, DBUS_TYPE_OBJECT_PATH, &path, DBUS_TYPE_INVALID);
	peer_send(&fake->peer, signal);
}

static inline void fake_reply_modems(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);
	DBusMessageIter iterator, array, element;

	dbus_message_iter_init_append(reply, &iterator);
	dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "(oa{sv})", &array);
	for (const struct fake_modem *modem = fake->modems; modem->path; modem++) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL,
						 &element);
		dbus_message_iter_append_basic(&element, DBUS_TYPE_OBJECT_PATH,
					       &modem->path);
		facts_append(&element, modem->modem);
		dbus_message_iter_close_container(&array, &element);
	}
	dbus_message_iter_close_container(&iterator, &array);
	peer_send(&fake->peer, reply);
}

static inline void fake_reply_facts(struct fake *fake, DBusMessage *call,
				    const struct fact *facts)
{
	DBusMessage *reply;
	DBusMessageIter iterator;

	if (!facts) {
		peer_reply_error(&fake->peer, call, DBUS_ERROR_UNKNOWN_METHOD);
		return;
	}
	reply = dbus_message_new_method_return(call);
	dbus_message_iter_init_append(reply, &iterator);
	facts_append(&iterator, facts);
	peer_send(&fake->peer, reply);
}

static inline struct fake_modem *fake_modem_find(struct fake *fake, const char *path)
{
	for (struct fake_modem *modem = fake->modems; modem->path; modem++) {
		if (strcmp(modem->path, path) == 0)
			return modem;
	}
	return NULL;
}

static inline bool fake_fails(struct fake *fake, DBusMessage *call)
{
	if (fake->failing_count == 0 ||
	    !dbus_message_has_member(call, fake->failing_member))
		return false;
	fake->failing_count--;
	if (fake->failing_error[0]) {
		peer_reply_error(&fake->peer, call, fake->failing_error);
	} else {
		assert_true(fake->kept_count < FAKE_CALLS_MAX);
		fake->kept[fake->kept_count++] = dbus_message_ref(call);
	}
	return true;
}

static inline void fake_answer(struct fake *fake, DBusMessage *call)
{
	const char *interface = dbus_message_get_interface(call);
	struct fake_modem *modem = fake_modem_find(fake, dbus_message_get_path(call));
	bool is_of_forks = strncmp(interface, FORKS, strlen(FORKS)) == 0;

	if (dbus_message_is_method_call(call, MANAGER, "GetModems"))
		fake_reply_modems(fake, call);
	else if (dbus_message_has_member(call, "GetProperties") && modem)
		fake_reply_facts(fake, call,
				 strcmp(interface, SIM) == 0	    ? modem->sim
				 : strcmp(interface, NETWORK) == 0  ? modem->network
				 : strcmp(interface, VOICE) == 0    ? modem->voice
				 : strcmp(interface, MESSAGES) == 0 ? modem->messages
								    : NULL);
	else if (fake->fork_called && is_of_forks)
		fake->fork_called(fake, call);
	else if (fake->called && !is_of_forks)
		fake->called(fake, call);
	else
		peer_reply_error(&fake->peer, call, DBUS_ERROR_UNKNOWN_METHOD);
}

static inline void fake_called(struct peer *peer, DBusMessage *call)
{
	struct fake *fake = peer->data;
	const char *path = dbus_message_get_path(call);
	size_t used = strlen(fake->log);

	assert_false(dbus_message_get_auto_start(call));
	snprintf(fake->log + used, sizeof(fake->log) - used, "%s:%s ",
		 dbus_message_get_member(call), path);
	if (!fake_fails(fake, call))
		fake_answer(fake, call);
}

/* Answers the oldest kept call as if it had come just now. */
static inline void fake_answer_kept(struct fake *fake)
{
	assert_true(fake->kept_count > 0);
	fake_answer(fake, fake->kept[0]);
	dbus_message_unref(fake->kept[0]);
	fake->kept_count--;
	memmove(fake->kept, fake->kept + 1, fake->kept_count * sizeof(fake->kept[0]));
}

static inline void fake_forget_kept(struct fake *fake)
{
	while (fake->kept_count > 0)
		dbus_message_unref(fake->kept[--fake->kept_count]);
}

/* ofonod starts. */
static inline void fake_open(struct fake *fake, struct lab *lab)
{
	fake->peer.data = fake;
	peer_open(&fake->peer, lab, "org.ofono", fake_called);
}

/* ofonod crashes. */
static inline void fake_close(struct fake *fake)
{
	fake_forget_kept(fake);
	peer_close(&fake->peer);
}

struct recorder {
	struct observer observer;
	char trace[32768]; /* "available added:/sim0 received:/sim0:hello " */
	int changes;	   /* MODEM_CHANGED, not in the trace */
	int bus_known;	   /* likewise */
	struct modem last; /* of the last event with a modem, as it was then */
	struct ofono_event event;
	char sender[64], text[512], sent_time[40], local_sent_time[40];
};

__attribute__((format(printf, 2, 3))) static inline void recorder_add(
	struct recorder *recorder, const char *format, ...)
{
	size_t used = strlen(recorder->trace);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(recorder->trace + used, sizeof(recorder->trace) - used, format,
		  arguments);
	va_end(arguments);
}

static inline void recorder_keep_message(struct recorder *recorder,
					 const struct ofono_event *event)
{
	snprintf(recorder->sender, sizeof(recorder->sender), "%s", event->sender);
	snprintf(recorder->text, sizeof(recorder->text), "%s", event->text);
	snprintf(recorder->sent_time, sizeof(recorder->sent_time), "%s",
		 event->sent_time);
	snprintf(recorder->local_sent_time, sizeof(recorder->local_sent_time), "%s",
		 event->local_sent_time);
}

static inline void recorder_notify(void *data, const void *event_data)
{
	struct recorder *recorder = data;
	const struct ofono_event *event = event_data;
	const char *path = event->modem ? event->modem->path : "";

	recorder->event = *event;
	if (event->modem)
		recorder->last = *event->modem;
	switch (event->type) {
	case OFONO_BUS_KNOWN:
		recorder->bus_known++;
		break;
	case OFONO_AVAILABLE:
		recorder_add(recorder, "available ");
		break;
	case OFONO_UNAVAILABLE:
		recorder_add(recorder, "unavailable ");
		break;
	case OFONO_CHANGED:
		recorder_add(recorder, "changed ");
		break;
	case MODEM_ADDED:
		recorder_add(recorder, "added:%s ", path);
		break;
	case MODEM_CHANGED:
		recorder->changes++;
		break;
	case MODEM_REMOVED:
		recorder_add(recorder, "removed:%s ", path);
		break;
	case MESSAGE_REPORT:
		recorder_add(recorder, "report:%s:%s:%d ", path, event->uuid,
			     event->delivered);
		break;
	case MESSAGE_STATE:
		recorder_add(recorder, "state:%s:%s:%d ", path, event->uuid,
			     (int)event->state);
		break;
	case USSD_NOTIFIED:
		recorder_add(recorder, "notified:%s:%s ", path, event->text);
		break;
	case USSD_REQUESTED:
		recorder_add(recorder, "requested:%s:%s ", path, event->text);
		break;
	case CALL_ADDED:
		recorder_add(recorder, "call:%s:%s:%s ", event->call, event->call_state,
			     event->sender);
		break;
	case CALL_CHANGED:
		recorder_add(recorder, "call:%s:%s:%s ", event->call,
			     event->call_state ? event->call_state : "",
			     event->sender ? event->sender : "");
		break;
	case CALL_REMOVED:
		recorder_add(recorder, "call-over:%s ", event->call);
		break;
	case PHONEBOOK_READ:
		recorder_add(recorder, "phonebook:%s:%s ", path, event->text);
		break;
	case BROADCAST_RECEIVED:
		recorder_add(recorder, "broadcast:%s:%d:%s ", event->text, event->topic,
			     event->emergency ? event->emergency : "");
		break;
	case MESSAGE_RECEIVED:
		recorder_add(recorder, "received:%s:%s ", path, event->text);
		recorder_keep_message(recorder, event);
		break;
	}
}

/* Everything together; the daemon and oFono are up, oFono's modems are the test's. */
struct fixture {
	struct lab lab;
	struct fake fake;
	struct recorder recorder;
	struct ofono *ofono;
};

static inline void fixture_listen(struct fixture *fixture)
{
	assert_int_equal(
		ofono_new(fixture->lab.loop, fixture->lab.address, &fixture->ofono), 0);
	observer_add(ofono_observers(fixture->ofono), &fixture->recorder.observer,
		     recorder_notify, &fixture->recorder);
}

static inline void fixture_wait_available(struct fixture *fixture)
{
	lab_wait(&fixture->lab, ofono_is_available(fixture->ofono));
	lab_settle(&fixture->lab, 20);
}

/* The facts of the first modem as they are now. */
static inline struct modem *fixture_modem(struct fixture *fixture)
{
	return TAILQ_FIRST(ofono_modems(fixture->ofono));
}

static inline void fixture_clear(struct fixture *fixture)
{
	fixture->recorder.trace[0] = '\0';
	fixture->recorder.changes = 0;
	fixture->fake.log[0] = '\0';
}

static inline int fixture_set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	lab_open(&fixture->lab);
	lab_start_daemon(&fixture->lab);
	*state = fixture;
	return 0;
}

static inline int fixture_tear_down(void **state)
{
	struct fixture *fixture = *state;

	observer_remove(&fixture->recorder.observer);
	ofono_free(fixture->ofono);
	fake_close(&fixture->fake);
	lab_close(&fixture->lab);
	free(fixture);
	return 0;
}

static const struct fact idle_modem[] = {
	FLAG("Powered", 0),
	TEXT("Type", "hardware"),
	WORDS("Interfaces", NULL),
	LAST,
};

static const struct fact modem_with_card[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	TEXT("Type", "hardware"),
	TEXT("Serial", "350000000003770"),
	WORDS("Interfaces", SIM, "org.ofono.Unheard", NETWORK, MESSAGES),
	LAST,
};

static const struct fact card_present[] = {
	FLAG("Present", 1),
	TEXT("SubscriberIdentity", "216300000000000"),
	LAST,
};

static const struct fact network_registered[] = {
	TEXT("Status", "registered"),
	LAST,
};

static inline void fixture_add_two(struct fixture *fixture)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim10", idle_modem, NULL, NULL };
	fixture->fake.modems[1] = (struct fake_modem){ "/sim2", modem_with_card,
						       card_present, network_registered };
}

/* The first GetModems gets this error; "" = no answer yet. */
static inline void fixture_refuse_modems(struct fixture *fixture, const char *error)
{
	fixture->fake.failing_member = "GetModems";
	fixture->fake.failing_error = error;
	fixture->fake.failing_count = 1;
	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
}

#endif
