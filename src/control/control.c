/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/control.h"

void control_tell_client(const struct control *control, int64_t client_id,
			 enum control_client_news news)
{
	if (control->gateway)
		control->gateway->heard_of_client(control->gateway_data, client_id, news);
}
