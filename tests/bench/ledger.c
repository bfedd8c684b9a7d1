/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger FOLDER COUNT: fills the store of a stopped gateway.
 *
 * It uses the store's own functions, so that the measured store is a real one; only their fsync
 * is switched off. 60 conversations, the largest a twentieth of all; a third of a year; 30 %
 * outgoing with their histories; two SIMs; links everywhere, one-time codes only in the newest
 * hundredth, so a search for one from the beginning passes everything else.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sms/indexer.h"
#include "store/store_internal.h"
#include "../unit/store_steps.h"

enum {
	PARTIES = 60,
	WORDS_MAX = 18,
	SPAN_DAYS = 120,
};

static const int64_t day_ms = 24 * 60 * 60 * 1000;

static const char *const words[] = {
	"the",	   "meeting",	"is",		"at",	    "noon",	  "please",
	"bring",   "árvíztűrő", "tükörfúrógép", "köszönöm", "holnap",	  "найдите",
	"встреча", "завтра",	"会议",		"明天",	    "ありがとう", "👍",
	"🎉",	   "مرحبا",	"package",	"delivery", "invoice",	  "balance",
	"account", "call",	"me",		"back",	    "when",	  "you",
	"can",	   "great",	"see",		"tomorrow", "train",
};

static struct store *store;
static int64_t now_ms;
static int64_t cards[2];

static int64_t told_clock(void)
{
	return now_ms;
}

static void must(int error, const char *what)
{
	if (error)
		errx(EXIT_FAILURE, "%s: error %d", what, error);
}

/* The k-th largest, from 0, has (60 - k)^2 parts of the whole. */
static int choose_party(void)
{
	int whole = PARTIES * (PARTIES + 1) * (2 * PARTIES + 1) / 6;
	int place = rand() % whole, which = 0;

	for (int share = PARTIES; place >= share * share; share--, which++)
		place -= share * share;
	return which;
}

/* Every fifth sender is a name, as banks and shops have one. */
static const char *name_number(int party)
{
	static char number[24];

	if (party % 5 == 4)
		snprintf(number, sizeof(number), "Shop%d", party);
	else
		snprintf(number, sizeof(number), "+3620%07d", 1000000 + party);
	return number;
}

static const char *write_text(bool with_code)
{
	static char text[1024];
	int length = 0, count = 3 + rand() % WORDS_MAX;

	for (int i = 0; i < count; i++)
		length += snprintf(
			text + length, sizeof(text) - (size_t)length, "%s ",
			words[(size_t)rand() % (sizeof(words) / sizeof(*words))]);
	if (with_code)
		snprintf(text + length, sizeof(text) - (size_t)length,
			 "Your verification code is %06d", rand() % 1000000);
	else if (rand() % 20 == 0)
		snprintf(text + length, sizeof(text) - (size_t)length,
			 "https://example.com/p/%x", (unsigned)rand());
	return text;
}

static void add_incoming(const char *number, const char *text)
{
	char sent_time[CLOCK_TEXT_BYTES];
	struct store_incoming_draft draft = {
		.flags = indexer_judge(text),
		.sim_id = cards[rand() % 2],
		.reported_ms = now_ms,
		.number = number,
		.text = text,
		.sent_time = sent_time,
	};
	bool repeated;
	int64_t id;

	clock_format(now_ms - 3000, sent_time);
	must(step_add_incoming(store, &draft, &id, &repeated), "step_add_incoming");
	if (rand() % 2)
		must(store_incoming_mark_read(store, &id, 1, &(unsigned){ 0 }),
		     "store_incoming_mark_read");
}

static void add_outgoing(const char *number, const char *text)
{
	struct store_message_draft draft = {
		.sim_id = cards[rand() % 2],
		.client_id = 1,
		.number = number,
		.text = text,
		.segments = 1,
	};
	char uuid[33];
	int64_t id;

	must(store_message_add(store, &draft, &id), "store_message_add");
	snprintf(uuid, sizeof(uuid), "%08X%08X%016llX", (unsigned)rand(),
		 (unsigned)rand(), (unsigned long long)id);
	must(step_move_message(store, id, STATE_SUBMITTING, NULL, NULL), "submitting");
	must(step_move_message(store, id, STATE_SUBMITTED, NULL, uuid), "submitted");
	if (rand() % 50)
		must(step_move_message(store, id, STATE_SENT, NULL, NULL), "sent");
	else
		must(step_move_message(store, id, STATE_FAILED, "network_refused", NULL),
		     "failed");
}

/* The first messages name each party once: stores of all sizes have as many
 * conversations. */
static void add_message(int place, bool with_code)
{
	const char *number = name_number(place < PARTIES ? place : choose_party());

	if (rand() % 10 < 3)
		add_outgoing(number, write_text(false));
	else
		add_incoming(number, write_text(with_code && rand() % 4 == 0));
}

/* The last one is incoming, with a code: a search for it from the beginning ends there. */
static void fill(int count)
{
	int64_t step_ms = SPAN_DAYS * day_ms / count;

	now_ms -= SPAN_DAYS * day_ms;
	for (int i = 1; i < count; i++) {
		now_ms += step_ms;
		add_message(i - 1, i >= count - count / 100);
	}
	add_incoming(name_number(0), write_text(true));
}

int main(int argc, char **argv)
{
	static const struct clock_source told = { told_clock, told_clock };
	struct explanation error = { "" };

	if (argc != 3 || atoi(argv[2]) < 1)
		errx(EXIT_FAILURE, "usage: ledger FOLDER COUNT");
	if (store_open(argv[1], &store, &error))
		errx(EXIT_FAILURE, "%s", error.text);
	if (sqlite3_exec(store->database, "PRAGMA synchronous = OFF", NULL, NULL, NULL))
		errx(EXIT_FAILURE, "%s", sqlite3_errmsg(store->database));
	must(store_sim_identify(store, "8936200000000000001", "", &cards[0]), "card");
	must(store_sim_identify(store, "8936200000000000002", "", &cards[1]), "card");
	srand(1); /* the same store every time */
	now_ms = clock_wall_ms();
	clock_set_source(&told);
	fill(atoi(argv[2]));
	store_close(store);
	return EXIT_SUCCESS;
}
