/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store guest: the ledger for somebody who only reads, while a gateway works with it or not.
 *
 * Private to src/store.
 */
#ifndef STORE_STORE_GUEST_H
#define STORE_STORE_GUEST_H

#include "store/store_opening.h"

/* 0 or -errno, with the error's text; store_opening_abort() is due in either case. */
int store_guest_open(const char *folder, struct store_opening *opening);

#endif
