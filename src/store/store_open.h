/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Store open: opens the message store of a folder read-only, while a gateway works with it or
 * not. store/store.h has the other ways to open it.
 */
#ifndef STORE_STORE_OPEN_H
#define STORE_STORE_OPEN_H

#include "store/store_database.h"

/* 0 or -errno, with the error's text; call store_database_abort() in either case. */
int store_open_readonly(const char *folder, struct store_database *opening);

#endif
