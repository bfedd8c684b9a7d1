/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration as JSON: the gateway tells what it runs with, whatever its file says now, and
 * the doctor reads it (tests/unit/test_config_json.c).
 */
#ifndef CONFIG_CONFIG_JSON_H
#define CONFIG_CONFIG_JSON_H

#include "config/config.h"
#include "base/json.h"
#include "base/json_writer.h"

/* {"server.listen":["127.0.0.1:9531"],"server.open":"no",...}: every key that has a value. */
void config_write_json(const struct config *config, struct json_writer *writer);

/* False: it is none of those of this version, and nothing is written. */
bool config_read_json(const struct json *object, struct config *config_out);

#endif
