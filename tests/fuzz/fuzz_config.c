/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: an invalid one changes nothing and names the line; a valid one,
 * printed, is a file with the same meaning. */
#include <sys/mman.h>
#include <unistd.h>

#include "config/config.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "base/explanation.h"

static int file = -1;
static char path[32];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	file = memfd_create("config", MFD_CLOEXEC);
	FUZZ_CHECK(file >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return 0;
}

static void write_file(const void *data, size_t length)
{
	FUZZ_CHECK(ftruncate(file, 0) == 0);
	FUZZ_CHECK(pwrite(file, data, length, 0) == (ssize_t)length);
}

static void print(const struct config *config)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	config_print(config, out);
	fclose(out);
	write_file(text, length);
	free(text);
}

static void on_changed(void *data, const char *section, const char *name, bool adopted)
{
	FUZZ_CHECK(*section && *name);
}

/* Adopted by a program with the defaults, and read again from its own output. */
static void check_read(const struct config *config)
{
	struct config again, adopting;
	struct explanation error = { "" };

	config_defaults(&again);
	print(config);
	FUZZ_CHECK(config_read(&again, path, &error) == 0);
	FUZZ_CHECK(memcmp(&again, config, sizeof(again)) == 0);
	config_defaults(&adopting);
	config_adopt(&adopting, config, on_changed, NULL);
	if (config_check(config, &error) != 0)
		FUZZ_CHECK(*error.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct config config, before;
	struct explanation error = { "" };

	config_defaults(&config);
	before = config;
	write_file(data, length);
	if (config_read(&config, path, &error) == 0) {
		check_read(&config);
	} else {
		FUZZ_CHECK(strncmp(error.text, path, strlen(path)) == 0);
		FUZZ_CHECK(utf8_valid(error.text, strlen(error.text)));
		FUZZ_CHECK(memcmp(&config, &before, sizeof(config)) == 0);
	}
	return 0;
}
