/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a gateway runs with comes back as it was, and nothing else does. */
#include "unit_test.h"
#include <stdio.h>
#include <string.h>

#include "base/explanation.h"
#include "base/json_reader.h"
#include "config/config.h"

static struct config config, told;
static struct explanation error;

static const struct json *parse(const char *text, size_t length, struct arena *arena)
{
	const struct json *json = NULL;

	assert_int_equal(json_reader_read(arena, text, length, &json), 0);
	return json;
}

static void note(void *data, const char *section, const char *name, bool adopted)
{
	fail_msg("%s.%s differs", section, name);
}

/* Each key, also those whose default was taken away. */
TEST(test_json_is_read_back)
{
	struct arena *arena = arena_new(1 << 20);
	struct buffer text = BUFFER_INIT;
	struct json_writer *writer = json_writer_new(&text);

	config_defaults(&config);
	config_list_clear(&config.listen);
	assert_int_equal(config_set(&config, "server.open", "yes", "", &error), 0);
	assert_int_equal(config_set(&config, "server.listen", "[::1]:1", "", &error), 0);
	assert_int_equal(config_set(&config, "server.listen", "127.0.0.1:2", "", &error),
			 0);
	assert_int_equal(config_set(&config, "ussd.balance_pattern", "*100# (.) \"x\"",
				    "", &error),
			 0);
	memset(config.control_socket, 0, sizeof(config.control_socket));
	config_write_json(&config, writer);
	json_writer_free(writer);
	assert_true(config_read_json(parse(text.data, text.length, arena), &told));
	config_adopt(&told, &config, note, NULL);
	buffer_deinit(&text);
	arena_free(arena);
}

TEST(test_other_json_is_refused)
{
	static const char *const texts[] = {
		"[]",
		"\"server.open\"",
		"{\"server.open\":true}",
		"{\"server.open\":\"perhaps\"}",
		"{\"server.later\":\"yes\"}",
		"{\"server.listen\":[\"127.0.0.1:1\",2]}",
	};
	struct arena *arena = arena_new(1 << 20);

	config_defaults(&told);
	config = told;
	for (size_t at = 0; at < sizeof(texts) / sizeof(texts[0]); at++) {
		if (config_read_json(parse(texts[at], strlen(texts[at]), arena), &told))
			fail_msg("%s", texts[at]);
	}
	assert_false(config_read_json(NULL, &told));
	assert_memory_equal(&config, &told, sizeof(config));
	arena_free(arena);
}
