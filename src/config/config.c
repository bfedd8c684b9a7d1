/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration: config_key_table.c has the keys, inih splits the lines.
 *
 * How a distribution built inih (lines that go on, growing lines, stop at the first
 * error) must not matter. Hence the lines come from our reader: it knows their numbers,
 * takes the blanks off their start, so that no line can go on in the next one, refuses
 * what inih would cut or drop, and ends the file at the first error.
 */
#include "config/config.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <ini.h>

#include "config/balance_pattern.h"
#include "config/config_folder.h"
#include "config/config_key.h"
#include "config/config_policy.h"
#include "config/ussd_code.h"
#include "base/utf8.h"

void config_defaults(struct config *config)
{
	const char *flaw;
	size_t at;

	memset(config, 0, sizeof(*config));
	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		if (!config_key_table[at].initial)
			continue;
		flaw = config_key_set(&config_key_table[at], config,
				      config_key_table[at].initial);
		assert(!flaw);
		(void)flaw;
	}
}

/* A file being read. */
struct source {
	FILE *file;
	struct config config;
	struct config_place place;
	int result;		    /* not 0: no more lines */
	int seen[CONFIG_KEY_COUNT]; /* the line where each key stood first */
};

/*
 * The next line without blanks at its start and "\n" or "\r\n" at its end, cut to `room`.
 * Its whole length, or -1 at the end of the file.
 */
static long source_get(struct source *source, char *line, long room)
{
	long length = 0;
	int byte = getc(source->file);

	if (byte == EOF)
		return -1;
	for (; byte != EOF && byte != '\n'; byte = getc(source->file)) {
		if (length == 0 && (byte == ' ' || byte == '\t'))
			continue;
		if (length < room)
			line[length] = (char)byte;
		length++;
	}
	if (length > 0 && length <= room && line[length - 1] == '\r')
		length--;
	return length;
}

static int line_check(const struct config_place *place, const char *line, long length)
{
	char section[CONFIG_TEXT_BYTES], bracket[2];
	long at;

	for (at = 0; at < length; at++) {
		if (((unsigned char)line[at] < 0x20 && line[at] != '\t') ||
		    line[at] == 0x7f)
			return config_fail(place,
					   "the line holds a control character (%02x)",
					   (unsigned char)line[at]);
	}
	if (!utf8_valid(line, (size_t)length))
		return config_fail(place, "the line is not UTF-8");
	/* inih tells of a section only with its first key; "[sever]" is wrong anyway */
	if (sscanf(line, "[%175[^]]%1[]]", section, bracket) == 2 &&
	    !config_section_known(section))
		return config_section_fail(place, section);
	return 0;
}

/* A line for inih, as fgets() would give it. */
static char *source_line(char *line, int size, void *data)
{
	struct source *source = data;
	long room = size - 2; /* "\n" and NUL */
	long length;

	if (source->result)
		return NULL;
	source->place.line++;
	length = source_get(source, line, room);
	if (length < 0)
		return NULL;
	if (length > 0 && (line[0] == '#' || line[0] == ';'))
		length = 0; /* a comment may be as long and as odd as it likes */
	if (length > room) {
		source->result = config_fail(
			&source->place, "the line is too long; it takes %ld bytes", room);
		return NULL;
	}
	memcpy(line + length, "\n", sizeof("\n"));
	source->result = line_check(&source->place, line, length);
	return source->result ? NULL : line;
}

/* Before this value all were well: what is wrong now stands here. */
static int value_set(const struct config_place *place, const struct config_key *key,
		     struct config *config, const char *value)
{
	const char *flaw = config_key_set(key, config, value);
	struct explanation error;

	if (flaw)
		return config_value_fail(place, key, flaw);
	if (config_policy_check(&config->policy, &error) ||
	    ussd_code_check_list(&config->ussd_allow, &error) ||
	    balance_pattern_check_list(&config->ussd_balance_pattern, &error))
		return config_fail(place, "%s", error.text);
	return 0;
}

static int source_set(struct source *source, const struct config_key *key,
		      const char *value)
{
	const struct config_place *place = &source->place;
	int *seen = &source->seen[key - config_key_table];

	if (*seen && !config_key_is_list(key))
		return config_fail(place, "%s.%s: stands already in line %d",
				   key->section, key->name, *seen);
	if (!*seen && config_key_is_list(key)) /* a file replaces the default */
		config_list_clear(config_key_field(key, &source->config));
	if (!*seen)
		*seen = place->line;
	return value_set(place, key, &source->config, value);
}

/* For inih: 0 is an error. */
static int source_pair(void *data, const char *section, const char *name,
		       const char *value)
{
	struct source *source = data;
	const struct config_key *key = config_key_find(section, name);

	if (source->result)
		return 0;
	if (key)
		source->result = source_set(source, key, value ? value : "");
	else
		source->result = config_key_fail(&source->place, section, name);
	return source->result == 0;
}

static int source_read(struct source *source)
{
	int bad_line, saved_errno;

	errno = 0;
	bad_line = ini_parse_stream(source_line, source, source_pair, source);
	saved_errno = errno;
	if (ferror(source->file)) {
		source->place.line = 0;
		config_fail(&source->place, "%s", strerror(saved_errno));
		return saved_errno ? -saved_errno : -EIO;
	}
	if (bad_line < 0) {
		source->place.line = 0;
		config_fail(&source->place, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	/* inih goes on behind a line that it cannot split; the first error is told */
	if (bad_line > 0 && (!source->result || bad_line < source->place.line)) {
		source->place.line = bad_line;
		return config_fail(&source->place,
				   "the line is neither [SECTION] nor KEY = VALUE");
	}
	return source->result;
}

int config_read(struct config *config, const char *path, struct explanation *error)
{
	struct source source = { .place = { .origin = path, .error = error } };
	int result;

	source.file = fopen(path, "re");
	if (!source.file) {
		result = -errno;
		config_fail(&source.place, "%s", strerror(errno));
		return result;
	}
	source.config = *config;
	result = source_read(&source);
	fclose(source.file);
	if (result == 0)
		*config = source.config;
	return result;
}

int config_load(struct config *config, const char *path, struct explanation *error)
{
	int result;

	config_defaults(config);
	if (path)
		return config_read(config, path, error);
	result = config_read(config, CONFIG_DEFAULT_PATH, error);
	if (result != 0 && result != -ENOENT)
		return result;
	return config_read_folder(config, CONFIG_DEFAULT_FOLDER, error);
}

int config_set(struct config *config, const char *key, const char *value,
	       const char *origin, struct explanation *error)
{
	struct config_place place = { .origin = origin, .error = error };
	const char *dot = strchr(key, '.');
	const struct config_key *found = NULL;
	char section[32] = "";

	if (dot && (size_t)(dot - key) < sizeof(section)) {
		memcpy(section, key, (size_t)(dot - key));
		found = config_key_find(section, dot + 1);
	}
	if (!found)
		return config_key_fail(&place, section, dot ? dot + 1 : key);
	return value_set(&place, found, config, value);
}

int config_load_for(struct config *config, const char *path, const char *state_dir,
		    struct explanation *error)
{
	int result = config_load(config, path, error);

	if (result != 0 || !state_dir)
		return result;
	if (!path && strcmp(config->state_dir, state_dir) != 0)
		memset(config->control_socket, 0, sizeof(config->control_socket));
	return config_set(config, "store.state_dir", state_dir, "--state-dir", error);
}

void config_list_clear(struct config_list *list)
{
	memset(list, 0, sizeof(*list));
}

/* What is unused of a text or a list is zero, so fields compare byte by byte. */
void config_adopt(struct config *config, const struct config *next,
		  void (*changed)(void *data, const char *section, const char *name,
				  bool adopted),
		  void *data)
{
	for (size_t at = 0; at < CONFIG_KEY_COUNT; at++) {
		const struct config_key *key = &config_key_table[at];
		void *field = config_key_field(key, config);
		const char *wanted = (const char *)next + key->offset;
		size_t size = config_key_size(key);

		if (memcmp(field, wanted, size) == 0)
			continue;
		if (key->live)
			memcpy(field, wanted, size);
		changed(data, key->section, key->name, key->live);
	}
}

void config_write_value(const struct config *config, const char *section,
			const char *name, struct buffer *text_out)
{
	config_key_write(config_key_find(section, name), config, text_out);
}

void config_print(const struct config *config, FILE *out)
{
	const char *section = "";
	struct config defaults;
	size_t at;

	config_defaults(&defaults);
	fprintf(out,
		"# Configuration of ofono-mcp. A line that is commented out shows the "
		"default\n# or an example.\n");
	for (at = 0; at < CONFIG_KEY_COUNT; at++) {
		const struct config_key *key = &config_key_table[at];

		if (strcmp(section, key->section) != 0) {
			section = key->section;
			fprintf(out, "\n[%s]\n", section);
		}
		fprintf(out, "\n");
		config_key_print(key, config, &defaults, out);
	}
}
