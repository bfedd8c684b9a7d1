/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON reader: a document split into any pieces is the same document, and written
 * again it reads as before. */
#include "base/json.h"
#include "base/json_reader.h"
#include "fuzz.h"

enum { ARENA_BYTES = 1 << 20 };

static int read_in_pieces(struct arena *arena, const char *text, size_t length,
			  size_t piece)
{
	struct json_reader *reader = json_reader_new(arena);
	const struct json *root = NULL;
	int outcome;

	FUZZ_CHECK(reader);
	for (size_t at = 0; at < length; at += piece)
		json_reader_feed(reader, text + at,
				 length - at < piece ? length - at : piece);
	outcome = json_reader_finish(reader, &root);
	FUZZ_CHECK((outcome == 0 || outcome == JSON_E_NUL) == (root != NULL));
	json_reader_free(reader);
	return outcome;
}

static const struct json *read_whole(struct arena *arena, const char *text, size_t length,
				     int *outcome_out)
{
	const struct json *root = NULL;

	*outcome_out = json_reader_read(arena, text, length, &root);
	FUZZ_CHECK(json_reader_error_text(*outcome_out));
	return root;
}

static void write(const struct json *root, struct buffer *text)
{
	struct json_writer *writer = json_writer_new(text);

	FUZZ_CHECK(writer);
	json_write_canonical(writer, root);
	json_writer_free(writer);
	FUZZ_CHECK(!text->failed);
}

static void check_written(const struct json *root)
{
	struct arena *arena = arena_new(8 * ARENA_BYTES);
	struct buffer once = BUFFER_INIT, twice = BUFFER_INIT;
	const struct json *again;
	int outcome;

	write(root, &once);
	again = read_whole(arena, once.data, once.length, &outcome);
	FUZZ_CHECK(again);
	write(again, &twice);
	FUZZ_CHECK(once.length == twice.length &&
		   memcmp(once.data, twice.data, once.length) == 0);
	buffer_deinit(&once);
	buffer_deinit(&twice);
	arena_free(arena);
}

static void ask_values(const struct json *value)
{
	int64_t integer;
	double real;

	if (json_integer(value, &integer))
		FUZZ_CHECK(json_real(value, &real));
	FUZZ_CHECK(!json_string(value) || strlen(value->text) == value->length);
	json_foreach (child, value) {
		FUZZ_CHECK(value->type != JSON_OBJECT ||
			   json_member(value, child->name) == child);
		ask_values(child);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct arena *arena = arena_new(ARENA_BYTES);
	struct arena *other = arena_new(ARENA_BYTES);
	size_t piece = length ? 1 + data[length - 1] % 16 : 1;
	char *text = fuzz_text(data, length);
	const struct json *root;
	int outcome;

	root = read_whole(arena, text, length, &outcome);
	FUZZ_CHECK(read_in_pieces(other, text, length, piece) == outcome);
	if (root) {
		ask_values(root);
		check_written(root);
	}
	free(text);
	arena_free(other);
	arena_free(arena);
	return 0;
}
