/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GnuTLS asks for the certificate and key in every handshake (tls_retrieve()) and frees the copies
 * that it gets. So tls_load() can replace the pair without touching any session. Neither GnuTLS nor
 * libmicrohttpd passes data of ours to that callback: the pair in use is one for the process.
 */
#include "http/tls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "base/explanation.h"
#include "base/regular_file.h"
#include "config/config.h"

enum { TLS_FILE_BYTES_MAX = 64 * 1024 };

static const struct tls *tls_served;

void tls_unload(struct tls *tls)
{
	for (unsigned at = 0; at < tls->pair.length; at++)
		gnutls_x509_crt_deinit(tls->pair.chain[at]);
	if (tls->pair.key)
		gnutls_x509_privkey_deinit(tls->pair.key);
	*tls = (struct tls){ .pair.length = 0 };
}

int tls_read_file(const char *path, bool secret, gnutls_datum_t *text_out,
		  struct explanation *error)
{
	struct stat status;
	int result = 0, fd = regular_file_open(path, &status);
	unsigned char *data;
	ssize_t length;

	if (fd == -EINVAL)
		return explanation_set(error, fd, "%s: is not a regular file", path);
	if (fd < 0)
		return explanation_set(error, fd, "%s: cannot be read: %s", path,
				       strerror(-fd));
	if (secret && (status.st_mode & S_IRWXO)) {
		close(fd);
		return explanation_set(error, -EPERM,
				       "%s: every user of this machine can read or "
				       "change this key; run: chmod o-rwx %s, and make "
				       "a new key if somebody may have read it",
				       path, path);
	}
	data = gnutls_malloc(TLS_FILE_BYTES_MAX + 1);
	length = data ? read(fd, data, TLS_FILE_BYTES_MAX + 1) : -1;
	if (length < 0)
		result = -errno;
	else if (length > TLS_FILE_BYTES_MAX)
		result = -EFBIG;
	close(fd);
	if (!result) {
		*text_out = (gnutls_datum_t){ data, (unsigned)length };
		return 0;
	}
	if (data)
		gnutls_memset(data, 0, TLS_FILE_BYTES_MAX + 1);
	gnutls_free(data);
	return explanation_set(error, result, "%s: cannot be read: %s", path,
			       strerror(-result));
}

static int tls_load_certificate(const char *path, struct tls_pair *pair,
				struct explanation *error)
{
	unsigned length = TLS_CHAIN_MAX;
	gnutls_datum_t text = { NULL, 0 };
	int result = tls_read_file(path, false, &text, error);

	if (result)
		return result;
	result = gnutls_x509_crt_list_import(pair->chain, &length, &text,
					     GNUTLS_X509_FMT_PEM,
					     GNUTLS_X509_CRT_LIST_IMPORT_FAIL_IF_EXCEED);
	gnutls_free(text.data);
	if (result <= 0)
		return explanation_set(
			error, -EINVAL,
			"%s: is not a PEM certificate chain of at most %d: %s", path,
			TLS_CHAIN_MAX,
			result ? gnutls_strerror(result) : "it has no certificate");
	pair->length = length;
	return 0;
}

static int tls_load_key(const char *path, struct tls_pair *pair,
			struct explanation *error)
{
	gnutls_datum_t text = { NULL, 0 };
	int result = tls_read_file(path, true, &text, error);

	if (result)
		return result;
	result = gnutls_x509_privkey_init(&pair->key);
	if (result == 0)
		result = gnutls_x509_privkey_import2(pair->key, &text,
						     GNUTLS_X509_FMT_PEM, NULL, 0);
	gnutls_memset(text.data, 0, text.size);
	gnutls_free(text.data);
	if (result == 0)
		return 0;
	return explanation_set(error, -EINVAL,
			       "%s: is not a PEM private key without a password: %s",
			       path, gnutls_strerror(result));
}

static bool tls_key_matches(const struct tls_pair *pair)
{
	unsigned char of_key[64], of_certificate[64];
	size_t key_size = sizeof(of_key), certificate_size = sizeof(of_certificate);

	return gnutls_x509_privkey_get_key_id(pair->key, GNUTLS_KEYID_USE_SHA256, of_key,
					      &key_size) == 0 &&
	       gnutls_x509_crt_get_key_id(pair->chain[0], GNUTLS_KEYID_USE_SHA256,
					  of_certificate, &certificate_size) == 0 &&
	       key_size == certificate_size &&
	       memcmp(of_key, of_certificate, key_size) == 0;
}

void tls_certificate_path(const struct config *config, char path[PATH_MAX])
{
	if (*config->tls_certificate)
		snprintf(path, PATH_MAX, "%s", config->tls_certificate);
	else
		snprintf(path, PATH_MAX, "%s/%s/%s", config->state_dir,
			 CERTIFICATE_FOLDER, CERTIFICATE_FILE);
}

int tls_load(struct tls *tls, const struct config *config, struct explanation *error)
{
	char certificate[PATH_MAX], key[PATH_MAX];
	struct tls fresh = { .pair.length = 0 };
	int result;

	tls_certificate_path(config, certificate);
	if (*config->tls_certificate)
		snprintf(key, sizeof(key), "%s", config->tls_key);
	else if (access(certificate, F_OK) < 0 && errno == ENOENT)
		return TLS_E_NONE;
	else
		snprintf(key, sizeof(key), "%s/%s/%s", config->state_dir,
			 CERTIFICATE_FOLDER, CERTIFICATE_KEY_FILE);
	result = tls_load_certificate(certificate, &fresh.pair, error);
	if (!result)
		result = tls_load_key(key, &fresh.pair, error);
	if (!result && !tls_key_matches(&fresh.pair))
		result = explanation_set(error, -EINVAL,
					 "%s: does not match the certificate %s", key,
					 certificate);
	if (result) {
		tls_unload(&fresh);
		return result;
	}
	tls_unload(tls);
	*tls = fresh;
	return 0;
}

int tls_fingerprint(const struct tls *tls, struct tls_fingerprint *fingerprint_out)
{
	unsigned char hash[TLS_HASH_BYTES];
	size_t size = sizeof(hash);

	if (!tls->pair.length)
		return -ENOENT;
	if (gnutls_x509_crt_get_fingerprint(tls->pair.chain[0], GNUTLS_DIG_SHA256, hash,
					    &size) < 0)
		return -EIO;
	for (size_t at = 0; at < sizeof(hash); at++)
		snprintf(fingerprint_out->text + 3 * at,
			 sizeof(fingerprint_out->text) - 3 * at, "%02X%s", hash[at],
			 at + 1 < sizeof(hash) ? ":" : "");
	return 0;
}

void tls_serve(struct tls *tls)
{
	tls_served = tls;
}

static int tls_copy_chain(const struct tls_pair *pair, gnutls_pcert_st **chain_out)
{
	gnutls_pcert_st *chain = gnutls_malloc(pair->length * sizeof(*chain));
	unsigned done;

	if (!chain)
		return GNUTLS_E_MEMORY_ERROR;
	for (done = 0; done < pair->length; done++)
		if (gnutls_pcert_import_x509(&chain[done], pair->chain[done], 0) < 0)
			break;
	if (done == pair->length) {
		*chain_out = chain;
		return 0;
	}
	while (done)
		gnutls_pcert_deinit(&chain[--done]);
	gnutls_free(chain);
	return GNUTLS_E_MEMORY_ERROR;
}

int tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
		 gnutls_pcert_st **certificates, unsigned *certificate_count,
		 gnutls_ocsp_data_st **ocsp, unsigned *ocsp_count, gnutls_privkey_t *key,
		 unsigned *flags)
{
	const struct tls_pair *pair = &tls_served->pair;

	*ocsp = NULL;
	*ocsp_count = 0;
	if (!pair->length || gnutls_privkey_init(key))
		return -1;
	if (gnutls_privkey_import_x509(*key, pair->key, GNUTLS_PRIVKEY_IMPORT_COPY) ||
	    tls_copy_chain(pair, certificates)) {
		gnutls_privkey_deinit(*key);
		return -1;
	}
	*certificate_count = pair->length;
	*flags = GNUTLS_CERT_RETR_DEINIT_ALL;
	return 0;
}
