/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "ofono_lab.h"

#include "ofono/modem_call.h"
#include "phone/dialler.h"
#include "store_bench.h"

#define CALL   "org.ofono.VoiceCall"
#define THERE  "/sim0/voicecall01"
#define CALLED "+36301234567"

enum { LIMIT_MS = 60000, SHORT_MS = 20, TALK_SECONDS = 60 };

static const struct fact able[] = {
	FLAG("Powered", 1),
	FLAG("Online", 1),
	TEXT("Type", "hardware"),
	WORDS("Interfaces", SIM, NETWORK, MESSAGES, VOICE),
	LAST,
};
static const struct fact unable = WORDS("Interfaces", SIM, NETWORK, MESSAGES);
static const struct fact voice[] = { WORDS("EmergencyNumbers", "112"), LAST };

static struct sims *sims;
static struct dialler *dialler;
static struct observer watch;
static char trace[256];	   /* what the dialler reported: "dialing ended:remote " */
static const char *others; /* number of the call that oFono lists; NULL: none */
static const char *others_state;

static void on_told(void *data, const void *event)
{
	const struct dialler_call *placed = event;
	size_t used = strlen(trace);

	snprintf(trace + used, sizeof(trace) - used, "%s%s%s ",
		 store_event_call_state_name(placed->state), *placed->reason ? ":" : "",
		 placed->reason);
}

static void append_call(DBusMessageIter *iterator)
{
	const struct fact facts[] = { TEXT("State", others_state),
				      TEXT("LineIdentification", others), LAST };
	const char *there = THERE;

	dbus_message_iter_append_basic(iterator, DBUS_TYPE_OBJECT_PATH, &there);
	facts_append(iterator, facts);
}

static void tell_added(struct fake *fake)
{
	DBusMessage *signal = dbus_message_new_signal("/sim0", VOICE, "CallAdded");
	DBusMessageIter iterator;

	dbus_message_iter_init_append(signal, &iterator);
	append_call(&iterator);
	peer_send(&fake->peer, signal);
}

static void tell_over(struct fake *fake, const char *reason)
{
	DBusMessage *signal = dbus_message_new_signal(THERE, CALL, "DisconnectReason");
	const char *there = THERE;

	dbus_message_append_args(signal, DBUS_TYPE_STRING, &reason, DBUS_TYPE_INVALID);
	peer_send(&fake->peer, signal);
	signal = dbus_message_new_signal("/sim0", VOICE, "CallRemoved");
	dbus_message_append_args(signal, DBUS_TYPE_OBJECT_PATH, &there,
				 DBUS_TYPE_INVALID);
	peer_send(&fake->peer, signal);
}

static void reply_calls(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply = dbus_message_new_method_return(call);
	DBusMessageIter iterator, array, element;

	dbus_message_iter_init_append(reply, &iterator);
	dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "(oa{sv})", &array);
	if (others) {
		dbus_message_iter_open_container(&array, DBUS_TYPE_STRUCT, NULL,
						 &element);
		append_call(&element);
		dbus_message_iter_close_container(&array, &element);
	}
	dbus_message_iter_close_container(&iterator, &array);
	peer_send(&fake->peer, reply);
}

static void obey(struct fake *fake, DBusMessage *call)
{
	DBusMessage *reply;
	const char *there = THERE;

	if (dbus_message_has_member(call, "GetCalls")) {
		reply_calls(fake, call);
		return;
	}
	reply = dbus_message_new_method_return(call);
	if (dbus_message_has_member(call, "Dial"))
		dbus_message_append_args(reply, DBUS_TYPE_OBJECT_PATH, &there,
					 DBUS_TYPE_INVALID);
	peer_send(&fake->peer, reply);
	if (dbus_message_has_member(call, "Hangup"))
		tell_over(fake, "local");
}

static int set_up(void **state)
{
	others = NULL;
	others_state = "active";
	trace[0] = '\0';
	watch.subject = NULL;
	return fixture_set_up(state) || store_set_up(state);
}

static int tear_down(void **state)
{
	observer_remove(&watch);
	dialler_free(dialler);
	sims_free(sims);
	return fixture_tear_down(state) || store_tear_down(NULL);
}

static void start(struct fixture *fixture, int limit_ms)
{
	struct dialler_parts parts = { .loop = fixture->lab.loop, .limit_ms = limit_ms };

	open_store();
	fixture->fake.modems[0] = (struct fake_modem){ "/sim0", able, card_present,
						       network_registered, voice };
	fixture->fake.called = obey;
	fixture_listen(fixture);
	assert_int_equal(sims_new(parts.loop, fixture->ofono, store, &sims), 0);
	parts.store = store;
	parts.sims = sims;
	parts.ofono = fixture->ofono;
	assert_int_equal(dialler_new(&parts, &dialler), 0);
	observer_add(dialler_observers(dialler), &watch, on_told, NULL);
	fake_open(&fixture->fake, &fixture->lab);
	lab_wait(&fixture->lab, sims_find(sims, 1));
	assert_true(dialler_is_possible(dialler));
	fixture_clear(fixture);
}

static int64_t place(struct fixture *fixture)
{
	const struct dialler_order order = {
		.modem = fixture_modem(fixture),
		.sim_id = 1,
		.client_id = 7,
		.client = "agent",
		.number = CALLED,
		.most_seconds = TALK_SECONDS,
	};
	int64_t id = 0;

	assert_int_equal(dialler_place(dialler, &order, &id), 0);
	assert_int_equal(dialler_place(dialler, &order, &(int64_t){ 0 }), DIALLER_E_BUSY);
	return id;
}

FIXTURE(set_up, tear_down)

TEST(test_a_call_from_dialling_to_its_end)
{
	struct fixture *fixture = *state;
	int64_t id;

	start(fixture, LIMIT_MS);
	id = place(fixture);
	assert_true(dialler_is_busy(dialler));
	lab_wait(&fixture->lab, dialler_find(dialler, id)->is_dialled);
	fake_changed(&fixture->fake, THERE, CALL, (struct fact)TEXT("State", "alerting"));
	fake_changed(&fixture->fake, THERE, CALL, (struct fact)TEXT("State", "active"));
	fake_changed(&fixture->fake, THERE, CALL, (struct fact)TEXT("State", "odd"));
	fake_changed(&fixture->fake, THERE, CALL, (struct fact)TEXT("State", "alerting"));
	tell_over(&fixture->fake, "remote");
	lab_wait(&fixture->lab, !dialler_is_busy(dialler));
	assert_string_equal(trace, "dialing dialing alerting active ended:remote ");
	dialler_hang_up(dialler, id, "hung_up"); /* already over */
	dialler_hang_up(dialler, 99, "hung_up");
	assert_null(strstr(fixture->fake.log, "Hangup"));
}

/* While Dial is not answered, the hang-up waits for the answer. */
TEST(test_a_call_is_hung_up_until_it_is_over)
{
	struct fixture *fixture = *state;
	int64_t id;

	start(fixture, LIMIT_MS);
	id = place(fixture);
	dialler_hang_up(dialler, id, "hung_up");
	dialler_hang_up(dialler, id, "client_left");
	lab_wait(&fixture->lab, !dialler_is_busy(dialler));
	assert_string_equal(trace, "dialing dialing unanswered:hung_up ");
	trace[0] = '\0';
	place(fixture);
	dialler_revoke(dialler, 8);
	dialler_revoke(dialler, 7);
	lab_wait(&fixture->lab, !dialler_is_busy(dialler));
	assert_string_equal(trace, "dialing dialing unanswered:revoked ");
}

TEST(test_a_refused_call_is_not_placed)
{
	static const struct {
		const char *member;
		const char *error;
		const char *told;
	} rows[] = {
		{ "Dial", "org.ofono.Error.InProgress", "not_placed:busy " },
		{ "Dial", "org.ofono.Error.Failed", "not_placed:refused " },
		{ "Dial", "org.ofono.Error.NotAvailable", "not_placed:not_supported " },
		{ "Dial", DBUS_ERROR_ACCESS_DENIED, "not_placed:not_allowed " },
		{ "Dial", DBUS_ERROR_SERVICE_UNKNOWN, "not_placed:not_handed " },
		{ "GetCalls", DBUS_ERROR_ACCESS_DENIED, "not_placed:not_allowed " },
		{ "GetCalls", DBUS_ERROR_UNKNOWN_METHOD, "not_placed:not_supported " },
		{ "GetCalls", DBUS_ERROR_NO_REPLY, "not_placed:not_handed " },
		{ "Dial", DBUS_ERROR_NO_REPLY, "unknown:lost " },
		{ "Dial", "org.ofono.Error.Timedout", "unknown:lost " },
	};
	struct fixture *fixture = *state;

	start(fixture, LIMIT_MS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		trace[0] = '\0';
		fake_fail(&fixture->fake, rows[i].member, rows[i].error, 1);
		place(fixture);
		lab_wait(&fixture->lab, !dialler_is_busy(dialler));
		assert_string_equal(strchr(trace, ' ') + 1, rows[i].told);
	}
}

TEST(test_no_call_is_placed_beside_another)
{
	struct fixture *fixture = *state;

	start(fixture, LIMIT_MS);
	others = "+36209999999";
	place(fixture);
	lab_wait(&fixture->lab, !dialler_is_busy(dialler));
	assert_string_equal(trace, "dialing not_placed:busy ");
	assert_null(strstr(fixture->fake.log, "Dial"));
}

/* Dial is not answered in time, but the call was dialled and shows afterwards. */
TEST(test_a_call_that_shows_after_a_lost_answer_is_hung_up)
{
	struct fixture *fixture = *state;

	start(fixture, SHORT_MS);
	fake_fail(&fixture->fake, "Dial", "", 1);
	place(fixture);
	lab_wait(&fixture->lab, !dialler_is_busy(dialler));
	assert_string_equal(trace, "dialing unknown:lost ");
	others = CALLED;
	others_state = "incoming"; /* an incoming call from that number */
	tell_added(&fixture->fake);
	tell_over(&fixture->fake, "remote");
	others = "+36209999999";
	others_state = "dialing"; /* the phone's user calls another number */
	tell_added(&fixture->fake);
	tell_over(&fixture->fake, "remote");
	lab_settle(&fixture->lab, 20);
	assert_null(strstr(fixture->fake.log, "Hangup"));
	others = CALLED;
	tell_added(&fixture->fake);
	lab_wait(&fixture->lab, strstr(trace, "ended:left"));
	assert_non_null(strstr(fixture->fake.log, "Hangup:" THERE));
	assert_int_equal(sql("SELECT count(*) FROM event WHERE text = 'left'"), 1);
}

/* The call is lost, and the same number is dialled again: that call is not the lost one. */
TEST(test_a_new_call_to_the_number_of_a_lost_one_goes_on)
{
	struct fixture *fixture = *state;

	start(fixture, LIMIT_MS);
	place(fixture);
	lab_wait(&fixture->lab, strstr(trace, "dialing dialing "));
	fake_changed(&fixture->fake, "/sim0", MODEM, unable);
	lab_wait(&fixture->lab, strstr(trace, "unknown:lost "));
	fake_changed(&fixture->fake, "/sim0", MODEM, able[3]);
	lab_wait(&fixture->lab, dialler_is_possible(dialler));
	place(fixture);
	lab_wait(&fixture->lab, strstr(trace, "lost dialing dialing "));
	others = CALLED;
	others_state = "dialing";
	tell_added(&fixture->fake);
	lab_settle(&fixture->lab, 20);
	assert_null(strstr(fixture->fake.log, "Hangup"));
	assert_true(dialler_is_busy(dialler));
}

/* By the interface, the modem, and oFono. */
TEST(test_a_call_is_lost_with_its_modem)
{
	struct fixture *fixture = *state;

	for (int way = 0; way < 3; way++) {
		start(fixture, LIMIT_MS);
		trace[0] = '\0';
		place(fixture);
		lab_wait(&fixture->lab, strstr(fixture->fake.log, "Dial"));
		if (way == 0)
			fake_changed(&fixture->fake, "/sim0", MODEM, unable);
		else if (way == 1)
			fake_modem_removed(&fixture->fake, "/sim0");
		else
			fake_close(&fixture->fake);
		lab_wait(&fixture->lab, !dialler_is_busy(dialler));
		assert_non_null(strstr(trace, "unknown:lost "));
		assert_false(dialler_is_possible(dialler));
		if (way < 2) {
			tear_down(state);
			set_up(state);
			fixture = *state;
		}
	}
}

/* The call went on when the gateway ended, and still does. */
TEST(test_a_call_left_by_an_earlier_gateway_is_hung_up)
{
	struct fixture *fixture = *state;
	int64_t id;

	open_store();
	identify("", "216300000000000");
	assert_int_equal(
		store_event_place_call(
			store, &(struct store_event_call_draft){ 7, "agent", 1, CALLED },
			&id),
		0);
	store_close(store);
	others = CALLED;
	start(fixture, LIMIT_MS);
	lab_wait(&fixture->lab, strstr(trace, "ended:left"));
	assert_int_equal(sql("SELECT state FROM event"), CALL_ENDED);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event = 'call_ended'"), 2);
}

void before_tests(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
}
