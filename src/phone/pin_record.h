/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PIN record: for which cards a PIN was tried by itself since the machine started.
 *
 * A file in the state folder. A line is on disk before its PIN is tried, so that a crash in
 * between costs an unlocked card, not a try (tests/unit/test_pin_record.c).
 */
#ifndef PHONE_PIN_RECORD_H
#define PHONE_PIN_RECORD_H

/* outcomes */
enum { PIN_RECORD_E_TRIED = 1 };

enum { PIN_RECORD_MAX = 4096 }; /* bytes; then nothing more is tried */

/*
 * Notes that the PIN of this card is tried now. `boot` is of this start of the machine, see
 * pin_record_boot(). 0: it may be, once; PIN_RECORD_E_TRIED; -errno: it is not known.
 */
int pin_record_note(const char *folder, const char *boot, const char *iccid);

enum { PIN_RECORD_BOOT_BYTES = 40 };

/* What Linux calls this start. 0 or -errno. */
int pin_record_boot(char boot[PIN_RECORD_BOOT_BYTES]);

#endif
