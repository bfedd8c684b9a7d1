/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Permission arguments: what a client may do, as the owner gives it to `pair` and `change`.
 * Each argument is a string, as typed:
 *
 *   scope "read,send"   sim "1,2" or "any"   allow "+36201234567,+3630*" or "any"
 *   ask "always", "new-recipients", "never"
 *   per_minute, per_hour, per_day, segments_per_month: a number, "none" or "default"
 */
#ifndef GATEWAY_PERMISSION_ARGUMENTS_H
#define GATEWAY_PERMISSION_ARGUMENTS_H

#include "base/client.h"
#include "gateway/control_call.h"

/*
 * Sets those of `client`'s permissions that are given. False: one is invalid, and the call has
 * been answered; `client` is undefined then.
 */
bool permission_arguments_apply(struct control_call *call, struct client *client);

/* True: at least one is given. */
bool permission_arguments_are_given(const struct control_call *call);

/* True: `after` may not see something that `before` may see. */
bool permission_arguments_narrow(const struct client *before, const struct client *after);

#endif
