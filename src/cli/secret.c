/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal gives each key as it comes, so that Ctrl-C finds it put right again. Read
 * without stdio, which would keep a copy.
 */
#include "cli/secret.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { KEY_INTERRUPT = 3, KEY_END = 4, KEY_BACK = 8, KEY_CLEAR = 21, KEY_DELETE = 127 };

enum outcome { GOES_ON, IS_WHOLE, GAVE_UP };

static int read_key(void)
{
	unsigned char key;
	ssize_t length;

	do {
		length = read(STDIN_FILENO, &key, 1);
	} while (length < 0 && errno == EINTR);
	return length == 1 ? key : -1;
}

static enum outcome take_key(int key, char secret[SECRET_BYTES], size_t *length)
{
	if (key == '\n' || key == '\r')
		return IS_WHOLE;
	if (key == KEY_INTERRUPT || key == KEY_END || key <= 0)
		return GAVE_UP;
	if (key == KEY_CLEAR)
		*length = 0;
	else if (key == KEY_BACK || key == KEY_DELETE)
		*length -= *length > 0;
	else if (*length < SECRET_BYTES - 1)
		secret[(*length)++] = (char)key;
	else
		return GAVE_UP;
	return GOES_ON;
}

static bool ask(const char *prompt, char secret[SECRET_BYTES])
{
	enum outcome outcome = GOES_ON;
	size_t length = 0;

	fputs(prompt, stderr);
	fflush(stderr);
	while (outcome == GOES_ON)
		outcome = take_key(read_key(), secret, &length);
	fputc('\n', stderr);
	secret[length] = '\0';
	return outcome == IS_WHOLE;
}

/* A signal that would end us waits until the terminal is as it was. */
static bool ask_unseen(const char *prompt, char secret[SECRET_BYTES])
{
	struct termios before, unseen;
	sigset_t ending, mask;
	bool is_whole;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return false;
	unseen = before;
	unseen.c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG);
	unseen.c_cc[VMIN] = 1;
	unseen.c_cc[VTIME] = 0;
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &mask);
	is_whole =
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen) == 0 && ask(prompt, secret);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return is_whole;
}

/* The last line may have no end. */
static bool read_line(char secret[SECRET_BYTES])
{
	size_t length = 0;
	int key;

	while ((key = read_key()) > 0 && key != '\n') {
		if (length == SECRET_BYTES - 1)
			return false;
		secret[length++] = (char)key;
	}
	if (length && secret[length - 1] == '\r')
		length--;
	secret[length] = '\0';
	return length;
}

bool secret_is_asked_for(void)
{
	return isatty(STDIN_FILENO);
}

bool secret_read(const char *prompt, char secret[SECRET_BYTES])
{
	bool is_there =
		secret_is_asked_for() ? ask_unseen(prompt, secret) : read_line(secret);

	if (!is_there)
		explicit_bzero(secret, SECRET_BYTES);
	return is_there;
}
