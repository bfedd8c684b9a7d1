/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"
#include "base/clock.h"
#include "store/store_party.h"
#include "store/store_restore.h"
#include "store_bench.h"

#define NUMBER "+36201234567"

static int64_t hungarian;
static int64_t told_ms;

static int set_up(void **state)
{
	if (store_set_up_with_cards(state))
		return -1;
	hungarian = identify("8936", "216300000000001");
	told_ms = 1790000000000;
	return 0;
}

/* Each has its own text: the same stamp and text would be a repeat. */
static int come(const char *number, enum opt opt)
{
	char stamp[32];
	struct store_incoming_draft draft = {
		.sim_id = hungarian,
		.reported_ms = ++told_ms,
		.number = number,
		.text = "whatever",
		.sent_time = stamp,
		.opt = opt,
		.opt_word = opt == OPT_NONE ? NULL : "stop",
	};
	int64_t message_id;
	bool known;

	snprintf(stamp, sizeof(stamp), "%lld", (long long)told_ms);
	return step_add_incoming(store, &draft, &message_id, &known);
}

FIXTURE(set_up, store_tear_down)

TEST(test_start_ends_a_stop)
{
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), STORE_E_NOT_FOUND);
	assert_int_equal(come(NUMBER, OPT_NONE), 0);
	assert_int_equal(come(NUMBER, OPT_IN), 0); /* nothing to end */
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), STORE_E_NOT_FOUND);
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, "+36201234568"),
			 STORE_E_NOT_FOUND);
	assert_int_equal(come("+36201234568", OPT_IN), 0);
	assert_int_equal(come(NUMBER, OPT_NONE), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), 0);
	reopen_store();
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), 0);
	assert_int_equal(come(NUMBER, OPT_IN), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), STORE_E_NOT_FOUND);
	assert_int_equal(sql("SELECT count(*) FROM opt_out"), 0);
}

static bool follows(int64_t id, int64_t created_ms)
{
	const struct message message = { .id = id,
					 .created_ms = created_ms,
					 .number = NUMBER };

	return store_party_opted_out_since(store, &message);
}

/*
 * By message ID, whatever the clock said; by time where the STOP is of another message
 * store.
 */
TEST(test_messages_accepted_before_the_stop_are_recognised)
{
	int64_t stop_id;

	assert_false(follows(1, 1));
	assert_int_equal(come("+36201234568", OPT_NONE), 0);
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	stop_id = sql("SELECT max(id) FROM message");
	assert_int_equal(come(NUMBER, OPT_OUT), 0); /* the first STOP counts */
	assert_true(follows(stop_id - 1, told_ms + CLOCK_MS_PER_DAY));
	assert_false(follows(stop_id + 1, told_ms - CLOCK_MS_PER_DAY));
	assert_int_equal(sql("UPDATE opt_out SET message_id = 0 RETURNING 0"), 0);
	assert_true(follows(stop_id + 1, told_ms - CLOCK_MS_PER_DAY));
	assert_false(follows(stop_id - 1, told_ms + CLOCK_MS_PER_DAY));
}

TEST(test_an_opt_out_holds_for_every_spelling)
{
	static const char *const spellings[] = { NUMBER, "0036201234567", "06201234567",
						 "36201234567" };

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(come(spellings[i], OPT_OUT), 0);
		for (size_t at = 0; at < 4; at++)
			assert_int_equal(
				store_party_has_opted_out(store, 0, spellings[at]), 0);
		assert_int_equal(sql("SELECT count(*) FROM opt_out"), 1);
		assert_int_equal(come(spellings[(i + 1) % 4], OPT_IN), 0);
		assert_int_equal(store_party_has_opted_out(store, 0, spellings[i]),
				 STORE_E_NOT_FOUND);
	}
}

/* The country of the sending SIM counts, however many others there are. */
TEST(test_the_country_of_the_sending_sim_decides)
{
	static const struct {
		const char *iccid, *imsi, *number, *form;
	} cards[] = {
		{ "1", "262010000000001", "015112345678", "+4915112345678" },
		{ "2", "232010000000001", "0664123456", "+43664123456" },
		{ "3", "208010000000001", "0612345678", "+33612345678" },
		{ "4", "310260000000001", "2125551234", "+12125551234" },
		{ "5", "234150000000001", "07400123456", "+447400123456" },
		{ "6", "250010000000001", "89161234567", "+79161234567" },
		{ "7", "440100000000001", "09012345678", "+819012345678" },
	};
	int64_t sims[7];

	for (size_t i = 0; i < 7; i++)
		sims[i] = identify(cards[i].iccid, cards[i].imsi);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(come(cards[i].form, OPT_OUT), 0);
		assert_int_equal(
			store_party_has_opted_out(store, sims[i], cards[i].number), 0);
		assert_int_equal(store_party_has_opted_out(store, 0, cards[i].form), 0);
		assert_int_equal(come(cards[i].form, OPT_IN), 0);
		assert_int_equal(
			store_party_has_opted_out(store, sims[i], cards[i].number),
			STORE_E_NOT_FOUND);
	}
	/* another SIM, another person */
	assert_int_equal(come("+33612345678", OPT_OUT), 0);
	assert_int_equal(store_party_has_opted_out(store, sims[0], "0612345678"),
			 STORE_E_NOT_FOUND);
}

static int lines(const char *event)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "SELECT count(*) FROM audit WHERE event = '%s' AND detail = "
		 "'{\"number\":\"" NUMBER "\"}'",
		 event);
	return (int)sql(text);
}

/* One line for each change, in one spelling; a repeat adds none. */
TEST(test_the_audit_records_each_change_once)
{
	assert_int_equal(come(NUMBER, OPT_IN), 0); /* nothing to end */
	assert_int_equal(come("06201234567", OPT_OUT), 0);
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	assert_int_equal(come(NUMBER, OPT_NONE), 0);
	assert_int_equal(come("Bank", OPT_OUT), 0);
	assert_int_equal(lines("opted_out"), 1);
	assert_int_equal(lines("opted_in"), 0);
	assert_int_equal(come("0036201234567", OPT_IN), 0);
	assert_int_equal(come(NUMBER, OPT_IN), 0);
	assert_int_equal(lines("opted_in"), 1);
	assert_int_equal(sql("SELECT count(*) FROM audit"), 2);
}

/* Nothing can be sent to a name. */
TEST(test_names_cannot_opt_out)
{
	assert_int_equal(come("Bank", OPT_OUT), 0);
	assert_int_equal(come("", OPT_OUT), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, "Bank"), STORE_E_NOT_FOUND);
	assert_int_equal(sql("SELECT count(*) FROM opt_out"), 0);
}

/* The message and its opt-out are both stored, or neither is. */
TEST(test_message_and_opt_out_are_one_commit)
{
	fill_disk(true);
	assert_int_not_equal(come(NUMBER, OPT_OUT), 0);
	fill_disk(false);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), STORE_E_NOT_FOUND);
	assert_int_equal(sql("SELECT count(*) FROM message"), 0);
	assert_int_equal(lines("opted_out"), 0);
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), 0);
	assert_int_equal(lines("opted_out"), 1);
}

TEST(test_an_opt_out_is_confirmed_once)
{
	assert_false(store_party_confirm_opt_out(store, hungarian, NUMBER));
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	assert_true(store_party_confirm_opt_out(store, hungarian, "06201234567"));
	assert_false(store_party_confirm_opt_out(store, hungarian, NUMBER));
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	reopen_store();
	assert_false(store_party_confirm_opt_out(store, hungarian, NUMBER));
	assert_int_equal(come(NUMBER, OPT_IN), 0);
	assert_false(store_party_confirm_opt_out(store, hungarian, NUMBER));
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	assert_true(store_party_confirm_opt_out(store, hungarian, NUMBER));
	assert_false(store_party_confirm_opt_out(store, hungarian, "Bank"));
}

static void restore(const char *file)
{
	struct store_restore restore = { .folder = folder, .file = file };
	struct store_restore_result restored;
	struct explanation error = { "" };

	store_close(store);
	store = NULL;
	if (store_restore(&restore, &restored, &error))
		fail_msg("%s", error.text);
	open_store();
}

/* Opt-outs since the backup and before it; also where rows have the same ID. */
TEST(test_a_restore_keeps_opt_outs_of_both)
{
	char file[96], text[160];

	snprintf(file, sizeof(file), "%s/backup.db", root);
	assert_int_equal(come("+36301111111", OPT_OUT), 0);
	snprintf(text, sizeof(text), "VACUUM INTO '%s'", file);
	sql(text);
	assert_int_equal(come("+36301111111", OPT_IN), 0);
	assert_int_equal(come(NUMBER, OPT_OUT), 0);
	restore(file);
	assert_int_equal(store_party_has_opted_out(store, 0, NUMBER), 0);
	assert_int_equal(store_party_has_opted_out(store, 0, "+36301111111"), 0);
}
