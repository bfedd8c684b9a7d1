/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal gives each key as it comes, so that Ctrl-C finds it put right again; a signal
 * that would end us is kept until it is, and ends us then
 * (tests/integration/test_unlock.py::test_a_signal_at_the_prompt). Read without stdio, which
 * would keep a copy.
 */
#include "cli/secret.h"

#include <errno.h>
#include <poll.h>
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

static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

enum { ENDING_COUNT = sizeof(ending) / sizeof(ending[0]) };

static volatile sig_atomic_t ending_number; /* 0: none has come */

static void on_ending(int number)
{
	ending_number = number;
}

/* They come only while a key is waited for. */
struct held_signals {
	struct sigaction before[ENDING_COUNT];
	sigset_t mask;
};

/* Who was started to ignore one goes on doing so. */
static void hold_signals(struct held_signals *held)
{
	const struct sigaction action = { .sa_handler = on_ending };
	sigset_t set;

	ending_number = 0;
	sigemptyset(&set);
	for (unsigned at = 0; at < ENDING_COUNT; at++)
		sigaddset(&set, ending[at]);
	sigprocmask(SIG_BLOCK, &set, &held->mask);
	for (unsigned at = 0; at < ENDING_COUNT; at++) {
		sigaction(ending[at], NULL, &held->before[at]);
		if (held->before[at].sa_handler != SIG_IGN)
			sigaction(ending[at], &action, NULL);
	}
}

/* One that came is raised again, with what it was to do. */
static void let_signals_go(const struct held_signals *held)
{
	for (unsigned at = 0; at < ENDING_COUNT; at++)
		sigaction(ending[at], &held->before[at], NULL);
	if (ending_number)
		raise(ending_number);
	sigprocmask(SIG_SETMASK, &held->mask, NULL);
}

/* -1: there is none any more, or a signal has come. */
static int wait_for_key(const sigset_t *mask)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };

	while (ppoll(&terminal, 1, NULL, mask) < 0) {
		if (errno != EINTR || ending_number)
			return -1;
	}
	return read_key();
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

static bool ask(const char *prompt, const sigset_t *mask, char secret[SECRET_BYTES])
{
	enum outcome outcome = GOES_ON;
	size_t length = 0;

	fputs(prompt, stderr);
	fflush(stderr);
	while (outcome == GOES_ON)
		outcome = take_key(wait_for_key(mask), secret, &length);
	fputc('\n', stderr);
	secret[length] = '\0';
	return outcome == IS_WHOLE;
}

static bool ask_unseen(const char *prompt, char secret[SECRET_BYTES])
{
	struct termios before, unseen;
	struct held_signals held;
	bool is_whole;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return false;
	unseen = before;
	unseen.c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG);
	unseen.c_cc[VMIN] = 1;
	unseen.c_cc[VTIME] = 0;
	hold_signals(&held);
	is_whole = tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen) == 0 &&
		   ask(prompt, &held.mask, secret);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	if (!is_whole)
		explicit_bzero(secret, SECRET_BYTES);
	let_signals_go(&held);
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
