/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy wait: a command that needs oFono, run once the bus lets the gateway talk to it.
 *
 * Right after an installation the bus may not have read the policy yet. Where the bus refused,
 * it is asked again at once, and in its first ten seconds of refusing again and again. The
 * command waits for another answer and for the modems behind it, then runs, whatever the answer
 * is. The asker reads what is waited for (tests/integration/test_refusing_bus.py).
 *
 * Private to src/control.
 */
#ifndef GATEWAY_POLICY_WAIT_H
#define GATEWAY_POLICY_WAIT_H

#include "gateway/control_call.h"

/* At once where the bus did not refuse. */
void policy_wait_run(struct control_call *call, void (*run)(struct control_call *call));

#endif
