/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * empty: nothing but the libraries that the daemon is linked with: what they take by
 * themselves. "ready" goes to stdout; it ends with stdin.
 */
#include <stdio.h>

int main(void)
{
	puts("ready");
	fflush(stdout);
	return getchar() != EOF;
}
