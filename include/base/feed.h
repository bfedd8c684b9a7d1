/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feed: one stored fact that somebody may want to hear of, see store/store_feed.h. It
 * names a row and says nothing that the row's owner may have deleted: texts are read from the
 * row.
 */
#pragma once

#include <stdint.h>

enum feed_type { /* stored: only append */
		 FEED_SMS_RECEIVED = 1,
		 FEED_SMS_STATUS, /* of an outgoing message, from its first state on */
		 FEED_CALL,	  /* an incoming or placed call began or changed */
		 FEED_ALERT,	  /* cell broadcast */
		 FEED_APPROVAL_REQUESTED, /* also of a waiting message that was edited */
		 FEED_APPROVAL_DECIDED,
		 FEED_SIM_STATE,
		 FEED_BALANCE,
		 FEED_OFFLINE_GAP, /* one began, ended or grew */
		 FEED_SMS_COMMAND,
		 FEED_SMS_READ, /* an incoming message was marked as read */
};

struct feed_entry {
	int64_t id;    /* ascending; never given out twice within an epoch */
	int64_t at_ms; /* wall clock; not always in the order of the IDs */
	enum feed_type type;
	int64_t subject_id; /* of the message, event or receive gap; 0 if there is none */
	int64_t sim_id;	    /* 0 if unknown, or if there is none */
	int64_t client_id;  /* of an outgoing message; else 0 */
	/* The other party, "" if there is none or its row is deleted. */
	const char *phone_number;
	int state; /* enum message_state, call_state or sim_state; a gap 1: it ended */
	int previous_state; /* of the same enum; 0 or -1 if there is none */
	/* A message: the reason. A balance: "AMOUNT DECIMALS CURRENCY" in thousandths. A gap:
	 * "FROM_MS UNTIL_MS REASON". */
	const char *detail;
};
