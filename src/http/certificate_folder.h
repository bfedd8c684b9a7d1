/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Certificate folder: puts a certificate and its key in place together, in one rename.
 *
 * Only for http/certificate.c; tests/unit/test_certificate.c holds it.
 */
#ifndef HTTP_CERTIFICATE_FOLDER_H
#define HTTP_CERTIFICATE_FOLDER_H

#include <gnutls/gnutls.h>

/* The folder above must be there; who owns it will own the files. -errno */
int certificate_folder_make(const char *folder, const gnutls_datum_t *certificate,
			    const gnutls_datum_t *key);

#endif
