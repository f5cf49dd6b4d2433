/*
 * Call sites: where the program called a routine. The sites of all files of a trace are numbered,
 * so that calls of different PEs can be compared: a site is the places of its return addresses in
 * the files of program and libraries. They are looked up there when somebody asks for their text.
 */
#ifndef SKAMPI_TRACE_READ_SITES_H
#define SKAMPI_TRACE_READ_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "trace/read/read.h"

struct sites {
    struct table table;       /* by places */
    struct table modules;     /* by path and build id */
    struct symbols **symbols; /* by module; NULL: not opened yet */
    struct call_site **found; /* by site; NULL: not looked up yet */
    size_t symbols_room, found_room;
    struct table texts; /* of sites found */
    size_t *same;       /* by text: the first site that has it */
    size_t same_room;
    const char *source_root; /* where sources are now; NULL: where they were compiled */
    /* Takes what keeps a module from being looked at, once for each; NULL: nobody wants to know. */
    void (*tell)(void *context, const char *text);
    void *context;
};

/* One of the calls that lead to a routine. Texts live as long as the sites. */
struct call_frame {
    char *module;     /* path of the program or library; "" if it is not known */
    uint64_t address; /* where the routine returns to: in the module's file, in memory if that is
                         not known */
    char *function;   /* NULL: not known */
    uint64_t offset;  /* of the address from the function's beginning; 0: not known */
    char *file;       /* source; NULL: not known */
    unsigned line;
};

/* A call site. Site 0 has no frames: it is not known. */
struct call_site {
    char *text;  /* "exchange (halo.c:212)", outer calls after " < "; "?" for site 0 */
    size_t same; /* the first site that was found with this text: several calls of one line */
    size_t depth;
    struct call_frame *frames; /* the innermost first */
};

/* The number of a site of an open file, from 1 on. */
size_t sites_add(struct sites *, struct trace_file *, const uint64_t *addresses, size_t depth);
/* What is known of a site. Its texts live as long as the sites. */
const struct call_site *sites_find(struct sites *, size_t site);
const char *sites_text(struct sites *, size_t site);
void sites_free(struct sites *);

#endif
