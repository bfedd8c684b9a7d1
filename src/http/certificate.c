/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The certificate is not a CA: some clients (rustls) refuse a CA as a server certificate, and none
 * refuses to trust one that is not a CA. It has key identifiers because strict checks
 * (Python 3.13) want them.
 *
 * Both files are written to FOLDER.new and synced. Then that folder takes the name FOLDER in one
 * rename, or is exchanged with the old one.
 */
#include "http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnutls/crypto.h>
#include <gnutls/x509.h>

#include "base/address.h"
#include "base/clock.h"
#include "base/explanation.h"
#include "base/file_sync.h"
#include "config/config_list.h"

enum {
	CERTIFICATE_SERIAL_BYTES = 16,
	CERTIFICATE_KEY_ID_BYTES = 20,
	CERTIFICATE_ADDRESSES_MAX = 32,
	CERTIFICATE_DAY_SECONDS = 24 * 60 * 60,
	CERTIFICATE_FILE_COUNT = 2,
};

static const char *const certificate_file_names[CERTIFICATE_FILE_COUNT] = {
	CERTIFICATE_KEY_FILE,
	CERTIFICATE_FILE,
};

struct certificate_pair {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t certificate;
};

/* Names and addresses */

static int certificate_add_name(gnutls_x509_crt_t certificate, const char *name)
{
	return gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name,
						    (unsigned)strlen(name),
						    GNUTLS_FSAN_APPEND);
}

static int certificate_add_address(gnutls_x509_crt_t certificate,
				   const struct sockaddr *any)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)any;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)any;
	bool six = any->sa_family == AF_INET6;

	return gnutls_x509_crt_set_subject_alt_name(
		certificate, GNUTLS_SAN_IPADDRESS,
		six ? (const void *)&in6->sin6_addr : (const void *)&in->sin_addr,
		six ? sizeof(in6->sin6_addr) : sizeof(in->sin_addr), GNUTLS_FSAN_APPEND);
}

static int certificate_add_addresses(gnutls_x509_crt_t certificate)
{
	struct ifaddrs *all, *at;
	int count = 0, error = 0;

	if (getifaddrs(&all) < 0)
		return 0; /* names alone will do */
	for (at = all; at && !error && count < CERTIFICATE_ADDRESSES_MAX;
	     at = at->ifa_next) {
		const struct sockaddr_in6 *in6 = (const void *)at->ifa_addr;
		int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;

		/* a link-local address means nothing without its link, which cannot be named */
		if (family != AF_INET &&
		    (family != AF_INET6 || IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr)))
			continue;
		error = certificate_add_address(certificate, at->ifa_addr);
		count++;
	}
	freeifaddrs(all);
	return error;
}

static int certificate_set_subject(gnutls_x509_crt_t certificate,
				   const struct config_list *names)
{
	char host[256 + sizeof(".local")] = "";
	int error;

	if (gethostname(host, 256) < 0 || !*host)
		strcpy(host, "localhost");
	host[255] = '\0';
	error = gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
					      PROGRAM_NAME, strlen(PROGRAM_NAME));
	if (!error)
		error = certificate_add_name(certificate, host);
	strcat(host, ".local"); /* multicast DNS */
	if (!error)
		error = certificate_add_name(certificate, host);
	if (!error)
		error = certificate_add_name(certificate, "localhost");
	for (size_t at = 0; names && at < names->count && !error; at++)
		error = certificate_add_name(certificate, names->items[at]);
	return error ? error : certificate_add_addresses(certificate);
}

/* Certificate and key */

/* Before the phone knows the time, a certificate must not be made that has already expired. */
static int certificate_set_validity(gnutls_x509_crt_t certificate)
{
	int64_t now_ms = clock_wall_ms();
	time_t begin;
	int error;

	if (now_ms < CLOCK_SANE_MS)
		now_ms = CLOCK_SANE_MS;
	begin = (time_t)(now_ms / 1000) - CERTIFICATE_DAY_SECONDS;
	error = gnutls_x509_crt_set_activation_time(certificate, begin);
	if (error)
		return error;
	return gnutls_x509_crt_set_expiration_time(
		certificate,
		begin + (time_t)CERTIFICATE_YEARS * 366 * CERTIFICATE_DAY_SECONDS);
}

static int certificate_set_serial(gnutls_x509_crt_t certificate)
{
	unsigned char serial[CERTIFICATE_SERIAL_BYTES];
	int error = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

	serial[0] &= 0x7f; /* a positive number */
	return error ? error
		     : gnutls_x509_crt_set_serial(certificate, serial, sizeof(serial));
}

static int certificate_set_usage(const struct certificate_pair *pair)
{
	unsigned char id[CERTIFICATE_KEY_ID_BYTES];
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

static int certificate_sign_pair(const struct certificate_pair *pair,
				 const struct config_list *names)
{
	int error = gnutls_x509_privkey_generate(
		pair->key, GNUTLS_PK_ECDSA,
		GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);

	if (!error)
		error = gnutls_x509_crt_set_version(pair->certificate, 3);
	if (!error)
		error = gnutls_x509_crt_set_key(pair->certificate, pair->key);
	if (!error)
		error = certificate_set_serial(pair->certificate);
	if (!error)
		error = certificate_set_validity(pair->certificate);
	if (!error)
		error = certificate_set_subject(pair->certificate, names);
	if (!error)
		error = certificate_set_usage(pair);
	return error ? error
		     : gnutls_x509_crt_sign2(pair->certificate, pair->certificate,
					     pair->key, GNUTLS_DIG_SHA256, 0);
}

/* Files */

/* Root creates the files for the user whose state folder it is. */
static int certificate_give_to_owner(int fd, const struct stat *parent)
{
	if (geteuid() == 0 && fchown(fd, parent->st_uid, parent->st_gid) < 0)
		return -errno;
	return 0;
}

static int certificate_make_file(int folder, const char *name, const gnutls_datum_t *text,
				 const struct stat *parent)
{
	int fd = openat(folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t done = 0;
	int error;

	if (fd < 0)
		return -errno;
	error = certificate_give_to_owner(fd, parent);
	while (!error && done < text->size) {
		ssize_t length = write(fd, text->data + done, text->size - done);

		if (length > 0)
			done += (size_t)length;
		else if (length < 0 && errno != EINTR)
			error = -errno;
	}
	if (!error && fsync(fd) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* `texts` are in the order of certificate_file_names. */
static int certificate_make_files(
	int folder, const gnutls_datum_t *const texts[CERTIFICATE_FILE_COUNT],
	const struct stat *parent)
{
	int error = certificate_give_to_owner(folder, parent);

	for (int at = 0; at < CERTIFICATE_FILE_COUNT && !error; at++)
		error = certificate_make_file(folder, certificate_file_names[at],
					      texts[at], parent);
	if (!error && fsync(folder) < 0)
		error = -errno;
	return error;
}

static void certificate_remove_folder(const char *folder)
{
	char path[PATH_MAX];

	for (int at = 0; at < CERTIFICATE_FILE_COUNT; at++)
		if (snprintf(path, sizeof(path), "%s/%s", folder,
			     certificate_file_names[at]) < PATH_MAX)
			unlink(path);
	rmdir(folder);
}

/* Renames the new folder; if there is an old one, exchanges the two and removes it. */
static int certificate_place_folder(const char *temporary, const char *folder)
{
	if (rename(temporary, folder) == 0)
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return -errno;
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, folder, RENAME_EXCHANGE) < 0)
		return -errno;
	certificate_remove_folder(temporary);
	return 0;
}

static int certificate_make_folder(const char *folder, const gnutls_datum_t *certificate,
				   const gnutls_datum_t *key)
{
	const gnutls_datum_t *const texts[CERTIFICATE_FILE_COUNT] = { key, certificate };
	char temporary[PATH_MAX], parent[PATH_MAX];
	struct stat owner;
	int fd, error;

	if (snprintf(temporary, sizeof(temporary), "%s.new", folder) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(parent, folder);
	if (stat(dirname(parent), &owner) < 0)
		return -errno;
	certificate_remove_folder(temporary); /* left by an interrupted attempt */
	if (mkdir(temporary, 0700) < 0)
		return -errno;
	fd = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	error = fd < 0 ? -errno : certificate_make_files(fd, texts, &owner);
	if (fd >= 0)
		close(fd);
	if (!error)
		error = certificate_place_folder(temporary, folder);
	if (error)
		certificate_remove_folder(temporary);
	return error ? error : file_sync(parent);
}

static int certificate_write_pair(const struct certificate_pair *pair, const char *folder)
{
	gnutls_datum_t certificate = { NULL, 0 }, key = { NULL, 0 };
	int error = -EIO;

	if (!gnutls_x509_privkey_export2(pair->key, GNUTLS_X509_FMT_PEM, &key) &&
	    !gnutls_x509_crt_export2(pair->certificate, GNUTLS_X509_FMT_PEM,
				     &certificate))
		error = certificate_make_folder(folder, &certificate, &key);
	if (key.data)
		gnutls_memset(key.data, 0, key.size);
	gnutls_free(key.data);
	gnutls_free(certificate.data);
	return error;
}

int certificate_make(const char *folder, const struct config_list *names,
		     struct explanation *error)
{
	struct certificate_pair pair = { NULL, NULL };
	int result = gnutls_x509_privkey_init(&pair.key);

	if (!result)
		result = gnutls_x509_crt_init(&pair.certificate);
	if (!result)
		result = certificate_sign_pair(&pair, names);
	if (result) {
		explanation_set(error, -EIO, "%s: cannot make a certificate: %s", folder,
				gnutls_strerror(result));
		result = -EIO;
	} else {
		result = certificate_write_pair(&pair, folder);
		if (result)
			explanation_set(error, result, "%s: cannot be written: %s",
					folder, strerror(-result));
	}
	if (pair.key)
		gnutls_x509_privkey_deinit(pair.key);
	if (pair.certificate)
		gnutls_x509_crt_deinit(pair.certificate);
	return result;
}

int certificate_times(const char *file, struct certificate_times *times_out,
		      struct explanation *error)
{
	gnutls_x509_crt_t certificate = NULL;
	gnutls_datum_t text = { NULL, 0 };
	int result = tls_read_file(file, false, &text, error);

	if (result)
		return result;
	result = gnutls_x509_crt_init(&certificate);
	if (!result)
		result = gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM);
	gnutls_free(text.data);
	if (!result) {
		times_out->from_ms =
			(int64_t)gnutls_x509_crt_get_activation_time(certificate) * 1000;
		times_out->until_ms =
			(int64_t)gnutls_x509_crt_get_expiration_time(certificate) * 1000;
	}
	if (certificate)
		gnutls_x509_crt_deinit(certificate);
	return result ? explanation_set(error, -EINVAL,
					"%s: is not a PEM certificate, which begins with "
					"-----BEGIN CERTIFICATE-----",
					file)
		      : 0;
}
