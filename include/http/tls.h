/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLS: the certificate and key that this process shows.
 *
 * There is one for all listeners. Each handshake gets copies, so that tls_load() may replace it at any time: handshakes
 * and connections that are under way keep what they have
 * (tests/integration/test_tls.py::test_under_load_while_it_changes).
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <limits.h>
#include <stdbool.h>

#include <gnutls/abstract.h>

#include "config/config.h"
#include "http/certificate.h"

enum tls_outcome {
	TLS_E_NONE = 1, /* no certificate is configured, and none is in state_dir */
};

/* TLS 1.2 and newer, only ciphers that authenticate what they encrypt (AEAD): no CBC. */
#define TLS_PRIORITIES                                                            \
	"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:" \
	"+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"

/*
 * Reads config->tls_certificate and tls_key, else state_dir/tls. What was read before stays
 * when that fails. 0, TLS_E_NONE, -errno with the error's text, which names the file.
 */
int tls_load(const struct config *config, struct explanation *error);
bool tls_is_loaded(void);
/* The file in which tls_load() looks for the certificate; it need not be there. */
void tls_certificate_path(const struct config *config, char path[PATH_MAX]);
/* Of what was loaded. -errno */
int tls_fingerprint(struct certificate_fingerprint *fingerprint_out);
void tls_unload(void);

/* A session of the server on a socket that does not block. gnutls_deinit() ends it. -errno */
int tls_session_new(int fd, gnutls_session_t *session_out);

#endif
