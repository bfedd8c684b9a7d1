/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Status report: a delivery report as a signal, in the form that the forks of oFono use.
 */
#ifndef PLUGIN_STATUS_REPORT_H
#define PLUGIN_STATUS_REPORT_H

#include <stdbool.h>

#define STATUS_REPORT_INTERFACE "org.ofono.SmsHistory"

/*
 * StatusReport(s message_path, a{sv} { "Delivered": b }) on the modem's path. `uuid` is
 * that of the message, whose object is gone.
 */
void status_report_emit(const char *modem_path, const char *uuid, bool delivered);

#endif
