/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inbox: incoming messages.
 *
 * oFono signals each message once and does not keep it. Everything it signals in one turn of
 * the loop is on disk, with fsync, at the end of that turn, before anybody is notified
 * (tests/integration/test_receive.py). Messages that the disk refuses are kept in memory, up
 * to INBOX_MEMORY_MAX, until it takes them. Messages that our plugin in ofonod has spooled
 * come through sms/spool.h.
 *
 * The inbox also records offline gaps: the times in which the gateway, oFono or the bus was
 * down, or the phone slept, so that no message could be received.
 */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/observer.h"
#include "ofono/ofono.h"
#include "phone/sim.h"
#include "sms/message_counters.h"
#include "store/store.h"

enum {
	INBOX_MEMORY_MAX = 256,
	INBOX_SPOOLED_MAX = 16, /* files that are taken at once */
};

struct config;
struct inbox;

/* all in milliseconds */
struct inbox_timing {
	uint64_t retry_ms; /* before the disk is tried again; 5 s */
	/* for oFono to answer at the start, before that is a gap; 2 s */
	uint64_t grace_ms;
};

/* A message in a file of the spool; strings borrowed, valid UTF-8. */
struct inbox_spooled {
	const char *file;  /* its name; names sort in the order of reception */
	const char *modem; /* object path */
	const char *imsi;  /* "" if unknown */
	const char *sender;
	const char *sent_time;
	const char *text;
	const char *ofono;   /* version of the ofonod that wrote it; "" if unknown */
	int64_t received_ms; /* wall clock */
};

/* For observers, when the message is on disk; not for repeats of a stored message. */
struct inbox_event {
	int64_t message_id;
	int64_t sim_id; /* 0 if unknown */
	/* of the sender, "" if there is none; valid during the call, like `text` */
	const char *number;
	const char *text;
	enum opt opt;
	unsigned flags; /* enum store_message_flag, as stored */
};

/* Returns 0 or -errno. To be called in the same turn of the loop as ofono_new(). */
int inbox_new(sd_event *loop, struct store *store, struct sims *sims, struct ofono *ofono,
	      struct inbox **inbox_out);
void inbox_free(struct inbox *inbox); /* NULL is fine; writes "received until" */

/* Call it right after inbox_new(). */
void inbox_set_timing(struct inbox *inbox, const struct inbox_timing *timing); /* tests */

/*
 * After 0 all of them are on disk, whether oFono signals them or not, and the files may be
 * removed. After STORE_E_FULL or -errno none is on disk or in memory.
 */
int inbox_take_spooled(struct inbox *inbox, const struct inbox_spooled *spooled,
		       size_t count);

/* From now on commands of the owner are recognised (sms/sms_command.h); borrowed. */
void inbox_set_config(struct inbox *inbox, const struct config *config);

/* Counts messages there from now on; `counters` is borrowed. */
void inbox_set_message_counters(struct inbox *inbox, struct message_counters *counters);

struct observers *inbox_observers(struct inbox *inbox);

/* Returns how many messages the disk has not taken yet. */
unsigned inbox_unstored(const struct inbox *inbox);
/* Returns the total length of the offline gaps, including the one before the start. */
int64_t inbox_gaps_ms(const struct inbox *inbox);
