/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http_client/http_client_library.h"

#include <dlfcn.h>

#include "base/log.h"

/* Debian's with GnuTLS, which the program uses anyway; elsewhere there is only the other. */
static const char *const http_client_library_names[] = { "libcurl-gnutls.so.4",
							 "libcurl.so.4" };

/* Unloading would take away the code of threads that still resolve a name. */
static void *http_client_library_open(void)
{
	void *handle = NULL;
	size_t count = sizeof(http_client_library_names) / sizeof(char *);

	for (size_t at = 0; at < count && !handle; at++)
		handle = dlopen(http_client_library_names[at],
				RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return handle;
}

bool http_client_library_load(struct http_client_library *library_out)
{
	static const char *const names[] = {
#define HTTP_CLIENT_LIBRARY_NAME(name) #name,
		HTTP_CLIENT_LIBRARY_FUNCTIONS(HTTP_CLIENT_LIBRARY_NAME)
#undef HTTP_CLIENT_LIBRARY_NAME
	};
	union {
		struct http_client_library library;
		void *functions[sizeof(names) / sizeof(names[0])];
	} loaded;
	void *handle = http_client_library_open();

	_Static_assert(sizeof(loaded.library) == sizeof(loaded.functions),
		       "one pointer for each name");
	if (!handle) {
		log_error(
			"libcurl cannot be loaded, which requests to other servers need: %s",
			dlerror());
		return false;
	}
	for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++) {
		loaded.functions[at] = dlsym(handle, names[at]);
		if (!loaded.functions[at]) {
			log_error("libcurl is too old: it has no %s", names[at]);
			return false;
		}
	}
	*library_out = loaded.library;
	return true;
}
