/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backup and restore: complete, checked, nothing overwritten, and nothing sent twice. */
#include "unit_test.h"
#include "base/clock.h"
#include "store/store_lock.h"
#include "store/store_message.h"
#include "store/store_usage.h"
#include "store/store_restore.h"
#include "store/store_setting.h"
#include "store_bench.h"

static char file[96];
static struct store_restore_result restored;

static int set_up(void **state)
{
	int result = store_set_up(state);

	snprintf(file, sizeof(file), "%s/copy.db", root);
	return result;
}

static int back_up(bool replace, struct explanation *error)
{
	const struct store_backup backup = { folder, file, replace, { NULL } };
	struct store_backup_summary summary;

	return store_backup(&backup, &summary, error);
}

static void must_back_up(void)
{
	struct explanation error = { "" };

	if (back_up(false, &error))
		fail_msg("%s", error.text);
}

static int restore(struct explanation *error)
{
	const struct store_restore order = { folder, file, { NULL } };

	return store_restore(&order, &restored, error);
}

static void must_restore(void)
{
	struct explanation error = { "" };

	store_close(store);
	store = NULL;
	if (restore(&error))
		fail_msg("%s", error.text);
	open_store();
}

static int64_t add_in_state(enum message_state wanted)
{
	static const enum message_state way[] = { STATE_SUBMITTING, STATE_SUBMITTED,
						  STATE_HELD };
	int64_t id;

	if (wanted == STATE_SCHEDULED || wanted == STATE_WAITING_APPROVAL) {
		struct store_message_draft draft = {
			1, 0, "+36201234567", "x", 1, wanted
		};

		assert_int_equal(store_message_add(store, &draft, &id), 0);
		return id;
	}
	id = add_message("x");
	for (size_t i = 0; state_of(id) != wanted; i++)
		assert_int_equal(step_move_message(store, id, way[i], NULL, NULL), 0);
	return id;
}

FIXTURE(set_up, store_tear_down)

TEST(test_unfinished_messages_become_unknown)
{
	static const enum message_state states[] = {
		STATE_QUEUED, STATE_SUBMITTING, STATE_SUBMITTED,
		STATE_HELD,   STATE_SCHEDULED,	STATE_WAITING_APPROVAL
	};
	enum { COUNT = sizeof(states) / sizeof(*states) };
	int64_t ids[COUNT], sent;

	open_store();
	identify("8936", "");
	for (int i = 0; i < COUNT; i++)
		ids[i] = add_in_state(states[i]);
	sent = add_in_state(STATE_SUBMITTING);
	assert_int_equal(step_move_message(store, sent, STATE_SENT, NULL, NULL), 0);
	must_back_up();
	must_restore();
	assert_int_equal(restored.unknown, COUNT);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(state_of(ids[i]), STATE_UNKNOWN);
		/* the state machine allows this change */
		assert_true(message_state_may_become(states[i], STATE_UNKNOWN));
	}
	assert_history(ids[0], "queued() unknown(restored) ");
	assert_int_equal(state_of(sent), STATE_SENT);
}

static int64_t pair(const char *name, uint8_t hash_byte)
{
	uint8_t hash[CLIENT_HASH_BYTES] = { hash_byte };
	struct client client = NAMED("");
	int64_t id = 0;

	strcpy(client.name, name);
	assert_int_equal(store_client_add(store, &client, hash, &id), 0);
	return id;
}

/* IDs given out after the backup are not given out again. */
TEST(test_ids_are_not_reused)
{
	int64_t last_id = 0, sim_id, client_id;

	open_store();
	add_message("before");
	must_back_up();
	for (int i = 0; i < 20; i++)
		last_id = add_message("after");
	sim_id = identify("CARD AFTER", "");
	client_id = pair("after", 7);
	must_restore();
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
	assert_true(add_message("next") > last_id);
	assert_int_equal(identify("CARD AFTER", ""), sim_id);
	assert_true(identify("ANOTHER", "") > sim_id);
	assert_true(pair("another", 8) > client_id);
}

static bool opens(uint8_t hash_byte)
{
	uint8_t hash[CLIENT_HASH_BYTES] = { hash_byte };
	struct client client;

	return store_client_find(store, hash, &client);
}

/* A stolen and revoked token is not valid again; nor does a pause end. */
TEST(test_a_revoked_client_does_not_come_back)
{
	uint8_t hash[CLIENT_HASH_BYTES] = { 4 };
	struct client stolen, careful, rotated, found;

	open_store();
	stolen = (struct client){ .id = pair("stolen", 1), .name = "stolen" };
	careful = NAMED("careful");
	careful.id = pair("careful", 2);
	rotated = NAMED("rotated");
	rotated.id = pair("rotated", 3);
	must_back_up();
	assert_int_equal(store_client_revoke(store, &stolen), 0);
	careful.scopes = CLIENT_READ;
	assert_int_equal(store_client_change(store, &careful), 0);
	assert_int_equal(store_client_rotate(store, &rotated, hash), 0);
	pair("new", 5);
	assert_int_equal(store_setting_set(store, STORE_SETTING_PAUSED, "yes"), 0);
	must_restore();
	assert_true(restored.keeps_clients);
	assert_false(restored.was_damaged);
	assert_int_equal(restored.summary.clients, 3);
	assert_false(opens(1));
	assert_false(opens(3));
	assert_true(opens(4));
	assert_true(opens(5));
	hash[0] = 2;
	assert_true(store_client_find(store, hash, &found));
	assert_int_equal(found.scopes, CLIENT_READ);
	assert_int_equal(sql("SELECT count(*) FROM setting WHERE name = 'paused'"), 1);
}

/* On another phone the present message store knows nothing of those clients. */
TEST(test_another_phones_backup_brings_its_clients)
{
	open_store();
	pair("one", 1);
	must_back_up();
	store_close(store);
	snprintf(folder, sizeof(folder), "%s/another", root);
	assert_return_code(mkdir(folder, 0700), errno);
	open_store();
	pair("other", 2);
	must_restore();
	assert_false(restored.keeps_clients);
	assert_true(opens(1));
	assert_false(opens(2));
}

static int64_t add_with_key(const char *key, unsigned segments)
{
	struct store_message_draft draft = {
		.sim_id = identify("8936", ""),
		.client_id = 7,
		.number = "+36201234567",
		.text = key,
		.segments = segments,
		.idempotency_key = key,
	};
	int64_t id = 0;

	assert_int_equal(store_message_add(store, &draft, &id), 0);
	return id;
}

static int64_t id_of_key(const char *key)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message = { 0 };
	int error = store_message_by_key(store, 7, key, arena, &message);

	assert_true(error == 0 || error == STORE_E_NOT_FOUND);
	arena_free(arena);
	return message.id;
}

/* Keys stand for the messages that they stood for, and usage counts once. */
TEST(test_keys_and_usage_only_grow)
{
	int64_t before, sent, waits;

	open_store();
	pair("laptop", 1);
	before = add_with_key("before", 1);
	must_back_up();
	sent = add_with_key("sent", 2);
	assert_int_equal(step_move_message(store, sent, STATE_SUBMITTING, NULL, NULL), 0);
	assert_int_equal(step_move_message(store, sent, STATE_SENT, NULL, NULL), 0);
	waits = add_with_key("waits", 4);
	add_message("without a key");
	for (int time = 0; time < 2; time++) { /* and once more */
		must_restore();
		assert_int_equal(id_of_key("before"), before);
		assert_int_equal(id_of_key("sent"), sent);
		assert_int_equal(id_of_key("waits"), waits);
		assert_int_equal(state_of(before), STATE_UNKNOWN);
		assert_int_equal(state_of(sent), STATE_SENT);
		assert_int_equal(state_of(waits), STATE_UNKNOWN);
		assert_history(sent, "queued() submitting() sent() ");
		assert_int_equal(sql("SELECT count(*) FROM message"), 3);
		assert_int_equal(sql("SELECT sum(segments) FROM usage"), 1 + 2 + 4 + 1);
		assert_int_equal(sql("SELECT count(*) FROM usage"), 4);
	}
}

static bool key_is_used(int64_t client_id, const char *key)
{
	struct arena *arena = arena_new(1 << 20);
	struct message message = { 0 };
	int error = store_message_by_key(store, client_id, key, arena, &message);
	int closed = store_usage_find_closed_key(store, client_id, key);

	arena_free(arena);
	return error == 0 || closed == 0;
}

static void change_backup(const char *statement)
{
	char present[sizeof(path)];

	memcpy(present, path, sizeof(path));
	snprintf(path, sizeof(path), "%s", file);
	sql(statement);
	memcpy(path, present, sizeof(path));
}

TEST(test_keys_stay_used_though_rows_of_the_backup_have_their_ids)
{
	open_store();
	pair("laptop", 1);
	add_with_key("before", 1);
	assert_int_equal(store_usage_close_key(store, 7, "closed early"), 0);
	must_back_up();
	change_backup(
		"INSERT INTO message (id, sim_id, client_id, phone_number, text,"
		" state, created, changed, idempotency_key)"
		" SELECT 2, sim_id, 8, phone_number, text, 5, created, changed, 'k4'"
		" FROM message WHERE id = 1;"
		"UPDATE sqlite_sequence SET seq = 100000 WHERE name = 'message';"
		"UPDATE closed_key SET key = 'another';"
		"UPDATE message SET idempotency_key = NULL WHERE id = 1");
	add_with_key("k4", 1);
	assert_int_equal(store_usage_close_key(store, 7, "closed late"), 0);
	for (int time = 0; time < 2; time++) {
		must_restore();
		assert_true(key_is_used(7, "before"));
		assert_true(key_is_used(7, "k4"));
		assert_true(
			key_is_used(8, "k4")); /* of another client, and of the backup */
		assert_true(key_is_used(7, "closed early"));
		assert_true(key_is_used(7, "closed late"));
		assert_false(key_is_used(7, "never used"));
	}
}

/* Retention removes old messages, and closed keys: what the backup has of them may be older than the
 * use of the key. */
TEST(test_a_key_is_kept_from_its_last_use_though_the_backup_has_an_older_one)
{
	open_store();
	pair("laptop", 1);
	add_with_key("used again", 1);
	assert_int_equal(store_usage_close_key(store, 7, "closed"), 0);
	must_back_up();
	change_backup(
		"UPDATE message SET created = 1000; UPDATE closed_key SET at = 1000");
	must_restore();
	assert_int_equal(store_usage_close_key(store, 7, "prunes"), 0);
	assert_int_equal(store_usage_find_closed_key(store, 7, "closed"), 0);
	assert_int_equal(store_usage_find_closed_key(store, 7, "used again"), 0);
}

/* The client has another ID there, and is known by its name; a client that is missing there can
 * send nothing. */
TEST(test_keys_stay_used_after_another_phones_backup)
{
	open_store();
	for (int i = 1; i < 9; i++)
		pair((const char[]){ (char)('a' + i), '\0' }, i);
	add_with_key("theirs", 1);
	must_back_up();
	change_backup("UPDATE client SET name = 'laptop' WHERE id = 3");
	store_close(store);
	snprintf(folder, sizeof(folder), "%s/another", root);
	assert_return_code(mkdir(folder, 0700), errno);
	open_store();
	for (int i = 11; i < 17; i++)
		pair((const char[]){ (char)('a' + i), '\0' }, i);
	assert_int_equal(pair("laptop", 17), 7);
	add_with_key("k4", 1);
	assert_int_equal(store_usage_close_key(store, CLIENT_OWNER, "the owner's"), 0);
	must_restore();
	assert_false(restored.keeps_clients);
	assert_true(key_is_used(3, "k4"));
	assert_false(key_is_used(7, "k4"));
	assert_true(key_is_used(7, "theirs"));
	assert_true(key_is_used(CLIENT_OWNER, "the owner's"));
}

static int64_t clock_at_its_start(void)
{
	return 60000;
}

static const char *another_boot(void)
{
	return "another boot";
}

/* A phone that boots without the time: its usage time is decades later than its wall clock. */
TEST(test_keys_stay_used_though_the_clock_is_at_its_start)
{
	static const struct clock_source source = {
		.monotonic_ms = clock_at_its_start,
		.wall_ms = clock_at_its_start,
		.boot_id = another_boot,
	};

	open_store();
	pair("theirs", 1);
	must_back_up();
	store_close(store);
	snprintf(folder, sizeof(folder), "%s/another", root);
	assert_return_code(mkdir(folder, 0700), errno);
	open_store();
	assert_int_equal(store_usage_close_key(store, CLIENT_OWNER, "k"), 0);
	clock_set_source(&source);
	must_restore();
	clock_set_source(NULL);
	assert_true(key_is_used(CLIENT_OWNER, "k"));
	assert_int_equal(store_usage_close_key(store, 7, "prunes"), 0);
	assert_true(key_is_used(CLIENT_OWNER, "k"));
}

/* Usage that moved with the clock since is not counted twice. */
TEST(test_usage_that_moved_with_the_clock_counts_once)
{
	open_store();
	pair("laptop", 1);
	add_with_key("one", 1);
	must_back_up();
	sql("UPDATE usage SET at = at + 3600000");
	must_restore();
	assert_int_equal(sql("SELECT count(*) FROM usage"), 1);
}

/* The backup of another phone: its clients and keys are others, the card is the same. */
TEST(test_usage_of_a_card_survives_another_phones_backup)
{
	int64_t sim_id, clock_ms;

	open_store();
	pair("one", 1);
	identify("OTHER CARD", "");
	add_with_key("key", 1); /* of the card 8936, the second one here */
	sql("UPDATE usage SET sim_id = abs(sim_id)"); /* submitted */
	must_back_up();
	store_close(store);
	snprintf(folder, sizeof(folder), "%s/another", root);
	snprintf(path, sizeof(path), "%s/gateway.db", folder);
	assert_return_code(mkdir(folder, 0700), errno);
	open_store();
	pair("other", 2);
	add_with_key("key", 5); /* of the card 8936, the first one there */
	add_with_key("more", 6);
	sql("UPDATE usage SET sim_id = abs(sim_id)");
	add_with_key("waits", 7); /* and goes with the other store */
	must_restore();
	assert_false(restored.keeps_clients);
	sim_id = identify("8936", "");
	assert_int_equal(sim_id, 2);
	assert_int_equal(sql("SELECT sum(segments) FROM usage WHERE sim_id = 2"),
			 1 + 5 + 6);
	assert_int_equal(sql("SELECT sum(segments) FROM usage WHERE client_id = 7"), 1);
	clock_ms = clock_wall_ms();
	assert_in_range(sql("SELECT min(at) FROM usage"), clock_ms - 60000, clock_ms);
	assert_in_range(sql("SELECT max(at) FROM usage"), clock_ms - 60000, clock_ms);
	assert_int_equal(id_of_key("more"), 0);
}

/* Also when the present message store cannot be read any more. */
TEST(test_a_damaged_present_store_is_replaced)
{
	int64_t last_id = 0;

	open_store();
	add_message("before");
	must_back_up();
	for (int i = 0; i < 20; i++)
		last_id = add_message("after");
	store_close(store);
	store = NULL;
	assert_int_equal(truncate(path, 100), 0);
	must_restore();
	assert_true(restored.was_damaged);
	assert_true(add_message("next") > last_id);
	assert_true(identify("ANOTHER", "") > 1000);
	assert_int_equal(truncate(restored.aside, 100), 0); /* the file exists */
}

static struct gap found;

static void note_gap(void *data, const struct gap *gap)
{
	if (!strcmp(gap->reason, STORE_GAP_RESTORED))
		found = *gap;
}

TEST(test_the_time_since_the_backup_is_a_receive_gap)
{
	int64_t before_ms = 1700000000000, alive_ms = 0, begun_ms = clock_wall_ms();

	open_store();
	add_message("x");
	assert_int_equal(store_receive_gaps_set_alive(store, before_ms), 0);
	must_back_up();
	must_restore();
	found = (struct gap){ 0 };
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, NULL), 0);
	assert_int_equal(found.from_ms, before_ms);
	assert_in_range(found.until_ms, begun_ms, clock_wall_ms());
	assert_int_equal(store_receive_gaps_get_alive(store, &alive_ms), 0);
	assert_int_equal(alive_ms, found.until_ms);
}

/* While a gateway runs, the backup is complete until now. */
TEST(test_the_gap_begins_at_the_backup)
{
	struct explanation error = { "" };
	int64_t begun_ms = clock_wall_ms();
	struct store_lock lock;

	open_store();
	add_message("x");
	assert_int_equal(store_receive_gaps_set_alive(store, 1700000000000), 0);
	assert_int_equal(store_lock_take(folder, &lock, &error), 0);
	must_back_up();
	store_lock_release(&lock);
	must_restore();
	found = (struct gap){ 0 };
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, NULL), 0);
	assert_in_range(found.from_ms, begun_ms, clock_wall_ms());
}

/* It has run, as deadlines count, but its clock was never set. */
TEST(test_no_gap_begins_in_1970)
{
	int64_t begun_ms = clock_wall_ms();

	open_store();
	add_message("x");
	assert_int_equal(store_message_set_lived(store, STORE_LIVED_MS), 0);
	must_back_up();
	must_restore();
	found = (struct gap){ 0 };
	assert_int_equal(store_receive_gaps_list(store, 0, INT64_MAX, note_gap, NULL), 0);
	assert_in_range(found.from_ms, begun_ms, clock_wall_ms());
}

static void assert_not_restored(int expected, const char *word)
{
	struct explanation error = { "" };

	assert_int_equal(restore(&error), expected);
	if (!strstr(error.text, word))
		fail_msg("%s", error.text);
	open_store();
	assert_int_equal(sql("SELECT count(*) FROM message WHERE text = 'present'"), 1);
	assert_int_equal(sql("SELECT count(*) FROM receive_gap"), 0);
	store_close(store);
	store = NULL;
}

static void make_present(void)
{
	open_store();
	add_message("present");
	store_close(store);
	store = NULL;
}

TEST(test_bad_files_are_refused)
{
	char backup[64];
	FILE *text;

	make_present();
	assert_not_restored(-ENOENT, file);
	text = fopen(file, "w");
	for (int i = 0; i < 1000; i++)
		fputs("not a database\n", text);
	fclose(text);
	assert_not_restored(-EUCLEAN, "no backup");
	assert_int_equal(truncate(file, 0), 0);
	assert_not_restored(-EINVAL, "not a message store");
	unlink(file);
	must_back_up();
	assert_int_equal(truncate(file, 3 * 4096), 0);
	assert_not_restored(-EUCLEAN, "damaged");
	unlink(file);
	must_back_up();
	strcpy(backup, path);
	strcpy(path, file);
	sql("PRAGMA user_version = 99");
	strcpy(path, backup);
	assert_not_restored(-ENOTSUP, "newer");
	unlink(file);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_not_restored(-EINVAL, "not a file");
}

TEST(test_a_restore_is_refused_while_a_gateway_runs)
{
	struct explanation error = { "" };
	struct store_lock lock, again;
	char lock_file[128];

	make_present();
	must_back_up();
	assert_int_equal(store_lock_take(folder, &lock, &error), 0);
	assert_not_restored(-EBUSY, "another ofono-mcp");
	assert_int_equal(store_lock_take(folder, &again, &error), -EBUSY);
	snprintf(lock_file, sizeof(lock_file), "%s/gateway.lock", folder);
	assert_return_code(remove(lock_file), errno);
	assert_true(store_lock_is_taken(folder));
	assert_not_restored(-EBUSY, "another ofono-mcp");
	store_lock_release(&lock);
	assert_false(store_lock_is_taken(folder));
	assert_int_equal(restore(&error), 0);
}

/* Wherever the disk becomes full, nothing is lost. */
TEST(test_a_full_disk_leaves_the_present_store)
{
	struct explanation error = { "" };
	struct rlimit limit;
	int refused = 0;

	make_present();
	must_back_up();
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t room = 1; room < 130000; room += 13001) {
		int result;

		getrlimit(RLIMIT_FSIZE, &limit);
		limit.rlim_cur = room;
		setrlimit(RLIMIT_FSIZE, &limit);
		result = restore(&error);
		fill_disk(false);
		refused += result != 0;
		open_store();
		assert_int_equal(sql("SELECT count(*) FROM message"), 1);
		store_close(store);
		store = NULL;
	}
	assert_true(refused > 3);
}

TEST(test_a_backup_replaces_no_file_by_itself)
{
	/* A file of this name would keep the gateway from starting, or from serving HTTPS. */
	static const char *const own_names[] = { "gateway.x", "control", "pin_tries",
						 "spool", "tls" };
	struct explanation error = { "" };
	struct stat before, after;

	assert_int_equal(back_up(false, &error), -ENOENT);
	make_present();
	must_back_up();
	assert_int_equal(stat(file, &before), 0);
	assert_int_equal(before.st_mode & 07777, 0600);
	assert_int_equal(back_up(false, &error), -EEXIST);
	assert_non_null(strstr(error.text, "--force"));
	assert_int_equal(back_up(true, &error), 0);
	assert_int_equal(stat(file, &after), 0);
	assert_true(before.st_ino != after.st_ino);
	strcpy(file, path);
	assert_int_equal(back_up(true, &error), -EINVAL);
	for (size_t i = 0; i < sizeof(own_names) / sizeof(*own_names); i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, own_names[i]);
		assert_int_equal(back_up(false, &error), -EINVAL);
		assert_int_equal(back_up(true, &error), -EINVAL);
		assert_int_not_equal(access(file, F_OK), 0);
	}
	strcpy(file, root);
	assert_int_equal(back_up(true, &error), -EISDIR);
	snprintf(file, sizeof(file), "%s/link", root);
	assert_return_code(symlink("elsewhere", file), errno);
	assert_int_equal(back_up(true, &error), -EINVAL);
}

TEST(test_a_damaged_store_is_not_backed_up)
{
	struct explanation error = { "" };

	make_present();
	assert_int_equal(truncate(path, 5 * 4096), 0);
	assert_int_equal(back_up(false, &error), -EUCLEAN);
	assert_int_equal(access(file, F_OK), -1);
}

/* The file that the owner asked for is not there: it can't be what is damaged. */
TEST(test_a_backup_names_the_store_whose_pages_are_damaged)
{
	struct explanation error = { "" };
	char page[4096];
	int fd;

	make_present();
	store_close(store);
	store = NULL;
	memset(page, 0xff, sizeof(page));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_return_code(fd, errno);
	assert_int_equal(pwrite(fd, page, sizeof(page), 20 * sizeof(page)), sizeof(page));
	close(fd);
	assert_int_equal(back_up(false, &error), -EUCLEAN);
	assert_non_null(strstr(error.text, path));
	assert_null(strstr(error.text, file));
}

/* SQLite would copy everything before the damage, and not say that more is missing. */
TEST(test_a_store_with_a_damaged_wal_is_not_backed_up)
{
	struct explanation error = { "" };
	char command[400], wal[128];

	open_store();
	for (int i = 0; i < 20; i++)
		add_message("x");
	snprintf(command, sizeof(command), "cp -r %s %s.copy", folder, folder);
	assert_int_equal(system(command), 0);
	snprintf(folder, sizeof(folder), "%s/state.copy", root);
	snprintf(wal, sizeof(wal), "%s/gateway.db-wal", folder);
	must_back_up();
	assert_int_equal(truncate(wal, 20), 0);
	assert_int_equal(back_up(true, &error), -EUCLEAN);
	assert_non_null(strstr(error.text, "-wal"));
}

static void assert_names(const char *suffix)
{
	struct explanation error = { "" };

	assert_int_equal(store_open(folder, &store, &error), -EINVAL);
	assert_non_null(strstr(error.text, suffix));
	assert_int_equal(back_up(true, &error), -EINVAL);
	assert_non_null(strstr(error.text, suffix));
	assert_int_equal(restore(&error), -EINVAL);
	assert_non_null(strstr(error.text, suffix));
}

/* SQLite would say that the disk is full, and whoever opens a pipe waits. */
TEST(test_a_folder_or_pipe_beside_the_store_is_named)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal" };
	char name[128];

	make_present();
	must_back_up();
	store_close(store);
	store = NULL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name); /* what SQLite left of reading the store */
		assert_return_code(mkdir(name, 0700), errno);
		assert_names(suffixes[i]);
		assert_return_code(rmdir(name), errno);
		assert_return_code(mkfifo(name, 0600), errno);
		assert_names(suffixes[i]);
		assert_return_code(unlink(name), errno);
	}
}

static void make_backup(int version)
{
	char present[64];

	strcpy(present, path);
	strcpy(path, file);
	make_old_ledger(version,
			"INSERT INTO sim (iccid, first_seen) VALUES ('OLD', 1);"
			"INSERT INTO message (sim_id, number, text, segments, state,"
			" created, changed) VALUES (1, '+36', 'x', 1, 1, 1, 1)");
	strcpy(path, present);
}

/* Without incremental vacuum. */
TEST(test_a_backup_of_the_first_release_is_restored)
{
	make_present();
	make_backup(STORE_SCHEMA_FIRST);
	must_restore();
	assert_int_equal(state_of(1), STATE_UNKNOWN);
	assert_int_equal(sql("PRAGMA auto_vacuum"), 2);
	assert_int_equal(sql("SELECT count(*) FROM conversation"), 1);
}

TEST(test_a_backup_from_before_the_first_release_is_refused)
{
	char present[64];

	make_present();
	make_backup(STORE_SCHEMA_FIRST);
	strcpy(present, path);
	strcpy(path, file);
	sql_script("PRAGMA user_version = 8");
	strcpy(path, present);
	assert_not_restored(-ENOTSUP, "before its first release");
}

/* After a downgrade: this program may not find the keys that were used since. */
TEST(test_a_newer_present_store_is_not_replaced)
{
	struct explanation error = { "" };

	make_present();
	must_back_up();
	sql_script("PRAGMA user_version = 1000");
	assert_int_equal(restore(&error), -ENOTSUP);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(sql("PRAGMA user_version"), 1000);
	assert_int_equal(sql("SELECT count(*) FROM message"), 1);
}
