/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/network_watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	TIMER_ACCURACY_US = 100 * 1000,
	READS_MAX = 64, /* in one turn */
};

static int on_quiet(sd_event_source *source, uint64_t due_us, void *data)
{
	struct network_watch *watch = data;

	(void)source;
	(void)due_us;
	watch->changed(watch->data);
	return 0;
}

/* What it says is not looked at: who is told reads all there is. */
static int on_news(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct network_watch *watch = data;
	char octets[64];

	(void)source;
	(void)events;
	for (int i = 0; i < READS_MAX; i++)
		if (recv(fd, octets, sizeof(octets), MSG_DONTWAIT) < 0 &&
		    errno != ENOBUFS && errno != EINTR)
			break;
	sd_event_source_set_time_relative(watch->timer,
					  (uint64_t)NETWORK_WATCH_QUIET_MS * 1000);
	return sd_event_source_set_enabled(watch->timer, SD_EVENT_ONESHOT);
}

static int open_netlink(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_ROUTE);
	int error;

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int network_watch_init(struct network_watch *watch, sd_event *loop,
		       void (*changed)(void *data), void *data)
{
	int fd = open_netlink();
	int error;

	if (fd < 0)
		return fd;
	*watch = (struct network_watch){ .changed = changed, .data = data };
	error = sd_event_add_io(loop, &watch->io, fd, EPOLLIN, on_news, watch);
	if (error < 0) {
		close(fd);
		return error;
	}
	sd_event_source_set_io_fd_own(watch->io, true);
	error = sd_event_add_time(loop, &watch->timer, CLOCK_MONOTONIC, UINT64_MAX,
				  TIMER_ACCURACY_US, on_quiet, watch);
	if (error >= 0)
		error = sd_event_source_set_enabled(watch->timer, SD_EVENT_OFF);
	if (error < 0)
		network_watch_deinit(watch);
	return error < 0 ? error : 0;
}

void network_watch_deinit(struct network_watch *watch)
{
	watch->io = sd_event_source_disable_unref(watch->io);
	watch->timer = sd_event_source_disable_unref(watch->timer);
}
