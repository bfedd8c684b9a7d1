/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to advertise follows from the configuration, the ports that are open now, and
 * the interfaces and their addresses. advertisement_review() computes it again
 * whenever one of these may have changed, and gives Avahi the new set of places, or
 * withdraws the service with a reason.
 */
#include "gateway/running.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/log.h"
#include "config/config.h"

/* What to advertise */

struct advertisement_survey {
	struct advertisement *advertisement;
	const struct http_server_listener *listener; /* being examined */
	struct avahi_offer offer;
	bool open; /* some port is open to the network */
};

/* One service cannot have two ports on one interface: the first one counts. */
static void advertisement_add_place(void *data, const struct ifaddrs *at)
{
	struct advertisement_survey *survey = data;
	struct avahi_offer *offer = &survey->offer;
	int interface = (int)if_nametoindex(at->ifa_name);
	int family = at->ifa_addr->sa_family;

	if (!interface || (at->ifa_flags & IFF_LOOPBACK) ||
	    offer->count == AVAHI_PLACES_MAX)
		return;
	for (size_t i = 0; i < offer->count; i++)
		if (offer->places[i].interface == interface &&
		    offer->places[i].family == family)
			return;
	offer->places[offer->count++] = (struct avahi_place){
		.interface = interface,
		.family = family,
		.port = survey->listener->port,
		.tls = survey->listener->tls,
	};
}

static void advertisement_add_listener(struct advertisement_survey *survey,
				       const struct http_server_listener *listener)
{
	if (!listener->open || !listener->network)
		return;
	survey->open = true;
	survey->listener = listener;
	network_interfaces_each(&survey->advertisement->interfaces, &listener->address,
				advertisement_add_place, survey);
}

static const char *advertisement_find_reason(const struct advertisement *advertisement,
					     const struct advertisement_survey *survey)
{
	if (!advertisement->config->advertise)
		return "advertise = no";
	if (!http_server_has_network(advertisement->server))
		return "only loopback addresses are configured (listen)";
	if (!survey->open)
		return "no client is paired";
	if (!survey->offer.count)
		return "no served interface has an address";
	return NULL;
}

/* Publishing */

static void advertisement_on_network(void *data)
{
	advertisement_review(data);
}

static void advertisement_follow_network(struct advertisement *advertisement, bool wanted)
{
	int error = 0;

	if (!wanted)
		network_watch_deinit(&advertisement->watch);
	else if (!advertisement->watch.io)
		error = network_watch_init(&advertisement->watch, advertisement->loop,
					   advertisement_on_network, advertisement);
	if (error && !advertisement->warned)
		log_warning(
			"mdns: later changes of the network interfaces go unnoticed: %s",
			strerror(-error));
	advertisement->warned = error != 0;
}

static void advertisement_withdraw(struct advertisement *advertisement)
{
	if (advertisement->avahi)
		log_info("mdns: no longer advertised: %s", advertisement->reason);
	else if (advertisement->config->advertise)
		log_info("mdns: not advertised: %s", advertisement->reason);
	avahi_free(advertisement->avahi);
	advertisement->avahi = NULL;
}

static void advertisement_publish(struct advertisement *advertisement,
				  const struct avahi_offer *offer)
{
	int error = 0;

	if (advertisement->avahi)
		avahi_set_offer(advertisement->avahi, offer);
	else
		error = avahi_new(advertisement->loop, NULL, offer,
				  &advertisement->avahi);
	if (error)
		log_error("mdns: %s", strerror(-error));
}

void advertisement_review(struct advertisement *advertisement)
{
	struct advertisement_survey survey = { .advertisement = advertisement };
	struct http_server_listener listener;
	const char *reason, *before = advertisement->reason;

	if (!advertisement->loop)
		return;
	if (advertisement->config->advertise) {
		if (!network_interfaces_read(&advertisement->interfaces))
			log_warning("mdns: cannot read the network interfaces");
		for (unsigned at = 0;
		     http_server_listener(advertisement->server, at, &listener); at++)
			advertisement_add_listener(&survey, &listener);
	}
	advertisement_follow_network(advertisement, survey.open);
	reason = advertisement_find_reason(advertisement, &survey);
	advertisement->reason = reason;
	if (!reason)
		advertisement_publish(advertisement, &survey.offer);
	else if (reason != before)
		advertisement_withdraw(advertisement);
}

void advertisement_start(struct advertisement *advertisement, sd_event *loop,
			 const struct config *config, struct http_server *server)
{
	*advertisement = (struct advertisement){
		.loop = loop,
		.config = config,
		.server = server,
	};
	network_interfaces_init(&advertisement->interfaces, config);
	http_server_on_change(server, advertisement_on_network, advertisement);
	advertisement_review(advertisement);
}

void advertisement_stop(struct advertisement *advertisement)
{
	if (!advertisement->loop)
		return;
	avahi_free(advertisement->avahi);
	network_watch_deinit(&advertisement->watch);
	network_interfaces_deinit(&advertisement->interfaces);
	http_server_on_change(advertisement->server, NULL, NULL);
	*advertisement = (struct advertisement){ .reason = "the gateway is stopping" };
}

/* In words */

/*
 * Avahi picks another host name if ours is taken on the network; the HTTP gates do not
 * know it.
 */
static bool advertisement_host_is_served(const struct config *config, const char *host)
{
	char name[256 + sizeof(".local")];

	for (size_t at = 0; at < config->allowed_host.count; at++)
		if (strcasecmp(config->allowed_host.items[at], host) == 0)
			return true;
	if (gethostname(name, 256) < 0)
		return false;
	name[255] = '\0';
	strcat(name, ".local");
	return strcasecmp(name, host) == 0;
}

bool advertisement_describe(struct advertisement *advertisement, const char **text_out)
{
	const struct avahi *avahi = advertisement->avahi;
	const char *name = avahi ? avahi_published_name(avahi) : NULL;
	char *text = advertisement->text;
	size_t size = sizeof(advertisement->text);

	*text_out = text;
	if (!name) {
		snprintf(text, size, "%s",
			 avahi			 ? avahi_status(avahi)
			 : advertisement->reason ? advertisement->reason
						 : "the gateway does not serve yet");
		return false;
	}
	if (advertisement_host_is_served(advertisement->config, avahi_host(avahi)))
		snprintf(text, size, "\"%s\" at %s", name, avahi_host(avahi));
	else
		snprintf(
			text, size,
			"\"%s\" at %s, a host name that is refused: add it to allowed_host",
			name, avahi_host(avahi));
	return true;
}
