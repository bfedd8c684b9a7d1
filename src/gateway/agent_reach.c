/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gateway/agent_reach.h"

#include <stdio.h>

#include "gateway/agent_url.h"
#include "http/tls.h"
#include "config/config.h"

static int make(const struct config *config, struct explanation *error)
{
	struct certificate_fingerprint fingerprint;
	char folder[PATH_MAX];
	int result;

	snprintf(folder, sizeof(folder), "%s/%s", config->state_dir, CERTIFICATE_FOLDER);
	result = certificate_make(folder, &config->allowed_host, &fingerprint, error);
	return result ? result : tls_load(config, error);
}

/* Whoever wants TLS is to hear that its files are no good, also while older ones are used. */
static int secure(const struct config *config, bool wanted, struct explanation *error)
{
	int result;

	if (tls_is_loaded() && !wanted)
		return 0;
	result = tls_load(config, error);
	if (result == TLS_E_NONE)
		result = wanted ? make(config, error) : 0;
	return result;
}

static void write_tls(const struct config *config, struct json_writer *writer)
{
	struct certificate_fingerprint fingerprint;
	char path[PATH_MAX];

	if (tls_fingerprint(&fingerprint) != 0)
		return;
	tls_certificate_path(config, path);
	json_key(writer, "tls");
	json_open_object(writer);
	json_put_string(writer, "fingerprint", fingerprint.text);
	json_put_string(writer, "certificate", path);
	json_close_object(writer);
}

static void write_reach(const struct config *config, struct json_writer *writer)
{
	json_key(writer, "urls");
	json_open_array(writer);
	agent_url_write_all(config, tls_is_loaded(), writer);
	json_close_array(writer);
	write_tls(config, writer);
}

const struct control_reach agent_reach = {
	.secure = secure,
	.write = write_reach,
};
