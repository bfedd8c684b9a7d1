/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command of the owner: its request, its answer, and what works without a gateway. */
#include "unit_test.h"
#include "base/log.h"
#include "gateway/paired_client.h"
#include "gateway/control.h"
#include "gateway/command.h"
#include "gateway/running.h"
#include "store/store_setting.h"
#include "store_bench.h"

static char told[8192]; /* the answer's lines, each with a line feed */
static unsigned last_count;
static char news[16]; /* what was done to the gateway, one letter each */

static void on_line(void *data, const char *line, size_t length, bool is_last)
{
	assert_ptr_equal(data, told);
	assert_int_equal(last_count, 0);
	assert_null(memchr(line, '\n', length));
	assert_true(strlen(told) + length + 2 < sizeof(told));
	strncat(told, line, length);
	strcat(told, "\n");
	last_count += is_last;
}

/*
 * These stand in for agent_url.c and running.c, which the linker then leaves in the archive:
 * they record what a command does to the gateway.
 */

static int certificate_error;

int agent_url_secure(const struct control *of, bool wanted, struct explanation *error)
{
	strcat(news, wanted ? "t" : "");
	if (certificate_error)
		strcpy(error->text, "cert.pem: is no certificate");
	return certificate_error;
}

void agent_url_write(const struct control *of, struct json_writer *writer)
{
	json_key(writer, "urls");
	json_open_array(writer);
	json_write_string(writer, "http://here/mcp");
	json_close_array(writer);
}

void running_client_changed(struct running *running, int64_t client_id,
			    enum running_client_change change)
{
	static const char *const letters[] = {
		[RUNNING_CLIENT_CHANGED] = "n",
		[RUNNING_CLIENT_CUT] = "cn",
		[RUNNING_CLIENT_ROTATED] = "con",
		[RUNNING_CLIENT_REVOKED] = "cfn",
	};

	assert_true(client_id > 0);
	if (running)
		strcat(news, letters[change]);
}

static struct pairing pairing;

struct pairing *running_pairing(struct running *running)
{
	return &pairing;
}

void running_open_pairing(struct running *running, int64_t duration_ms)
{
	pairing_open_for(&pairing, duration_ms);
}

static bool is_paused;

bool running_is_paused(const struct running *running)
{
	return is_paused;
}

int running_set_paused(struct running *running, bool paused)
{
	strcat(news, paused ? "p" : "r");
	is_paused = paused;
	return store_setting_set(store, STORE_SETTING_PAUSED, paused ? "yes" : NULL);
}

static const char *reload_error; /* NULL: the configuration is good */

bool running_reload_config(struct running *running, struct running_reload *reload)
{
	if (reload_error) {
		strcpy(reload->error.text, reload_error);
		return false;
	}
	reload->changed(reload->data, "sms", "max_segments", true);
	reload->changed(reload->data, "store", "state_dir", false);
	return true;
}

bool running_describe_advertisement(struct running *running, const char **text_out)
{
	fail_msg("no command here asks for it");
	return false;
}

static struct running running;

static struct control control;

static int set_up(void **state)
{
	if (store_set_up(state))
		return -1;
	open_store();
	log_set_level(LOG_LEVEL_ERROR);
	control = (struct control){
		.store = store,
		.commands = command_table,
		.running = &running,
	};
	news[0] = '\0';
	is_paused = false;
	certificate_error = 0;
	reload_error = NULL;
	return 0;
}

static const char *ask(const char *request)
{
	struct control_call call;

	told[0] = '\0';
	last_count = 0;
	assert_true(control_call_init(&call, &control, on_line, told));
	control_call_run(&call, request, strlen(request));
	control_call_deinit(&call);
	assert_int_equal(last_count, 1);
	return told;
}

static void assert_code(const char *request, const char *code)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "{\"error\":{\"code\":\"%s\",", code);
	if (strncmp(ask(request), wanted, strlen(wanted)) != 0)
		fail_msg("%s: %s", request, told);
	assert_non_null(strstr(told, "\"message\":"));
	assert_non_null(strstr(told, "\"fix\":"));
}

#define COMMAND(name, arguments) \
	"{\"command\":\"" name "\",\"arguments\":{" arguments "}}"

FIXTURE(set_up, store_tear_down)

TEST(test_every_row_has_a_name_of_its_own)
{
	for (size_t at = 0; command_table[at]; at++) {
		assert_true(!command_table[at]->run == !!command_table[at]->tool);
		assert_ptr_equal(
			control_call_find_command(command_table, command_table[at]->name),
			command_table[at]);
	}
	assert_null(control_call_find_command(command_table, "clients "));
}

static void run_more(struct control_call *call)
{
	struct buffer result = BUFFER_INIT;

	control_call_progress(call, "half of it");
	buffer_append_text(&result, "{\"item\":1}");
	control_call_answer(call, &result);
	buffer_deinit(&result);
}

TEST(test_commands_come_from_the_given_table)
{
	static const struct control_command more = { .name = "more",
						     .needs_gateway = true,
						     .run = run_more };
	static const struct control_command *const rows[] = { &more, NULL };

	assert_code("{\"command\":\"more\"}", "unknown_command");
	control.commands = rows;
	assert_string_equal(ask("{\"command\":\"more\"}"),
			    "{\"progress\":{\"message\":\"half of it\"}}\n"
			    "{\"result\":{\"item\":1}}\n");
	assert_code("{\"command\":\"less\"}", "unknown_command");
	control.running = NULL;
	assert_code("{\"command\":\"more\"}", "not_running");
	control.running = &running;
}

TEST(test_arguments_may_be_left_out)
{
	assert_string_equal(ask("{\"command\":\"clients\"}"),
			    "{\"result\":{\"clients\":[]}}\n");
	assert_string_equal(ask(COMMAND("clients", "\"more\":[1]")),
			    "{\"result\":{\"clients\":[]}}\n");
	assert_code(COMMAND("pair", ""), CONTROL_INVALID_ARGUMENT);
	assert_code(COMMAND("pair", "\"name\":5"), CONTROL_INVALID_ARGUMENT);
	assert_code(COMMAND("revoke", ""), CONTROL_INVALID_ARGUMENT);
	assert_code(COMMAND("rotate", "\"name\":\"x\""), "not_found");
}

TEST(test_without_a_gateway_only_the_store_is_used)
{
	control.running = NULL;
	assert_code(COMMAND("reload", ""), "not_running");
	ask(COMMAND("pair", "\"name\":\"laptop\""));
	assert_non_null(strstr(told, "\"urls\":[\"http://here/mcp\"]"));
	assert_string_equal(news, "");
}

static void assert_news(const char *request, const char *wanted)
{
	news[0] = '\0';
	assert_non_null(strstr(ask(request), "{\"result\":"));
	assert_string_equal(news, wanted);
}

TEST(test_the_gateway_learns_of_every_change)
{
	assert_news(COMMAND("pair", "\"name\":\"a\""), "n");
	assert_news(COMMAND("change", "\"name\":\"a\",\"ask\":\"always\""), "n");
	assert_news(COMMAND("change", "\"name\":\"a\",\"scope\":\"read\""), "cn");
	assert_news(COMMAND("change", "\"name\":\"a\",\"scope\":\"read,ussd\""), "n");
	assert_news(COMMAND("rotate", "\"name\":\"a\""), "con");
	assert_news(COMMAND("revoke", "\"name\":\"a\""), "cfn");
	assert_news(COMMAND("pause", ""), "p");
	assert_news(COMMAND("pause", ""), "");
	assert_news(COMMAND("resume", ""), "r");
	assert_code(COMMAND("revoke", "\"name\":\"a\""), "not_found");
	assert_string_equal(news, "r");
}

TEST(test_the_certificate_comes_before_the_token)
{
	assert_news(COMMAND("pair", "\"name\":\"a\",\"tls\":true"), "tn");
	assert_news(COMMAND("rotate", "\"name\":\"a\",\"tls\":true"), "tcon");
	assert_code(COMMAND("pair", "\"name\":\"a\",\"tls\":true"), "exists");
	assert_code(COMMAND("rotate", "\"name\":\"b\",\"tls\":true"), "not_found");
	assert_string_equal(news, "tcon"); /* without a client, no certificate */
	certificate_error = -EINVAL;
	assert_code(COMMAND("rotate", "\"name\":\"a\",\"tls\":true"), "no_certificate");
	assert_code(COMMAND("pair", "\"name\":\"b\",\"tls\":true"), "no_certificate");
	assert_string_equal(news, "tcontt");
	assert_news(COMMAND("pair", "\"name\":\"b\""), "n");
	assert_news(COMMAND("rotate", "\"name\":\"a\""), "con");
}

TEST(test_reload_lists_the_changed_keys)
{
	assert_string_equal(ask(COMMAND("reload", "")),
			    "{\"result\":{\"changed\":["
			    "{\"key\":\"sms.max_segments\",\"needs_restart\":false},"
			    "{\"key\":\"store.state_dir\",\"needs_restart\":true}]}}\n");
}

TEST(test_pause_and_revoke_hold_on_a_full_disk)
{
	ask(COMMAND("pair", "\"name\":\"a\""));
	fill_disk(true);
	assert_code(COMMAND("pair", "\"name\":\"b\""), "storage_full");
	assert_code(COMMAND("rotate", "\"name\":\"a\""), "storage_full");
	assert_non_null(strstr(ask(COMMAND("pause", "")), "\"kept\":false"));
	assert_string_equal(news, "np");
	assert_non_null(
		strstr(ask(COMMAND("revoke", "\"name\":\"a\"")), "\"kept\":false"));
	assert_string_equal(news, "npcfn");
	assert_string_equal(ask(COMMAND("clients", "")),
			    "{\"result\":{\"clients\":[]}}\n");
	control.running = NULL; /* nobody would remember it */
	assert_code(COMMAND("pause", ""), "storage_full");
	assert_code(COMMAND("revoke", "\"name\":\"a\""), "storage_full");
	fill_disk(false);
	assert_null(strstr(ask(COMMAND("revoke", "\"name\":\"a\"")), "kept"));
}

TEST(test_a_long_name_is_cut_in_an_error)
{
	char request[4096];

	snprintf(request, sizeof(request), COMMAND("revoke", "\"name\":\"%0999d\""), 0);
	assert_code(request, "not_found");
	assert_true(strlen(told) < 400);
	for (size_t at = 0; at < 900; at += 2)
		memcpy(request + strlen(COMMAND("revoke", "\"name\":\"")) - 2 + at, "ű",
		       2);
	assert_code(request, "not_found");
}

TEST(test_an_error_with_an_invalid_path_is_json)
{
	reload_error = "/\xff/x.conf:1: wrong";
	assert_code(COMMAND("reload", ""), "invalid_configuration");
	assert_non_null(strstr(told, "\"message\":\"/?/x.conf:1: wrong\""));
}

TEST(test_fewer_scopes_or_sims_are_narrower)
{
	struct client before = NAMED("a"), after = NAMED("a");

	assert_false(paired_client_permissions_narrow(&before, &after));
	strcpy(after.sims, "1");
	assert_true(paired_client_permissions_narrow(&before, &after));
	assert_false(paired_client_permissions_narrow(&after, &before));
	after = before;
	after.scopes = CLIENT_READ | CLIENT_ADMIN;
	assert_true(paired_client_permissions_narrow(&before, &after));
}

/* A command that answers later, and one whose peer leaves. */
static struct control_call *later;
static unsigned abandoned_count;

static void on_abandoned(struct control_call *call)
{
	assert_ptr_equal(call, later);
	abandoned_count++;
}

static void begin_later(struct control_call *call)
{
	told[0] = '\0';
	last_count = abandoned_count = 0;
	assert_true(control_call_init(call, &control, on_line, told));
	call->abandoned = on_abandoned;
	later = call;
}

TEST(test_items_come_before_the_result)
{
	struct control_call call;
	struct json_writer *writer;

	begin_later(&call);
	for (int number = 1; number <= 2; number++) {
		assert_non_null(writer = control_call_open_item(&call));
		json_put_integer(writer, "number", number);
		control_call_close(&call);
	}
	assert_int_equal(last_count, 0);
	assert_non_null(writer = control_call_open_result(&call));
	json_put_integer(writer, "count", 2);
	control_call_close(&call);
	control_call_deinit(&call);
	assert_string_equal(told, "{\"item\":{\"number\":1}}\n{\"item\":{\"number\":2}}\n"
				  "{\"result\":{\"count\":2}}\n");
	assert_int_equal(abandoned_count, 0);
}

TEST(test_a_peer_that_leaves_abandons_the_call)
{
	struct control_call call;

	begin_later(&call);
	control_call_deinit(&call);
	assert_int_equal(abandoned_count, 1);
	assert_string_equal(told, "");
}
