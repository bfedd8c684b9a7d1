/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outbox against an oFono that does everything it may, in random order: answers late,
 * wrongly or never, loses modems, swaps cards, sends while we are away; and against a disk
 * that is full now and then. What is checked are the promises:
 *
 *   - no message is given to oFono twice, and each SIM's in the order of submission;
 *   - "sent" and "failed" are said only of what was sent or failed;
 *   - at the end every message has a final state.
 *
 * A seed can be given as the argument, to see one run again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/log.h"
#include "outbox_bench.h"

enum { SIMS = 3, MESSAGES_MAX = 40, STEPS = 300, ROUNDS = 40 };

enum fate { NOT_TAKEN, TAKEN, SENT, FAILED };

/* of one message, by its id */
static struct truth {
	int64_t sim_id;
	enum fate fate;
} truths[MESSAGES_MAX + 1];

static int64_t submitted;
static int64_t newest_taken[SIMS + 1]; /* by SIM */
static struct modem *modems[SIMS];
static int64_t card_in[SIMS]; /* by modem; 0: no card */
static const struct outbox_timing hasty = { 4, 1, 2, 1, 1 };
static unsigned first_seed, rounds = ROUNDS;

static bool chance(int percent)
{
	return rand() % 100 < percent;
}

static void insert_card(int place, int64_t sim_id)
{
	char iccid[16];

	card_in[place] = sim_id;
	snprintf(iccid, sizeof(iccid), "%lld", (long long)sim_id);
	fake_card(modems[place], iccid, "");
}

static void remove_card(int place)
{
	card_in[place] = 0;
	memset(&modems[place]->sim, 0, sizeof(modems[place]->sim));
	modems[place]->interfaces = MODEM_SIM_MANAGER;
	fake_changed(modems[place]);
}

static void uuid_of(int64_t id, char uuid[MESSAGE_UUID_BYTES])
{
	snprintf(uuid, MESSAGE_UUID_BYTES, "%040lld", (long long)id);
}

/* oFono puts it into its queue. */
static void take(int64_t id)
{
	struct truth *truth = &truths[id];

	assert_int_equal(truth->fate, NOT_TAKEN);
	assert_true(id > newest_taken[truth->sim_id]);
	truth->fate = TAKEN;
	newest_taken[truth->sim_id] = id;
}

static struct message_send *any_send(void)
{
	struct message_send *send;

	TAILQ_FOREACH (send, &fake_sends, link) {
		if (chance(50))
			break;
	}
	return send;
}

static void answer(void)
{
	struct message_send *send = any_send();
	char uuid[MESSAGE_UUID_BYTES];
	int64_t id;

	if (!send)
		return;
	id = atoll(send->text);
	uuid_of(id, uuid);
	switch (rand() % 8) {
	case 0:
		truths[id].fate = FAILED;
		fake_answer(send, SEND_REFUSED, "org.ofono.Error.Failed");
		break;
	case 1:
		fake_answer(send, SEND_NOT_HANDED, "x.NotSent");
		break;
	case 2:
		take(id);
		fake_answer(send, SEND_UNKNOWN, "org.freedesktop.DBus.Error.NoReply");
		break;
	case 3:
		fake_answer(send, SEND_UNKNOWN, "org.freedesktop.DBus.Error.NoReply");
		break;
	default:
		take(id);
		fake_answer(send, SEND_ACCEPTED, uuid);
		break;
	}
}

/* The first of oFono's queue for a card. 0: none. */
static int64_t queue_head(int64_t sim_id)
{
	int64_t id;

	for (id = 1; id <= submitted; id++) {
		if (truths[id].sim_id == sim_id && truths[id].fate == TAKEN)
			return id;
	}
	return 0;
}

/* A modem puts the head of its queue on the air; `told`: somebody is there to be told. */
static void transmit(int place, bool told)
{
	int64_t id = queue_head(card_in[place]);
	char uuid[MESSAGE_UUID_BYTES];

	if (!modems[place] || !id || !modem_can_send(modems[place]))
		return;
	truths[id].fate = chance(80) ? SENT : FAILED;
	uuid_of(id, uuid);
	if (told)
		fake_message_state(modems[place], uuid,
				   truths[id].fate == SENT ? MESSAGE_SENT
							   : MESSAGE_FAILED);
}

static void list(struct message_listing *listing)
{
	char uuids[MESSAGES_MAX][MESSAGE_UUID_BYTES];
	size_t count = 0;
	int64_t id;
	int place;

	for (place = 0; place < SIMS && modems[place] != listing->modem; place++)
		;
	assert_true(place < SIMS);
	for (id = 1; id <= submitted; id++) {
		if (truths[id].fate == TAKEN && truths[id].sim_id == card_in[place])
			uuid_of(id, uuids[count++]);
	}
	TAILQ_REMOVE(&fake_listings, listing, link);
	if (chance(20))
		listing->done(listing->data, NULL, 0);
	else
		listing->done(listing->data, uuids, count);
	free(listing);
}

static void swap_cards(int one, int other)
{
	int64_t card = card_in[one], other_card = card_in[other];

	if (!modems[one] || !modems[other] || one == other)
		return;
	remove_card(one);
	remove_card(other);
	if (other_card)
		insert_card(one, other_card);
	if (card)
		insert_card(other, card);
}

static void replace_modem(int place)
{
	static const char *const paths[SIMS] = { "/sim0", "/sim1", "/sim2" };
	int64_t card = card_in[place];

	fake_modem_remove(modems[place]);
	if (chance(50))
		turn();
	modems[place] = fake_modem_add(paths[place]);
	if (card)
		insert_card(place, card);
}

static void disturb(int place)
{
	switch (rand() % 5) {
	case 0:
		modems[place]->interfaces = MODEM_SIM_MANAGER;
		fake_changed(modems[place]);
		break;
	case 1:
		modems[place]->network.status[0] = '\0';
		fake_changed(modems[place]);
		break;
	case 2:
		replace_modem(place);
		break;
	case 3:
		swap_cards(place, rand() % SIMS);
		break;
	case 4:
		modems[place]->online = false;
		fake_changed(modems[place]);
		break;
	}
}

/* Killed: what was on the bus is executed or not, and oFono goes on meanwhile. */
static void restart(void)
{
	struct message_send *send;
	int place;

	TAILQ_FOREACH (send, &fake_sends, link) {
		if (chance(50))
			take(atoll(send->text));
	}
	fill_disk(false); /* a start needs the disk */
	bench_stop();
	for (place = 0; place < SIMS; place++) {
		if (chance(50))
			transmit(place, false);
	}
	assert_int_equal(bench_start(&hasty), 0);
}

static void submit_one(void)
{
	int64_t sim_id = 1 + rand() % SIMS, id;
	char text[24];

	if (submitted == MESSAGES_MAX)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)submitted + 1);
	if (try_submit(sim_id, text, &id))
		return;
	assert_int_equal(id, submitted + 1);
	truths[++submitted].sim_id = sim_id;
}

static void step(void)
{
	int place = rand() % SIMS, what = rand() % 100;

	if (what < 20)
		submit_one();
	else if (what < 45)
		answer();
	else if (what < 65)
		transmit(place, true);
	else if (what < 73 && !TAILQ_EMPTY(&fake_listings))
		list(TAILQ_FIRST(&fake_listings));
	else if (what < 80)
		disturb(place);
	else if (what < 90)
		fake_ready(modems[place]);
	else if (what < 92)
		restart();
	else if (what < 94)
		fill_disk(chance(50));
	else if (what < 97)
		turn_ms(2);
	else
		turn();
}

static void assert_one_call_per_sim(void)
{
	int64_t sims_seen = 0;
	struct message_send *send;

	TAILQ_FOREACH (send, &fake_sends, link) {
		int64_t bit = INT64_C(1) << truths[atoll(send->text)].sim_id;

		assert_false(sims_seen & bit);
		sims_seen |= bit;
	}
}

/* Everything works from here on. */
static void calm_down(void)
{
	int place, i;

	fill_disk(false);
	for (place = 0; place < SIMS; place++) {
		remove_card(place);
		fake_changed(modems[place]);
	}
	for (place = 0; place < SIMS; place++) {
		insert_card(place, place + 1);
		fake_ready(modems[place]);
	}
	for (i = 0; i < 20 * MESSAGES_MAX; i++) {
		turn_ms(i % 20 ? 0 : 2);
		answer();
		transmit(i % SIMS, true);
		if (!TAILQ_EMPTY(&fake_listings))
			list(TAILQ_FIRST(&fake_listings));
	}
}

static void assert_truth(int64_t id)
{
	enum message_state state = state_of(id);
	enum fate fate = truths[id].fate;

	if (!message_state_is_final(state))
		fail_msg("message %lld: %s at the end", (long long)id,
			 message_state_name(state));
	if ((state == STATE_SENT && fate != SENT) ||
	    (state == STATE_FAILED && (fate == SENT || fate == TAKEN)) ||
	    (fate == SENT && state != STATE_SENT && state != STATE_UNKNOWN) ||
	    (fate == FAILED && state != STATE_FAILED && state != STATE_UNKNOWN))
		fail_msg("message %lld: %s, but its fate is %d", (long long)id,
			 message_state_name(state), fate);
}

static void play(unsigned seed)
{
	int place, i;
	int64_t id;

	srand(seed);
	memset(truths, 0, sizeof(truths));
	memset(newest_taken, 0, sizeof(newest_taken));
	submitted = 0;
	outbox_set_timing(outbox, &hasty);
	for (place = 0; place < SIMS; place++) {
		modems[place] =
			fake_modem_add(place ? place == 1 ? "/sim1" : "/sim2" : "/sim0");
		insert_card(place, place + 1);
		fake_ready(modems[place]);
	}
	for (i = 0; i < STEPS; i++) {
		step();
		assert_one_call_per_sim();
	}
	calm_down();
	for (id = 1; id <= submitted; id++)
		assert_truth(id);
}

static void test_random(void **state)
{
	unsigned seed;

	(void)state;
	for (seed = first_seed; seed < first_seed + rounds; seed++) {
		print_message("seed %u\n", seed);
		assert_int_equal(bench_set_up(NULL), 0);
		play(seed);
		assert_int_equal(bench_tear_down(NULL), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

	if (argc > 1) {
		first_seed = (unsigned)atoi(argv[1]);
		rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	}
	log_set_level(argc > 1 ? LOG_LEVEL_INFO : 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
