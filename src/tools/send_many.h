/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Send many: send_sms with to_phone_numbers.
 */
#pragma once

#include "tools/sms_order.h"

/* Runs the call; order->recipients is set. */
void send_many(struct sms_order *order);
