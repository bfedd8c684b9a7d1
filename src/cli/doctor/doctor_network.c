/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The doctor's checks of each address: whether somebody listens there, who can reach
 * it, and whether others could read the traffic.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "cli/doctor/doctor.h"
#include "http/tls.h"

enum { CONNECT_MS = 2000 };

static bool doctor_network_is_connected(int fd, const struct address *address)
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

/* Returns true if somebody listens there. A wildcard address is tried on loopback. */
static bool doctor_network_answers(struct address address)
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
	reached = doctor_network_is_connected(fd, &address);
	close(fd);
	return reached;
}

static bool doctor_network_has_certificate(const struct config *config)
{
	char path[PATH_MAX];

	tls_certificate_path(config, path);
	return *config->tls_certificate || access(path, F_OK) == 0;
}

static void doctor_network_report_served(struct doctor *doctor, const char *text,
					 const struct address *address)
{
	const struct config *config = &doctor->running;
	bool is_local = address_is_loopback(address);
	bool is_tls = doctor_network_has_certificate(config) &&
		      (!is_local || config->tls_loopback);

	if (is_local)
		doctor_report(
			doctor, DOCTOR_OK, "port", NULL,
			"%s is served, for programs on this machine only, over HTTP%s",
			text, is_tls ? "S" : "");
	else
		doctor_report(doctor, is_tls ? DOCTOR_OK : DOCTOR_WARNING, "port",
			      is_tls ? NULL
				     : "Serve HTTPS: tls_certificate in section [server] "
				       "of the configuration; or trust that network",
			      "%s is served to other machines, on %s, but never on "
			      "mobile data, over %s",
			      text,
			      config->interfaces.count ? "the configured interfaces"
						       : "every network",
			      is_tls ? "HTTPS"
				     : "HTTP, which exposes tokens to eavesdroppers");
}

static void doctor_network_report_silent(struct doctor *doctor, const char *text,
					 const struct address *address)
{
	if (!doctor->gateway_runs)
		return; /* reported already */
	if (!address_is_loopback(address) && !doctor->has_clients)
		doctor_report(doctor, DOCTOR_NOTE, "port",
			      "Pair an agent: " PROGRAM_NAME " pair NAME",
			      "%s is closed until an agent is paired", text);
	else
		doctor_report(doctor, DOCTOR_PROBLEM, "port",
			      "Check the log of the gateway, and whether it runs with "
			      "this configuration",
			      "nobody listens at %s", text);
}

/*
 * Without access to the gateway we cannot know whose port it is, or whether it should
 * be open.
 */
static void doctor_network_report_unknown(struct doctor *doctor, const char *text,
					  bool reached)
{
	if (reached)
		doctor_report(
			doctor, DOCTOR_OK, "port", NULL,
			"somebody listens at %s; only root can see whether it is the gateway",
			text);
	else
		doctor_report(doctor, DOCTOR_NOTE, "port", DOCTOR_AS_ROOT,
			      "nobody listens at %s", text);
}

static void doctor_network_check_port(struct doctor *doctor, const char *text)
{
	struct address address;

	if (!address_parse(text, &address))
		return;
	if (doctor->gateway_is_closed)
		doctor_network_report_unknown(doctor, text,
					      doctor_network_answers(address));
	else if (!doctor_network_answers(address))
		doctor_network_report_silent(doctor, text, &address);
	else if (doctor->gateway_runs)
		doctor_network_report_served(doctor, text, &address);
	else
		doctor_report(
			doctor, DOCTOR_PROBLEM, "port",
			"Stop that program, or configure another address with listen",
			"another program listens at %s", text);
}

void doctor_network_check(struct doctor *doctor)
{
	const struct config_list *listen = &doctor->running.listen;

	if (doctor->gateway_is_silent)
		return; /* the kernel accepts connections for it, so they prove nothing */
	for (size_t at = 0; at < listen->count; at++)
		doctor_network_check_port(doctor, listen->items[at]);
}
