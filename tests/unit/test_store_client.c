/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients: permissions, tokens, sessions, and revocation. */
#include "unit_test.h"
#include "store_bench.h"

static const uint8_t hashes[3][CLIENT_HASH_BYTES] = { { 1 }, { 2 }, { 3 } };

static int64_t add(const struct client *client, int hash)
{
	int64_t id = 0;

	assert_int_equal(store_client_add(store, client, hashes[hash], &id), 0);
	return id;
}

static struct store_client_row get(const char *name)
{
	struct store_client_row row;

	assert_int_equal(store_client_get(store, name, &row), 0);
	return row;
}

static struct client busy_client(void)
{
	struct client client = NAMED("laptop");

	client.scopes = CLIENT_SEND | CLIENT_CODES;
	client.ask = CLIENT_ASK_ALWAYS;
	strcpy(client.sims, "1 3");
	strcpy(client.allow, "+3620* +36301234567");
	client.limits = (struct client_limits){ 1, 0, -1, 1000000 };
	return client;
}

static void assert_same(const struct client *one, const struct client *other)
{
	assert_string_equal(one->name, other->name);
	assert_int_equal(one->scopes, other->scopes);
	assert_int_equal(one->ask, other->ask);
	assert_string_equal(one->sims, other->sims);
	assert_string_equal(one->allow, other->allow);
	assert_memory_equal(&one->limits, &other->limits, sizeof(one->limits));
}

FIXTURE(store_set_up, store_tear_down)

TEST(test_an_added_client_is_found)
{
	struct client wanted = busy_client(), found;

	open_store();
	wanted.id = add(&wanted, 0);
	reopen_store();
	assert_true(store_client_find(store, hashes[0], &found));
	assert_int_equal(found.id, wanted.id);
	assert_same(&found, &wanted);
	found = get("laptop").client;
	assert_same(&found, &wanted);
	assert_true(get("laptop").created_ms > 0);
}

TEST(test_a_client_is_changed)
{
	struct client client = busy_client(), found;

	open_store();
	add(&NAMED("another"), 1);
	client.id = add(&NAMED("laptop"), 0);
	assert_int_equal(store_client_change(store, &client), 0);
	assert_true(store_client_find(store, hashes[0], &found));
	assert_same(&found, &client);
	found = get("another").client;
	assert_same(&found, &NAMED("another"));
	client.id = 99;
	assert_int_equal(store_client_change(store, &client), STORE_E_NOT_FOUND);
}

TEST(test_a_new_token_replaces_the_old_one)
{
	struct client found;
	int64_t id;

	open_store();
	add(&NAMED("another"), 1);
	id = add(&NAMED("laptop"), 0);
	assert_int_equal(
		store_client_rotate(store, &(struct client){ .id = id }, hashes[2]), 0);
	assert_false(store_client_find(store, hashes[0], &found));
	assert_true(store_client_find(store, hashes[2], &found));
	assert_int_equal(found.id, id);
	assert_int_equal(
		store_client_rotate(store, &(struct client){ .id = id }, hashes[1]),
		-EINVAL);
	assert_true(store_client_find(store, hashes[2], &found));
	assert_int_equal(
		store_client_rotate(store, &(struct client){ .id = 99 }, hashes[0]),
		STORE_E_NOT_FOUND);
}

static void count_session(void *data, const struct session_record *record)
{
	int64_t *sum = data;

	*sum += record->client_id;
}

static int64_t session_clients(void)
{
	int64_t sum = 0;

	assert_int_equal(store_session_list(store, count_session, &sum), 0);
	return sum;
}

static void put_session(const char *id, int64_t client_id)
{
	const struct session_record record = { .id = id,
					       .client_id = client_id,
					       .revision = "2025-11-25",
					       .subscriptions = "" };

	assert_int_equal(store_session_put(store, &record), 0);
}

TEST(test_a_revoked_client_is_gone_with_its_sessions)
{
	struct client found;
	struct store_client_row row;
	int64_t id, other;

	open_store();
	id = add(&NAMED("laptop"), 0);
	other = add(&NAMED("another"), 1);
	put_session("a", id);
	put_session("b", id);
	put_session("c", other);
	assert_int_equal(store_client_revoke(store, &(struct client){ .id = id }), 0);
	assert_false(store_client_find(store, hashes[0], &found));
	assert_int_equal(store_client_get(store, "laptop", &row), STORE_E_NOT_FOUND);
	assert_int_equal(session_clients(), other);
	assert_int_equal(store_client_revoke(store, &(struct client){ .id = id }),
			 STORE_E_NOT_FOUND);
	/* Messages of an old client never belong to a new one. */
	assert_true(add(&NAMED("laptop"), 0) > other);
}

/* A client that begins sessions without end makes nobody wait for the disk. */
/* Else it would be added anew with its user's next request. */
TEST(test_a_revoked_local_client_stays_without_scopes)
{
	struct client local = NAMED("local:anna"), laptop = NAMED("laptop"), found;
	int64_t count;

	open_store();
	local.scopes = CLIENT_READ;
	local.id = add(&local, 0);
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 0); /* it has no token that could open a port */
	laptop.id = add(&laptop, 1);
	assert_int_equal(store_client_revoke(store, &local), 0);
	reopen_store();
	assert_int_equal(get("local:anna").client.scopes, 0);
	assert_true(store_client_find_id(store, laptop.id, &found));
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 1);
}

TEST(test_sessions_do_not_wait_for_the_disk)
{
	uint64_t commits;

	open_store();
	commits = store_commits(store);
	put_session("a", 1);
	put_session("b", 2);
	assert_int_equal(store_session_remove(store, "a"), 0);
	assert_int_equal(session_clients(), 2);
	assert_int_equal(store_commits(store), commits);
	add(&NAMED("laptop"), 0); /* other changes wait as usual */
	assert_true(store_commits(store) > commits);
}

TEST(test_a_full_disk_changes_nothing)
{
	struct client client = busy_client(), found;

	open_store();
	client.id = add(&NAMED("laptop"), 0);
	put_session("a", client.id);
	fill_disk(true);
	assert_int_equal(store_client_change(store, &client), STORE_E_FULL);
	assert_int_equal(store_client_rotate(store, &client, hashes[1]), STORE_E_FULL);
	assert_int_equal(store_client_revoke(store, &client), STORE_E_FULL);
	fill_disk(false);
	assert_true(store_client_find(store, hashes[0], &found));
	assert_same(&found, &NAMED("laptop"));
	assert_int_equal(session_clients(), client.id);
}

TEST(test_a_revocation_holds_while_the_disk_is_full)
{
	struct client client = busy_client(), found;
	int64_t count;

	open_store();
	client.id = add(&NAMED("laptop"), 0);
	add(&NAMED("other"), 1);
	assert_true(store_client_find(store, hashes[0], &found)); /* and is cached */
	fill_disk(true);
	assert_int_equal(store_client_revoke(store, &client), STORE_E_FULL);
	assert_true(store_client_bar(store, client.id));
	assert_false(store_client_find(store, hashes[0], &found));
	assert_false(store_client_find_id(store, client.id, &found));
	assert_true(store_client_find(store, hashes[1], &found));
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sql("SELECT count(*) FROM client"), 2);
	fill_disk(false);
	assert_int_equal(store_client_revoke(store, &client), 0);
	assert_int_equal(store_client_count(store, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sql("SELECT count(*) FROM client"), 1);
}

static void append_name(void *data, const struct store_client_row *row)
{
	strcat(data, row->client.name);
}

static void append_sim(void *data, int64_t sim_id)
{
	char *text = data;

	sprintf(text + strlen(text), "%lld ", (long long)sim_id);
}

TEST(test_clients_are_listed_by_name)
{
	char text[64] = "";

	open_store();
	assert_int_equal(store_client_list(store, append_name, text), 0);
	assert_int_equal(store_sim_list(store, append_sim, text), 0);
	assert_string_equal(text, "");
	add(&NAMED("c"), 0);
	add(&NAMED("a"), 1);
	add(&NAMED("b"), 2);
	assert_int_equal(store_client_list(store, append_name, text), 0);
	assert_string_equal(text, "abc");
	identify("8936000", "");
	identify("8936001", "");
	text[0] = '\0';
	assert_int_equal(store_sim_list(store, append_sim, text), 0);
	assert_string_equal(text, "1 2 ");
}
