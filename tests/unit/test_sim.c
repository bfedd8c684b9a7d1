/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real sims and store; oFono is the fake of fake_ofono.h. */
#include "unit_test.h"
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "fake_ofono.h"
#include "phone/sim.h"
#include "patience.h"
#include "scratch.h"

static char folder[64];
static sd_event *loop;
static struct store *store;
static struct sims *sims;
static struct observer watcher;
static unsigned states, settled, voicemails;

static int remove_entry(const char *name, const struct stat *status, int type,
			struct FTW *place)
{
	return remove(name);
}

static void on_event(void *data, const void *event_data)
{
	const struct sims_event *event = event_data;

	if (event->type == SIMS_STATE)
		states++;
	else if (event->type == SIMS_SETTLED)
		settled++;
	else
		voicemails++;
}

static int set_up(void **state)
{
	struct explanation error;

	fake_init();
	if (!mkdtemp(scratch_template(folder, sizeof(folder), "test_sim")) ||
	    sd_event_new(&loop) < 0 || store_open(folder, &store, &error) ||
	    sims_new(loop, &fake_ofono, store, &sims))
		return -1;
	observer_add(sims_observers(sims), &watcher, on_event, NULL);
	states = settled = voicemails = 0;
	return 0;
}

static int tear_down(void **state)
{
	observer_remove(&watcher);
	sims_free(sims);
	store_close(store);
	sd_event_unref(loop);
	fake_deinit();
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Runs the loop until nothing happens for 150 ms. */
static void settle(void)
{
	while (sd_event_run(loop, 150000) > 0)
		;
}

static const struct sim *only_sim(void)
{
	assert_int_equal(sims_count(sims), 1);
	return TAILQ_FIRST(sims_list(sims));
}

FIXTURE(set_up, tear_down)

TEST(test_the_states_of_a_card_from_power_up_to_removal)
{
	struct modem *modem = fake_modem_add("/sim0");

	assert_int_equal(sims_count(sims), 0);
	fake_card(modem, "8936001", "");
	strcpy(modem->sim.pin_required, "pin");
	modem->powered = true;
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_LOCKED);
	assert_int_equal(only_sim()->id, 1);
	assert_ptr_equal(only_sim()->modem, modem);
	strcpy(modem->sim.pin_required, "none");
	strcpy(modem->sim.subscriber_identity, "21601");
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_OFFLINE);
	modem->online = true;
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_STARTING);
	modem->interfaces = MODEM_SIM_MANAGER | MODEM_MESSAGE_MANAGER;
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_SEARCHING);
	strcpy(modem->network.status, "searching");
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_SEARCHING);
	strcpy(modem->network.status, "roaming");
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_READY);
	assert_int_equal(states, 5); /* "searching" is no difference */
	assert_int_equal(settled, 0);
	settle();
	assert_int_equal(settled, 1);
	memset(&modem->sim, 0, sizeof(modem->sim));
	fake_changed(modem);
	assert_int_equal(sims_count(sims), 0);
	assert_int_equal(states, 6);
	assert_null(sims_find(sims, 1));
	assert_true(sims_knows(sims, 1));
	assert_false(sims_knows(sims, 2));
	settle();
	assert_int_equal(settled, 2);
}

/* Reported after the list, alone when only voicemail differs, and never without a difference. */
TEST(test_voicemail_is_reported_after_the_list)
{
	struct modem *modem = fake_modem_ready("/sim0", "8936001");

	fake_changed(modem);
	settle();
	assert_int_equal(settled, 1);
	assert_int_equal(voicemails, 1); /* another card in the list */
	modem->voicemail = (struct modem_voicemail){ .known = true, .waiting = true };
	fake_changed(modem);
	assert_true(only_sim()->voicemail.waiting);
	assert_int_equal(voicemails, 1);
	settle();
	assert_int_equal(voicemails, 2);
	modem->voicemail.count = 2;
	fake_changed(modem);
	modem->voicemail.count = 0;
	fake_changed(modem);
	settle();
	assert_int_equal(voicemails, 2);
	assert_int_equal(settled, 1);
	assert_int_equal(states, 1);
}

TEST(test_a_locked_card_shows_as_locked)
{
	static const struct {
		const char *word;
		bool locks;
	} words[] = {
		{ "", false },	   { "none", false },	{ "pin2", false },
		{ "puk2", false }, { "pin", true },	{ "puk", true },
		{ "phone", true }, { "network", true }, { "service", true },
	};
	struct modem *modem = fake_modem_ready("/sim0", "8936001");
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		strcpy(modem->sim.pin_required, words[i].word);
		fake_changed(modem);
		assert_int_equal(only_sim()->state == SIM_LOCKED, words[i].locks);
	}
}

TEST(test_a_card_without_identity_is_not_listed)
{
	struct modem *modem = fake_modem_ready("/sim0", "");

	assert_int_equal(sims_count(sims), 0);
	strcpy(modem->sim.subscriber_identity, "21601");
	fake_changed(modem);
	assert_int_equal(only_sim()->id, 1);
	strcpy(modem->sim.card_identifier, "8936001");
	fake_changed(modem);
	assert_int_equal(only_sim()->id, 1);
	assert_int_equal(states, 1);
	modem->sim.present = false;
	fake_changed(modem);
	assert_int_equal(sims_count(sims), 0);
}

TEST(test_cards_are_listed_in_order_of_slot)
{
	struct modem *foreign = fake_modem_add("/hfp/phone");
	struct modem *empty, *modem;

	strcpy(foreign->type, "hfp");
	fake_card(foreign, "8936009", "");
	empty = fake_modem_add("/sim0");
	empty->sim.known = true;
	modem = fake_modem_ready("/sim1", "8936001");
	assert_int_equal(only_sim()->slot, 1);
	fake_modem_remove(empty);
	assert_int_equal(only_sim()->slot, 0);
	assert_int_equal(states, 1); /* a slot does not matter for sending, */
	settle();
	assert_int_equal(settled, 1);
	fake_modem_remove(foreign);
	fake_modem_remove(modem);
	assert_int_equal(sims_count(sims), 0);
}

TEST(test_new_cards_get_their_ids_in_the_order_of_their_modems)
{
	struct modem *one = fake_modem_add("/sim0");
	struct modem *two = fake_modem_ready("/sim1", "8936002");

	assert_int_equal(sims_count(sims), 0);
	one->sim.known = one->sim.present = true; /* its identity is not read yet */
	fake_changed(one);
	assert_int_equal(sims_count(sims), 0);
	fake_card(one, "8936001", "");
	fake_changed(one);
	assert_ptr_equal(sims_find(sims, 1)->modem, one);
	assert_ptr_equal(sims_find(sims, 2)->modem, two);
}

TEST(test_an_earlier_remembered_card_gets_the_first_id)
{
	struct modem *one = fake_modem_add("/sim0");

	fake_modem_ready("/sim1", "8936002");
	strcpy(one->remembered.card_identifier, "8936001");
	fake_changed(one);
	assert_ptr_equal(sims_find(sims, 1)->modem, one);
	assert_int_equal(sims_count(sims), 2);
}

TEST(test_a_card_does_not_wait_for_a_modem_without_one)
{
	struct modem *one = fake_modem_add("/sim0");

	fake_modem_ready("/sim1", "8936002");
	one->sim.known = true;
	fake_changed(one);
	assert_int_equal(only_sim()->id, 1);
}

TEST(test_a_card_does_not_wait_for_a_modem_that_goes)
{
	struct modem *one = fake_modem_add("/sim0");

	fake_modem_ready("/sim1", "8936002");
	fake_modem_remove(one);
	assert_int_equal(only_sim()->id, 1);
}

TEST(test_a_known_card_does_not_wait_for_earlier_modems)
{
	int64_t sim_id;

	assert_int_equal(store_sim_identify(store, "8936002", "", &sim_id), 0);
	fake_modem_add("/sim0");
	fake_modem_ready("/sim1", "8936002");
	assert_int_equal(only_sim()->id, sim_id);
}

/* As for a message that arrives for it. */
TEST(test_a_card_that_is_identified_waits_no_more)
{
	struct modem *one = fake_modem_add("/sim0");
	struct modem *two = fake_modem_ready("/sim1", "8936002");

	assert_int_equal(sims_count(sims), 0);
	assert_int_equal(sims_identify(sims, &two->sim), 1);
	fake_changed(two);
	assert_int_equal(only_sim()->id, 1);
	fake_card(one, "8936001", "");
	fake_changed(one);
	assert_ptr_equal(sims_find(sims, 2)->modem, one);
}

TEST(test_a_card_waits_for_earlier_modems_only_for_a_time)
{
	fake_modem_add("/sim0");
	fake_modem_ready("/sim1", "8936002");
	assert_int_equal(sims_count(sims), 0);
	while (!sims_count(sims))
		assert_true(sd_event_run(loop, patience_us(60 * 1000000)) > 0);
	assert_int_equal(only_sim()->id, 1);
	fake_modem_ready("/sim2", "8936003"); /* waits no more for /sim0 */
	assert_int_equal(sims_count(sims), 2);
}

/* A modem that uses one of two card slots. */
TEST(test_a_modem_with_two_card_slots_takes_two_slots)
{
	struct modem *one = fake_modem_ready("/sim0", "8936001");

	fake_modem_ready("/sim1", "8936002");
	one->card_slots = one->sim.card_slots = one->sim.active_slot = 2;
	fake_changed(one);
	assert_int_equal(sims_find(sims, 1)->slot, 1);
	assert_int_equal(sims_find(sims, 2)->slot, 2);
	one->sim.active_slot = 1;
	strcpy(one->sim.card_identifier, "8936003");
	fake_changed(one);
	assert_null(sims_find(sims, 1));
	assert_int_equal(sims_find(sims, 3)->slot, 0);
	one->sim.active_slot = 9; /* it has no such slot */
	fake_changed(one);
	assert_int_equal(sims_find(sims, 3)->slot, 0);
	memset(&one->sim, 0, sizeof(one->sim)); /* off: its slots stay */
	fake_changed(one);
	assert_int_equal(only_sim()->slot, 2);
}

static struct modem *remembering_modem(const char *path, const char *iccid)
{
	struct modem *modem = fake_modem_add(path);

	strcpy(modem->remembered.card_identifier, iccid);
	strcpy(modem->remembered.service_provider_name, "Provider");
	fake_changed(modem);
	return modem;
}

TEST(test_a_remembered_card_shows_as_modem_off)
{
	struct modem *modem = remembering_modem("/sim0", "8936001");

	assert_int_equal(only_sim()->id, 1);
	assert_int_equal(only_sim()->state, SIM_OFF);
	assert_string_equal(only_sim()->display_name, "Provider");
	modem->powered = true;
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_STARTING);
	fake_card(modem, "8936001", "");
	fake_ready(modem);
	assert_int_equal(only_sim()->id, 1);
	assert_int_equal(only_sim()->state, SIM_READY);
	modem->sim.present = false; /* SimManager says that the card is out */
	memset(modem->sim.card_identifier, 0, sizeof(modem->sim.card_identifier));
	fake_changed(modem);
	assert_int_equal(sims_count(sims), 0);
}

/* Which card is in the newly active slot is unknown. */
TEST(test_a_card_remembered_from_another_slot_is_ignored)
{
	struct modem *modem = remembering_modem("/sim0", "8936001");

	modem->powered = true;
	modem->interfaces = MODEM_SIM_MANAGER;
	modem->card_slots = modem->sim.card_slots = modem->sim.active_slot = 2;
	fake_changed(modem);
	assert_int_equal(sims_count(sims), 0);
}

/* The card moved while the first modem was off. */
TEST(test_a_present_card_precedes_a_remembered_one)
{
	struct modem *one = remembering_modem("/sim0", "8936001");
	struct modem *two = fake_modem_ready("/sim1", "8936001");

	assert_ptr_equal(only_sim()->modem, two);
	assert_int_equal(only_sim()->state, SIM_READY);
	assert_int_equal(only_sim()->slot, 1);
	fake_modem_remove(two);
	assert_ptr_equal(only_sim()->modem, one);
	assert_int_equal(only_sim()->state, SIM_OFF);
}

/* The first modem is off. */
TEST(test_a_remembered_card_keeps_its_slot)
{
	const struct sim *first;

	remembering_modem("/sim0", "8936001");
	fake_modem_ready("/sim1", "8936002");
	first = TAILQ_FIRST(sims_list(sims));
	assert_int_equal(first->id, 1);
	assert_int_equal(TAILQ_NEXT(first, link)->id, 2);
}

TEST(test_one_card_in_two_modems_is_a_duplicate)
{
	struct modem *one = fake_modem_ready("/sim0", "8936001");

	fake_modem_ready("/sim1", "8936001");
	assert_int_equal(only_sim()->slot, 0);
	assert_ptr_equal(only_sim()->modem, one);
	assert_int_equal(only_sim()->state, SIM_DUPLICATE);
	fake_modem_remove(one);
	assert_int_equal(only_sim()->id, 1);
	assert_string_equal(only_sim()->modem->path, "/sim1");
	assert_int_equal(only_sim()->state, SIM_READY);
}

TEST(test_a_stuck_sim_is_no_longer_ready)
{
	struct modem *modem = fake_modem_ready("/sim0", "8936001");

	sims_set_stuck(sims, 1, true);
	assert_int_equal(only_sim()->state, SIM_STUCK);
	modem->online = false;
	fake_changed(modem);
	assert_int_equal(only_sim()->state, SIM_OFFLINE);
	fake_ready(modem);
	assert_int_equal(only_sim()->state, SIM_STUCK);
	sims_set_stuck(sims, 1, false);
	assert_int_equal(only_sim()->state, SIM_READY);
	sims_set_stuck(sims, 1, true);
	fake_modem_remove(modem);
	fake_modem_ready("/sim0", "8936001");
	assert_int_equal(only_sim()->state, SIM_READY);
	sims_set_stuck(sims, 7, true); /* unknown card */
}

TEST(test_the_carrier_name_falls_back_to_the_card_and_the_codes)
{
	struct modem *modem = fake_modem_ready("/sim0", "8936001");

	assert_string_equal(only_sim()->carrier_name, "");
	assert_string_equal(only_sim()->display_name, "SIM 1");
	strcpy(modem->sim.mobile_country_code, "216");
	strcpy(modem->sim.mobile_network_code, "70");
	fake_changed(modem);
	assert_string_equal(only_sim()->carrier_name, "21670");
	strcpy(modem->network.mobile_country_code, "262");
	strcpy(modem->network.mobile_network_code, "01");
	fake_changed(modem);
	assert_string_equal(only_sim()->carrier_name, "26201");
	assert_string_equal(only_sim()->display_name, "26201");
	strcpy(modem->sim.service_provider_name, "Card");
	fake_changed(modem);
	assert_string_equal(only_sim()->carrier_name, "Card");
	assert_string_equal(only_sim()->display_name, "Card");
	strcpy(modem->network.name, "Network");
	fake_changed(modem);
	assert_string_equal(only_sim()->carrier_name, "Network");
	assert_string_equal(only_sim()->display_name, "Card");
	modem->sim.service_provider_name[0] = '\0';
	fake_changed(modem);
	assert_string_equal(only_sim()->display_name, "Network");
	assert_int_equal(states, 1);
	settle();
	assert_int_equal(settled, 1);
}

TEST(test_equal_display_names_get_the_slot)
{
	static const char *const paths[] = { "/sim0", "/sim1", "/sim2", "/sim3" };
	static const char *const cards[] = { "1", "2", "3", "4" };
	static const char *const carriers[] = { "Same", "Other", "Same", "Same" };
	static const char *const names[] = { "Same (SIM 1)", "Other", "Same (SIM 3)",
					     "Same (SIM 4)" };
	const struct sim *sim;
	int i;

	for (i = 0; i < 4; i++) {
		struct modem *modem = fake_modem_ready(paths[i], cards[i]);

		strcpy(modem->network.name, carriers[i]);
		fake_changed(modem);
	}
	i = 0;
	TAILQ_FOREACH (sim, sims_list(sims), link)
		assert_string_equal(sim->display_name, names[i++]);
}

TEST(test_the_longest_names_fit)
{
	struct modem *modem;
	const struct sim *sim;
	int i;

	for (i = 0; i < 2; i++) {
		modem = fake_modem_ready(i ? "/sim1" : "/sim0", i ? "2" : "1");
		memset(modem->sim.service_provider_name, 'x',
		       sizeof(modem->sim.service_provider_name) - 1);
		fake_changed(modem);
	}
	TAILQ_FOREACH (sim, sims_list(sims), link)
		assert_int_equal(strlen(sim->display_name), 63 + strlen(" (SIM 1)"));
}

/* A burst that ends where it began. */
TEST(test_a_burst_without_effect_is_not_reported)
{
	struct modem *modem = fake_modem_ready("/sim0", "8936001");
	unsigned i;

	settle();
	assert_int_equal(settled, 1);
	states = 0;
	for (i = 0; i < 10; i++) {
		modem->online = i % 2;
		fake_changed(modem);
	}
	assert_int_equal(states, 10);
	settle();
	assert_int_equal(settled, 1);
	modem->online = false;
	fake_changed(modem);
	settle();
	assert_int_equal(settled, 2);
	modem->network.strength = 77; /* no difference */
	fake_changed(modem);
	settle();
	assert_int_equal(settled, 2);
}

TEST(test_roaming_and_own_number_are_shown)
{
	struct modem *modem = fake_modem_ready("/sim0", "8936001");

	settle();
	assert_false(only_sim()->roaming);
	strcpy(modem->network.status, "roaming");
	fake_changed(modem);
	assert_true(only_sim()->roaming);
	settle();
	assert_int_equal(settled, 2);
	strcpy(modem->sim.own_number, "+36201234567");
	fake_changed(modem);
	assert_string_equal(only_sim()->own_number, "+36201234567");
	settle();
	assert_int_equal(settled, 3);
}

/* They are reported as settled, too. */
TEST(test_modems_that_exist_at_the_start_are_listed)
{
	fake_modem_ready("/sim0", "8936001");
	observer_remove(&watcher);
	sims_free(sims);
	assert_int_equal(sims_new(loop, &fake_ofono, store, &sims), 0);
	observer_add(sims_observers(sims), &watcher, on_event, NULL);
	assert_int_equal(only_sim()->state, SIM_READY);
	settle();
	assert_int_equal(settled, 1);
}

/* The cache is full; the store knows the IDs. */
TEST(test_more_cards_than_are_cached_keep_their_ids)
{
	struct modem *modem = fake_modem_add("/sim0");
	char iccid[16];
	int round, card;

	for (round = 0; round < 2; round++) {
		for (card = 1; card <= 100; card++) {
			snprintf(iccid, sizeof(iccid), "8936%03d", card);
			fake_card(modem, iccid, "");
			fake_changed(modem);
			assert_int_equal(only_sim()->id, card);
		}
	}
}

TEST(test_every_state_has_a_name)
{
	assert_string_equal(sim_state_name(SIM_READY), "ready");
	assert_string_equal(sim_state_name(SIM_SEARCHING), "searching");
	assert_string_equal(sim_state_name(SIM_OFFLINE), "offline");
	assert_string_equal(sim_state_name(SIM_STARTING), "starting");
	assert_string_equal(sim_state_name(SIM_LOCKED), "locked");
	assert_string_equal(sim_state_name(SIM_DUPLICATE), "duplicate");
	assert_string_equal(sim_state_name(SIM_STUCK), "stuck");
	assert_string_equal(sim_state_name(SIM_OFF), "modem_off");
	assert_string_equal(sim_state_name(SIM_ABSENT), "absent");
}
