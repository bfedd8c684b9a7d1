/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/control.h"

/* First what is under way, which may still look at what the rest takes away. */
void control_tell_client(const struct control *control, int64_t client_id,
			 enum control_client_news news)
{
	const struct control_gateway *gateway = control->gateway;

	if (!gateway)
		return;
	if (news != CONTROL_CLIENT_CHANGED)
		gateway->client_cut(control->gateway_data, client_id);
	if (news == CONTROL_CLIENT_REVOKED)
		gateway->client_forgotten(control->gateway_data, client_id);
	gateway->client_changed(control->gateway_data, client_id);
}
