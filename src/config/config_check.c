/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What no key tells by itself: values that do not go with others, and paths.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/un.h>

#include "base/address.h"
#include "config/config.h"

static int check_path(const char *key, const char *path, struct explanation *error)
{
	if (*path == '/')
		return 0;
	return explanation_set(error, -EINVAL,
			       "%s: %s is not an absolute path; it begins with '/'", key,
			       path);
}

int config_control_path(const struct config *config, char *path, size_t size,
			struct explanation *error)
{
	const char *given = config->control_socket;
	int length;

	if (*given && check_path("server.control_socket", given, error))
		return -EINVAL;
	if (*given)
		length = snprintf(path, size, "%s", given);
	else
		length = snprintf(path, size, "%s/control", config->state_dir);
	if (length > 0 && (size_t)length < size)
		return 0;
	return explanation_set(
		error, -EINVAL,
		"server.control_socket: the path %s%s has %d bytes, and a UNIX socket "
		"takes at most %zu bytes; give a shorter one",
		*given ? given : config->state_dir, *given ? "" : "/control", length,
		size - 1);
}

static int check_paths(const struct config *config, struct explanation *error)
{
	const struct {
		const char *key;
		const char *path; /* "": none is given */
	} paths[] = {
		{ "store.spool_dir", config->spool_dir },
		{ "sim.pin_file", config->pin_file },
		{ "contacts.file", config->contacts_file },
	};
	struct sockaddr_un socket;

	if (check_path("store.state_dir", config->state_dir, error))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (*paths[i].path && check_path(paths[i].key, paths[i].path, error))
			return -EINVAL;
	}
	return config_control_path(config, socket.sun_path, sizeof(socket.sun_path),
				   error);
}

/* Without tokens. */
static int check_open(const struct config *config, struct explanation *error)
{
	struct address address;

	for (size_t i = 0; config->open && i < config->listen.count; i++) {
		const char *text = config->listen.items[i];

		if (!address_parse(text, &address) || !address_is_loopback(&address))
			return explanation_set(
				error, -EINVAL,
				"server.open: refused, because %s is not a loopback "
				"address and anybody could send messages; listen on "
				"127.0.0.1 or use a token",
				text);
	}
	return 0;
}

static int check_tls(const struct config *config, struct explanation *error)
{
	const char *certificate = config->tls_certificate, *key = config->tls_key;

	if (!*certificate != !*key)
		return explanation_set(
			error, -EINVAL,
			"server.%s is missing: a certificate and its key belong together",
			*key ? "tls_certificate" : "tls_key");
	if (!*key)
		return 0;
	if (check_path("server.tls_certificate", certificate, error))
		return -EINVAL;
	return check_path("server.tls_key", key, error);
}

int config_check(const struct config *config, struct explanation *error)
{
	if (config->listen.count == 0)
		return explanation_set(
			error, -EINVAL,
			"server.listen: at least one ADDRESS:PORT is needed");
	if (check_paths(config, error))
		return -EINVAL;
	if (config->policy.minimum_balance.count && !config->ussd_balance_pattern.count)
		return explanation_set(
			error, -EINVAL,
			"policy.minimum_balance: without ussd.balance_pattern no balance "
			"is ever known, so it would hold nothing back");
	if (check_open(config, error))
		return -EINVAL;
	return check_tls(config, error);
}
