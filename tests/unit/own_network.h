/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network of the test's own, in which 10.0.0.0/8 are addresses of this machine: for clients
 * of several addresses, of which 127.0.0.0/8 is only one to the server.
 */
#pragma once

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* With a netmask of 8 bits. */
static inline bool own_network_set(int fd, const char *name, const char *address)
{
	struct ifreq interface = { .ifr_flags = IFF_UP };
	struct sockaddr_in in = { .sin_family = AF_INET };

	strcpy(interface.ifr_name, name);
	if (ioctl(fd, SIOCSIFFLAGS, &interface) < 0 && name[2] != ':')
		return false;
	inet_pton(AF_INET, address, &in.sin_addr);
	memcpy(&interface.ifr_addr, &in, sizeof(in));
	if (ioctl(fd, SIOCSIFADDR, &interface) < 0)
		return false;
	inet_pton(AF_INET, "255.0.0.0", &in.sin_addr);
	memcpy(&interface.ifr_addr, &in, sizeof(in));
	return ioctl(fd, SIOCSIFNETMASK, &interface) == 0;
}

/* For the whole process. False: neither root nor user namespaces are to be had. */
static inline bool own_network_enter(void)
{
	bool done;
	int fd;

	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	done = fd >= 0 && own_network_set(fd, "lo", "10.0.0.1") &&
	       own_network_set(fd, "lo:1", "127.0.0.1");
	if (fd >= 0)
		close(fd);
	return done;
}
