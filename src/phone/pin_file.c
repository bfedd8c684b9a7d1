/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "phone/pin_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIN_FILE_SPACES " \t\r"

struct pin_file_word {
	const char *start;
	size_t length;
};

static bool pin_file_is_private(const struct stat *file)
{
	return S_ISREG(file->st_mode) &&
	       (file->st_uid == 0 || file->st_uid == geteuid()) &&
	       !(file->st_mode & (S_IRWXG | S_IRWXO));
}

/* The whole text. 0, PIN_FILE_E_... or -errno. */
static int pin_file_read(int fd, char text[PIN_FILE_MAX + 1])
{
	size_t length = 0;
	struct stat file;
	ssize_t part;

	if (fstat(fd, &file) < 0)
		return -errno;
	if (!pin_file_is_private(&file))
		return PIN_FILE_E_EXPOSED;
	do {
		part = read(fd, text + length, PIN_FILE_MAX + 1 - length);
		if (part < 0 && errno != EINTR)
			return -errno;
		length += part > 0 ? (size_t)part : 0;
	} while (part && length <= PIN_FILE_MAX);
	if (length > PIN_FILE_MAX || memchr(text, '\0', length))
		return PIN_FILE_E_MALFORMED;
	text[length] = '\0';
	return 0;
}

static struct pin_file_word pin_file_next_word(const char **line)
{
	struct pin_file_word word;

	*line += strspn(*line, PIN_FILE_SPACES);
	word.start = *line;
	word.length = strcspn(*line, PIN_FILE_SPACES "\n");
	*line += word.length;
	return word;
}

static bool pin_file_is_pin(const struct pin_file_word *word)
{
	return word->length >= 4 && word->length < PIN_BYTES &&
	       strspn(word->start, "0123456789") >= word->length;
}

/* 0: the line is for this card. PIN_FILE_E_NO_CARD: a comment, or for another card. */
static int pin_file_parse_line(const char *line, const char *iccid,
			       struct pin_file_word *pin_out)
{
	struct pin_file_word card = pin_file_next_word(&line);
	struct pin_file_word pin = pin_file_next_word(&line);
	struct pin_file_word more = pin_file_next_word(&line);

	if (!card.length || *card.start == '#')
		return PIN_FILE_E_NO_CARD;
	if (!pin_file_is_pin(&pin) || more.length)
		return PIN_FILE_E_MALFORMED;
	if (strlen(iccid) != card.length || memcmp(card.start, iccid, card.length) != 0)
		return PIN_FILE_E_NO_CARD;
	*pin_out = pin;
	return 0;
}

/* The first line for this card counts; a bad line before it is an error. */
static int pin_file_search(const char *text, const char *iccid, char pin[PIN_BYTES])
{
	struct pin_file_word word;
	int outcome;

	do {
		outcome = pin_file_parse_line(text, iccid, &word);
		text = strchr(text, '\n');
	} while (outcome == PIN_FILE_E_NO_CARD && text++);
	if (outcome)
		return outcome;
	memcpy(pin, word.start, word.length);
	pin[word.length] = '\0';
	return 0;
}

int pin_file_find(const char *path, const char *iccid, char pin[PIN_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char text[PIN_FILE_MAX + 1];
	int outcome;

	if (fd < 0)
		return errno == ELOOP ? PIN_FILE_E_EXPOSED : -errno;
	outcome = pin_file_read(fd, text);
	close(fd);
	if (!outcome)
		outcome = pin_file_search(text, iccid, pin);
	explicit_bzero(text, sizeof(text));
	return outcome;
}
