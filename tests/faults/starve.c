/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target over each input again and again. Each time another call finds no memory, or
 * no room on the disk, or a disk that does not sync: the first, the second, ... until the input
 * ends without reaching that call.
 *
 *   build/starved/NAME [--stride N] FILE...
 *
 * The gateway must answer or close the connection, know every message that it reported, and work
 * as before afterwards. --stride N takes every N-th call. The output is TAP, a line for each file
 * and kind of failure. STARVE_AT="KIND NUMBER" runs one case alone.
 */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"
#include "scarcity.h"

static const struct way {
	const char *name;
	enum scarce what;
	bool is_lasting;
} ways[] = {
	{ "memory", SCARCE_MEMORY, false }, { "memory-lasting", SCARCE_MEMORY, true },
	{ "room", SCARCE_ROOM, false },	    { "room-lasting", SCARCE_ROOM, true },
	{ "sync", SCARCE_SYNC, false },	    { "sync-lasting", SCARCE_SYNC, true },
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static char where[512]; /* the resource that fails in this run */
static unsigned long stride = 1;

void fuzz_starve(bool is_hungry)
{
	scarcity.is_armed = is_hungry && scarcity.fail_at;
}

/* Uses only what a signal handler may call. */
static void on_death(int number)
{
	scarcity.is_armed = false;
	if (write(STDOUT_FILENO, where, strlen(where)) < 0)
		_exit(2);
	signal(number, SIG_DFL);
	raise(number);
}

static uint8_t *read_file(const char *path, size_t *length_out)
{
	FILE *file = fopen(path, "re");
	struct stat status;
	uint8_t *data;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(1);
	}
	data = malloc((size_t)status.st_size + 1);
	*length_out = fread(data, 1, (size_t)status.st_size, file);
	fclose(file);
	return data;
}

struct input {
	const char *path;
	uint8_t *data;
	size_t length;
};

/* False: the input never reached that call. */
static bool try(const struct input *input, const struct way *way, unsigned long number)
{
	bool was_met;

	snprintf(where, sizeof(where), "# STARVE_AT=\"%s %lu\" %s\n", way->name, number,
		 input->path);
	scarcity = (struct scarcity){ .what = way->what,
				      .is_lasting = way->is_lasting,
				      .fail_at = number };
	LLVMFuzzerTestOneInput(input->data, input->length);
	was_met = scarcity_was_met();
	scarcity.fail_at = 0;
	if (fuzz_probe)
		fuzz_probe();
	return was_met;
}

static void run_way(const struct input *input, const struct way *way, int test)
{
	unsigned long tries = 0, number = 1;

	while (try(input, way, number)) {
		tries++;
		number += stride;
	}
	printf("ok %d - %s, %s: %lu tries\n", test, input->path, way->name, tries);
}

static bool run_one(const struct input *input)
{
	const char *wanted = getenv("STARVE_AT");
	char name[32];
	unsigned long number;

	if (!wanted || sscanf(wanted, "%31s %lu", name, &number) != 2)
		return false;
	for (const struct way *way = ways; way < ways + WAYS; way++) {
		if (strcmp(way->name, name) == 0)
			printf("# met: %d\n", try(input, way, number));
	}
	return true;
}

int main(int argc, char **argv)
{
	int first = 1, test = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 2 && strcmp(argv[1], "--stride") == 0) {
		stride = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	signal(SIGSEGV, on_death);
	signal(SIGABRT, on_death);
	signal(SIGXFSZ, SIG_IGN);
	printf("1..%d\n", (argc - first) * WAYS);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int at = first; at < argc; at++) {
		struct input input = { .path = argv[at] };

		input.data = read_file(argv[at], &input.length);
		for (int way = 0; way < WAYS && !run_one(&input); way++)
			run_way(&input, &ways[way], ++test);
		free(input.data);
	}
	return 0;
}
