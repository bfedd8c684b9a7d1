/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two locks prove that one gateway uses a folder: an OFD lock of gateway.lock and a
 * flock() of the folder itself. The second one holds even when somebody removes
 * gateway.lock. Folders that others may write to are refused, because they could replace
 * any file in them.
 */
#include "store/store_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/store_file.h"

#define LOCK_FILE "gateway.lock"

enum { AWAIT_PAUSE_NS = 20 * 1000 * 1000 };

/*
 * Names the process that holds the lock, as it wrote itself; for the owner's eyes only.
 */
static int store_lock_refuse(int fd, const char *folder, struct explanation *error)
{
	char holder[24] = "";
	ssize_t length = pread(fd, holder, sizeof(holder) - 1, 0);
	size_t digits = strspn(holder, "0123456789");

	if (length <= 0 || !digits)
		return explanation_set(error, -EBUSY,
				       "%s: another " PROGRAM_NAME
				       " uses it; stop that one first",
				       folder);
	return explanation_set(error, -EBUSY,
			       "%s: another " PROGRAM_NAME
			       " (process %.*s) uses it; stop that one first",
			       folder, (int)digits, holder);
}

static int store_lock_file(const char *folder, int *fd_out, struct explanation *error)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[PATH_MAX];
	int fd, failure;

	if (!store_file_path(path, folder, LOCK_FILE, ""))
		return explanation_set(error, -ENAMETOOLONG, "%s: too long", folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return explanation_set(error, -errno, "%s: %m", path);
	failure = store_file_give_to_owner(folder, path);
	if (failure) {
		close(fd);
		return explanation_set(error, failure, "%s: %s", path,
				       strerror(-failure));
	}
	if (fcntl(fd, F_OFD_SETLK, &whole) < 0) {
		failure = errno == EAGAIN || errno == EACCES
				  ? store_lock_refuse(fd, folder, error)
				  : explanation_set(error, -errno, "%s: %m", path);
		close(fd);
		return failure;
	}
	*fd_out = fd;
	return 0;
}

/*
 * Returns a descriptor with the lock; -1 if the file system has no such locks; -EBUSY if another
 * process has it.
 */
static int store_lock_folder(const char *folder, int operation)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_taken;

	if (fd < 0 || flock(fd, operation | LOCK_NB) == 0)
		return fd;
	is_taken = errno == EWOULDBLOCK;
	close(fd);
	return is_taken ? -EBUSY : -1;
}

int store_lock_take(const char *folder, struct store_lock *lock_out,
		    struct explanation *error)
{
	struct store_lock lock = STORE_LOCK_NONE;
	int failure = store_file_make_folder(folder);

	if (failure)
		return explanation_set(error, failure,
				       "%s: the folder cannot be made: %s", folder,
				       strerror(-failure));
	if (store_file_others_may_write(folder))
		return explanation_set(error, -EPERM,
				       "%s: others may write there and could replace the "
				       "gateway's files; run this first: chmod go-w %s",
				       folder, folder);
	failure = store_lock_file(folder, &lock.file, error);
	if (failure)
		return failure;
	lock.folder = store_lock_folder(folder, LOCK_EX);
	if (lock.folder == -EBUSY) {
		close(lock.file);
		return explanation_set(error, -EBUSY,
				       "%s: another " PROGRAM_NAME
				       " uses it, and its " LOCK_FILE
				       " was removed; stop that one first",
				       folder);
	}
	if (ftruncate(lock.file, 0) == 0) /* its process ID may be missing: a full disk */
		dprintf(lock.file, "%ld\n", (long)getpid());
	*lock_out = lock;
	return 0;
}

void store_lock_release(struct store_lock *lock)
{
	if (lock->folder >= 0)
		close(lock->folder);
	if (lock->file >= 0)
		close(lock->file);
	*lock = STORE_LOCK_NONE;
}

int store_lock_await(const char *folder, int64_t timeout_ms, struct store_lock *lock_out,
		     struct explanation *error)
{
	const struct timespec moment = { .tv_nsec = AWAIT_PAUSE_NS };
	int64_t until_ms = clock_monotonic_ms() + timeout_ms;
	int failure;

	while ((failure = store_lock_take(folder, lock_out, error)) == -EBUSY &&
	       clock_monotonic_ms() < until_ms)
		nanosleep(&moment, NULL);
	return failure;
}

static bool store_lock_file_is_locked(const char *folder)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[PATH_MAX];
	bool taken;
	int fd;

	if (!store_file_path(path, folder, LOCK_FILE, ""))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	taken = !fcntl(fd, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
	close(fd);
	return taken;
}

bool store_lock_is_taken(const char *folder)
{
	int fd;

	if (store_lock_file_is_locked(folder))
		return true;
	fd = store_lock_folder(folder, LOCK_SH);
	if (fd >= 0)
		close(fd);
	return fd == -EBUSY;
}
