/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ofono/manager.h"

/* After an installation the bus reads the new policy within the first of them. */
const unsigned int manager_pauses_ms[MANAGER_PAUSES] = { 1000, 2000, 5000, 15000, 60000 };
