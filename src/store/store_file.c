/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How one database replaces another without a moment in which none is there:
 *
 *   1. sync the new file and give it to the owner of the folder
 *   2. link gateway.db, its -wal and other companions to their aside names, and sync
 *   3. rename the new file over gateway.db, and sync
 *   4. remove the old companions from beside the new file, and sync
 *
 * A crash before 3 leaves the old database with two names; a crash after 3 leaves
 * companions of the old one beside the new one. store_file_finish_replace() tells the
 * two apart by comparing inodes, and removes the surplus names.
 */
#include "store/store_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_sync.h"

enum { ASIDE_MAX = 100, ASIDE_NAME_BYTES = 96 }; /* within one second */

#define MARK "-damaged"

static const char *const companions[] = { "-wal", "-shm", "-journal", MARK };

enum { COMPANION_COUNT = sizeof(companions) / sizeof(*companions) };

bool store_file_path(char *path, const char *folder, const char *name, const char *suffix)
{
	int length = snprintf(path, PATH_MAX, "%s/%s%s", folder, name, suffix);

	return length > 0 && length < PATH_MAX;
}

int store_file_make_folder(const char *folder)
{
	if (!mkdir(folder, 0700) || errno == EEXIST)
		return 0;
	return -errno;
}

bool store_file_others_may_write(const char *folder)
{
	struct stat status;

	return stat(folder, &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Refuses a file that the owner of the folder may have put in the place of ours. */
static int store_file_chown(int fd, const struct stat *above)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return -errno;
	if (file.st_uid == above->st_uid)
		return 0;
	if (!S_ISREG(file.st_mode) || file.st_nlink != 1)
		return -EPERM;
	return fchown(fd, above->st_uid, above->st_gid) < 0 ? -errno : 0;
}

int store_file_give_to_owner(const char *folder, const char *path)
{
	struct stat above;
	int fd, error;

	if (stat(folder, &above) < 0)
		return -errno;
	if (geteuid() != 0 || above.st_uid == 0)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	error = store_file_chown(fd, &above);
	close(fd);
	return error;
}

int store_file_mark_damaged(const char *folder)
{
	char path[PATH_MAX];
	int fd;

	if (!store_file_path(path, folder, STORE_FILE, MARK))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return file_sync(folder);
}

bool store_file_is_marked(const char *folder)
{
	char path[PATH_MAX];

	return store_file_path(path, folder, STORE_FILE, MARK) && !access(path, F_OK);
}

void store_file_remove(const char *path)
{
	char companion[PATH_MAX];

	unlink(path);
	for (int i = 0; i < COMPANION_COUNT; i++) {
		if (snprintf(companion, PATH_MAX, "%s%s", path, companions[i]) < PATH_MAX)
			unlink(companion);
	}
}

static bool store_file_name_is_free(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	if (!store_file_path(path, folder, name, "") || !lstat(path, &status))
		return false;
	for (int i = 0; i < COMPANION_COUNT; i++) {
		if (!store_file_path(path, folder, name, companions[i]) ||
		    !lstat(path, &status))
			return false;
	}
	return true;
}

/* Only the holder of the lock makes such names. */
static int store_file_choose_name(const char *folder, const char *word,
				  char name[ASIDE_NAME_BYTES])
{
	time_t now = (time_t)(clock_wall_ms() / 1000);
	char stamp[32];
	struct tm utc;
	int number;

	if (!gmtime_r(&now, &utc))
		return -EOVERFLOW;
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
	snprintf(name, ASIDE_NAME_BYTES, STORE_FILE ".%s-%s", word, stamp);
	for (number = 2; !store_file_name_is_free(folder, name); number++) {
		if (number > ASIDE_MAX)
			return -EEXIST;
		snprintf(name, ASIDE_NAME_BYTES, STORE_FILE ".%s-%s-%d", word, stamp,
			 number);
	}
	return 0;
}

/* Links where the file system can, so that the first name always has a file. */
static int store_file_keep(const char *from, const char *to)
{
	if (!link(from, to) || errno == ENOENT)
		return 0;
	return rename(from, to) < 0 && errno != ENOENT ? -errno : 0;
}

static int store_file_keep_all(const char *folder, const char *name)
{
	char from[PATH_MAX], to[PATH_MAX];
	int error;

	if (!store_file_path(from, folder, STORE_FILE, "") ||
	    !store_file_path(to, folder, name, ""))
		return -ENAMETOOLONG;
	error = store_file_keep(from, to);
	for (int i = 0; !error && i < COMPANION_COUNT; i++) {
		if (!store_file_path(from, folder, STORE_FILE, companions[i]) ||
		    !store_file_path(to, folder, name, companions[i]))
			return -ENAMETOOLONG;
		error = store_file_keep(from, to);
	}
	return error ? error : file_sync(folder);
}

int store_file_set_wal_aside(const char *folder)
{
	static const char *const log[] = { "-wal", "-shm" };
	char name[ASIDE_NAME_BYTES], from[PATH_MAX], to[PATH_MAX];
	int error = store_file_choose_name(folder, "replaced", name);

	for (int i = 0; !error && i < 2; i++) {
		if (!store_file_path(from, folder, STORE_FILE, log[i]) ||
		    !store_file_path(to, folder, name, log[i]))
			return -ENAMETOOLONG;
		if (rename(from, to) < 0 && errno != ENOENT)
			error = -errno;
	}
	return error;
}

static bool store_file_begins_with(const char *name, const char *beginning)
{
	return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* Names that a replacement gives to files beside the database. */
static bool store_file_is_aside_name(const char *name)
{
	return store_file_begins_with(name, STORE_FILE ".damaged-") ||
	       store_file_begins_with(name, STORE_FILE ".replaced-") ||
	       store_file_begins_with(name, STORE_FILE ".new-");
}

/* Is it the same file? Its path is then in path[PATH_MAX]. */
static bool store_file_is_same(char *path, const char *folder, const char *name,
			       const struct stat *file)
{
	struct stat status;

	return store_file_path(path, folder, name, "") && !lstat(path, &status) &&
	       status.st_dev == file->st_dev && status.st_ino == file->st_ino;
}

/*
 * Finds the aside name of a file of the database. A link elsewhere, made for a copy of
 * the folder, does not count.
 */
static bool store_file_find_aside(char *path, const char *folder, const char *suffix)
{
	struct dirent *entry;
	struct stat file;
	bool found = false;
	DIR *directory;

	if (!store_file_path(path, folder, STORE_FILE, suffix) ||
	    lstat(path, &file) < 0 || file.st_nlink < 2 || !(directory = opendir(folder)))
		return false;
	while (!found && (entry = readdir(directory)))
		found = store_file_is_aside_name(entry->d_name) &&
			store_file_is_same(path, folder, entry->d_name, &file);
	closedir(directory);
	return found;
}

static void store_file_drop_aside(const char *folder, const char *suffix)
{
	char path[PATH_MAX];

	while (store_file_find_aside(path, folder, suffix) && !unlink(path))
		;
}

/* Removes the database's names of companions that were set aside. */
static void store_file_drop_companions(const char *folder)
{
	char path[PATH_MAX];

	for (int i = 0; i < COMPANION_COUNT; i++) {
		if (store_file_find_aside(path, folder, companions[i]) &&
		    store_file_path(path, folder, STORE_FILE, companions[i]))
			unlink(path);
	}
}

bool store_file_has_stale_wal(const char *folder)
{
	char path[PATH_MAX];

	return !store_file_find_aside(path, folder, "") &&
	       store_file_find_aside(path, folder, "-wal");
}

void store_file_finish_replace(const char *folder)
{
	char path[PATH_MAX];
	struct stat file;

	if (!store_file_path(path, folder, STORE_FILE, "") || lstat(path, &file) < 0)
		return;
	if (!store_file_find_aside(path, folder, "")) {
		store_file_drop_companions(folder);
		return;
	}
	for (int i = 0; i < COMPANION_COUNT; i++)
		store_file_drop_aside(folder, companions[i]);
	store_file_drop_aside(folder, "");
}

int store_file_replace(const char *folder, const char *fresh, const char *word,
		       char *aside)
{
	char name[ASIDE_NAME_BYTES], path[PATH_MAX];
	bool anything = !store_file_name_is_free(folder, STORE_FILE);
	int error = store_file_choose_name(folder, word, name);

	if (!store_file_path(path, folder, STORE_FILE, ""))
		return -ENAMETOOLONG;
	if (!error)
		error = store_file_give_to_owner(folder, fresh);
	if (!error)
		error = file_sync(fresh);
	if (!error && anything)
		error = store_file_keep_all(folder, name);
	if (!error && rename(fresh, path) < 0)
		error = -errno;
	if (!error) {
		error = file_sync(folder);
		store_file_drop_companions(folder);
		error = error ? error : file_sync(folder);
	}
	if (error) {
		store_file_finish_replace(folder);
		return error;
	}
	*aside = '\0';
	if (anything)
		store_file_path(aside, folder, name, "");
	return 0;
}
