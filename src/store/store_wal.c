/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The format is https://www.sqlite.org/fileformat2.html#walformat: a header of 32 bytes,
 * then frames of 24 bytes and a page. Every frame contains the checksum of everything
 * before it. So each frame is checked from the checksum in the frame before it, and a
 * wrong frame does not hide the ones behind it.
 *
 * A power cut leaves wrong frames at the end. Damage leaves a sound frame behind a
 * commit that contains, or follows, a wrong frame.
 */
#include "store/store_database.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 32,
	HEADER_SUMMED_BYTES = 24,
	FRAME_BYTES = 24,
	FRAME_SUMMED_BYTES = 8,
	FORMAT = 3007000,
	PAGE_LEAST = 512,
	PAGE_MOST = 65536,
};

static const uint32_t magic = 0x377f0682; /* plus 1: checksums of big-endian words */

struct store_wal_sum {
	uint32_t first, second;
};

struct store_wal {
	const uint8_t *bytes;
	size_t length;
	size_t page_bytes;
	bool big_endian;
};

static uint32_t store_wal_read_big(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 |
	       at[3];
}

static uint32_t store_wal_read_little(const uint8_t *at)
{
	return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 |
	       at[0];
}

static struct store_wal_sum store_wal_read_sum(const uint8_t *at)
{
	return (struct store_wal_sum){ store_wal_read_big(at),
				       store_wal_read_big(at + 4) };
}

static bool store_wal_sums_equal(struct store_wal_sum one, struct store_wal_sum other)
{
	return one.first == other.first && one.second == other.second;
}

static struct store_wal_sum store_wal_checksum(const struct store_wal *wal,
					       struct store_wal_sum sum,
					       const uint8_t *bytes, size_t length)
{
	uint32_t (*read)(const uint8_t *at) =
		wal->big_endian ? store_wal_read_big : store_wal_read_little;

	for (size_t at = 0; at + 8 <= length; at += 8) {
		sum.first += read(bytes + at) + sum.second;
		sum.second += read(bytes + at + 4) + sum.first;
	}
	return sum;
}

static bool store_wal_is_blank(const struct store_wal *wal)
{
	for (size_t at = 0; at < wal->length; at++) {
		if (wal->bytes[at])
			return false;
	}
	return true;
}

static bool store_wal_header_is_sound(struct store_wal *wal)
{
	const uint8_t *header = wal->bytes;
	struct store_wal_sum sum = { 0, 0 };

	if (wal->length < HEADER_BYTES || (store_wal_read_big(header) & ~1u) != magic ||
	    store_wal_read_big(header + 4) != FORMAT)
		return false;
	wal->big_endian = store_wal_read_big(header) & 1;
	wal->page_bytes = store_wal_read_big(header + 8);
	if (wal->page_bytes < PAGE_LEAST || wal->page_bytes > PAGE_MOST)
		return false;
	sum = store_wal_checksum(wal, sum, header, HEADER_SUMMED_BYTES);
	return store_wal_sums_equal(sum,
				    store_wal_read_sum(header + HEADER_SUMMED_BYTES));
}

static const uint8_t *store_wal_frame_at(const struct store_wal *wal, size_t number)
{
	size_t frame_bytes = FRAME_BYTES + wal->page_bytes;
	size_t at = HEADER_BYTES + number * frame_bytes;

	return at + frame_bytes <= wal->length ? wal->bytes + at : NULL;
}

/*
 * Does it have the salts of the header? Frames with others are left over from before the last
 * reset.
 */
static bool store_wal_has_salts(const struct store_wal *wal, const uint8_t *frame)
{
	return memcmp(frame + 8, wal->bytes + 16, 8) == 0;
}

static bool store_wal_frame_is_sound(const struct store_wal *wal, const uint8_t *frame,
				     struct store_wal_sum before)
{
	struct store_wal_sum sum =
		store_wal_checksum(wal, before, frame, FRAME_SUMMED_BYTES);

	sum = store_wal_checksum(wal, sum, frame + FRAME_BYTES, wal->page_bytes);
	return store_wal_has_salts(wal, frame) &&
	       store_wal_sums_equal(sum, store_wal_read_sum(frame + 16));
}

static bool store_wal_ends_commit(const struct store_wal *wal, const uint8_t *frame)
{
	return store_wal_has_salts(wal, frame) && store_wal_read_big(frame + 4) != 0;
}

/*
 * After a wrong frame, a sound frame behind a later commit means damage, not a torn
 * tail.
 */
static bool store_wal_frames_are_sound(const struct store_wal *wal)
{
	struct store_wal_sum before =
		store_wal_read_sum(wal->bytes + HEADER_SUMMED_BYTES);
	bool broken = false, committed = false;
	const uint8_t *frame;

	for (size_t number = 0; (frame = store_wal_frame_at(wal, number)); number++) {
		bool sound = store_wal_frame_is_sound(wal, frame, before);

		if (sound && committed)
			return false;
		broken |= !sound;
		committed |= broken && store_wal_ends_commit(wal, frame);
		before = store_wal_read_sum(frame + 16);
	}
	return true;
}

static bool store_wal_content_is_sound(struct store_wal *wal)
{
	/* never synced, so nothing was committed to it */
	if (store_wal_is_blank(wal))
		return true;
	return store_wal_header_is_sound(wal) && store_wal_frames_are_sound(wal);
}

bool store_wal_is_sound(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	struct store_wal wal = { 0 };
	bool sound = true;
	void *bytes;

	if (fd < 0)
		return true;
	if (fstat(fd, &status) < 0 || status.st_size == 0) {
		close(fd);
		return true;
	}
	wal.length = (size_t)status.st_size;
	bytes = mmap(NULL, wal.length, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED) /* SQLite will report the error */
		return true;
	wal.bytes = bytes;
	sound = store_wal_content_is_sound(&wal);
	munmap(bytes, wal.length);
	return sound;
}
