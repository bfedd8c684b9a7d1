/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damaged message store is moved aside, and every readable row goes on in a new one. */
#include "unit_test.h"
#include <dirent.h>

#include "base/clock.h"
#include "store/store_message.h"
#include "store/store.h"
#include "sample.h"
#include "store_bench.h"

enum { PAGE_BYTES = 4096, MESSAGES = 150, FILE_MAX = 4 << 20 };

static const uint8_t token_hash[CLIENT_HASH_BYTES] = { 1, 2, 3 };

/* Every table has rows; the last message waits, the one before it has a key. */
static int64_t fill(void)
{
	struct store_message_draft draft = { 1, 1, "+36201234567", "keyed", 1 };
	int64_t id = 0, client_id;

	open_store();
	assert_int_equal(
		store_client_add(store, &NAMED("laptop"), token_hash, &client_id), 0);
	assert_int_equal(identify("8936", ""), 1);
	assert_int_equal(identify("8937", ""), 2);
	for (int i = 0; i < MESSAGES; i++) {
		id = add_message("a text that takes some room in its page, and more");
		step_move_message(store, id, STATE_SUBMITTING, NULL, NULL);
		step_move_message(store, id, STATE_SENT, NULL, NULL);
	}
	draft.idempotency_key = "key-1";
	assert_int_equal(store_message_add(store, &draft, &id), 0);
	id = add_message("waits");
	store_close(store);
	store = NULL;
	return id;
}

/* F stands for the folder. */
static void shell(const char *command)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "F=%s; %s", folder, command);
	assert_int_equal(system(whole), 0);
}

static size_t read_file(const char *name, char *bytes)
{
	FILE *file = fopen(name, "rb");
	size_t length;

	assert_non_null(file);
	length = fread(bytes, 1, FILE_MAX, file);
	fclose(file);
	return length;
}

static void write_file(const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static bool is_companion(const char *name)
{
	const char *end = strrchr(name, '-');

	return end && (!strcmp(end, "-wal") || !strcmp(end, "-shm"));
}

/* The path of the one database in the folder whose name begins so, "" none. */
static const char *find_aside(const char *beginning)
{
	static char found[512];
	struct dirent *entry;
	DIR *directory = opendir(folder);

	*found = '\0';
	while ((entry = readdir(directory))) {
		if (strncmp(entry->d_name, beginning, strlen(beginning)) != 0 ||
		    is_companion(entry->d_name))
			continue;
		assert_string_equal(found, "");
		snprintf(found, sizeof(found), "%s/%s", folder, entry->d_name);
	}
	closedir(directory);
	return found;
}

static void rescue(void)
{
	struct explanation error = { "" };

	if (store_open_or_rescue(folder, &store, &error))
		fail_msg("%s", error.text);
}

static void note_gap(void *data, const struct gap *gap)
{
	struct gap *found = data;

	if (strcmp(gap->reason, STORE_GAP_DAMAGED) == 0)
		*found = *gap;
}

/* Moved aside byte for byte, and logged; the new store keeps every promise. */
static void assert_rescued(const char *bytes, size_t length, int64_t last_id)
{
	static char now[FILE_MAX];
	const char *aside = find_aside("gateway.db.damaged-");
	struct gap gap = { 0 };

	assert_string_not_equal(aside, "");
	assert_int_equal(read_file(aside, now), length);
	assert_memory_equal(now, bytes, length);
	assert_non_null(strstr(store_rescue_notice(store), aside));
	assert_int_equal(sql("SELECT count(*) FROM message"
			     " WHERE " STATE_IS_UNFINISHED),
			 0);
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, &gap), 0);
	assert_true(gap.until_ms > 0 && gap.from_ms > 0);
	assert_true(gap.from_ms <= gap.until_ms);
	assert_true(add_message("next") > last_id);
	assert_true(identify("NEW CARD", "") > 2);
	assert_int_equal(sql("SELECT count(*) FROM pragma_integrity_check WHERE "
			     "integrity_check = 'ok'"),
			 1);
}

FIXTURE(store_set_up, store_tear_down)

/* Whichever page is lost (a sample: each fourth): most of the others survive, no ID is reused. */
TEST(test_a_rescue_survives_the_loss_of_any_page)
{
	static char sound[FILE_MAX], bytes[FILE_MAX];
	int64_t last_id = fill();
	size_t length = read_file(path, sound), page, damages = 0;
	unsigned stride = sample_stride(4);

	for (page = 0; page < length / PAGE_BYTES; page += stride) {
		struct explanation error = { "" };

		memcpy(bytes, sound, length);
		memset(bytes + page * PAGE_BYTES, 0x55, PAGE_BYTES);
		write_file(bytes, length);
		if (!store_open(folder, &store, &error)) { /* a free page */
			store_close(store);
			store = NULL;
			continue;
		}
		damages++;
		rescue();
		assert_rescued(bytes, length, last_id);
		store_close(store);
		store = NULL;
		shell("rm -r $F");
		mkdir(folder, 0700);
	}
	assert_true(damages * stride > 10);
}

/* A page of messages is lost: the cards, tokens, keys and other messages survive. */
TEST(test_a_lost_page_of_messages_keeps_everything_else)
{
	static char bytes[FILE_MAX];
	struct arena *arena = arena_new(1 << 20);
	int64_t last_id = fill(), page;
	struct message message;
	struct client client;
	size_t length;

	page = sql("SELECT pageno FROM dbstat WHERE name = 'message' AND pagetype = "
		   "'leaf' ORDER BY path LIMIT 1 OFFSET 1");
	sql("INSERT INTO setting (name, value, at) VALUES ('paused', 'yes', 0)");
	length = read_file(path, bytes);
	memset(bytes + (page - 1) * PAGE_BYTES, 0x55, PAGE_BYTES);
	write_file(bytes, length);
	rescue();
	assert_rescued(bytes, length, last_id);
	/* limits are as used up as before, and a pause goes on */
	assert_in_range(sql("SELECT count(*) FROM usage"), MESSAGES, 2 * MESSAGES);
	assert_int_equal(sql("SELECT count(*) FROM setting WHERE name = 'paused'"), 1);
	assert_int_equal(identify("8936", ""), 1);
	assert_int_equal(identify("8937", ""), 2);
	assert_true(store_client_find(store, token_hash, &client));
	assert_string_equal(client.name, "laptop");
	assert_int_equal(store_message_by_key(store, 1, "key-1", arena, &message), 0);
	assert_int_equal(message.state, STATE_UNKNOWN);
	assert_string_equal(message.reason, STORE_GAP_DAMAGED);
	assert_history(last_id, "queued() unknown(store_damaged) ");
	assert_in_range(sql("SELECT count(*) FROM message"), MESSAGES / 2, MESSAGES);
	arena_free(arena);
}

static int64_t messages_page; /* a page full of messages */

/*
 * The database and its -wal as a crash leaves them, with `count` messages in the -wal
 * only.
 */
static int64_t crash_with(int count)
{
	int64_t id = 0;

	fill();
	messages_page = sql("SELECT pageno FROM dbstat WHERE name = 'message' AND "
			    "pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET 1");
	open_store();
	for (int i = 0; i < count; i++)
		id = add_message("only in the -wal");
	shell("cp -r $F $F.copy");
	store_close(store);
	store = NULL;
	shell("rm -r $F && mv $F.copy $F");
	return id;
}

static void overwrite(const char *name, off_t offset, size_t length)
{
	static char bytes[PAGE_BYTES];
	FILE *file = fopen(name, "r+b");

	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fread(bytes, 1, length, file), length);
	for (size_t at = 0; at < length; at++)
		bytes[at] ^= 0x55; /* certainly another value */
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* The last commits may be in the -wal only. */
TEST(test_a_rescue_reads_the_wal)
{
	int64_t last_id = crash_with(1);

	shell("test -s $F/gateway.db-wal");
	overwrite(path, (messages_page - 1) * PAGE_BYTES, PAGE_BYTES);
	rescue();
	assert_int_equal(state_of(last_id), STATE_UNKNOWN);
	assert_true(add_message("next") > last_id);
}

/* Messages; few enough that the -wal does not restart, which it does after 200 pages. */
enum { CRASHED = 12, FRAME_BYTES = 24 + PAGE_BYTES };

static char wal[128];

static off_t wal_bytes(void)
{
	struct stat status;

	snprintf(wal, sizeof(wal), "%s-wal", path);
	assert_int_equal(stat(wal, &status), 0);
	return status.st_size;
}

static void assert_wal_damage(off_t offset, size_t length)
{
	int64_t last_id = crash_with(CRASHED);

	assert_true(wal_bytes() > 40 * FRAME_BYTES);
	overwrite(wal, offset, length);
	rescue();
	assert_non_null(store_rescue_notice(store));
	assert_int_equal(sql("SELECT count(*) FROM audit"
			     " WHERE detail = '{\"complete\":false}'"),
			 1);
	assert_int_equal(sql("SELECT count(*) FROM message"
			     " WHERE " STATE_IS_UNFINISHED),
			 0);
	assert_true(add_message("next") > last_id - CRASHED);
	store_close(store);
	store = NULL;
	shell("rm -r $F");
}

/* SQLite would silently forget committed changes. */
TEST(test_a_damaged_wal_is_detected)
{
	assert_wal_damage(0, 32);
	assert_wal_damage(20, 1);
	assert_wal_damage(32, 24); /* the first frame's header */
	assert_wal_damage(32 + 3 * FRAME_BYTES + 100, 1);
	assert_wal_damage(32 + 10 * FRAME_BYTES, 24 + 100);
	assert_wal_damage(32 + 20 * FRAME_BYTES + 24, PAGE_BYTES);
}

/* `pair` and similar commands, without a gateway, leave the damage to the gateway. */
TEST(test_commands_refuse_a_damaged_wal)
{
	struct explanation error = { "" };
	off_t size;

	crash_with(CRASHED);
	size = wal_bytes();
	overwrite(wal, 32 + 3 * FRAME_BYTES + 100, 1);
	assert_int_equal(store_open(folder, &store, &error), -EUCLEAN);
	assert_non_null(strstr(error.text, "ofono-mcp serve"));
	assert_int_equal(wal_bytes(), size);
	rescue();
	assert_non_null(store_rescue_notice(store));
}

/* A power cut leaves the last commit half written: that is not damage. */
TEST(test_a_torn_wal_is_no_damage)
{
	int64_t last_id = crash_with(CRASHED);
	off_t size = wal_bytes();

	overwrite(wal, size - 100, 100);
	rescue();
	assert_null(store_rescue_notice(store));
	assert_int_equal(state_of(last_id - 1), STATE_QUEUED);
	assert_int_equal(sql("SELECT count(*) FROM message"), last_id - 1);
	store_close(store);
	store = NULL;
	shell("rm -r $F");
	last_id = crash_with(CRASHED);
	assert_int_equal(truncate(wal, wal_bytes() - FRAME_BYTES - 7), 0);
	rescue();
	assert_null(store_rescue_notice(store));
	assert_int_equal(state_of(last_id - 1), STATE_QUEUED);
}

/* Frames of a longer -wal behind the end of the present one do not count. */
TEST(test_an_old_end_of_the_wal_is_ignored)
{
	int64_t last_id;

	open_store();
	for (int i = 0; i < 100; i++)
		add_message("so that the log begins anew several times over");
	last_id = add_message("last");
	shell("cp -r $F $F.copy");
	store_close(store);
	store = NULL;
	shell("rm -r $F && mv $F.copy $F");
	assert_true(wal_bytes() > 0);
	rescue();
	assert_null(store_rescue_notice(store));
	assert_int_equal(state_of(last_id), STATE_QUEUED);
}

/* A copy of the folder by hard links, as hourly backups make, takes nothing from it. */
TEST(test_hard_links_elsewhere_are_left_alone)
{
	int64_t last_id = crash_with(CRASHED);

	shell("echo kept > $F/gateway.db.replaced-20260101T000000Z");
	shell("mkdir $F/copy && ln $F/gateway.db* $F/copy");
	rescue();
	assert_null(store_rescue_notice(store));
	assert_int_equal(sql("SELECT count(*) FROM message"), last_id);
	shell("test -e $F/gateway.db.replaced-20260101T000000Z");
	shell("test -e $F/gateway.db-wal");
}

/* Nothing can be read: then IDs jump above every possible one. */
TEST(test_ids_jump_ahead_when_nothing_can_be_read)
{
	static char bytes[FILE_MAX];
	static const size_t lengths[] = { 0, 1, 1000, PAGE_BYTES, 3 * PAGE_BYTES };

	memset(bytes, 'x', sizeof(bytes));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		mkdir(folder, 0700);
		write_file(bytes, lengths[i]);
		rescue();
		assert_rescued(bytes, lengths[i], 1000000000);
		assert_true(identify("8936", "") > 10000);
		store_close(store);
		store = NULL;
		shell("rm -r $F");
	}
}

/* Twice in the same second: the first file aside is unchanged. */
TEST(test_two_rescues_in_one_second_keep_both_files)
{
	int count = 0;
	struct dirent *entry;
	DIR *directory;

	mkdir(folder, 0700);
	for (int i = 0; i < 3; i++) {
		write_file("damaged", 7);
		rescue();
		store_close(store);
		store = NULL;
	}
	directory = opendir(folder);
	while ((entry = readdir(directory)))
		count += !strncmp(entry->d_name, "gateway.db.damaged-", 19);
	closedir(directory);
	assert_int_equal(count, 3);
}

/* Invalid text and states that do not exist are not copied. */
TEST(test_invalid_rows_are_not_copied)
{
	int64_t last_id = fill(), page;

	sql("UPDATE message SET text = CAST(x'ff41' AS TEXT) WHERE id = 5");
	sql("UPDATE message SET state = 77 WHERE id = 6");
	sql("UPDATE message SET delivery = 9 WHERE id = 7");
	sql("UPDATE message SET phone_number = CAST(x'410042' AS TEXT) WHERE id = 8");
	page = sql("SELECT rootpage FROM sqlite_schema WHERE name = 'message_created'");
	overwrite(path, (page - 1) * PAGE_BYTES, PAGE_BYTES);
	rescue();
	assert_int_equal(sql("SELECT count(*) FROM message WHERE id BETWEEN 4 AND 9"), 2);
	assert_true(add_message("next") > last_id);
}

/* A full disk is no reason to begin with less than there was. */
TEST(test_a_full_disk_leaves_the_damaged_store_in_place)
{
	struct explanation error = { "" };
	static char before[FILE_MAX], after[FILE_MAX];
	size_t length;

	fill();
	assert_int_equal(truncate(path, 5 * PAGE_BYTES), 0);
	length = read_file(path, before);
	for (rlim_t room = 1; room < 60000; room += 7919) {
		struct rlimit limit;

		signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &limit);
		limit.rlim_cur = room;
		setrlimit(RLIMIT_FSIZE, &limit);
		assert_true(store_open_or_rescue(folder, &store, &error) < 0);
		fill_disk(false);
		assert_int_equal(read_file(path, after), length);
		assert_memory_equal(before, after, length);
		assert_string_equal(find_aside("gateway.db."), "");
	}
}

/* Anything but damage is refused as usual. */
TEST(test_a_newer_schema_is_not_rescued)
{
	struct explanation error = { "" };

	fill();
	sql("PRAGMA user_version = 99");
	assert_int_equal(store_open_or_rescue(folder, &store, &error), -ENOTSUP);
	assert_string_equal(find_aside("gateway.db.damaged"), "");
}

TEST(test_a_sound_store_is_not_rescued)
{
	fill();
	rescue();
	assert_null(store_rescue_notice(store));
	assert_string_equal(find_aside("gateway.db.damaged"), "");
}
