/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The URLs are collected from all configured addresses, without duplicates, and
 * written in the order of enum agent_url_reach: first what other machines reach over
 * IPv4, then HOST.local, IPv6, and loopback.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/address.h"
#include "config/config.h"
#include "gateway/paired_client.h"
#include "http/network_interface.h"
#include "http/tls.h"

enum {
	URLS_MAX = 32,
	URL_BYTES = 128,
	NAME_BYTES = 65, /* HOST_NAME_MAX and a NUL */
};

/* In the order of the output. */
enum agent_url_reach {
	REACH_NETWORK,
	REACH_NAME,
	REACH_NETWORK_6,
	REACH_LOOPBACK,
};

struct agent_url_list {
	const struct config *config;
	bool tls;
	struct {
		enum agent_url_reach reach;
		char text[URL_BYTES];
	} urls[URLS_MAX];
	unsigned count;
};

static void agent_url_add(struct agent_url_list *list, enum agent_url_reach reach,
			  const char *host, unsigned port)
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

static void agent_url_add_address(struct agent_url_list *list,
				  const struct address *address)
{
	bool is_6 = address->any.sa_family == AF_INET6;
	unsigned port = ntohs(is_6 ? address->in6.sin6_port : address->in.sin_port);
	enum agent_url_reach reach = is_6 ? REACH_NETWORK_6 : REACH_NETWORK;
	char host[ADDRESS_TEXT_BYTES];

	address_format(address, host);
	*strrchr(host, ':') = '\0';
	if (address_is_loopback(address))
		reach = REACH_LOOPBACK;
	agent_url_add(list, reach, host, port);
}

/* Wildcard addresses */

struct agent_url_walk {
	struct agent_url_list *list;
	const struct address *address; /* the configured one */
};

static void agent_url_add_interface(void *data, const struct ifaddrs *at)
{
	const struct agent_url_walk *walk = data;
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
			return; /* a link-local address needs the peer's interface name */
	}
	agent_url_add_address(walk->list, &address);
}

/* Only served interfaces: on mobile data there are strangers. */
static void agent_url_add_interfaces(struct agent_url_list *list,
				     const struct address *address)
{
	struct agent_url_walk walk = { list, address };
	struct network_interfaces interfaces;

	network_interfaces_init(&interfaces, list->config);
	network_interfaces_read(&interfaces);
	network_interfaces_each(&interfaces, address, agent_url_add_interface, &walk);
	network_interfaces_deinit(&interfaces);
}

/* Multicast DNS: Avahi or systemd-resolved may publish the name. */
static void agent_url_add_name(struct agent_url_list *list, const struct address *address)
{
	char name[NAME_BYTES + sizeof(".local")];

	if (gethostname(name, NAME_BYTES) < 0)
		return;
	name[NAME_BYTES - 1] = '\0';
	if (!*name || strcmp(name, "localhost") == 0 || strchr(name, '.'))
		return;
	strcat(name, ".local");
	agent_url_add(list, REACH_NAME, name,
		      ntohs(address->any.sa_family == AF_INET6 ? address->in6.sin6_port
							       : address->in.sin_port));
}

static void agent_url_add_listen(struct agent_url_list *list, const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		return;
	if (!address_is_any(&address)) {
		agent_url_add_address(list, &address);
		return;
	}
	agent_url_add_interfaces(list, &address);
	agent_url_add_name(list, &address);
}

static void agent_url_write_all(const struct config *config, bool tls,
				struct json_writer *writer)
{
	struct agent_url_list list = { .config = config, .tls = tls };

	for (size_t at = 0; at < config->listen.count; at++)
		agent_url_add_listen(&list, config->listen.items[at]);
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

static int agent_url_make_certificate(const struct control *control,
				      struct explanation *error)
{
	const struct config *config = control->config;
	char folder[PATH_MAX];
	int result;

	snprintf(folder, sizeof(folder), "%s/%s", config->state_dir, CERTIFICATE_FOLDER);
	result = certificate_make(folder, &config->allowed_host, error);
	return result ? result : tls_load(control->tls, config, error);
}

/* With `wanted`, bad files are an error even while older ones are in use. */
int agent_url_secure(const struct control *control, bool wanted,
		     struct explanation *error)
{
	int result;

	if (control->tls->pair.length && !wanted)
		return 0;
	result = tls_load(control->tls, control->config, error);
	if (result == TLS_E_NONE)
		result = wanted ? agent_url_make_certificate(control, error) : 0;
	return result;
}

void agent_url_write(const struct control *control, struct json_writer *writer)
{
	struct tls_fingerprint fingerprint;
	char path[PATH_MAX];

	json_open_array_at(writer, "urls");
	agent_url_write_all(control->config, control->tls->pair.length, writer);
	json_close_array(writer);
	if (tls_fingerprint(control->tls, &fingerprint) != 0)
		return;
	tls_certificate_path(control->config, path);
	json_open_object_at(writer, "tls");
	json_put_string(writer, "fingerprint", fingerprint.text);
	json_put_string(writer, "certificate", path);
	json_close_object(writer);
}
