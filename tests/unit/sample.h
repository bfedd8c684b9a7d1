/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Tests that repeat something many times are several times slower under ASan. SAMPLE=yes in the
 * environment, as in "make check", makes them take a part of it; "make check-all" takes all, too.
 */

#include <stdlib.h>

/* 1, or for a sample `n`: each n-th is tried. */
static inline unsigned sample_stride(unsigned n)
{
	return getenv("SAMPLE") ? n : 1;
}
