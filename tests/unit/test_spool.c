/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spool, inbox, SIMs, store and the folder are real; oFono (fake_ofono.h) is fake. */
#include "unit_test.h"
#include <dirent.h>

#include "inbox_bench.h"
#include "sample.h"
#include "sms/spool.h"
#include "sms/spool_file.h"

#define UUID   "0123456789ABCDEF0123456789ABCDEF01234567"
#define NAME   "01790000000000000000-" UUID ".sms"
#define LATER  "01790000001000000000-" UUID ".sms"
#define LATEST "01790000002000000000-" UUID ".sms"

/* The parts of a valid file. */
#define HEAD  "{\"format\":1,\"received_ms\":1790000000000,\"modem\":\"/sim0\","
#define CARD  "\"imsi\":\"216301\",\"uuid\":\"" UUID "\","
#define WHO   "\"sender\":\"+36201234567\",\"sent_time\":\"" STAMP "\","
#define HELLO "\"text\":\"hello\"}\n"
#define GOOD  HEAD CARD WHO HELLO

static struct spool *spool;
static char spool_folder[96];

static void start(void)
{
	assert_int_equal(spool_new(loop, spool_folder, inbox, &spool), 0);
	spool_set_retry(spool, 1);
}

static void stop(void)
{
	spool_free(spool);
	spool = NULL;
}

static int set_up(void **state)
{
	if (inbox_set_up(state))
		return -1;
	snprintf(spool_folder, sizeof(spool_folder), "%s/spool", root);
	start();
	return 0;
}

static int tear_down(void **state)
{
	stop();
	return inbox_tear_down(state);
}

/* Runs the loop until nothing is left to do. */
static void run(void)
{
	while (sd_event_run(loop, 30 * 1000) > 0)
		;
}

static const char *file_path(const char *name)
{
	static char file[512];

	snprintf(file, sizeof(file), "%s/%s", spool_folder, name);
	return file;
}

static bool is_there(const char *name)
{
	struct stat status;

	return lstat(file_path(name), &status) == 0;
}

static int count_files(void)
{
	DIR *entries = opendir(spool_folder);
	int count = -2; /* . and .. */

	assert_non_null(entries);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}

/* As the plugin writes it. */
static void put_bytes(const char *name, const char *bytes, size_t length)
{
	char unfinished[512];
	FILE *out;

	mkdir(spool_folder, 0700);
	strcpy(unfinished, file_path(".incoming.tmp"));
	out = fopen(unfinished, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, length, out), length);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(rename(unfinished, file_path(name)), 0);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static void assert_rows(int count, int repeats)
{
	assert_int_equal(sql("SELECT count(*) FROM message"), count);
	if (count)
		assert_int_equal(sql("SELECT repeats FROM message WHERE id = 1"),
				 repeats);
}

FIXTURE(set_up, tear_down)

TEST(test_a_file_is_stored_and_removed)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message;

	put(NAME, HEAD CARD WHO "\"text\":\"Hi \\uF600 \\\"\\n\"}");
	run();
	assert_int_equal(count_files(), 0);
	assert_string_equal(heard, "1 ");
	assert_int_equal(store_message_get(store, 1, arena, &message), 0);
	assert_int_equal(message.direction, MESSAGE_INCOMING);
	assert_int_equal(message.state, STATE_RECEIVED);
	assert_string_equal(message.text, "Hi \U0001F600 \"\n");
	assert_string_equal(message.number, "+36201234567");
	assert_string_equal(message.sent_time, STAMP);
	assert_string_equal(message.uuid, NAME);
	assert_int_equal(message.created_ms, NOW_MS);
	assert_int_equal(message.flags, MESSAGE_REPAIRED);
	assert_int_equal(message.sim_id, identify("", "216301"));
	arena_free(arena);
}

/* The version in the file decides; without one, the oFono that runs now. */
TEST(test_only_files_of_damaging_versions_are_repaired)
{
	static const struct {
		const char *ofono;
		enum ofono_line line;
		int flags;
	} cases[] = {
		{ "1.31", OFONO_LINE_FORK, MESSAGE_REPAIRED },
		{ "2.16", OFONO_LINE_UNKNOWN, MESSAGE_REPAIRED },
		{ "1.29", OFONO_LINE_UPSTREAM, 0 },
		{ "1.17", OFONO_LINE_UPSTREAM, 0 },
		{ "", OFONO_LINE_FORK, 0 },
		{ "", OFONO_LINE_UNKNOWN, MESSAGE_REPAIRED },
		{ "of mine", OFONO_LINE_UPSTREAM, MESSAGE_REPAIRED },
	};
	char text[512], name[] = NAME;

	for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
		name[1] = (char)('1' + at);
		fake_ofono.line = cases[at].line;
		snprintf(text, sizeof(text),
			 HEAD CARD WHO "\"text\":\"%zu \\uF600\",\"ofono\":\"%s\"}", at,
			 cases[at].ofono);
		put(name, text);
		run();
		assert_int_equal(sql("SELECT max(id) FROM message"), at + 1);
		assert_int_equal(
			sql("SELECT flags FROM message ORDER BY id DESC LIMIT 1"),
			cases[at].flags);
	}
}

TEST(test_flags_describe_the_message_of_a_file)
{
	put(NAME, HEAD CARD WHO "\"text\":\"\"}");
	put(LATER, "{\"format\":1,\"received_ms\":5,\"modem\":\"/sim0\"," CARD WHO HELLO);
	run();
	assert_int_equal(sql("SELECT flags FROM message WHERE text = ''"),
			 MESSAGE_UNREADABLE);
	assert_int_equal(sql("SELECT flags FROM message WHERE created = 5"),
			 MESSAGE_CLOCK_WRONG);
}

/* Files from before and after the start, more than fit into one list and one turn. */
TEST(test_files_are_stored_in_order_of_their_names)
{
	char name[SPOOL_FILE_NAME_BYTES], text[512];

	for (int i = 200; i > 0; i--) {
		snprintf(name, sizeof(name), "%020d-" UUID ".sms", i);
		snprintf(text, sizeof(text), HEAD CARD WHO "\"text\":\"%d\"}", i);
		put(name, text);
	}
	run();
	assert_int_equal(count_files(), 0);
	assert_int_equal(sql("SELECT count(*) FROM message WHERE text = '' || id"), 200);
}

TEST(test_a_file_may_come_at_any_time)
{
	run();
	put(NAME, GOOD);
	run();
	assert_rows(1, 0);
	put(LATER, HEAD CARD WHO "\"text\":\"another\"}");
	run();
	assert_string_equal(heard, "1 2 ");
	assert_int_equal(count_files(), 0);
}

/* Another program writes the file; it is complete when it is closed. */
TEST(test_a_file_may_be_written_in_place)
{
	FILE *out;

	run();
	out = fopen(file_path(NAME), "w");
	assert_non_null(out);
	fputs(HEAD CARD, out);
	fflush(out);
	run();
	assert_true(is_there(NAME));
	fputs(WHO HELLO, out);
	fclose(out);
	run();
	assert_rows(1, 0);
	assert_int_equal(count_files(), 0);
}

TEST(test_a_file_belongs_to_its_card)
{
	struct modem *modem = fake_modem_add("/sim0");
	int64_t known = identify("8936", "216301"), twin = identify("8937", "216301");

	put(NAME, GOOD); /* the newest card with that IMSI */
	run();
	assert_int_equal(sql("SELECT sim_id FROM message WHERE id = 1"), twin);
	fake_card(modem, "8936", "216301");
	put(LATER, HEAD CARD WHO "\"text\":\"it is in the modem\"}");
	run();
	assert_int_equal(sql("SELECT sim_id FROM message WHERE id = 2"), known);
	put(LATEST, HEAD "\"imsi\":\"\",\"uuid\":\"" UUID "\"," WHO HELLO);
	run();
	assert_int_equal(sql("SELECT sim_id IS NULL FROM message WHERE id = 3"), 1);
}

/* ---- signal and file ------------------------------------------------------------------ */

static struct modem *ready(void)
{
	struct modem *modem = fake_modem_add("/sim0");

	fake_card(modem, "8936", "216301");
	return modem;
}

/*
 * 's' the signal, 'f' a file of its own, 'a' the last file again, as after a crash; and how
 * often the message came again.
 */
static const struct {
	const char *told;
	int repeats;
} orders[] = {
	{ "sf", 0 },	    { "fs", 0 },   { "sfa", 0 },    { "fas", 0 },
	{ "faas", 0 },	    { "sfsf", 1 }, { "ssff", 1 },   { "ffss", 1 },
	{ "fsfs", 1 },	    { "fssf", 1 }, { "sffs", 1 },   { "ss", 1 },
	{ "ff", 1 },	    { "fff", 2 },  { "fafaf", 2 },  { "fffsf", 3 },
	{ "fffasfasf", 4 }, { "sss", 2 },  { "sfsfsf", 2 }, { "sssf", 2 },
};

static void tell(struct modem *modem, char way, int *files)
{
	char name[SPOOL_FILE_NAME_BYTES];

	if (way == 's') {
		receive(modem, "hello");
		return;
	}
	*files += way == 'f';
	snprintf(name, sizeof(name), "%020d-" UUID ".sms", *files);
	put(name, GOOD);
	run();
}

TEST(test_a_signal_and_a_file_are_one_message)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]);
	     i += sample_stride(3)) {
		struct modem *modem = ready();
		int files = 0;

		for (const char *way = orders[i].told; *way; way++)
			tell(modem, *way, &files);
		if (sql("SELECT count(*) FROM message") != 1 ||
		    sql("SELECT repeats FROM message") != orders[i].repeats)
			fail_msg("%s: %lld messages, came %lld times again",
				 orders[i].told,
				 (long long)sql("SELECT count(*) FROM message"),
				 (long long)sql("SELECT repeats FROM message"));
		assert_string_equal(heard, "1 ");
		assert_int_equal(tear_down(state), 0);
		assert_int_equal(set_up(state), 0);
	}
}

/* The row has changed since, longer ago than repeats are recognised. */
TEST(test_a_file_that_was_stored_before_is_removed)
{
	put(NAME, GOOD);
	run();
	sql("UPDATE message SET changed = changed + 100000000");
	put(NAME, GOOD);
	run();
	assert_rows(1, 0);
	assert_int_equal(count_files(), 0);
}

/* ---- bad files ------------------------------------------------------------------------ */

#define LONG_16	 "0123456789abcdef"
#define LONG_64	 LONG_16 LONG_16 LONG_16 LONG_16
#define LONG_128 LONG_64 LONG_64

static const char *const bad_texts[] = {
	"",
	"\n",
	"{}",
	"[]",
	"null",
	"\"hello\"",
	HEAD CARD WHO "\"text\":\"hel", /* ends early */
	GOOD GOOD,			/* two messages */
	GOOD "x",
	HEAD CARD "\"text\":\"hello\"}", /* no sender, no time */
	HEAD CARD WHO "\"text\":5}",
	HEAD CARD WHO "\"text\":null}",
	HEAD CARD WHO "\"text\":[\"hello\"]}",
	HEAD CARD WHO "\"text\":\"a\",\"text\":\"b\"}",
	HEAD CARD WHO "\"more\":1," HELLO,
	HEAD CARD WHO "\"text\":\"\\ud800\"}",
	HEAD CARD WHO "\"text\":\"\\u0000\"}",
	HEAD CARD WHO "\"text\":\"\xff\"}",
	"{\"format\":2,\"received_ms\":1,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"format\":\"1\",\"received_ms\":1,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"received_ms\":1,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"format\":1,\"received_ms\":-1,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"format\":1,\"received_ms\":1.5,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"format\":1,\"received_ms\":253402300800000,\"modem\":\"/sim0\"," CARD WHO
		HELLO,
	"{\"format\":1,\"received_ms\":1e99,\"modem\":\"/sim0\"," CARD WHO HELLO,
	"{\"format\":1,\"received_ms\":1,\"modem\":\"sim0\"," CARD WHO HELLO,
	"{\"format\":1,\"received_ms\":1,\"modem\":\"/" LONG_128 "\"," CARD WHO HELLO,
	HEAD "\"imsi\":\"2163x\",\"uuid\":\"" UUID "\"," WHO HELLO,
	HEAD "\"imsi\":\"" LONG_16 "\",\"uuid\":\"" UUID "\"," WHO HELLO,
	HEAD "\"imsi\":\"1\",\"uuid\":\"\"," WHO HELLO,
	HEAD "\"imsi\":\"1\",\"uuid\":\"1123456789ABCDEF0123456789ABCDEF01234567\"," WHO
		HELLO, /* not the UUID of the name */
	HEAD CARD "\"sender\":\"" LONG_64 "\",\"sent_time\":\"\"," HELLO,
	HEAD CARD "\"sender\":\"\",\"sent_time\":\"" LONG_64 "\"," HELLO,
};

TEST(test_damaged_files_are_set_aside)
{
	for (size_t i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++) {
		put(NAME, bad_texts[i]);
		run();
		if (is_there(NAME) || !is_there(NAME ".bad"))
			fail_msg("not set aside: %s", bad_texts[i]);
		assert_rows(0, 0);
		assert_int_equal(unlink(file_path(NAME ".bad")), 0);
	}
	put_bytes(NAME, GOOD "\0", sizeof(GOOD));
	run();
	assert_true(is_there(NAME ".bad"));
	put(LATER, GOOD); /* the spool continues */
	run();
	assert_rows(1, 0);
}

static const char *const bad_names[] = {
	"README",
	"x",
	"%s%n",
	"\033[2Jevil\n",
	"01790000000000000000-" UUID ".sm",
	"01790000000000000000-" UUID ".sms~",
	"01790000000000000000-" UUID ".txt",
	"0179000000000000000-" UUID ".sms",
	"x1790000000000000000-" UUID ".sms",
	"01790000000000000000_" UUID ".sms",
	"01790000000000000000-0123456789abcdef0123456789abcdef01234567.sms",
	"01790000000000000000-.sms",
	"bad",
};

TEST(test_foreign_files_are_set_aside)
{
	char aside[128];

	for (size_t i = 0; i < sizeof(bad_names) / sizeof(bad_names[0]); i++) {
		put(bad_names[i], GOOD);
		run();
		snprintf(aside, sizeof(aside), "%s.bad", bad_names[i]);
		if (is_there(bad_names[i]) || !is_there(aside))
			fail_msg("not set aside: %s", bad_names[i]);
	}
	assert_rows(0, 0);
}

TEST(test_unfinished_files_are_ignored)
{
	put(".hidden", GOOD);
	put("x.bad", GOOD);
	put(".bad", GOOD);
	run();
	assert_int_equal(count_files(), 3);
	assert_rows(0, 0);
}

/* Pipes are not waited for, and links are not followed. */
TEST(test_special_files_are_set_aside)
{
	char elsewhere[128];

	put(LATEST, GOOD);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	assert_int_equal(rename(file_path(LATEST), elsewhere), 0);
	assert_int_equal(mkfifo(file_path(NAME), 0600), 0);
	assert_int_equal(symlink(elsewhere, file_path(LATER)), 0);
	assert_int_equal(mkdir(file_path(LATEST), 0700), 0);
	run();
	assert_true(is_there(NAME ".bad"));
	assert_true(is_there(LATER ".bad"));
	assert_true(is_there(LATEST ".bad"));
	assert_rows(0, 0);
	assert_int_equal(access(elsewhere, F_OK), 0);
}

TEST(test_a_large_file_is_set_aside)
{
	static char text[SPOOL_FILE_BYTES_MAX + 1];
	int length;

	memset(text, ' ', sizeof(text));
	length = sprintf(text, "%s", GOOD);
	text[length] = ' ';
	put_bytes(NAME, text, sizeof(text));
	put_bytes(LATER, text, sizeof(text) - 1);
	run();
	assert_true(is_there(NAME ".bad"));
	assert_int_equal(count_files(), 1);
	assert_rows(1, 0);
}

/* A file that cannot be renamed stays, and causes no endless loop. */
TEST(test_setting_aside_overwrites_nothing)
{
	put(NAME ".bad", "older");
	put(NAME, "newer");
	run();
	assert_true(is_there(NAME));
	assert_true(is_there(NAME ".bad"));
	put(LATER, GOOD);
	run();
	assert_rows(1, 0);
	assert_int_equal(count_files(), 2);
}

/* ---- the disk and the folder --------------------------------------------------------- */

static void run_some(int turns)
{
	while (turns-- > 0)
		sd_event_run(loop, 20 * 1000);
}

TEST(test_files_stay_on_a_full_disk)
{
	put(NAME, GOOD);
	put(LATER, HEAD CARD WHO "\"text\":\"another\"}");
	fill_disk(true);
	run_some(20);
	assert_true(is_there(NAME));
	assert_true(is_there(LATER));
	assert_string_equal(heard, "");
	fill_disk(false);
	run();
	assert_int_equal(count_files(), 0);
	assert_string_equal(heard, "1 2 ");
}

TEST(test_files_wait_for_the_disk_once)
{
	uint64_t commits;

	run();
	commits = store_commits(store);
	put(NAME, GOOD);
	put(LATER, HEAD CARD WHO "\"text\":\"two\"}");
	put(LATEST, HEAD CARD WHO "\"text\":\"three\"}");
	run();
	assert_int_equal(count_files(), 0);
	assert_string_equal(heard, "1 2 3 ");
	/* one for the SIM ID, one for all three messages */
	assert_int_equal(store_commits(store), commits + 2);
}

/* A message that the store refuses takes no other with it. */
TEST(test_a_file_the_store_refuses_is_set_aside_alone)
{
	run();
	sql("CREATE TRIGGER refuse BEFORE INSERT ON message WHEN new.text = 'bad' "
	    "BEGIN SELECT raise(ABORT, 'no'); END");
	put(NAME, GOOD);
	put(LATER, HEAD CARD WHO "\"text\":\"bad\"}");
	put(LATEST, HEAD CARD WHO "\"text\":\"three\"}");
	run();
	assert_int_equal(count_files(), 1);
	assert_true(is_there(LATER ".bad"));
	assert_string_equal(heard, "1 2 ");
	assert_rows(2, 0);
}

/* The signal is kept in memory and the file on disk; they become one message. */
TEST(test_signals_and_files_wait_for_a_full_disk)
{
	struct modem *modem = ready();

	run();
	put(NAME, GOOD);
	fill_disk(true);
	receive(modem, "hello");
	run_some(20);
	assert_int_equal(inbox_unstored(inbox), 1);
	assert_true(is_there(NAME));
	fill_disk(false);
	run();
	assert_int_equal(inbox_unstored(inbox), 0);
	assert_int_equal(count_files(), 0);
	assert_rows(1, 0);
	assert_string_equal(heard, "1 ");
}

TEST(test_a_missing_folder_is_created)
{
	struct stat status;

	run();
	assert_int_equal(stat(spool_folder, &status), 0);
	assert_int_equal(status.st_mode, S_IFDIR | 0700);
	assert_int_equal(rmdir(spool_folder), 0);
	run();
	assert_int_equal(stat(spool_folder, &status), 0);
	put(NAME, GOOD);
	run();
	assert_rows(1, 0);
}

TEST(test_a_moved_folder_is_created_again)
{
	char elsewhere[128];

	run();
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	assert_int_equal(rename(spool_folder, elsewhere), 0);
	run();
	put(NAME, GOOD);
	run();
	assert_rows(1, 0);
}

/* Messages still come through signals. */
static void assert_not_drained(void)
{
	run();
	assert_int_equal(sql("SELECT count(*) FROM message"), 0);
	receive(ready(), "hello");
	run();
	assert_rows(1, 0);
}

TEST(test_a_folder_that_others_may_write_to_is_refused)
{
	put(NAME, GOOD);
	assert_int_equal(chmod(spool_folder, 0730), 0);
	assert_not_drained();
	assert_true(is_there(NAME));
}

TEST(test_a_link_to_a_folder_is_refused)
{
	char elsewhere[128];

	put(NAME, GOOD);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	assert_int_equal(rename(spool_folder, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, spool_folder), 0);
	assert_not_drained();
	assert_true(is_there(NAME));
}

TEST(test_a_file_in_place_of_the_folder_is_refused)
{
	int fd = open(spool_folder, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	close(fd);
	assert_not_drained();
}

TEST(test_a_folder_without_a_parent_is_not_read)
{
	spool_free(spool);
	snprintf(spool_folder, sizeof(spool_folder), "%s/no/spool", root);
	assert_int_equal(spool_new(loop, spool_folder, inbox, &spool), 0);
	assert_not_drained();
}

void before_tests(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR - 1);
}
