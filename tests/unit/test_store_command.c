/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands of the owner: which codes count, that judging and storing are one commit, and how
 * wrong codes lock a number.
 */
#include "unit_test.h"
#include "base/clock.h"
#include "base/totp.h"
#include "store/store_command.h"
#include "store_bench.h"

#define NUMBER "+36201234567"
#define OTHER  "+36301234567"
#define NOW_MS INT64_C(1790000015000)

static const uint8_t secret[TOTP_SECRET_BYTES] = "12345678901234567890";

static struct {
	int64_t wall_ms, boot_ms;
} now;
static unsigned stamps;

static int64_t fake_wall(void)
{
	return now.wall_ms;
}

static int64_t fake_boot(void)
{
	return now.boot_ms;
}

static const struct clock_source fake_clock = { fake_boot, fake_wall, fake_boot };

static int set_up(void **state)
{
	now.wall_ms = NOW_MS;
	now.boot_ms = 1000;
	clock_set_source(&fake_clock);
	if (store_set_up(state))
		return -1;
	open_store();
	return store_command_enrol(store, NUMBER, secret);
}

static int tear_down(void **state)
{
	int error = store_tear_down(state);

	clock_set_source(NULL);
	return error;
}

static void pass(int64_t ms)
{
	now.wall_ms += ms;
	now.boot_ms += ms;
}

/* The code of so many steps after the present one. */
static const char *code_at(int ahead)
{
	static char code[TOTP_CODE_BYTES];

	assert_true(totp_write_code(secret, sizeof(secret),
				    now.wall_ms / TOTP_STEP_MS + ahead, TOTP_DIGITS,
				    code));
	return code;
}

/* A message comes that claims to be a command; its text and stamp are its own. */
static int come(const char *number, const char *code, struct store_incoming_entry *entry)
{
	static struct store_incoming_draft draft;
	static struct store_command_claim claim;
	static char text[32];

	claim = (struct store_command_claim){ .needs_code = true };
	strcpy(claim.number, number);
	strcpy(claim.code, code);
	snprintf(text, sizeof(text), "text %u", ++stamps);
	draft = (struct store_incoming_draft){
		.reported_ms = now.wall_ms,
		.number = number,
		.text = text,
		.sent_time = text,
		.flags = MESSAGE_ADDRESSES_AGENTS,
	};
	*entry = (struct store_incoming_entry){ .draft = &draft, .claim = &claim };
	return store_incoming_add_group(store, entry, 1);
}

static void assert_refused(const char *number, const char *code, const char *reason)
{
	struct store_incoming_entry entry;

	assert_int_equal(come(number, code, &entry), 0);
	assert_int_equal(entry.flags & (MESSAGE_COMMAND | MESSAGE_COMMAND_REFUSED),
			 MESSAGE_COMMAND | MESSAGE_COMMAND_REFUSED);
	assert_true(entry.flags & MESSAGE_ADDRESSES_AGENTS);
	assert_string_equal(entry.refusal, reason);
}

static void assert_accepted(const char *number, const char *code)
{
	struct store_incoming_entry entry;

	assert_int_equal(come(number, code, &entry), 0);
	assert_null(entry.refusal);
	assert_int_equal(entry.flags, MESSAGE_COMMAND | MESSAGE_CODE_PROVED);
}

FIXTURE(set_up, tear_down)

TEST(test_a_right_code_counts_once_and_no_earlier_one_after_it)
{
	assert_accepted(NUMBER, code_at(0));
	assert_refused(NUMBER, code_at(0), "code_used");
	assert_refused(NUMBER, code_at(-1), "code_used");
	reopen_store();
	assert_refused(NUMBER, code_at(0), "code_used");
	assert_accepted(NUMBER, code_at(1));
	assert_int_equal(sql("SELECT count(*) FROM message"), 5);
	/* only accepted ones are in the feed as commands */
	assert_int_equal(sql("SELECT count(*) FROM feed WHERE type = 10"), 2);
}

TEST(test_a_code_that_could_not_be_stored_can_be_used_again)
{
	struct store_incoming_entry entry;

	fill_disk(true);
	assert_int_equal(come(NUMBER, code_at(0), &entry), STORE_E_FULL);
	fill_disk(false);
	assert_accepted(NUMBER, code_at(0));
}

TEST(test_a_repeat_of_the_network_uses_no_code)
{
	struct store_incoming_entry entry;

	assert_int_equal(come(NUMBER, code_at(0), &entry), 0);
	entry.known = false;
	assert_int_equal(store_incoming_add_group(store, &entry, 1), 0);
	assert_true(entry.known);
	assert_int_equal(sql("SELECT count(*) FROM audit WHERE event LIKE 'command%'"),
			 1);
}

TEST(test_five_wrong_codes_within_an_hour_lock_a_number_for_an_hour)
{
	struct store_command_sender sender;

	assert_int_equal(store_command_enrol(store, OTHER, secret), 0);
	for (int i = 0; i < STORE_COMMAND_WRONG_MAX; i++) {
		assert_refused(NUMBER, code_at(40), "wrong_code");
		pass(60 * 1000);
	}
	assert_refused(NUMBER, code_at(0), "locked");
	reopen_store();
	assert_int_equal(store_command_find(store, NUMBER, &sender), 0);
	assert_int_equal(sender.locked_until_ms,
			 now.wall_ms - 60 * 1000 + STORE_COMMAND_LOCKED_MS);
	now.wall_ms += 10 * STORE_COMMAND_LOCKED_MS; /* it is only set */
	assert_refused(NUMBER, code_at(0), "locked");
	assert_accepted(OTHER, code_at(0));
	pass(STORE_COMMAND_LOCKED_MS);
	assert_accepted(NUMBER, code_at(0));
}

TEST(test_wrong_codes_are_forgotten_after_an_hour)
{
	for (int i = 0; i < 3 * STORE_COMMAND_WRONG_MAX; i++) {
		assert_refused(NUMBER, code_at(40), "wrong_code");
		pass(STORE_COMMAND_LOCKED_MS / (STORE_COMMAND_WRONG_MAX - 1));
	}
	assert_accepted(NUMBER, code_at(0));
}

TEST(test_other_refusals_lock_nothing)
{
	assert_accepted(NUMBER, code_at(0));
	for (int i = 0; i < 2 * STORE_COMMAND_WRONG_MAX; i++) {
		assert_refused(NUMBER, "", "no_code");
		assert_refused(NUMBER, code_at(0), "code_used");
		assert_refused(OTHER, code_at(1), "not_enrolled");
	}
	assert_accepted(NUMBER, code_at(1));
}

TEST(test_without_a_clock_no_code_counts)
{
	now.wall_ms = 1000 * 1000;
	assert_refused(NUMBER, code_at(0), "clock_wrong");
}

TEST(test_a_new_secret_ends_the_old_one_and_a_lock)
{
	uint8_t fresh[TOTP_SECRET_BYTES];

	assert_true(totp_make_secret(fresh));
	for (int i = 0; i < STORE_COMMAND_WRONG_MAX; i++)
		assert_refused(NUMBER, code_at(40), "wrong_code");
	assert_int_equal(store_command_enrol(store, NUMBER, fresh), 0);
	assert_refused(NUMBER, code_at(0), "wrong_code");
	assert_int_equal(store_command_enrol(store, NUMBER, secret), 0);
	assert_accepted(NUMBER, code_at(0));
	assert_int_equal(store_command_remove(store, NUMBER), 0);
	assert_int_equal(store_command_remove(store, NUMBER), STORE_E_NOT_FOUND);
	assert_refused(NUMBER, code_at(1), "not_enrolled");
}

TEST(test_an_answer_waits_until_it_was_acted_on)
{
	struct store_command_claim claim = { .is_answer = true, .approves = true };
	struct store_incoming_draft draft = { .reported_ms = NOW_MS,
					      .number = NUMBER,
					      .text = "YES 4711",
					      .sent_time = "" };
	struct store_incoming_entry entry = { .draft = &draft, .claim = &claim };
	struct store_command_answer answer;

	strcpy(claim.number, NUMBER);
	claim.approval_number = 4711;
	assert_int_equal(store_command_next_answer(store, &answer), STORE_E_NOT_FOUND);
	assert_int_equal(store_incoming_add_group(store, &entry, 1), 0);
	reopen_store();
	assert_int_equal(store_command_next_answer(store, &answer), 0);
	assert_int_equal(answer.message_id, entry.message_id);
	assert_int_equal(answer.approval_number, 4711);
	assert_true(answer.approves);
	assert_string_equal(answer.number, NUMBER);
	assert_int_equal(store_command_end_answer(store, answer.message_id), 0);
	assert_int_equal(store_command_next_answer(store, &answer), STORE_E_NOT_FOUND);
}
