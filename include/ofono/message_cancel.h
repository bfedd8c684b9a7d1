/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Message cancel: asking oFono to drop a message that it holds.
 *
 * It is looked up in GetMessages by its UUID, whatever its path, and then cancelled. That
 * oFono told an outcome of it (MESSAGE_STATE) always precedes the answer.
 */
#ifndef OFONO_MESSAGE_CANCEL_H
#define OFONO_MESSAGE_CANCEL_H

#include "ofono/modem.h"

enum cancel_outcome {
	CANCEL_DONE,	  /* oFono has dropped it; no segment went out */
	CANCEL_REFUSED,	  /* it is on the air, a segment is out, or it is over */
	CANCEL_NOT_THERE, /* oFono does not hold it (any more) */
	CANCEL_NOT_ASKED, /* oFono was not reached: nothing is cancelled */
	CANCEL_UNKNOWN,	  /* no answer; it may be cancelled or not */
};

struct message_cancel; /* under way */

/*
 * The callback follows the rules of bus_call(): exactly once, later, not after
 * message_cancel_stop(). The modem may go meanwhile. NULL: no memory.
 * Every message_cancel has ended or is stopped before ofono_free().
 */
struct message_cancel *message_cancel(struct modem *modem, const char *uuid,
				      void (*done)(void *data,
						   enum cancel_outcome outcome),
				      void *data);
/* Stop listening; it may be cancelled all the same. NULL is fine. */
void message_cancel_stop(struct message_cancel *cancel);

#endif
