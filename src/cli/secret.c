/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal delivers each key at once, without echo. Ctrl-C is read as a key, so
 * that the terminal is restored first. A signal that would end the program is held
 * until then and raised again
 * (tests/integration/test_unlock.py::test_a_signal_at_the_prompt_ends_unlock_at_once). Reading avoids
 * stdio, which would keep a copy of the secret.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { KEY_INTERRUPT = 3, KEY_END = 4, KEY_BACK = 8, KEY_CLEAR = 21, KEY_DELETE = 127 };

enum secret_outcome { GOES_ON, IS_WHOLE, GAVE_UP };

/* Where the secret goes. */
struct secret_place {
	char *text;
	size_t bytes;
};

static int secret_read_key(void)
{
	unsigned char key;
	ssize_t length;

	do {
		length = read(STDIN_FILENO, &key, 1);
	} while (length < 0 && errno == EINTR);
	return length == 1 ? key : -1;
}

static const int secret_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

enum { ENDING_COUNT = sizeof(secret_signals) / sizeof(secret_signals[0]) };

static volatile sig_atomic_t secret_signal; /* 0 if none was received */

static void secret_on_signal(int number)
{
	secret_signal = number;
}

/* These signals are delivered only while waiting for a key. */
struct secret_held_signals {
	struct sigaction before[ENDING_COUNT];
	sigset_t mask;
};

/* A signal that was ignored at the start stays ignored. */
static void secret_hold_signals(struct secret_held_signals *held)
{
	const struct sigaction action = { .sa_handler = secret_on_signal };
	sigset_t set;

	secret_signal = 0;
	sigemptyset(&set);
	for (unsigned at = 0; at < ENDING_COUNT; at++)
		sigaddset(&set, secret_signals[at]);
	sigprocmask(SIG_BLOCK, &set, &held->mask);
	for (unsigned at = 0; at < ENDING_COUNT; at++) {
		sigaction(secret_signals[at], NULL, &held->before[at]);
		if (held->before[at].sa_handler != SIG_IGN)
			sigaction(secret_signals[at], &action, NULL);
	}
}

/* Restores the handlers, then raises the signal that was received. */
static void secret_release_signals(const struct secret_held_signals *held)
{
	for (unsigned at = 0; at < ENDING_COUNT; at++)
		sigaction(secret_signals[at], &held->before[at], NULL);
	if (secret_signal)
		raise(secret_signal);
	sigprocmask(SIG_SETMASK, &held->mask, NULL);
}

/* Returns -1 if end of input, or a signal was received. */
static int secret_wait_for_key(const sigset_t *mask)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };

	while (ppoll(&terminal, 1, NULL, mask) < 0) {
		if (errno != EINTR || secret_signal)
			return -1;
	}
	return secret_read_key();
}

static enum secret_outcome secret_add_key(int key, const struct secret_place *place,
					  size_t *length)
{
	if (key == '\n' || key == '\r')
		return IS_WHOLE;
	if (key == KEY_INTERRUPT || key == KEY_END || key <= 0)
		return GAVE_UP;
	if (key == KEY_CLEAR)
		*length = 0;
	else if (key == KEY_BACK || key == KEY_DELETE)
		*length -= *length > 0;
	else if (*length < place->bytes - 1)
		place->text[(*length)++] = (char)key;
	else
		return GAVE_UP;
	return GOES_ON;
}

static bool secret_prompt(const char *prompt, const sigset_t *mask,
			  const struct secret_place *place)
{
	enum secret_outcome outcome = GOES_ON;
	size_t length = 0;

	fputs(prompt, stderr);
	fflush(stderr);
	while (outcome == GOES_ON)
		outcome = secret_add_key(secret_wait_for_key(mask), place, &length);
	fputc('\n', stderr);
	place->text[length] = '\0';
	return outcome == IS_WHOLE;
}

static bool secret_prompt_unseen(const char *prompt, const struct secret_place *place)
{
	struct termios before, unseen;
	struct secret_held_signals held;
	bool is_whole;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return false;
	unseen = before;
	unseen.c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG);
	unseen.c_cc[VMIN] = 1;
	unseen.c_cc[VTIME] = 0;
	secret_hold_signals(&held);
	is_whole = tcsetattr(STDIN_FILENO, TCSAFLUSH, &unseen) == 0 &&
		   secret_prompt(prompt, &held.mask, place);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	if (!is_whole)
		explicit_bzero(place->text, place->bytes);
	secret_release_signals(&held);
	return is_whole;
}

/* The last line need not end with a line feed. */
static bool secret_read_line(const struct secret_place *place)
{
	size_t length = 0;
	int key;

	while ((key = secret_read_key()) > 0 && key != '\n') {
		if (length == place->bytes - 1)
			return false;
		place->text[length++] = (char)key;
	}
	if (length && place->text[length - 1] == '\r')
		length--;
	place->text[length] = '\0';
	return length;
}

bool secret_has_terminal(void)
{
	return isatty(STDIN_FILENO);
}

bool secret_read(const char *prompt, char *secret, size_t bytes)
{
	const struct secret_place place = { secret, bytes };
	bool is_there = secret_has_terminal() ? secret_prompt_unseen(prompt, &place)
					      : secret_read_line(&place);

	if (!is_there)
		explicit_bzero(secret, bytes);
	return is_there;
}
