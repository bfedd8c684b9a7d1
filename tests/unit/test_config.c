/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run it from the root of the repository: it compares etc/ofono-mcp.conf. */
#include "unit_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/explanation.h"
#include "config/config.h"
#include "config/config_key.h"
#include "scratch.h"

static struct config config;
static struct explanation error;
static char path[64];

static int setup(void **state)
{
	memset(&config, 0xa5, sizeof(config));
	config_defaults(&config);
	memset(&error, 0, sizeof(error));
	return 0;
}

static int make_file(void **state)
{
	int fd = mkstemp(scratch_template(path, sizeof(path), "test_config"));

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static int read_bytes(const char *data, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return config_read(&config, path, &error);
}

static void expect_read(const char *text)
{
	if (read_bytes(text, strlen(text)) != 0)
		fail_msg("%s: %s", text, error.text);
}

/* Reading fails with `path` and this text, and changes nothing. */
static void expect_bytes_error(const char *data, size_t length, const char *expected)
{
	struct config before = config;
	char whole[sizeof(error.text)];

	snprintf(whole, sizeof(whole), "%s%s", path, expected);
	assert_int_equal(read_bytes(data, length), -EINVAL);
	assert_string_equal(error.text, whole);
	assert_memory_equal(&config, &before, sizeof(config));
}

static void expect_error(const char *text, const char *expected)
{
	expect_bytes_error(text, strlen(text), expected);
}

FIXTURE(setup, NULL)

TEST(test_defaults_are_as_documented)
{
	assert_int_equal(config.listen.count, 1);
	assert_string_equal(config.listen.items[0], "127.0.0.1:9531");
	assert_int_equal(config.allowed_host.count, 0);
	assert_int_equal(config.allowed_origin.count, 0);
	assert_false(config.open);
	assert_int_equal(config.max_connections, 256);
	assert_int_equal(config.max_connections_per_address, 128);
	assert_int_equal(config.request_timeout_seconds, 10);
	assert_int_equal(config.idle_timeout_seconds, 60);
	assert_string_equal(config.state_dir, "/var/lib/ofono-mcp");
	assert_string_equal(config.spool_dir, "");
	assert_int_equal(config.max_segments, 3);
	assert_int_equal(config.send_wait_seconds, 30);
	assert_int_equal(config.queue_limit, 1000);
	assert_int_equal(config.duplicate_seconds, 60);
	assert_int_equal(config.stuck_seconds, 270);
	assert_int_equal(config.elicitation_seconds, 45);
	assert_true(config.delivery_reports);
	assert_true(config.approve_through_agent);
	assert_int_equal(config.approval_hours, 24);
	assert_false(config.verbose);
	assert_int_equal(config_check(&config, &error), 0);
}

static const char full[] = "; a comment\n"
			   "# another\n"
			   "[server]\n"
			   "listen = 0.0.0.0:80\n"
			   "listen=[::1]:81\n"
			   "allowed_host = a.example\n"
			   "allowed_origin: https://b.example\n"
			   "open = YES\n"
			   "max_connections = 1\n"
			   "max_connections_per_address = 4096\n"
			   "request_timeout_seconds = 120\n"
			   "idle_timeout_seconds = 3600\n"
			   "\n"
			   "[store]\r\n"
			   "state_dir = /srv/a b\t\r\n"
			   "[sms] ; with a comment\n"
			   "max_segments = 20 ; inline\n"
			   "send_wait_seconds = 0\n"
			   "queue_limit = 10000\n"
			   "duplicate_seconds = 3600\n"
			   "stuck_seconds = 0\n"
			   "elicitation_seconds = 0\n"
			   "delivery_reports = no\n"
			   "[policy]\n"
			   "approve_through_agent = no\n"
			   "approval_hours = 720\n"
			   "[contacts]\n"
			   "file = /srv/x.vcf\n"
			   "sims = no\n"
			   "  [log]\n"
			   "\tverbose = on";

TEST(test_every_key_is_read)
{
	expect_read(full);
	assert_int_equal(config.listen.count, 2); /* the file replaced the default */
	assert_string_equal(config.listen.items[0], "0.0.0.0:80");
	assert_string_equal(config.listen.items[1], "[::1]:81");
	assert_string_equal(config.allowed_host.items[0], "a.example");
	assert_string_equal(config.allowed_origin.items[0], "https://b.example");
	assert_true(config.open);
	assert_int_equal(config.max_connections, 1);
	assert_int_equal(config.max_connections_per_address, 4096);
	assert_int_equal(config.request_timeout_seconds, 120);
	assert_int_equal(config.idle_timeout_seconds, 3600);
	assert_string_equal(config.state_dir, "/srv/a b");
	assert_int_equal(config.max_segments, 20);
	assert_int_equal(config.send_wait_seconds, 0);
	assert_int_equal(config.queue_limit, 10000);
	assert_int_equal(config.duplicate_seconds, 3600);
	assert_int_equal(config.stuck_seconds, 0);
	assert_int_equal(config.elicitation_seconds, 0);
	assert_false(config.delivery_reports);
	assert_false(config.approve_through_agent);
	assert_int_equal(config.approval_hours, 720);
	assert_string_equal(config.contacts_file, "/srv/x.vcf");
	assert_false(config.contacts_of_sims);
	assert_true(config.verbose);
}

TEST(test_an_empty_file_changes_nothing)
{
	struct config before = config;

	expect_read("");
	expect_read("\n\n[server]\n# listen = 1\n   \n\t\n[sms]");
	assert_memory_equal(&config, &before, sizeof(config));
}

TEST(test_yes_and_no_have_several_spellings)
{
	static const char *const yes[] = { "yes", "true", "on", "1", "True" };
	static const char *const no[] = { "no", "false", "off", "0", "OFF" };
	char text[32];
	size_t at;

	for (at = 0; at < 5; at++) {
		snprintf(text, sizeof(text), "[log]\nverbose = %s", yes[at]);
		expect_read(text);
		assert_true(config.verbose);
		snprintf(text, sizeof(text), "[log]\nverbose = %s", no[at]);
		expect_read(text);
		assert_false(config.verbose);
	}
}

TEST(test_a_second_file_replaces_a_list_of_the_first)
{
	expect_read("[server]\nlisten = 0.0.0.0:80\nlisten = 0.0.0.0:81");
	expect_read(
		"[server]\nlisten = 0.0.0.0:82\n[log]\n[server]\nlisten = 0.0.0.0:83");
	assert_int_equal(config.listen.count, 2);
	assert_string_equal(config.listen.items[0], "0.0.0.0:82");
	assert_string_equal(config.listen.items[1], "0.0.0.0:83");
}

TEST(test_an_indented_line_does_not_continue_the_one_before)
{
	expect_error("[server]\nallowed_host = a\n   b\n",
		     ":3: the line is neither [SECTION] nor KEY = VALUE");
	expect_read("[server]\nallowed_host = a\n   open = yes\n");
	assert_int_equal(config.allowed_host.count, 1);
	assert_true(config.open);
}

TEST(test_unknown_names_are_refused)
{
	expect_error("[sms]\n\nmax_segment = 1\n",
		     ":3: sms.max_segment: unknown key; [sms] has max_segments, "
		     "send_wait_seconds, queue_limit, duplicate_seconds, stuck_seconds, "
		     "elicitation_seconds, delivery_reports, segment_price");
	expect_error("[sms]\nMax_Segments = 1\n",
		     ":2: sms.Max_Segments: unknown key; [sms] has max_segments, "
		     "send_wait_seconds, queue_limit, duplicate_seconds, stuck_seconds, "
		     "elicitation_seconds, delivery_reports, segment_price");
	expect_error("[log]\nopen = 1\n", ":2: log.open: unknown key; [log] has verbose");
	expect_error("[log]\n[sever]\n", ":2: [sever]: unknown section; the sections are "
					 "[server], [store], [sim], [sms], "
					 "[policy], [ussd], [call], [incoming], [agent], "
					 "[events], [contacts], [log]");
	expect_error("\n[]\nx = 1\n",
		     ":3: a key comes before any section; the sections are "
		     "[server], [store], [sim], [sms], [policy], "
		     "[ussd], [call], [incoming], [agent], [events], [contacts], [log]");
	expect_error("open = yes\n",
		     ":1: a key comes before any section; the sections are "
		     "[server], [store], [sim], [sms], [policy], [ussd], "
		     "[call], [incoming], [agent], [events], [contacts], [log]");
	expect_error("[log]\n= yes\n", ":2: log.: unknown key; [log] has verbose");
	expect_error("[broker]\naddress = h:1\n",
		     ":2: broker.address: this key is for the hub, ofono-mcp-hub; "
		     "remove it here");
}

TEST(test_wrong_values_are_refused)
{
	expect_error("[sms]\nmax_segments = 21\n",
		     ":2: sms.max_segments: the value is out of range; it takes a whole "
		     "number from 1 to 20");
	expect_error("[sms]\nmax_segments = 0\n",
		     ":2: sms.max_segments: the value is out of range; it takes a whole "
		     "number from 1 to 20");
	expect_error("[sms]\nsend_wait_seconds = -1\n",
		     ":2: sms.send_wait_seconds: the value is out of range; it takes a "
		     "whole number from 0 to 120");
	expect_error("[sms]\nqueue_limit = 99999999999999999999999999\n",
		     ":2: sms.queue_limit: the value is out of range; it takes a whole "
		     "number from 1 to 10000");
	expect_error("[sms]\nqueue_limit = 18446744073709551617\n", /* 2^64 + 1 */
		     ":2: sms.queue_limit: the value is out of range; it takes a whole "
		     "number from 1 to 10000");
	expect_error(
		"[log]\nverbose = maybe\n",
		":2: log.verbose: the value is neither yes nor no; it takes yes or no");
	expect_error("[server]\nlisten = localhost:80\n",
		     ":2: server.listen: the value is not an IP address with a port; it "
		     "takes ADDRESS:PORT, such as 127.0.0.1:9531 or [::1]:9531");
	expect_error(
		"[store]\nstate_dir =\n",
		":2: store.state_dir: the value is empty; it takes text of at most 175 bytes");
	expect_error(
		"[store]\nstate_dir = ; nothing\n",
		":2: store.state_dir: the value is empty; it takes text of at most 175 bytes");
	expect_error("[store]\nstate_dir = /a\tb\n",
		     ":2: store.state_dir: the value has a control character; it takes "
		     "text of at most 175 bytes");
}

TEST(test_only_whole_numbers_are_read)
{
	static const char *const values[] = { "x",    "1x",  "-",   "+1",
					      "0x10", "1.0", "1 1", "--1" };
	char text[64];
	size_t at;

	for (at = 0; at < sizeof(values) / sizeof(values[0]); at++) {
		snprintf(text, sizeof(text), "[sms]\nmax_segments = %s\n", values[at]);
		expect_error(text,
			     ":2: sms.max_segments: the value is not a whole number; "
			     "it takes a whole number from 1 to 20");
	}
}

TEST(test_a_key_may_occur_once)
{
	expect_error("[sms]\nmax_segments = 2\n[log]\n[sms]\nmax_segments = 2\n",
		     ":5: sms.max_segments: already set in line 2");
}

TEST(test_a_list_has_at_most_eight_values)
{
	char text[512] = "[server]\n";
	int at;

	for (at = 0; at < CONFIG_LIST_MAX; at++)
		strcat(text, "allowed_host = a.example\n");
	expect_read(text);
	assert_int_equal(config.allowed_host.count, CONFIG_LIST_MAX);
	strcat(text, "allowed_host = a.example\n");
	expect_error(
		text,
		":10: server.allowed_host: the key is repeated too often; the limit is "
		"8; it takes text of at most 175 bytes");
}

TEST(test_long_values_are_refused)
{
	char text[512];
	char value[300];

	memset(value, 'x', sizeof(value));
	value[0] = '/';
	value[CONFIG_TEXT_BYTES - 1] = '\0';
	snprintf(text, sizeof(text), "[store]\nstate_dir = %s\n", value);
	expect_read(text);
	assert_string_equal(config.state_dir, value);
	snprintf(text, sizeof(text), "[store]\nstate_dir = %sx\n", value);
	expect_error(text, ":2: store.state_dir: the value is too long; it takes text of "
			   "at most 175 bytes");
}

TEST(test_long_lines_are_refused)
{
	char text[1000];
	char many[600];

	memset(many, 'x', sizeof(many));
	many[sizeof(many) - 1] = '\0';
	snprintf(text, sizeof(text), "#%s\n  ; %.300s\n[log]\nverbose = yes", many, many);
	expect_read(text); /* a comment may be long */
	assert_true(config.verbose);
	snprintf(text, sizeof(text), "[store]\nstate_dir = /%s\n[log]\nverbose = no\n",
		 many);
	assert_int_equal(read_bytes(text, strlen(text)), -EINVAL);
	assert_non_null(strstr(error.text, ":2: the line is too long; the limit is "));
	assert_true(config.verbose);
}

/* Lines shorter and longer than inih's buffer are read whole or refused, never cut. */
TEST(test_a_line_of_any_length_is_never_cut)
{
	int length, taken = 0;

	for (length = 120; length < 420; length++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "[log]\nverbose = %*s\n[store]\nstate_dir = /x", length, "yes");
		setup(state);
		if (read_bytes(text, strlen(text)) == 0) {
			assert_true(config.verbose);
			assert_string_equal(config.state_dir, "/x");
			taken = length;
		} else {
			assert_non_null(strstr(error.text, ":2: the line is too long"));
		}
	}
	assert_true(taken >= CONFIG_TEXT_BYTES);
}

TEST(test_control_characters_and_bad_utf_8_are_refused)
{
	expect_bytes_error("[log]\nverb\0ose = yes\n", 20,
			   ":2: the line has a control character (00)");
	expect_bytes_error("[log]\nverbose = yes\n\0", 21,
			   ":3: the line has a control character (00)");
	expect_error("[log]\nverbose = \x1b[2Jyes\n",
		     ":2: the line has a control character (1b)");
	expect_error("[log]\nverbose = yes\x7f\n",
		     ":2: the line has a control character (7f)");
	expect_error("[log]\rverbose = yes\n",
		     ":1: the line has a control character (0d)");
	expect_error("[store]\nstate_dir = /caf\xe9\n", ":2: the line is not UTF-8");
	expect_read("[store]\n# caf\xe9\nstate_dir = /caf\xc3\xa9\n");
	assert_string_equal(config.state_dir, "/caf\xc3\xa9");
	expect_read("\xef\xbb\xbf[log]\nverbose = yes\n");
	assert_true(config.verbose);
}

TEST(test_the_first_error_is_reported)
{
	expect_error("[sms]\nqueue_limit\nbad = 1\n",
		     ":2: the line is neither [SECTION] nor KEY = VALUE");
	expect_error("[sms]\nqueue_limit\n[bad]\n",
		     ":2: the line is neither [SECTION] nor KEY = VALUE");
	expect_error("[sms]\nqueue_limit = 0\nrubbish\n",
		     ":2: sms.queue_limit: the value is out of range; it takes a whole "
		     "number from 1 to 10000");
	expect_error("[sms\n", ":1: the line is neither [SECTION] nor KEY = VALUE");
	expect_error("[sms]\nqueue_limit = 5\n\n\nrubbish",
		     ":5: the line is neither [SECTION] nor KEY = VALUE");
}

TEST(test_an_unreadable_file_is_an_error)
{
	assert_int_equal(config_read(&config, "/nonexistent/x.conf", &error), -ENOENT);
	assert_string_equal(error.text, "/nonexistent/x.conf: No such file or directory");
	assert_int_equal(config_read(&config, "/tmp", &error), -EINVAL);
	assert_string_equal(error.text, "/tmp: it is not a regular file");
	if (geteuid() == 0) /* root may read any file */
		return;
	chmod(path, 0);
	assert_int_equal(config_read(&config, path, &error), -EACCES);
	chmod(path, 0600);
}

TEST(test_loading_starts_from_the_defaults)
{
	expect_read("[sms]\nqueue_limit = 5\n");
	config.max_segments = 9; /* the defaults replace it */
	assert_int_equal(config_load(&config, path, &error), 0);
	assert_int_equal(config.queue_limit, 5);
	assert_int_equal(config.max_segments, 3);
	assert_int_equal(config_load(&config, "/nonexistent/x.conf", &error), -ENOENT);
	assert_string_equal(error.text, "/nonexistent/x.conf: No such file or directory");
}

TEST(test_another_state_dir_keeps_the_socket_of_a_given_file)
{
	expect_read("[server]\ncontrol_socket = /x/there\n[store]\nstate_dir = /x\n");
	assert_int_equal(config_load_for(&config, path, NULL, &error), 0);
	assert_string_equal(config.state_dir, "/x");
	assert_int_equal(config_load_for(&config, path, "/y", &error), 0);
	assert_string_equal(config.state_dir, "/y");
	assert_string_equal(config.control_socket, "/x/there"); /* `path` was given */
	assert_int_equal(config_load_for(&config, "/nonexistent", "/y", &error), -ENOENT);
}

static void expect_set_error(const char *key, const char *value, const char *expected)
{
	struct config before = config;

	assert_int_equal(config_set(&config, key, value, "--option", &error), -EINVAL);
	assert_string_equal(error.text, expected);
	assert_memory_equal(&config, &before, sizeof(config));
}

TEST(test_an_option_sets_a_value)
{
	assert_int_equal(config_set(&config, "sms.queue_limit", "7", "-q", &error), 0);
	assert_int_equal(config.queue_limit, 7);
	assert_int_equal(config_set(&config, "sms.queue_limit", "8", "-q", &error), 0);
	assert_int_equal(config.queue_limit, 8);
	assert_int_equal(config_set(&config, "server.listen", "[::1]:1", "-l", &error),
			 0);
	assert_int_equal(config.listen.count, 2);
	config_list_clear(&config.listen);
	assert_int_equal(config.listen.count, 0);
	assert_int_equal(config_set(&config, "server.listen", "[::1]:2", "-l", &error),
			 0);
	assert_int_equal(config.listen.count, 1);
	assert_string_equal(config.listen.items[0], "[::1]:2");
}

TEST(test_set_refuses_unknown_keys)
{
	char longer[CONFIG_TEXT_BYTES + 1];

	memset(longer, '/', sizeof(longer));
	longer[CONFIG_TEXT_BYTES] = '\0';
	expect_set_error(
		"store.state_dir", longer,
		"--option: store.state_dir: the value is too long; it takes text of at most 175 bytes");
	expect_set_error("log.verbose", "",
			 "--option: log.verbose: the value is empty; it takes yes or no");
	expect_set_error("log.loud", "1",
			 "--option: log.loud: unknown key; [log] has verbose");
	expect_set_error("logs.verbose", "1",
			 "--option: [logs]: unknown section; the sections are "
			 "[server], [store], [sim], [sms], [policy], [ussd], "
			 "[call], [incoming], [agent], [events], [contacts], [log]");
	expect_set_error(
		"verbose", "1",
		"--option: a key comes before any section; the sections are [server], "
		"[store], [sim], [sms], [policy], [ussd], [call], [incoming], [agent], "
		"[events], [contacts], [log]");
}

/* Values that would not survive printing and reading. */
TEST(test_set_refuses_values_that_cannot_be_printed)
{
	static const char *const values[] = { " /a",	 "/a ",	  "/a ;b", ";a",
					      "/a\n[x]", "/a\r",  "/\xff", "\t/a",
					      "/a\tb",	 "/a\x7f" };
	size_t at;

	for (at = 0; at < sizeof(values) / sizeof(values[0]); at++) {
		if (config_set(&config, "store.state_dir", values[at], "-d", &error) == 0)
			fail_msg("accepted: %s", values[at]);
	}
	assert_int_equal(config_set(&config, "store.state_dir", "/a;b #c", "-d", &error),
			 0);
}

TEST(test_policy_values_are_checked)
{
	static const struct {
		const char *key, *value, *flaw; /* NULL: valid */
	} cases[] = {
		{ "allow", "+36201234567, +3630* 1234", NULL },
		{ "allow", "*", NULL },
		{ "allow", "Anna", "policy.allow: \"Anna\" is not a number" },
		{ "deny", "+*", "policy.deny: \"+*\" is not a number" },
		{ "deny", "+36*30", "policy.deny: \"+36*30\" is not" },
		{ "allow", "+36 20 123 4567", "policy.allow: \"+36\" is not a number" },
		{ "deny", "06 20 123 4567", "policy.deny: \"06\" is not a number" },
		{ "deny", "+36201234567/89", "policy.deny: \"+36201234567/89\" is not" },
		{ "countries", "any", NULL },
		{ "countries", "+43 +49", NULL },
		{ "countries", "AT", "policy.countries: \"AT\" is not home, any" },
		{ "quiet_hours", "22:00-07:00", NULL },
		{ "quiet_hours", "0:00-24:00", NULL },
		{ "quiet_hours", "22-7", "policy.quiet_hours: \"22-7\" is not two" },
		{ "quiet_hours", "22:00-22:00", "policy.quiet_hours: " },
		{ "quiet_hours", "22:60-07:00", "policy.quiet_hours: " },
		{ "quiet_hours", "22:00-07:00x", "policy.quiet_hours: " },
		{ "quiet_hours", "24:01-07:00", "policy.quiet_hours: " },
		{ "minimum_balance", "five", "policy.minimum_balance: \"five\" is not" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char key[32];

		config_defaults(&config);
		snprintf(key, sizeof(key), "policy.%s", cases[i].key);
		assert_int_equal(config_set(&config, key, cases[i].value, "x", &error),
				 cases[i].flaw ? -EINVAL : 0);
		if (cases[i].flaw && !strstr(error.text, cases[i].flaw))
			fail_msg("%s: %s", cases[i].value, error.text);
	}
	config_defaults(&config);
	assert_int_equal(config_set(&config, "policy.minimum_balance", "5", "x", &error),
			 0);
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "policy.minimum_balance: without ussd.bal"));
}

TEST(test_a_renamed_key_is_still_read)
{
	expect_read("[sms]\nask_seconds = 7\n[policy]\napprove_through_client = no\n");
	assert_int_equal(config.elicitation_seconds, 7);
	assert_false(config.approve_through_agent);
	expect_error("[sms]\nask_seconds = 7\nelicitation_seconds = 8\n",
		     ":3: sms.elicitation_seconds: already set in line 2");
	assert_int_equal(config_set(&config, "sms.ask_seconds", "9", "--option", &error),
			 0);
	assert_int_equal(config.elicitation_seconds, 9);
}

static void find_words(void *data, const char *text)
{
	strcat(data, text);
}

/* Earlier versions accepted digits of any length. */
TEST(test_a_list_may_have_digits_of_no_number_and_they_are_named)
{
	static const char *const useless[] = { "+36", "12", "+012345678",
					       "+12345678901234567",
					       "1234567890123456789*" };
	char key[32], found[512], quoted[32];

	for (size_t i = 0; i < sizeof(useless) / sizeof(useless[0]); i++) {
		for (size_t deny = 0; deny < 2; deny++) {
			snprintf(key, sizeof(key), "policy.%s", deny ? "deny" : "allow");
			snprintf(quoted, sizeof(quoted), "\"%s\"", useless[i]);
			config_defaults(&config);
			assert_int_equal(
				config_set(&config, key, "+3620*, 112", "x", &error), 0);
			*found = '\0';
			config_find_useless(&config, find_words, found);
			assert_string_equal(found, "");
			assert_int_equal(
				config_set(&config, key, useless[i], "x", &error), 0);
			config_find_useless(&config, find_words, found);
			assert_non_null(strstr(found, key));
			assert_non_null(strstr(found, quoted));
		}
	}
}

/* An invalid word in a list is reported with its line. */
TEST(test_an_invalid_word_is_reported_with_its_line)
{
	expect_error("[policy]\nquiet_hours = 22-7\n",
		     ":2: policy.quiet_hours: \"22-7\" is not "
		     "two times of the day such as 22:00-07:00");
	expect_error(
		"[policy]\ncountries = home AT\n",
		":2: policy.countries: \"AT\" is not home, any, or a prefix such as +43");
	expect_error("[policy]\nallow = +43*\nallow = Anna\n",
		     ":3: policy.allow: \"Anna\" is not a number or a prefix that ends "
		     "with *, such as +3620*");
	expect_error(
		"[policy]\nminimum_balance = 5\nminimum_balance = 6\n",
		":3: policy.minimum_balance: there are two amounts for all SIMs; write "
		"one amount without separators, such as 1500 or 12.50");
	expect_error(
		"[ussd]\nallow = *100# 100\n",
		":2: ussd.allow: \"100\" is not a code such as *100#, in which ? may "
		"stand for any digit");
	expect_error(
		"[ussd]\nbalance_pattern = *100#\n",
		":2: ussd.balance_pattern: \"*100#\": it needs a code, a space and a pattern");
}

TEST(test_open_mode_is_for_loopback_only)
{
	config.open = true;
	assert_int_equal(config_check(&config, &error), 0);
	config_set(&config, "server.listen", "[::1]:9531", "x", &error);
	assert_int_equal(config_check(&config, &error), 0);
	config_set(&config, "server.listen", "0.0.0.0:9531", "x", &error);
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"server.open: refused, because 0.0.0.0:9531 is not a loopback address "
		"and anybody could send messages; listen on 127.0.0.1 or use a token");
	config.open = false;
	assert_int_equal(config_check(&config, &error), 0);
}

TEST(test_paths_and_certificates_are_checked)
{
	strcpy(config.state_dir, "state");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"store.state_dir: state is not an absolute path; it must begin with '/'");
	strcpy(config.state_dir, "/state");
	strcpy(config.spool_dir, "spool");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"store.spool_dir: spool is not an absolute path; it must begin with '/'");
	config.spool_dir[0] = '\0';
	strcpy(config.pin_file, "pins");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"sim.pin_file: pins is not an absolute path; it must begin with '/'");
	config.pin_file[0] = '\0';
	strcpy(config.contacts_file, "x.vcf");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(
		error.text,
		"contacts.file: x.vcf is not an absolute path; it must begin with '/'");
	config.contacts_file[0] = '\0';
	strcpy(config.spool_dir, "/spool");
	assert_int_equal(config_check(&config, &error), 0);
	strcpy(config.tls_key, "/key.pem");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(error.text,
			    "server.tls_certificate is missing: a certificate and its "
			    "key belong together");
	strcpy(config.tls_certificate, "cert.pem");
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(error.text,
			    "server.tls_certificate: cert.pem is not an absolute path; "
			    "it must begin with '/'");
	strcpy(config.tls_certificate, "/cert.pem");
	assert_int_equal(config_check(&config, &error), 0);
	config_list_clear(&config.listen);
	assert_int_equal(config_check(&config, &error), -EINVAL);
	assert_string_equal(error.text,
			    "server.listen: at least one ADDRESS:PORT is needed");
}

static char *print(void)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	config_print(&config, out);
	fclose(out);
	return text;
}

static void expect_print_and_read_agree(void)
{
	struct config before = config;
	char *text = print();

	config_defaults(&config);
	expect_read(text);
	free(text);
	assert_memory_equal(&config, &before, sizeof(config));
}

TEST(test_printed_configuration_can_be_read)
{
	expect_print_and_read_agree();
	expect_read(full);
	expect_print_and_read_agree();
}

TEST(test_the_longest_values_survive_printing)
{
	char value[CONFIG_TEXT_BYTES];

	memset(value, 'x', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	config_set(&config, "server.allowed_origin", value, "x", &error);
	value[0] = '/';
	config_set(&config, "store.state_dir", value, "x", &error);
	assert_string_equal(config.state_dir, value);
	expect_print_and_read_agree();
}

TEST(test_printing_comments_defaults_out)
{
	char *text = print();
	char *line;

	assert_non_null(strstr(text, "\n#queue_limit = 1000\n"));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(line[0] == '#' || line[0] == '[');
	free(text);
	config.queue_limit = 7;
	text = print();
	assert_non_null(strstr(
		text, "clients share it equally (1 to 10000).\nqueue_limit = 7\n"));
	free(text);
}

/* The sample without comment marks has every default and every example. */
TEST(test_the_sample_is_valid_when_uncommented)
{
	char *text = print();
	char *at;

	for (at = text; (at = strstr(at, "\n#")); at++) {
		if (at[2] != ' ')
			at[1] = ' ';
	}
	expect_read(text);
	free(text);
	assert_int_equal(config.allowed_host.count, 1);
	assert_int_equal(config.listen.count, 1);
	assert_int_equal(config.queue_limit, 1000);
}

struct text {
	char bytes[32768];
};

static void read_text(struct text *text, const char *name)
{
	FILE *file = fopen(name, "r");
	size_t length;

	assert_non_null(file);
	length = fread(text->bytes, 1, sizeof(text->bytes) - 1, file);
	text->bytes[length] = '\0';
	fclose(file);
}

TEST(test_the_sample_file_is_current)
{
	char *expected = print();
	struct text text;

	read_text(&text, "etc/ofono-mcp.conf");
	assert_string_equal(text.bytes, expected);
	free(expected);
}

/* The fuzz target of the configuration builds files from this list. */
TEST(test_the_fuzz_target_knows_every_key)
{
	struct text text;
	char word[64];

	read_text(&text, "tests/fuzz/config.dict");
	for (const struct config_key *key = NULL; (key = config_key_table_next(key));) {
		snprintf(word, sizeof(word), "\n\"%s = \"\n", key->name);
		if (!strstr(text.bytes, word))
			fail_msg("tests/fuzz/config.dict lacks %s", key->name);
	}
}

GROUP_FIXTURE(make_file, remove_file)
