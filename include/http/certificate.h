/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Certificate: makes a self-signed certificate for this machine and reads its fingerprint.
 *
 * A folder holds cert.pem and key.pem and is put in place in one rename, so there is never a
 * mismatched key or half a file (tests/unit/test_certificate.c). The server uses <state_dir>/tls
 * unless the configuration names other files (http/tls.h).
 */
#ifndef HTTP_CERTIFICATE_H
#define HTTP_CERTIFICATE_H

#include <gnutls/x509.h>

struct config_list;
struct explanation;

#define CERTIFICATE_FOLDER   "tls" /* in state_dir */
#define CERTIFICATE_FILE     "cert.pem"
#define CERTIFICATE_KEY_FILE "key.pem"

enum {
	CERTIFICATE_YEARS = 10,
	CERTIFICATE_HASH_BYTES = 32,
	CERTIFICATE_FINGERPRINT_BYTES = 3 * CERTIFICATE_HASH_BYTES, /* including NUL */
};

/* SHA-256 of the certificate, "AB:CD:...", as browsers and openssl show it. */
struct certificate_fingerprint {
	char text[CERTIFICATE_FINGERPRINT_BYTES];
};

/*
 * Creates or replaces `folder` with a new certificate and key. The certificate is valid for this
 * machine's name, NAME.local, localhost, its addresses, and `names` (may be NULL). The files get
 * the owner of the parent folder, which must exist. -errno with the error's text.
 */
int certificate_make(const char *folder, const struct config_list *names,
		     struct certificate_fingerprint *fingerprint_out,
		     struct explanation *error);

/* -EIO */
int certificate_fingerprint_of(gnutls_x509_crt_t certificate,
			       struct certificate_fingerprint *fingerprint_out);
/* Of the first certificate in a PEM file. -errno with the error's text. */
int certificate_fingerprint(const char *file,
			    struct certificate_fingerprint *fingerprint_out,
			    struct explanation *error);

/* Wall-clock time. */
struct certificate_times {
	int64_t from_ms;
	int64_t until_ms;
};

/* The validity of the first certificate in a PEM file. -errno with the error's text. */
int certificate_times(const char *file, struct certificate_times *times_out,
		      struct explanation *error);

#endif
