/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oFono lab: a peer on the lab's bus that owns org.ofono and behaves as the test says.
 */
#pragma once

#include "base/log.h"
#include "bus_lab.h"
#include "ofono_facts.h"
#include "ofono_recorder.h"

enum { FAKE_MODEMS_MAX = 40, FAKE_CALLS_MAX = 64 };

struct fake_modem {
	const char *path;
	const struct fact *modem;
	const struct fact *sim;	     /* NULL: GetProperties is UnknownMethod */
	const struct fact *network;  /* NULL: the same */
	const struct fact *voice;    /* NULL: the same */
	const struct fact *messages; /* NULL: the same */
};

struct fake {
	struct peer peer;
	struct fake_modem modems[FAKE_MODEMS_MAX + 1]; /* ends with a NULL path */
	/* See fake_fail(). */
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

/* Answers the oldest kept call as if it had just arrived. */
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

/* The next `count` calls of this member get this error; "": they are kept unanswered. */
static inline void fake_fail(struct fake *fake, const char *member, const char *error,
			     int count)
{
	fake->failing_member = member;
	fake->failing_error = error;
	fake->failing_count = count;
}

/* The bus, a running oFono with the modems of the test, and our struct ofono. */
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

/* The first modem, with its present facts. */
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

	log_set_level(LOG_LEVEL_ERROR);
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

static inline void fixture_add_two(struct fixture *fixture)
{
	fixture->fake.modems[0] = (struct fake_modem){ "/sim10", idle_modem, NULL, NULL };
	fixture->fake.modems[1] = (struct fake_modem){ "/sim2", modem_with_card,
						       card_present, network_registered };
}

/* The first GetModems gets this error; "": no answer yet. */
static inline void fixture_refuse_modems(struct fixture *fixture, const char *error)
{
	fake_fail(&fixture->fake, "GetModems", error, 1);
	fixture_add_two(fixture);
	fake_open(&fixture->fake, &fixture->lab);
}

/* The modems of the fake have been reported. */
static inline void fixture_start(struct fixture *fixture)
{
	fake_open(&fixture->fake, &fixture->lab);
	fixture_listen(fixture);
	fixture_wait_available(fixture);
	fixture_clear(fixture);
}

static inline void fixture_start_two(struct fixture *fixture)
{
	fixture_add_two(fixture);
	fixture_start(fixture);
}

/* GetModems is in progress until fake_answer_kept(). */
static inline void fixture_hold_modems(struct fixture *fixture)
{
	fixture_refuse_modems(fixture, "");
	fixture_listen(fixture);
	lab_wait(&fixture->lab, fixture->fake.kept_count == 1);
}
