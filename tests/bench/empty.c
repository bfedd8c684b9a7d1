/* SPDX-License-Identifier: GPL-2.0-or-later */
/* empty: only the libraries that the daemon is linked with, to measure their memory. It
 * prints "ready" and exits at the end of stdin. */
#include <stdio.h>

int main(void)
{
	puts("ready");
	fflush(stdout);
	return getchar() != EOF;
}
