/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox: messages that come in.
 *
 * oFono signals each message once and keeps nothing: so what came in one turn of the loop is
 * on disk, with fsync, at its end, before anybody is told
 * (tests/integration/test_receive.py). What could not be stored is kept in memory, up to
 * INBOX_MEMORY_MAX, and tried again until the disk takes it.
 * What a plugin of ours in ofonod has spooled comes by sms/spool.h.
 *
 * Blind times are rows too: while the gateway, oFono or the bus was down, or the phone slept,
 * nobody could have told us of a message.
 */
#ifndef SMS_INBOX_H
#define SMS_INBOX_H

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/tally.h"
#include "store/store.h"

enum {
	INBOX_MEMORY_MAX = 256,
	INBOX_SPOOLED_MAX = 16, /* that are taken at once */
};

struct inbox;

/* how long, in milliseconds */
struct inbox_timing {
	uint64_t retry_ms; /* before the disk is tried again; 5 s */
	uint64_t grace_ms; /* for oFono to answer at the start, before it is a gap; 2 s */
};

/* A message in a file of the spool; strings borrowed, valid UTF-8. */
struct inbox_spooled {
	const char *file;  /* its name; names sort in the order of reception */
	const char *modem; /* object path */
	const char *imsi;  /* "" not known */
	const char *sender;
	const char *sent_time;
	const char *text;
	const char *ofono;   /* version of the ofonod that wrote it, "" not known */
	int64_t received_ms; /* wall clock */
};

/* Told when the message is on disk; not for repeats. */
struct inbox_event {
	int64_t message_id;
	int64_t sim_id; /* 0: not known */
	const char
		*number; /* of the sender, "" none; lives during the call, as the text */
	const char *text;
	enum opt opt;
};

/* To be made before ofono's first event, that is in the same turn of the loop as it. */
int inbox_new(sd_event *loop, struct store *store, struct sims *sims, struct ofono *ofono,
	      struct inbox **inbox_out);
void inbox_free(struct inbox *inbox); /* NULL is fine; notes the end of hearing */

/* At once after inbox_new(). */
void inbox_set_timing(struct inbox *inbox, const struct inbox_timing *timing); /* tests */

/*
 * All on disk when 0 returns, whether oFono's signals have told of them or will or will not:
 * the files may be removed. STORE_E_FULL or -errno: none is, nor is it kept.
 */
int inbox_take_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
		       size_t count);

/* From now on messages are counted there; it is borrowed. */
void inbox_set_tally(struct inbox *inbox, struct tally *tally);

struct observers *inbox_observers(struct inbox *inbox);

/* Messages that the disk has not taken yet. */
unsigned inbox_unstored(const struct inbox *inbox);
/* For how long nothing could be heard; what the start found of the time before counts, too. */
int64_t inbox_deaf_ms(const struct inbox *inbox);

#endif
