/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/contact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "phone/vcard.h"

enum { PIECE_BYTES = 4096 };

static int read_cards(int fd, struct vcard_reader *reader)
{
	char piece[PIECE_BYTES];
	size_t total = 0;
	ssize_t length;

	while ((length = read(fd, piece, sizeof(piece))) != 0) {
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		total += (size_t)length;
		if (total > CONTACT_FILE_MAX)
			return -EFBIG;
		vcard_reader_feed(reader, piece, (size_t)length);
	}
	vcard_reader_finish(reader);
	return 0;
}

static int read_list(const char *path, struct contact_list *list)
{
	struct vcard_reader reader;
	struct stat file;
	int error;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	vcard_reader_init(&reader, contact_list_add, list);
	if (fstat(fd, &file) < 0)
		error = -errno;
	else
		error = S_ISREG(file.st_mode) ? read_cards(fd, &reader) : -EINVAL;
	close(fd);
	return error;
}

static const char *words_of(int error)
{
	switch (-error) {
	case ENOENT:
		return "there is no such file";
	case EACCES:
		return "the gateway's user may not read it";
	case EFBIG:
		return "it is larger than 8 MiB; leave the photographs out";
	case EINVAL:
		return "it is no regular file";
	default:
		return strerror(-error);
	}
}

static void tell_problem(char problem[CONTACT_FILE_PROBLEM_BYTES], const char *path,
			 const char *words)
{
	snprintf(problem, CONTACT_FILE_PROBLEM_BYTES, "%s: %s", path, words);
}

int contact_file_read(const char *path, struct contact_list **list_out,
		      char problem[CONTACT_FILE_PROBLEM_BYTES])
{
	struct contact_list *list = contact_list_new(0, CONTACT_LIST_FILE_BYTES);
	int error = list ? read_list(path, list) : -ENOMEM;

	*problem = '\0';
	if (error) {
		tell_problem(problem, path, words_of(error));
		contact_list_free(list);
		return error;
	}
	if (list->is_full)
		tell_problem(problem, path,
			     "it has more contacts than the gateway keeps; the last ones "
			     "are left out");
	else if (!list->contact_count)
		tell_problem(problem, path,
			     "there is no vCard with a name and a number in it");
	*list_out = list;
	return 0;
}
