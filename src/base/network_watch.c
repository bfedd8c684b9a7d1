/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/network_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	NETWORK_WATCH_ACCURACY_US = 100 * 1000,
	NETWORK_WATCH_READS_MAX = 64, /* of messages in one turn of the loop */
};

static int network_watch_on_quiet(sd_event_source *source, uint64_t due_us, void *data)
{
	struct network_watch *watch = data;

	watch->changed(watch->data);
	return 0;
}

/* Discards the messages: `changed` reads the whole list. */
static int network_watch_on_messages(sd_event_source *source, int fd, uint32_t events,
				     void *data)
{
	struct network_watch *watch = data;
	char octets[64];

	for (int i = 0; i < NETWORK_WATCH_READS_MAX; i++)
		if (recv(fd, octets, sizeof(octets), MSG_DONTWAIT) < 0 &&
		    errno != ENOBUFS && errno != EINTR)
			break;
	sd_event_source_set_time_relative(watch->timer,
					  (uint64_t)NETWORK_WATCH_QUIET_MS * 1000);
	return sd_event_source_set_enabled(watch->timer, SD_EVENT_ONESHOT);
}

int network_watch_init(struct network_watch *watch, sd_event *loop,
		       void (*changed)(void *data), void *data)
{
	static const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_ROUTE);
	int error;

	if (fd < 0)
		return -errno;
	*watch = (struct network_watch){ .changed = changed, .data = data };
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		error = -errno;
	else
		error = sd_event_add_io(loop, &watch->io, fd, EPOLLIN,
					network_watch_on_messages, watch);
	if (error < 0) {
		close(fd);
		return error;
	}
	sd_event_source_set_io_fd_own(watch->io, true);
	error = sd_event_add_time(loop, &watch->timer, CLOCK_MONOTONIC, UINT64_MAX,
				  NETWORK_WATCH_ACCURACY_US, network_watch_on_quiet,
				  watch);
	if (error < 0)
		network_watch_deinit(watch);
	return error;
}

void network_watch_deinit(struct network_watch *watch)
{
	watch->io = sd_event_source_disable_unref(watch->io);
	watch->timer = sd_event_source_disable_unref(watch->timer);
}
