/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "bus_lab.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "bus/bus.h"

#define SERVICE	  "org.example.Slow"
#define INTERFACE "org.example.Slow"

enum { MANY = 250 };

struct seen {
	int connected;
	int disconnected;
	int unreachable;
	int signals;
	char trace[4096]; /* one letter or word per event, in order */
};

struct answer {
	int count;
	char error[96]; /* "" = a method return */
	uint32_t value;
	struct seen *seen;
};

struct fixture {
	struct lab lab;
	struct seen seen;
	struct bus *bus;
	struct peer peer;
	/* the peer's calls, unanswered */
	DBusMessage *calls[MANY];
	size_t call_count;
	size_t answered;
};

static void on_connected(void *data)
{
	((struct seen *)data)->connected++;
	strcat(((struct seen *)data)->trace, "+");
}

static void on_disconnected(void *data)
{
	((struct seen *)data)->disconnected++;
	strcat(((struct seen *)data)->trace, "-");
}

static void on_signal(void *data, DBusMessage *signal)
{
	struct seen *seen = data;

	if (!dbus_message_has_interface(signal, INTERFACE))
		return;
	seen->signals++;
	if (strlen(seen->trace) < sizeof(seen->trace) - 2)
		strcat(seen->trace, "s");
}

static void on_unreachable(void *data)
{
	((struct seen *)data)->unreachable++;
}

static const struct bus_handlers handlers = {
	.connected = on_connected,
	.disconnected = on_disconnected,
	.unreachable = on_unreachable,
	.signal = on_signal,
};
static const char *const rules[] = { "type='signal',interface='" INTERFACE "'", NULL };

static void on_answer(void *data, DBusMessage *reply)
{
	struct answer *answer = data;
	const char *error = dbus_message_get_error_name(reply);

	answer->count++;
	snprintf(answer->error, sizeof(answer->error), "%s", error ? error : "");
	if (!error)
		dbus_message_get_args(reply, NULL, DBUS_TYPE_UINT32, &answer->value,
				      DBUS_TYPE_INVALID);
	if (answer->seen)
		strcat(answer->seen->trace, "a");
}

static struct bus_call *call(struct fixture *fixture, const char *service,
			     uint32_t number, int timeout_ms, struct answer *answer)
{
	DBusMessage *message =
		dbus_message_new_method_call(service, "/", INTERFACE, "Ask");

	assert_non_null(message);
	dbus_message_append_args(message, DBUS_TYPE_UINT32, &number, DBUS_TYPE_INVALID);
	return bus_call(fixture->bus, message, timeout_ms, on_answer, answer);
}

static void peer_keeps(struct peer *peer, DBusMessage *message)
{
	struct fixture *fixture = peer->data;

	assert_true(fixture->call_count < MANY);
	fixture->calls[fixture->call_count++] = dbus_message_ref(message);
}

/* The oldest call, with the number it brought. */
static void answer_one(struct fixture *fixture)
{
	DBusMessage *asked = fixture->calls[fixture->answered];
	DBusMessage *reply = dbus_message_new_method_return(asked);
	uint32_t number;

	assert_true(fixture->answered < fixture->call_count);
	dbus_message_get_args(asked, NULL, DBUS_TYPE_UINT32, &number, DBUS_TYPE_INVALID);
	dbus_message_append_args(reply, DBUS_TYPE_UINT32, &number, DBUS_TYPE_INVALID);
	peer_send(&fixture->peer, reply);
	dbus_message_unref(asked);
	fixture->answered++;
}

static void send_signal(struct fixture *fixture)
{
	peer_send(&fixture->peer, dbus_message_new_signal("/", INTERFACE, "Told"));
}

static int set_up_without_daemon(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	lab_open(&fixture->lab);
	fixture->peer.data = fixture;
	assert_int_equal(bus_new(fixture->lab.loop, fixture->lab.address, rules,
				 &handlers, &fixture->seen, &fixture->bus),
			 0);
	*state = fixture;
	return 0;
}

static int set_up(void **state)
{
	struct fixture *fixture;

	set_up_without_daemon(state);
	fixture = *state;
	lab_start_daemon(&fixture->lab);
	lab_wait(&fixture->lab, fixture->seen.connected == 1);
	peer_open(&fixture->peer, &fixture->lab, SERVICE, peer_keeps);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	bus_free(fixture->bus);
	peer_close(&fixture->peer);
	for (size_t i = fixture->answered; i < fixture->call_count; i++)
		dbus_message_unref(fixture->calls[i]);
	lab_close(&fixture->lab);
	free(fixture);
	return 0;
}

FIXTURE(set_up, tear_down)

TEST_WITH(test_bus_absent_at_start, set_up_without_daemon, tear_down)
{
	struct fixture *fixture = *state;
	struct answer answer = { 0 };

	assert_false(bus_is_connected(fixture->bus));
	call(fixture, SERVICE, 1, 0, &answer);
	assert_int_equal(answer.count, 0);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_string_equal(answer.error, BUS_ERROR_NOT_SENT);
	lab_settle(&fixture->lab, 100);
	assert_int_equal(fixture->seen.connected, 0);
	assert_true(fixture->seen.unreachable > 0);

	lab_start_daemon(&fixture->lab);
	lab_wait(&fixture->lab, fixture->seen.connected == 1);
	assert_true(bus_is_connected(fixture->bus));
	assert_int_equal(fixture->seen.disconnected, 0);
}

TEST_WITH(test_bad_address_is_only_an_absent_bus, set_up_without_daemon, tear_down)
{
	struct fixture *fixture = *state;
	struct seen seen = { 0 };
	struct bus *bus;

	assert_int_equal(
		bus_new(fixture->lab.loop, "nonsense", rules, &handlers, &seen, &bus), 0);
	lab_settle(&fixture->lab, 100);
	assert_int_equal(seen.connected, 0);
	assert_string_equal(bus_address(bus), "nonsense");
	bus_free(bus);
}

/* Who freezes takes nobody up, and when enough wait the next connect(2) waits, too. */
TEST_WITH(test_a_frozen_bus_blocks_nothing, set_up_without_daemon, tear_down)
{
	struct fixture *fixture = *state;
	struct sockaddr_un place = { .sun_family = AF_UNIX };
	int bus = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int waiting = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(place.sun_path, sizeof(place.sun_path), "%s/bus", fixture->lab.folder);
	assert_return_code(bind(bus, (struct sockaddr *)&place, sizeof(place)), errno);
	assert_return_code(listen(bus, 0), errno);
	assert_int_equal(bus_probe_wait(fixture->lab.address, 10), -ETIMEDOUT);
	assert_int_equal(bus_probe_wait(fixture->lab.address, 10), -EAGAIN);
	close(accept(bus, NULL, NULL));
	assert_return_code(connect(waiting, (struct sockaddr *)&place, sizeof(place)),
			   errno);
	alarm((unsigned)LAB_PATIENCE_MS / 1000);
	lab_wait(&fixture->lab, fixture->seen.unreachable > 1);
	alarm(0);
	close(waiting);
	close(bus);

	unlink(place.sun_path);
	lab_start_daemon(&fixture->lab);
	assert_int_equal(bus_probe_wait(fixture->lab.address, (int)LAB_PATIENCE_MS), 0);
	lab_wait(&fixture->lab, fixture->seen.connected == 1);
}

TEST(test_answer_comes_later_and_once)
{
	struct fixture *fixture = *state;
	struct answer answer = { 0 };

	assert_non_null(call(fixture, SERVICE, 42, 0, &answer));
	assert_int_equal(answer.count, 0);
	lab_wait(&fixture->lab, fixture->call_count == 1);
	answer_one(fixture);
	lab_wait(&fixture->lab, answer.count > 0);
	lab_settle(&fixture->lab, 20);
	assert_int_equal(answer.count, 1);
	assert_string_equal(answer.error, "");
	assert_int_equal(answer.value, 42);
}

TEST(test_errors_keep_their_names)
{
	struct fixture *fixture = *state;
	struct answer nobody = { 0 }, refused = { 0 };

	call(fixture, "org.example.Nobody", 1, 0, &nobody);
	lab_wait(&fixture->lab, nobody.count == 1);
	assert_string_equal(nobody.error, DBUS_ERROR_SERVICE_UNKNOWN);

	call(fixture, SERVICE, 1, 0, &refused);
	lab_wait(&fixture->lab, fixture->call_count == 1);
	peer_reply_error(&fixture->peer, fixture->calls[0], "org.example.Error.No");
	lab_wait(&fixture->lab, refused.count == 1);
	assert_string_equal(refused.error, "org.example.Error.No");
}

TEST(test_service_dies_with_a_call)
{
	struct fixture *fixture = *state;
	struct answer answer = { 0 };

	call(fixture, SERVICE, 1, 0, &answer);
	lab_wait(&fixture->lab, fixture->call_count == 1);
	peer_close(&fixture->peer);
	lab_wait(&fixture->lab, answer.count == 1);
	assert_string_equal(answer.error, DBUS_ERROR_NO_REPLY);
}

TEST(test_calls_beyond_the_window_wait)
{
	struct fixture *fixture = *state;
	struct answer answers[MANY] = { 0 };

	for (uint32_t i = 0; i < MANY; i++)
		assert_non_null(call(fixture, SERVICE, i, 0, &answers[i]));
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(fixture->call_count, BUS_CALLS_MAX);

	/* Each answer lets exactly one more leave, in order. */
	answer_one(fixture);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX + 1);
	while (fixture->answered < MANY) {
		lab_wait(&fixture->lab, fixture->answered < fixture->call_count);
		assert_true(fixture->call_count - fixture->answered <= BUS_CALLS_MAX);
		answer_one(fixture);
	}
	lab_wait(&fixture->lab, answers[MANY - 1].count == 1);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(answers[i].count, 1);
		assert_string_equal(answers[i].error, "");
		assert_int_equal(answers[i].value, i);
	}
}

TEST(test_cancel_in_the_queue_never_leaves)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX + 2] = { 0 };
	struct bus_call *waiting = NULL;
	uint32_t number;

	for (uint32_t i = 0; i < BUS_CALLS_MAX; i++)
		call(fixture, SERVICE, i, 0, &answers[i]);
	waiting = call(fixture, SERVICE, 1000, 0, &answers[BUS_CALLS_MAX]);
	call(fixture, SERVICE, 2000, 0, &answers[BUS_CALLS_MAX + 1]);
	bus_call_cancel(waiting);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	answer_one(fixture);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX + 1);
	dbus_message_get_args(fixture->calls[BUS_CALLS_MAX], NULL, DBUS_TYPE_UINT32,
			      &number, DBUS_TYPE_INVALID);
	assert_int_equal(number, 2000);
	assert_int_equal(answers[BUS_CALLS_MAX].count, 0);
}

/* The bus counts a cancelled call until it is answered, so the window does as well. */
TEST(test_cancel_in_flight_keeps_its_place)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX + 1] = { 0 };
	struct bus_call *calls[BUS_CALLS_MAX];

	for (uint32_t i = 0; i < BUS_CALLS_MAX; i++)
		calls[i] = call(fixture, SERVICE, i, 0, &answers[i]);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	for (size_t i = 0; i < BUS_CALLS_MAX; i++)
		bus_call_cancel(calls[i]);
	call(fixture, SERVICE, 7, 0, &answers[BUS_CALLS_MAX]);
	lab_settle(&fixture->lab, 50);
	assert_int_equal(fixture->call_count, BUS_CALLS_MAX);

	answer_one(fixture);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX + 1);
	while (fixture->answered < fixture->call_count)
		answer_one(fixture);
	lab_wait(&fixture->lab, answers[BUS_CALLS_MAX].count == 1);
	for (size_t i = 0; i < BUS_CALLS_MAX; i++)
		assert_int_equal(answers[i].count, 0);
}

TEST(test_a_call_times_out)
{
	struct fixture *fixture = *state;
	struct answer limited = { 0 }, patient = { 0 };

	call(fixture, SERVICE, 1, 60, &limited);
	call(fixture, SERVICE, 2, 0, &patient);
	lab_wait(&fixture->lab, limited.count == 1);
	assert_string_equal(limited.error, DBUS_ERROR_NO_REPLY);
	assert_int_equal(patient.count, 0);

	/* The late answer finds nobody; the other call still gets its own. */
	lab_wait(&fixture->lab, fixture->call_count == 2);
	answer_one(fixture);
	answer_one(fixture);
	lab_wait(&fixture->lab, patient.count == 1);
	assert_int_equal(patient.value, 2);
	assert_int_equal(limited.count, 1);
}

TEST(test_cancel_stops_the_timeout)
{
	struct fixture *fixture = *state;
	struct answer answer = { 0 };

	bus_call_cancel(call(fixture, SERVICE, 1, 30, &answer));
	bus_call_cancel(NULL);
	lab_settle(&fixture->lab, 100);
	assert_int_equal(answer.count, 0);
}

TEST(test_timeout_counts_from_leaving_the_queue)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX] = { 0 }, waiting = { 0 };

	for (uint32_t i = 0; i < BUS_CALLS_MAX; i++)
		call(fixture, SERVICE, i, 0, &answers[i]);
	call(fixture, SERVICE, 7, 30, &waiting);
	lab_settle(&fixture->lab, 100);
	assert_int_equal(waiting.count, 0);
	answer_one(fixture);
	lab_wait(&fixture->lab, waiting.count == 1);
	assert_string_equal(waiting.error, DBUS_ERROR_NO_REPLY);
}

TEST(test_daemon_dies_and_returns)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX + 2] = { 0 }, later = { 0 };

	for (uint32_t i = 0; i < BUS_CALLS_MAX + 2; i++)
		call(fixture, SERVICE, i, 0, &answers[i]);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	lab_stop_daemon(&fixture->lab);
	lab_wait(&fixture->lab, answers[BUS_CALLS_MAX + 1].count == 1);
	lab_wait(&fixture->lab, fixture->seen.disconnected == 1);
	assert_false(bus_is_connected(fixture->bus));
	for (size_t i = 0; i < BUS_CALLS_MAX + 2; i++) {
		assert_int_equal(answers[i].count, 1);
		assert_string_equal(answers[i].error, i < BUS_CALLS_MAX
							      ? DBUS_ERROR_DISCONNECTED
							      : BUS_ERROR_NOT_SENT);
	}

	peer_close(&fixture->peer);
	lab_start_daemon(&fixture->lab);
	lab_wait(&fixture->lab, fixture->seen.connected == 2);
	peer_open(&fixture->peer, &fixture->lab, SERVICE, peer_keeps);
	send_signal(fixture); /* the match rules are in force again */
	lab_wait(&fixture->lab, fixture->seen.signals == 1);
	call(fixture, SERVICE, 5, 0, &later);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX + 1);
	while (fixture->answered < BUS_CALLS_MAX)
		dbus_message_unref(fixture->calls[fixture->answered++]);
	answer_one(fixture);
	lab_wait(&fixture->lab, later.count == 1);
	assert_int_equal(later.value, 5);
	assert_int_equal(fixture->seen.disconnected, 1);
}

TEST(test_signals_and_answers_keep_their_order)
{
	struct fixture *fixture = *state;
	struct answer answers[2] = { { .seen = &fixture->seen },
				     { .seen = &fixture->seen } };

	fixture->seen.trace[0] = '\0';
	call(fixture, SERVICE, 0, 0, &answers[0]);
	call(fixture, SERVICE, 1, 0, &answers[1]);
	lab_wait(&fixture->lab, fixture->call_count == 2);
	send_signal(fixture);
	answer_one(fixture);
	send_signal(fixture);
	send_signal(fixture);
	answer_one(fixture);
	send_signal(fixture);
	lab_wait(&fixture->lab, fixture->seen.signals == 4);
	assert_string_equal(fixture->seen.trace, "sassas");
}

TEST(test_a_burst_does_not_block_the_loop)
{
	struct fixture *fixture = *state;
	int before = 0, most = 0;
	uint64_t end;

	for (int i = 0; i < 2000; i++)
		send_signal(fixture);
	end = lab_now_ms() + (uint64_t)LAB_PATIENCE_MS;
	while (fixture->seen.signals < 2000 && lab_now_ms() < end) {
		lab_turn(&fixture->lab, 100);
		if (fixture->seen.signals - before > most)
			most = fixture->seen.signals - before;
		before = fixture->seen.signals;
	}
	assert_int_equal(fixture->seen.signals, 2000);
	assert_in_range(most, 2, BUS_PUMP_MESSAGES_MAX);
}

TEST(test_free_drops_every_kind_of_call)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX + 20] = { 0 };
	struct answer ended = { 0 };

	for (uint32_t i = 0; i < BUS_CALLS_MAX + 20; i++)
		call(fixture, SERVICE, i, i % 2 ? 5000 : 0, &answers[i]);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	lab_stop_daemon(&fixture->lab);
	lab_wait(&fixture->lab, fixture->seen.disconnected == 1);
	call(fixture, SERVICE, 1, 0, &ended);
	bus_free(fixture->bus);
	fixture->bus = NULL;
	lab_settle(&fixture->lab, 20);
	assert_int_equal(ended.count, 0);
}

TEST(test_free_while_connected)
{
	struct fixture *fixture = *state;
	struct answer answers[BUS_CALLS_MAX + 20] = { 0 };

	for (uint32_t i = 0; i < BUS_CALLS_MAX + 20; i++)
		call(fixture, SERVICE, i, i % 2 ? 5000 : 0, &answers[i]);
	lab_wait(&fixture->lab, fixture->call_count == BUS_CALLS_MAX);
	bus_free(fixture->bus);
	fixture->bus = NULL;
	lab_settle(&fixture->lab, 20);
	for (size_t i = 0; i < BUS_CALLS_MAX + 20; i++)
		assert_int_equal(answers[i].count, 0);
}

void before_tests(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
}
