/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libcurl, loaded by name.
 */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

/* Its type-checking macros are for the linked functions. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* clang-format off */
#define HTTP_CLIENT_LIBRARY_FUNCTIONS(row) \
	row(curl_easy_init) \
	row(curl_easy_cleanup) \
	row(curl_easy_setopt) \
	row(curl_easy_getinfo) \
	row(curl_easy_header) \
	row(curl_easy_pause) \
	row(curl_easy_strerror) \
	row(curl_slist_append) \
	row(curl_slist_free_all) \
	row(curl_multi_init) \
	row(curl_multi_cleanup) \
	row(curl_multi_setopt) \
	row(curl_multi_add_handle) \
	row(curl_multi_remove_handle) \
	row(curl_multi_assign) \
	row(curl_multi_socket_action) \
	row(curl_multi_info_read)
/* clang-format on */

struct http_client_library {
#define HTTP_CLIENT_LIBRARY_MEMBER(name) __typeof__(name) *name;
	HTTP_CLIENT_LIBRARY_FUNCTIONS(HTTP_CLIENT_LIBRARY_MEMBER)
#undef HTTP_CLIENT_LIBRARY_MEMBER
};

/* Returns false if it is not installed, or too old; logged. It is never unloaded. */
bool http_client_library_load(struct http_client_library *library_out);
