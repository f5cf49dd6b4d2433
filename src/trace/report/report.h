/* shmemtrace report: one page for a browser with all that is known of a run. */
#ifndef SKAMPI_TRACE_REPORT_REPORT_H
#define SKAMPI_TRACE_REPORT_REPORT_H

#include "trace/read/reader.h"

extern const struct reader_command trace_report_command;

/* ---- The texts of the page, which the build takes from their files (Makefile). $name is replaced
 * ---- */

extern const char page_frame[]; /* of all reports: scripts/skampi_tools/report/page.html */
extern const char page_body[];  /* body.html */
extern const char page_style[], page_program[];

#endif
