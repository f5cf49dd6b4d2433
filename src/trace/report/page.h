/* The texts of the page, which the build takes from their files (Makefile). $name is replaced. */
#ifndef SKAMPI_TRACE_REPORT_PAGE_H
#define SKAMPI_TRACE_REPORT_PAGE_H

extern const char page_frame[]; /* of all reports: scripts/skampi_tools/report/page.html */
extern const char page_body[];  /* body.html */
extern const char page_style[], page_program[];

#endif
