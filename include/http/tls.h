/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TLS: a certificate and its key, for all listeners of a server.
 *
 * Each handshake gets its own copies, so tls_load() may replace them at any time: handshakes and
 * connections under way keep theirs
 * (tests/integration/test_tls.py::test_handshakes_succeed_while_the_certificate_changes).
 */
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <limits.h>
#include <stdbool.h>

struct config_list;
struct explanation;
struct config;

/*
 * Certificate: makes a self-signed certificate for this machine.
 *
 * A folder holds cert.pem and key.pem and is put in place in one rename, so there is never a
 * mismatched key or half a file (tests/unit/test_certificate.c).
 */

#define CERTIFICATE_FOLDER   "tls" /* in state_dir */
#define CERTIFICATE_FILE     "cert.pem"
#define CERTIFICATE_KEY_FILE "key.pem"

enum { CERTIFICATE_YEARS = 10 };

/*
 * Creates or replaces `folder` with a new certificate and key. The certificate is valid for this
 * machine's name, NAME.local, localhost, its addresses, and `names` (may be NULL). The files get
 * the owner of the parent folder, which must exist. Returns 0, or -errno with the error's text.
 */
int certificate_make(const char *folder, const struct config_list *names,
		     struct explanation *error);

/* Wall-clock time. */
struct certificate_times {
	int64_t from_ms;
	int64_t until_ms;
};

/* Of the first certificate in a PEM file. Returns 0, or -errno with the error's text. */
int certificate_times(const char *file, struct certificate_times *times_out,
		      struct explanation *error);

enum tls_outcome {
	TLS_E_NONE = 1, /* no certificate is configured and state_dir has none */
};

/* TLS 1.2 and newer, only AEAD ciphers, so no CBC. */
#define TLS_PRIORITIES                                                            \
	"SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:" \
	"+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD"

enum {
	TLS_CHAIN_MAX = 8,
	TLS_HASH_BYTES = 32,
};

/* SHA-256 of the certificate, "AB:CD:...", as browsers and openssl show it. */
struct tls_fingerprint {
	char text[3 * TLS_HASH_BYTES];
};

/* It is all zero while nothing is loaded. */
struct tls {
	struct tls_pair {
		gnutls_x509_crt_t chain[TLS_CHAIN_MAX]; /* the server's own first */
		unsigned length;			/* 0 if there is none */
		gnutls_x509_privkey_t key;
	} pair;
};

/*
 * Reads a regular file of limited size; a secret one that all users may read is refused. Returns
 * 0, with a text for gnutls_free(), or a negative errno.
 */
int tls_read_file(const char *path, bool secret, gnutls_datum_t *text_out,
		  struct explanation *error);

/*
 * Reads config->tls_certificate and tls_key, or state_dir/tls if they are not set. On failure the
 * pair that was loaded before stays. Returns 0, TLS_E_NONE, -errno with the error's text or which
 * names the file.
 */
int tls_load(struct tls *tls, const struct config *config, struct explanation *error);
/* Writes where tls_load() looks for the certificate; the file need not exist. */
void tls_certificate_path(const struct config *config, char path[PATH_MAX]);
/* Returns 0, -ENOENT if no certificate is loaded, or another -errno. */
int tls_fingerprint(const struct tls *tls, struct tls_fingerprint *fingerprint_out);
void tls_unload(struct tls *tls);

/* Handshakes use this pair from now on. It is one for the process, and outlives them. */
void tls_serve(struct tls *tls);
/* For MHD_OPTION_HTTPS_CERT_CALLBACK2: a copy of the pair for one handshake. */
gnutls_certificate_retrieve_function3 tls_retrieve;
