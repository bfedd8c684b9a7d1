/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * It is no CA: some clients (rustls) refuse a CA that is used as a server's certificate, and
 * none refuses to trust one that is not. Key identifiers are there because strict checks
 * (Python 3.13) want them.
 */
#include "http/certificate.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gnutls/crypto.h>
#include <gnutls/x509.h>

#include "base/address.h"
#include "base/clock.h"
#include "http/certificate_folder.h"

enum {
	SERIAL_BYTES = 16,
	KEY_ID_BYTES = 20,
	ADDRESSES_MAX = 32,
	SECONDS_PER_DAY = 24 * 60 * 60,
};

struct pair {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t certificate;
};

/* Who it is for */

static int name_add(gnutls_x509_crt_t certificate, const char *name)
{
	return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name,
						    (unsigned)strlen(name),
						    GNUTLS_FSAN_APPEND);
}

static int address_add(gnutls_x509_crt_t certificate, const struct sockaddr *any)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)any;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)any;
	bool six = any->sa_family == AF_INET6;

	return gnutls_x509_crt_set_subject_alt_name(
		certificate, GNUTLS_SAN_IPADDRESS,
		six ? (const void *)&in6->sin6_addr : (const void *)&in->sin_addr,
		six ? sizeof(in6->sin6_addr) : sizeof(in->sin_addr), GNUTLS_FSAN_APPEND);
}

/* A link-local address means nothing without the link, which no certificate can name. */
static bool address_fits(const struct sockaddr *any)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)any;

	return any &&
	       (any->sa_family == AF_INET ||
		(any->sa_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr)));
}

static int addresses_add(gnutls_x509_crt_t certificate)
{
	struct ifaddrs *all, *at;
	int count = 0, error = 0;

	if (getifaddrs(&all) < 0)
		return 0; /* then by name only */
	for (at = all; at && !error && count < ADDRESSES_MAX; at = at->ifa_next) {
		if (!address_fits(at->ifa_addr))
			continue;
		error = address_add(certificate, at->ifa_addr);
		count++;
	}
	freeifaddrs(all);
	return error;
}

static int subject_set(gnutls_x509_crt_t certificate, const struct config_list *names)
{
	char host[256 + sizeof(".local")] = "";
	int error;

	if (gethostname(host, 256) < 0 || !*host)
		strcpy(host, "localhost");
	host[255] = '\0';
	error = gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
					      "ofono-mcp", strlen("ofono-mcp"));
	if (!error)
		error = name_add(certificate, host);
	strcat(host, ".local"); /* multicast DNS */
	if (!error)
		error = name_add(certificate, host);
	if (!error)
		error = name_add(certificate, "localhost");
	for (size_t at = 0; names && at < names->count && !error; at++)
		error = name_add(certificate, names->items[at]);
	return error ? error : addresses_add(certificate);
}

/* The pair */

/* A phone that has not heard the time yet must not make one that is over already. */
static int validity_set(gnutls_x509_crt_t certificate)
{
	int64_t now_ms = clock_wall_ms();
	time_t begin;
	int error;

	if (now_ms < CLOCK_SANE_MS)
		now_ms = CLOCK_SANE_MS;
	begin = (time_t)(now_ms / 1000) - SECONDS_PER_DAY;
	error = gnutls_x509_crt_set_activation_time(certificate, begin);
	if (error)
		return error;
	return gnutls_x509_crt_set_expiration_time(
		certificate, begin + (time_t)CERTIFICATE_YEARS * 366 * SECONDS_PER_DAY);
}

static int serial_set(gnutls_x509_crt_t certificate)
{
	unsigned char serial[SERIAL_BYTES];
	int error = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

	serial[0] &= 0x7f; /* a positive number */
	return error ? error
		     : gnutls_x509_crt_set_serial(certificate, serial, sizeof(serial));
}

static int usage_set(const struct pair *pair)
{
	unsigned char id[KEY_ID_BYTES];
	size_t size = sizeof(id);
	int error = gnutls_x509_crt_set_basic_constraints(pair->certificate, 0, -1);

	if (!error)
		error = gnutls_x509_crt_set_key_usage(pair->certificate,
						      GNUTLS_KEY_DIGITAL_SIGNATURE);
	if (!error)
		error = gnutls_x509_crt_set_key_purpose_oid(pair->certificate,
							    GNUTLS_KP_TLS_WWW_SERVER, 0);
	if (!error)
		error = gnutls_x509_privkey_get_key_id(pair->key, GNUTLS_KEYID_USE_SHA1,
						       id, &size);
	if (!error)
		error = gnutls_x509_crt_set_subject_key_id(pair->certificate, id, size);
	if (!error)
		error = gnutls_x509_crt_set_authority_key_id(pair->certificate, id, size);
	return error;
}

static int pair_sign(const struct pair *pair, const struct config_list *names)
{
	int error = gnutls_x509_privkey_generate(
		pair->key, GNUTLS_PK_ECDSA,
		GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);

	if (!error)
		error = gnutls_x509_crt_set_version(pair->certificate, 3);
	if (!error)
		error = gnutls_x509_crt_set_key(pair->certificate, pair->key);
	if (!error)
		error = serial_set(pair->certificate);
	if (!error)
		error = validity_set(pair->certificate);
	if (!error)
		error = subject_set(pair->certificate, names);
	if (!error)
		error = usage_set(pair);
	return error ? error
		     : gnutls_x509_crt_sign2(pair->certificate, pair->certificate,
					     pair->key, GNUTLS_DIG_SHA256, 0);
}

static int pair_write(const struct pair *pair, const char *folder)
{
	gnutls_datum_t certificate = { NULL, 0 }, key = { NULL, 0 };
	int error = -EIO;

	if (!gnutls_x509_privkey_export2(pair->key, GNUTLS_X509_FMT_PEM, &key) &&
	    !gnutls_x509_crt_export2(pair->certificate, GNUTLS_X509_FMT_PEM,
				     &certificate))
		error = certificate_folder_make(folder, &certificate, &key);
	if (key.data)
		gnutls_memset(key.data, 0, key.size);
	gnutls_free(key.data);
	gnutls_free(certificate.data);
	return error;
}

static void pair_deinit(struct pair *pair)
{
	if (pair->key)
		gnutls_x509_privkey_deinit(pair->key);
	if (pair->certificate)
		gnutls_x509_crt_deinit(pair->certificate);
}

int certificate_fingerprint_of(gnutls_x509_crt_t certificate,
			       struct certificate_fingerprint *fingerprint_out)
{
	unsigned char hash[CERTIFICATE_HASH_BYTES];
	size_t size = sizeof(hash);

	if (gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256, hash, &size) <
	    0)
		return -EIO;
	for (size_t at = 0; at < sizeof(hash); at++)
		snprintf(fingerprint_out->text + 3 * at,
			 sizeof(fingerprint_out->text) - 3 * at, "%02X%s", hash[at],
			 at + 1 < sizeof(hash) ? ":" : "");
	return 0;
}

int certificate_make(const char *folder, const struct config_list *names,
		     struct certificate_fingerprint *fingerprint_out,
		     struct explanation *error)
{
	struct pair pair = { NULL, NULL };
	int result = gnutls_x509_privkey_init(&pair.key);

	if (!result)
		result = gnutls_x509_crt_init(&pair.certificate);
	if (!result)
		result = pair_sign(&pair, names);
	if (result) {
		pair_deinit(&pair);
		return explanation_set(error, -EIO,
				       "%s: no certificate could be made: %s", folder,
				       gnutls_strerror(result));
	}
	result = pair_write(&pair, folder);
	if (!result)
		result = certificate_fingerprint_of(pair.certificate, fingerprint_out);
	pair_deinit(&pair);
	return result ? explanation_set(error, result, "%s: cannot be written: %s",
					folder, strerror(-result))
		      : 0;
}

/* 0, -errno with the error's text; else gnutls_x509_crt_deinit() is due. */
static int read_file(const char *file, gnutls_x509_crt_t *certificate_out,
		     struct explanation *error)
{
	gnutls_x509_crt_t certificate = NULL;
	gnutls_datum_t text = { NULL, 0 };
	int result = gnutls_load_file(file, &text);

	*certificate_out = NULL;
	if (result)
		return explanation_set(error, -EIO, "%s: cannot be read: %s", file,
				       strerror(errno));
	result = gnutls_x509_crt_init(&certificate);
	if (!result)
		result = gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM);
	gnutls_free(text.data);
	if (!result) {
		*certificate_out = certificate;
		return 0;
	}
	if (certificate)
		gnutls_x509_crt_deinit(certificate);
	return explanation_set(error, -EINVAL,
			       "%s: is no certificate in PEM, which begins with "
			       "-----BEGIN CERTIFICATE-----",
			       file);
}

int certificate_fingerprint(const char *file,
			    struct certificate_fingerprint *fingerprint_out,
			    struct explanation *error)
{
	gnutls_x509_crt_t certificate;
	int result = read_file(file, &certificate, error);

	if (result)
		return result;
	result = certificate_fingerprint_of(certificate, fingerprint_out);
	gnutls_x509_crt_deinit(certificate);
	return result ? explanation_set(error, result, "%s: has no fingerprint", file)
		      : 0;
}

int certificate_times(const char *file, struct certificate_times *times_out,
		      struct explanation *error)
{
	gnutls_x509_crt_t certificate;
	int result = read_file(file, &certificate, error);

	if (result)
		return result;
	times_out->from_ms =
		(int64_t)gnutls_x509_crt_get_activation_time(certificate) * 1000;
	times_out->until_ms =
		(int64_t)gnutls_x509_crt_get_expiration_time(certificate) * 1000;
	gnutls_x509_crt_deinit(certificate);
	return 0;
}
