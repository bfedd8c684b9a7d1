/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target over files and folders of files, without libFuzzer: for "make check".
 *
 *   build/san/target/NAME FILE|FOLDER...
 *
 * The output is TAP, one line for each argument. A bad input ends the program, and is the last
 * one named.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { PATH_BYTES = 4096 };

static void run_file(const char *path)
{
	FILE *file = fopen(path, "re");
	uint8_t *data;
	struct stat status;
	size_t length;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(1);
	}
	data = malloc((size_t)status.st_size + 1);
	length = fread(data, 1, (size_t)status.st_size, file);
	fclose(file);
	/* of exactly its size, so that reading one byte too far is found */
	data = realloc(data, length ? length : 1);
	printf("# %s\n", path);
	LLVMFuzzerTestOneInput(data, length);
	free(data);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_folder(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_shown, alphasort);
	char name[PATH_BYTES];

	if (count < 0) {
		run_file(path);
		return 1;
	}
	for (int at = 0; at < count; at++) {
		snprintf(name, sizeof(name), "%s/%s", path, entries[at]->d_name);
		run_file(name);
		free(entries[at]);
	}
	free(entries);
	return count;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("1..%d\n", argc - 1);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int at = 1; at < argc; at++) {
		int count = run_folder(argv[at]);

		printf("%s %d - %d inputs of %s\n", count ? "ok" : "not ok", at, count,
		       argv[at]);
	}
	return 0;
}
