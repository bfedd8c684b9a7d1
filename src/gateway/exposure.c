/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/exposure.h"

#include <time.h>

#include "base/log.h"

static void look_again_later(struct exposure *exposure)
{
	int error = sd_event_source_set_time_relative(exposure->timer,
						      (uint64_t)EXPOSURE_MS * 1000);

	if (error >= 0)
		error = sd_event_source_set_enabled(exposure->timer, SD_EVENT_ONESHOT);
	if (error < 0)
		log_error("exposure: timer: error %d", -error);
}

/* A store that does not answer changes nothing. */
void exposure_review(struct exposure *exposure)
{
	int64_t count = 0;

	if (!exposure->server)
		return;
	if (!exposure->timer) { /* nothing to open, but perhaps a certificate to use */
		http_server_review(exposure->server, false);
		return;
	}
	if (store_client_count(exposure->store, &count) == 0) {
		exposure->has_clients = count > 0;
		http_server_review(exposure->server, exposure->has_clients);
	}
	if (!exposure->has_clients)
		look_again_later(exposure);
}

static int on_timer(sd_event_source *source, uint64_t due_us, void *data)
{
	(void)source;
	(void)due_us;
	exposure_review(data);
	return 0;
}

bool exposure_find(void *data, const uint8_t hash[CLIENT_HASH_BYTES],
		   struct client *client_out)
{
	struct exposure *exposure = data;

	if (store_client_find(exposure->store, hash, client_out))
		return true;
	if (exposure->has_clients)
		exposure_review(exposure);
	return false;
}

int exposure_init(struct exposure *exposure, sd_event *loop, struct http_server *server)
{
	int error;

	exposure->server = server;
	if (!http_server_has_network(server))
		return 0;
	error = sd_event_add_time(loop, &exposure->timer, CLOCK_MONOTONIC, UINT64_MAX,
				  100 * 1000, on_timer, exposure);
	if (error < 0)
		return error;
	exposure_review(exposure);
	return 0;
}

void exposure_deinit(struct exposure *exposure)
{
	exposure->timer = sd_event_source_disable_unref(exposure->timer);
	exposure->server = NULL;
}
