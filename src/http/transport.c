/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#include "http/tls.h"

int transport_init(struct transport *transport, int fd, struct tls *tls)
{
	int error = 0;

	*transport = (struct transport){ .fd = fd,
					 .encrypted = tls != NULL,
					 .handshaken = !tls };
	if (tls)
		error = tls_session_new(tls, fd, &transport->tls);
	if (error)
		transport_close(transport);
	return error;
}

void transport_close(struct transport *transport)
{
	if (transport->tls)
		gnutls_deinit(transport->tls);
	transport->tls = NULL;
	if (transport->fd >= 0)
		close(transport->fd);
	transport->fd = -1;
}

int transport_handshake(struct transport *transport)
{
	int result = gnutls_handshake(transport->tls);

	if (result == GNUTLS_E_SUCCESS) {
		transport->handshaken = true;
		return 0;
	}
	if (!gnutls_error_is_fatal(result))
		return -EAGAIN;
	gnutls_alert_send_appropriate(transport->tls, result);
	return -EPROTO;
}

static int transport_tls_error(ssize_t result)
{
	return result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED ? -EAGAIN
									  : -EPROTO;
}

ssize_t transport_read(struct transport *transport, void *data, size_t length)
{
	ssize_t result;

	if (!transport->tls) {
		result = recv(transport->fd, data, length, MSG_DONTWAIT);
		return result >= 0 ? result : -errno;
	}
	result = gnutls_record_recv(transport->tls, data, length);
	if (result == GNUTLS_E_PREMATURE_TERMINATION)
		return 0; /* FIN without close_notify: HTTP messages carry their length */
	return result >= 0 ? result : transport_tls_error(result);
}

ssize_t transport_write(struct transport *transport, const void *data, size_t length)
{
	ssize_t result;

	if (!transport->tls) {
		result = send(transport->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		return result >= 0 ? result : -errno;
	}
	result = gnutls_record_send(transport->tls, data, length);
	return result >= 0 ? result : transport_tls_error(result);
}

void transport_finish(struct transport *transport)
{
	if (transport->tls && transport->handshaken)
		gnutls_bye(transport->tls, GNUTLS_SHUT_WR);
	if (transport->fd >= 0)
		shutdown(transport->fd, SHUT_WR);
}

bool transport_bytes_append(struct transport_bytes *bytes, const char *data,
			    size_t length)
{
	size_t left = bytes->length - bytes->at;
	char *more = malloc(left + length);

	if (!more)
		return false;
	if (left)
		memcpy(more, bytes->data + bytes->at, left);
	memcpy(more + left, data, length);
	transport_bytes_clear(bytes);
	*bytes = (struct transport_bytes){ .data = more, .length = left + length };
	return true;
}

void transport_bytes_clear(struct transport_bytes *bytes)
{
	if (bytes->data)
		explicit_bzero(bytes->data, bytes->length);
	free(bytes->data);
	*bytes = (struct transport_bytes){ NULL, 0, 0 };
}
