/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Permission order: what the owner says that a client may do, as the arguments of `pair` and
 * `change` have it: each a text, as it is typed.
 *
 *   scope "read,send"   sim "1,2" or "any"   allow "+36201234567,+3630*" or "any"
 *   ask "always", "new-recipients", "never"
 *   per_minute, per_hour, per_day, segments_per_month: a number, "none" or "default"
 */
#ifndef GATEWAY_PERMISSION_ORDER_H
#define GATEWAY_PERMISSION_ORDER_H

#include "base/client.h"
#include "gateway/control_call.h"

/*
 * Those that are given, into `client`, whose others stay. False: one of them is wrong, and
 * that has been answered; `client` may be anything then.
 */
bool permission_order_apply(struct control_call *call, struct client *client);

/* Is there any? */
bool permission_order_is_given(const struct control_call *call);

/* Does what `after` may leave out anything that `before` could see? */
bool permission_order_narrows(const struct client *before, const struct client *after);

#endif
