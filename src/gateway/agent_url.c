/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/agent_url.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/address.h"
#include "http/network_interface.h"
#include "config/config.h"

enum {
	URLS_MAX = 32,
	URL_BYTES = 128,
	NAME_BYTES = 65, /* HOST_NAME_MAX and a NUL */
};

/* In this order they are told. */
enum reach {
	REACH_NETWORK,
	REACH_NAME,
	REACH_NETWORK_6,
	REACH_LOOPBACK,
};

struct url_list {
	const struct config *config;
	bool tls;
	struct {
		enum reach reach;
		char text[URL_BYTES];
	} urls[URLS_MAX];
	unsigned count;
};

static void add_url(struct url_list *list, enum reach reach, const char *host,
		    unsigned port)
{
	bool tls = list->tls && (reach != REACH_LOOPBACK || list->config->tls_loopback);
	char text[URL_BYTES];

	snprintf(text, sizeof(text), "http%s://%s:%u" AGENT_URL_PATH, tls ? "s" : "",
		 host, port);
	for (unsigned at = 0; at < list->count; at++) {
		if (strcmp(list->urls[at].text, text) == 0)
			return;
	}
	if (list->count == URLS_MAX)
		return;
	list->urls[list->count].reach = reach;
	strcpy(list->urls[list->count++].text, text);
}

static void add_address(struct url_list *list, const struct address *address)
{
	bool is_6 = address->any.sa_family == AF_INET6;
	unsigned port = ntohs(is_6 ? address->in6.sin6_port : address->in.sin_port);
	enum reach reach = is_6 ? REACH_NETWORK_6 : REACH_NETWORK;
	char host[ADDRESS_TEXT_BYTES];

	address_format(address, host);
	*strrchr(host, ':') = '\0';
	if (address_is_loopback(address))
		reach = REACH_LOOPBACK;
	add_url(list, reach, host, port);
}

/* All addresses */

struct interface_walk {
	struct url_list *list;
	const struct address *address; /* that is listened on */
};

static void add_interface(void *data, const struct ifaddrs *at)
{
	const struct interface_walk *walk = data;
	struct address address = *walk->address;

	if (at->ifa_addr->sa_family == AF_INET) {
		address.in.sin_addr =
			((const struct sockaddr_in *)(const void *)at->ifa_addr)
				->sin_addr;
	} else {
		address.in6.sin6_addr =
			((const struct sockaddr_in6 *)(const void *)at->ifa_addr)
				->sin6_addr;
		if (IN6_IS_ADDR_LINKLOCAL(&address.in6.sin6_addr))
			return; /* it means nothing without the peer's interface */
	}
	add_address(walk->list, &address);
}

/* Those that are served: not a carrier's, where strangers are. */
static void add_interfaces(struct url_list *list, const struct address *address)
{
	struct interface_walk walk = { list, address };
	struct network_interfaces interfaces;

	network_interfaces_init(&interfaces, list->config);
	network_interfaces_read(&interfaces);
	network_interfaces_each(&interfaces, address, add_interface, &walk);
	network_interfaces_deinit(&interfaces);
}

/* By multicast DNS, where avahi or systemd-resolved tell it. */
static void add_name(struct url_list *list, const struct address *address)
{
	char name[NAME_BYTES + sizeof(".local")];

	if (gethostname(name, NAME_BYTES) < 0)
		return;
	name[NAME_BYTES - 1] = '\0';
	if (!*name || strcmp(name, "localhost") == 0 || strchr(name, '.'))
		return;
	strcat(name, ".local");
	add_url(list, REACH_NAME, name,
		ntohs(address->any.sa_family == AF_INET6 ? address->in6.sin6_port
							 : address->in.sin_port));
}

static void add_listen(struct url_list *list, const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		return;
	if (!address_is_any(&address)) {
		add_address(list, &address);
		return;
	}
	add_interfaces(list, &address);
	add_name(list, &address);
}

void agent_url_write_all(const struct config *config, bool tls,
			 struct json_writer *writer)
{
	struct url_list list = { .config = config, .tls = tls };

	for (size_t at = 0; at < config->listen.count; at++)
		add_listen(&list, config->listen.items[at]);
	for (int reach = REACH_NETWORK; reach <= REACH_LOOPBACK; reach++) {
		for (unsigned at = 0; at < list.count; at++) {
			if ((int)list.urls[at].reach == reach)
				json_write_string(writer, list.urls[at].text);
		}
	}
}

bool agent_url_is_for_others(const char *url)
{
	static const char *const ours[] = { "127.", "[::1]:" };

	url += strcspn(url, "/") + strlen("//");
	for (size_t at = 0; at < sizeof(ours) / sizeof(ours[0]); at++) {
		if (strncmp(url, ours[at], strlen(ours[at])) == 0)
			return false;
	}
	return true;
}
