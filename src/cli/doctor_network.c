/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of the doctor: each address that the gateway listens on, or is to: does somebody answer there, who reaches it,
 * and could others read what is said.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "cli/doctor.h"
#include "http/certificate.h"

enum { CONNECT_MS = 2000 };

static bool is_connected(int fd, const struct address *address)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	socklen_t length = sizeof(int);
	int error = 0;

	if (connect(fd, &address->any, address->length) == 0)
		return true;
	if (errno != EINPROGRESS || poll(&wait, 1, CONNECT_MS) <= 0)
		return false;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

/* Somebody listens there. All addresses: on that of loopback, too. */
static bool is_reached(struct address address)
{
	int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	bool reached;

	if (fd < 0)
		return false;
	if (address_is_any(&address) && address.any.sa_family == AF_INET)
		address.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else if (address_is_any(&address))
		address.in6.sin6_addr = in6addr_loopback;
	reached = is_connected(fd, &address);
	close(fd);
	return reached;
}

static bool has_certificate(const struct config *config)
{
	char path[2 * CONFIG_TEXT_BYTES];

	if (*config->tls_certificate)
		return true;
	snprintf(path, sizeof(path), "%s/" CERTIFICATE_FOLDER "/" CERTIFICATE_FILE,
		 config->state_dir);
	return access(path, F_OK) == 0;
}

static void tell_served(struct doctor *doctor, const char *text,
			const struct address *address)
{
	const struct config *config = &doctor->running;
	bool is_local = address_is_loopback(address);
	bool is_tls = has_certificate(config) && (!is_local || config->tls_loopback);
	struct finding finding = { DOCTOR_OK, "port" };

	if (is_local) {
		doctor_tell(doctor, &finding,
			    "%s answers, for programs of this machine alone, over HTTP%s",
			    text, is_tls ? "S" : "");
		return;
	}
	if (!is_tls) {
		finding.level = DOCTOR_WARNING;
		finding.fix = "Serve HTTPS: tls_certificate in section [server] of the "
			      "configuration; or trust that network";
	}
	doctor_tell(doctor, &finding,
		    "%s answers other machines, on %s, but never on mobile data, over %s",
		    text,
		    config->interfaces.count ? "the interfaces that the configuration "
					       "names"
					     : "every network",
		    is_tls ? "HTTPS" : "HTTP, where a token can be read on its way");
}

static void tell_silent(struct doctor *doctor, const char *text,
			const struct address *address)
{
	if (!doctor->gateway_runs)
		return; /* that has been told */
	if (!address_is_loopback(address) && !doctor->has_clients)
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "port",
					       "Pair an agent: ofono-mcp pair NAME" },
			    "%s is closed until an agent is paired", text);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "port",
					       "Look whether the gateway that runs has "
					       "this configuration, and into its log" },
			    "nobody answers at %s", text);
}

/* Nobody knows here whose it is, nor whether it should be. */
static void tell_closed(struct doctor *doctor, const char *text, bool reached)
{
	if (reached)
		doctor_tell(doctor, &(struct finding){ DOCTOR_OK, "port" },
			    "%s answers; whether that is the gateway only root can see",
			    text);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_WARNING, "port", DOCTOR_AS_ROOT },
			    "nobody answers at %s", text);
}

static void look_at_port(struct doctor *doctor, const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		return;
	if (doctor->gateway_is_closed)
		tell_closed(doctor, text, is_reached(address));
	else if (!is_reached(address))
		tell_silent(doctor, text, &address);
	else if (doctor->gateway_runs)
		tell_served(doctor, text, &address);
	else
		doctor_tell(doctor,
			    &(struct finding){ DOCTOR_PROBLEM, "port",
					       "End that program, or configure another "
					       "address with listen" },
			    "another program has %s", text);
}

void doctor_look_at_network(struct doctor *doctor)
{
	const struct config_list *listen = &doctor->running.listen;

	if (doctor->gateway_is_silent)
		return; /* Linux takes connections for it, which tells nothing */
	for (size_t at = 0; at < listen->count; at++)
		look_at_port(doctor, listen->items[at]);
}
