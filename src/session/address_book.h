/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address books: sends the gateway the names and phone numbers in the desktop's address books, so
 * that agents see whose a phone number is. They are read from evolution-data-server, which Phosh and GNOME
 * have; nothing is written there. Only lines with a name or a phone number are passed on, no
 * photographs and no addresses.
 *
 * The gateway keeps contacts in memory: it gets them whenever it was away, and when they change.
 *
 * Source: evolution-data-server 3.46, its D-Bus interfaces Sources5 and AddressBook10.
 */
#pragma once

#include <systemd/sd-event.h>

struct address_books;

/*
 * `session_bus` is an address; `control_socket` is borrowed. Without evolution-data-server there is
 * nothing to send. Returns 0 or -errno.
 */
int address_books_new(sd_event *loop, const char *session_bus, const char *control_socket,
		      struct address_books **books_out);
void address_books_free(struct address_books *books); /* NULL is fine */

/* The gateway is there, and knows nothing of them. */
void address_books_start(struct address_books *books);
/* The gateway is away. */
void address_books_stop(struct address_books *books);
