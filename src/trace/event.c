/* Names of the classes of routines. */
#include "trace/event.h"

const char *const trace_class_names[TRACE_CLASSES] = {
    "put",     "get",  "nonblocking", "atomic", "collective", "synchronization",
    "context", "lock", "memory",      "setup",  "query"};
