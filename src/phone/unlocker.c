/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each card is decided on once in the life of the gateway, when it asks for its PIN and the
 * modem has shown how many attempts are left. One card is unlocked at a time.
 *
 * The file "pin_tries" in the state folder records the attempts of one boot:
 *
 *   BOOT
 *   ICCID
 *   ICCID
 *
 * In another boot none of it counts, and it starts anew.
 */
#include "phone/unlocker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_sync.h"
#include "base/log.h"
#include "config/config.h"
#include "ofono/modem_call.h"
#include "phone/sim.h"
#include "store/store_audit.h"

enum {
	UNLOCKER_CARDS_MAX = 16,
	UNLOCKER_ICCID_BYTES = sizeof(((struct modem_sim *)0)->card_identifier),
};

#define UNLOCKER_RECORD_FILE "pin_tries"

struct unlocker {
	struct ofono *ofono;
	struct store *store;
	const struct config *config;
	struct observer ofono_observer;
	struct sim_unlock *call; /* NULL if no card is being unlocked */
	char tail[8];		 /* of that card */
	char path[sizeof(((struct modem *)0)->path)]; /* of its modem */
	char decided[UNLOCKER_CARDS_MAX][UNLOCKER_ICCID_BYTES];
	unsigned count;
};

/* ---- the PIN file */

#define PIN_FILE_SPACES " \t\r"

struct unlocker_word {
	const char *start;
	size_t length;
};

static bool unlocker_pin_file_is_private(const struct stat *file)
{
	return S_ISREG(file->st_mode) &&
	       (file->st_uid == 0 || file->st_uid == geteuid()) &&
	       !(file->st_mode & (S_IRWXG | S_IRWXO));
}

/* Reads the whole text. Returns 0, PIN_FILE_E_... or -errno. */
static int unlocker_read_pin_file(int fd, char text[PIN_FILE_MAX + 1])
{
	size_t length = 0;
	struct stat file;
	ssize_t part;

	if (fstat(fd, &file) < 0)
		return -errno;
	if (!unlocker_pin_file_is_private(&file))
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

static struct unlocker_word unlocker_next_word(const char **line)
{
	struct unlocker_word word;

	*line += strspn(*line, PIN_FILE_SPACES);
	word.start = *line;
	word.length = strcspn(*line, PIN_FILE_SPACES "\n");
	*line += word.length;
	return word;
}

static bool unlocker_is_pin(const struct unlocker_word *word)
{
	return word->length >= 4 && word->length < PIN_BYTES &&
	       strspn(word->start, "0123456789") >= word->length;
}

/*
 * Returns 0 if the line is for this card; PIN_FILE_E_NO_CARD if it is a comment, or for another
 * card.
 */
static int unlocker_parse_pin_line(const char *line, const char *iccid,
				   struct unlocker_word *pin_out)
{
	struct unlocker_word card = unlocker_next_word(&line);
	struct unlocker_word pin = unlocker_next_word(&line);
	struct unlocker_word more = unlocker_next_word(&line);

	if (!card.length || *card.start == '#')
		return PIN_FILE_E_NO_CARD;
	if (!unlocker_is_pin(&pin) || more.length)
		return PIN_FILE_E_MALFORMED;
	if (strlen(iccid) != card.length || memcmp(card.start, iccid, card.length) != 0)
		return PIN_FILE_E_NO_CARD;
	*pin_out = pin;
	return 0;
}

/* The first line for this card counts; a bad line before it is an error. */
static int unlocker_search_pin(const char *text, const char *iccid, char pin[PIN_BYTES])
{
	struct unlocker_word word;
	int outcome;

	do {
		outcome = unlocker_parse_pin_line(text, iccid, &word);
		text = strchr(text, '\n');
	} while (outcome == PIN_FILE_E_NO_CARD && text++);
	if (outcome)
		return outcome;
	memcpy(pin, word.start, word.length);
	pin[word.length] = '\0';
	return 0;
}

int unlocker_find_pin(const char *path, const char *iccid, char pin[PIN_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char text[PIN_FILE_MAX + 1];
	int outcome;

	if (fd < 0)
		return errno == ELOOP ? PIN_FILE_E_EXPOSED : -errno;
	outcome = unlocker_read_pin_file(fd, text);
	close(fd);
	if (!outcome)
		outcome = unlocker_search_pin(text, iccid, pin);
	explicit_bzero(text, sizeof(text));
	return outcome;
}

/* ---- the record of attempts */

static bool unlocker_begins_with_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	return strncmp(text, line, length) == 0 && text[length] == '\n';
}

static bool unlocker_has_line(const char *text, const char *line)
{
	for (; text; text = strchr(text, '\n'), text += text != NULL) {
		if (unlocker_begins_with_line(text, line))
			return true;
	}
	return false;
}

/* A last line without its end was cut by a crash: the new line must not join it. */
static int unlocker_append_line(int fd, const char *text, const char *line)
{
	size_t length = strlen(text);
	const char *before = length && text[length - 1] != '\n' ? "\n" : "";

	if (dprintf(fd, "%s%s\n", before, line) < 0)
		return -errno;
	return fsync(fd) < 0 ? -errno : 0;
}

static int unlocker_record_in(int fd, const char *boot, const char *iccid)
{
	char text[UNLOCKER_RECORD_MAX];
	ssize_t length = pread(fd, text, UNLOCKER_RECORD_MAX - 1, 0);
	int error = 0;

	if (length < 0)
		return -errno;
	if (length == UNLOCKER_RECORD_MAX - 1)
		return -EFBIG;
	text[length] = '\0';
	if (!unlocker_begins_with_line(text, boot)) {
		if (ftruncate(fd, 0) < 0)
			return -errno;
		text[0] = '\0';
		error = unlocker_append_line(fd, text, boot);
	}
	if (error)
		return error;
	if (unlocker_has_line(text, iccid))
		return UNLOCKER_E_TRIED;
	return unlocker_append_line(fd, text, iccid);
}

int unlocker_record_attempt(const char *folder, const char *boot, const char *iccid)
{
	char path[PATH_MAX];
	int outcome, fd;

	if (snprintf(path, sizeof(path), "%s/" UNLOCKER_RECORD_FILE, folder) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	outcome = unlocker_record_in(fd, boot, iccid);
	close(fd);
	return outcome ? outcome : file_sync(folder);
}

/* ---- unlocking */

static bool unlocker_is_due(const struct unlocker *unlocker, const struct modem *modem)
{
	const struct modem_sim *sim = &modem->sim;

	if (modem_sim_lock_of(sim) != SIM_LOCK_PIN || !sim->card_identifier[0] ||
	    !sim->pin_retries || unlocker->count == UNLOCKER_CARDS_MAX)
		return false;
	for (unsigned i = 0; i < unlocker->count; i++) {
		if (strcmp(unlocker->decided[i], sim->card_identifier) == 0)
			return false;
	}
	return true;
}

static void unlocker_on_outcome(void *data, enum sim_unlock_outcome outcome);

/* Returns false if no attempt may be made in this boot. */
static bool unlocker_may_try(const struct unlocker *unlocker, const struct modem *modem)
{
	const char *boot = clock_boot_id();
	int outcome = -EIO;

	if (*boot)
		outcome = unlocker_record_attempt(unlocker->config->state_dir, boot,
						  modem->sim.card_identifier);
	if (outcome == UNLOCKER_E_TRIED)
		log_warning(
			"unlock: SIM ...%s: its PIN was tried since this machine "
			"started, and is not tried again; run: ofono-mcp sim unlock %s",
			unlocker->tail, modem->path);
	else if (outcome)
		log_error(
			"unlock: SIM ...%s: its PIN is not tried, because that cannot be recorded: %s",
			unlocker->tail, strerror(-outcome));
	return !outcome;
}

static void unlocker_try_pin(struct unlocker *unlocker, struct modem *modem,
			     const char *pin)
{
	const struct sim_unlock_codes codes = { pin, NULL };

	if (modem->sim.pin_retries != UNLOCKER_PIN_ATTEMPTS) {
		log_warning("unlock: SIM ...%s: %u tries are left, so its PIN is not "
			    "tried automatically; run: ofono-mcp sim unlock %s",
			    unlocker->tail, modem->sim.pin_retries, modem->path);
		return;
	}
	if (!unlocker_may_try(unlocker, modem))
		return;
	strcpy(unlocker->path, modem->path);
	unlocker->call = sim_unlock(modem, &codes, unlocker_on_outcome, unlocker);
	if (!unlocker->call)
		log_error("unlock: out of memory");
}

/* Returns what is wrong with the PIN file; NULL for nothing. */
static const char *unlocker_pin_file_problem(int outcome)
{
	switch (outcome) {
	case 0:
	case PIN_FILE_E_NO_CARD:
		return NULL;
	case PIN_FILE_E_EXPOSED:
		return "it is not used: others can read it, or it is not root's; "
		       "chown root and chmod 600 it";
	case PIN_FILE_E_MALFORMED:
		return "it is not used: each line is an ICCID and a PIN";
	}
	return strerror(-outcome);
}

static void unlocker_decide(struct unlocker *unlocker, struct modem *modem)
{
	const char *iccid = modem->sim.card_identifier;
	char pin[PIN_BYTES] = "";
	int outcome = unlocker_find_pin(unlocker->config->pin_file, iccid, pin);

	strcpy(unlocker->decided[unlocker->count++], iccid);
	snprintf(unlocker->tail, sizeof(unlocker->tail), "%s",
		 sim_card_tail(&modem->sim));
	if (unlocker_pin_file_problem(outcome))
		log_warning("unlock: %s: %s", unlocker->config->pin_file,
			    unlocker_pin_file_problem(outcome));
	if (!outcome)
		unlocker_try_pin(unlocker, modem, pin);
	explicit_bzero(pin, sizeof(pin));
}

static void unlocker_check_modems(struct unlocker *unlocker)
{
	struct modem *modem;

	TAILQ_FOREACH (modem, ofono_modems(unlocker->ofono), link) {
		if (!unlocker->call && unlocker_is_due(unlocker, modem))
			unlocker_decide(unlocker, modem);
	}
}

static void unlocker_audit(const struct unlocker *unlocker,
			   enum sim_unlock_outcome outcome)
{
	const struct audit_event_fact facts[] = {
		{ "outcome", sim_unlock_outcome_name(outcome) },
		{ "retries", NULL, UNLOCKER_PIN_ATTEMPTS },
		{ "by", "pin_file" },
		{ NULL },
	};

	if (store_audit_record(unlocker->store, AUDIT_SIM_UNLOCK, facts))
		log_warning("unlock: cannot write to the audit log");
}

static void unlocker_on_outcome(void *data, enum sim_unlock_outcome outcome)
{
	struct unlocker *unlocker = data;

	unlocker->call = NULL;
	unlocker_audit(unlocker, outcome);
	if (outcome == UNLOCK_DONE)
		log_info("unlock: SIM ...%s: unlocked with its PIN from pin_file",
			 unlocker->tail);
	else if (outcome == UNLOCK_NOT_ALLOWED)
		log_error("unlock: SIM ...%s: the D-Bus policy does not let the gateway "
			  "enter its PIN; copy the example unlock.conf to "
			  "/etc/dbus-1/system.d, then run: ofono-mcp sim unlock %s",
			  unlocker->tail, unlocker->path);
	else
		log_error(
			"unlock: SIM ...%s: its PIN from pin_file did not unlock it, and "
			"is not tried again; run: ofono-mcp sim unlock %s",
			unlocker->tail, unlocker->path);
	unlocker_check_modems(unlocker);
}

static void unlocker_on_ofono_event(void *data, const void *event_data)
{
	const struct ofono_event *event = event_data;

	if (event->type == MODEM_ADDED || event->type == MODEM_CHANGED)
		unlocker_check_modems(data);
}

int unlocker_new(struct ofono *ofono, struct store *store, const struct config *config,
		 struct unlocker **unlocker_out)
{
	struct unlocker *unlocker = calloc(1, sizeof(*unlocker));

	if (!unlocker)
		return -ENOMEM;
	unlocker->ofono = ofono;
	unlocker->store = store;
	unlocker->config = config;
	if (*config->pin_file)
		observer_add(ofono_observers(ofono), &unlocker->ofono_observer,
			     unlocker_on_ofono_event, unlocker);
	*unlocker_out = unlocker;
	return 0;
}

void unlocker_free(struct unlocker *unlocker)
{
	if (!unlocker)
		return;
	observer_remove(&unlocker->ofono_observer);
	sim_unlock_stop(unlocker->call);
	free(unlocker);
}
