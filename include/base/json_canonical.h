/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, canonical: one text for all texts that mean the same value, so that values can be
 * told apart by a digest. Members come in the order of their names, integers in digits.
 */
#ifndef BASE_JSON_CANONICAL_H
#define BASE_JSON_CANONICAL_H

#include "base/json.h"
#include "base/json_writer.h"

void json_write_canonical(struct json_writer *writer, const struct json *value);

#endif
