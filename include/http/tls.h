/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLS: the certificate and key of this process, for all listeners.
 *
 * Each handshake gets its own copies, so tls_load() may replace them at any time: handshakes and
 * connections under way keep theirs
 * (tests/integration/test_tls.py::test_handshakes_succeed_while_the_certificate_changes).
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <limits.h>
#include <stdbool.h>

#include <gnutls/abstract.h>

#include "http/certificate.h"

struct config;
struct explanation;

enum tls_outcome {
	TLS_E_NONE = 1, /* no certificate is configured and state_dir has none */
};

/* TLS 1.2 and newer, only AEAD ciphers, so no CBC. */
#define TLS_PRIORITIES                                                            \
	"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:" \
	"+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"

/*
 * Reads config->tls_certificate and tls_key, or state_dir/tls if they are not set. On failure the
 * pair that was loaded before stays. 0, TLS_E_NONE, -errno with the error's text, which names the
 * file.
 */
int tls_load(const struct config *config, struct explanation *error);
bool tls_is_loaded(void);
/* Where tls_load() looks for the certificate; the file need not exist. */
void tls_certificate_path(const struct config *config, char path[PATH_MAX]);
/* Of the loaded certificate. -ENOENT: none; another -errno */
int tls_fingerprint(struct certificate_fingerprint *fingerprint_out);
void tls_unload(void);

/* A server session on a non-blocking socket. Free it with gnutls_deinit(). -errno */
int tls_session_new(int fd, gnutls_session_t *session_out);

#endif
