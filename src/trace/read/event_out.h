/*
 * An event as a line of CSV, of JSON Lines, or for people; one process, any stream. What cannot be
 * written is found by ferror().
 */
#ifndef SKAMPI_TRACE_READ_EVENT_OUT_H
#define SKAMPI_TRACE_READ_EVENT_OUT_H

#include <stdio.h>

#include "trace/read/read.h"

const char *trace_class_name(enum trace_class); /* lower-case: put, get, nonblocking, ... */

/* What a place lies in. */
const char *trace_object_name(const struct trace_file *, int64_t place);

void event_csv_header(FILE *);
void event_csv(FILE *, const struct trace_file *, const struct trace_event *);
void event_json(FILE *, const struct trace_file *, const struct trace_event *);
/* The parameters of the call alone, as the members of an object: "peer":1,"bytes":8. safe: integers
 * that a double does not hold are texts, for readers that know no other numbers. */
void event_json_parameters(FILE *, const struct trace_file *, const struct trace_event *,
                           bool safe);

void event_text_header(FILE *, const struct trace_info *);
void event_text_columns(FILE *);
void event_text(FILE *, const struct trace_file *, const struct trace_event *);

#endif
