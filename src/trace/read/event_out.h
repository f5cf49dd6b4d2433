/* The parameters of an event; one process, any stream. The caller checks ferror(). */
#ifndef SKAMPI_TRACE_READ_EVENT_OUT_H
#define SKAMPI_TRACE_READ_EVENT_OUT_H

#include <stdio.h>

#include "trace/read/read.h"

/* The parameters of the call and its site (NULL: not known), as members of an object of JSON:
 * "peer":1,"bytes":8. With `safe`, integers that a double cannot represent are texts, for readers
 * that store all numbers as doubles. */
void event_json_parameters(FILE *, const struct trace_file *, const struct trace_event *,
                           const char *site, bool safe);

/* A parameter of a call. A place has the object that it lies in, and its distance there. */
struct event_argument {
    const char *name;
    const char *object; /* NULL: it is no place */
    enum trace_type type;
    double real;      /* of TRACE_FLOAT and TRACE_DOUBLE */
    int64_t integer;  /* of other types */
    const char *text; /* of a comparison, else NULL */
};
/* Calls take() for each parameter of an event, but for places that are not symmetric, and numbers
 * of elements that follow from the bytes. */
void event_arguments(const struct trace_file *, const struct trace_event *,
                     void (*take)(void *context, const struct event_argument *), void *context);

#endif
