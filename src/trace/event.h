/*
 * Events, of which a trace consists. Each is one call of a routine by one thread of one PE. Shared
 * by the tracer (libshmemtrace.so), which writes them, and the readers (shmemtrace dump, summary,
 * ...).
 */
#ifndef SKAMPI_TRACE_EVENT_H
#define SKAMPI_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The purpose of a routine. The specification (routines.xml) gives each routine a class. */
enum trace_class {
    TRACE_PUT,             /* blocking put, p, iput */
    TRACE_GET,             /* blocking get, g, iget */
    TRACE_NONBLOCKING,     /* put_nbi, get_nbi */
    TRACE_ATOMIC,          /* fetching or not */
    TRACE_COLLECTIVE,      /* broadcast, collect, fcollect, reductions, alltoall(s) */
    TRACE_SYNCHRONIZATION, /* barrier, sync, quiet, fence, wait, test */
    TRACE_CONTEXT, /* creation, destruction; operations on a context have the class of the operation
                    */
    TRACE_LOCK,
    TRACE_MEMORY, /* symmetric allocation */
    TRACE_SETUP,  /* init, finalize, global_exit, pcontrol */
    TRACE_QUERY,  /* my_pe, n_pes, ptr, ..._accessible, info: all but ptr off unless asked for */
    TRACE_CLASSES
};

/* "put", "get", ...: lower-case, by enum trace_class. */
extern const char *const trace_class_names[TRACE_CLASSES];

/* The parameters of a call that are kept. The fields of a routine are fixed; values are kept in
 * this order. */
enum trace_field {
    TRACE_PEER,          /* PE */
    TRACE_ELEMENTS,      /* of the type, or bytes for ...mem routines */
    TRACE_BYTES,         /* one way, between this PE and one peer; of an allocation, its size */
    TRACE_TARGET,        /* place (below): target, dest, ivar, lock, or what was allocated */
    TRACE_SOURCE,        /* place */
    TRACE_TARGET_STRIDE, /* elements */
    TRACE_SOURCE_STRIDE, /* elements */
    TRACE_CONTEXT_ID,    /* 0 the default context, then in order of creation */
    TRACE_SET_START,     /* active set: first PE; of a team, which has stride 0: its number */
    TRACE_SET_STRIDE,    /* in PEs, not its logarithm */
    TRACE_SET_SIZE,      /* PEs; _all routines: all of them */
    TRACE_ROOT,          /* PE's index in the set */
    TRACE_COMPARISON,    /* of wait_until and test: enum trace_comparison */
    TRACE_CONDITION,     /* compared with: of compare_swap */
    TRACE_VALUE,   /* operand of an atomic, value of p, what a wait compares with, exit status, of
                      a small put its bytes (when asked for) */
    TRACE_RESULT,  /* of a fetching atomic (when asked for), of test and test_lock */
    TRACE_OPTIONS, /* of ctx_create, thread level of init_thread, level of pcontrol; of a put with
                      signal TRACE_SIGNAL_SET or _ADD, from version 3 of the format on */
    TRACE_SIGNAL,  /* place that a put with signal changes after its data */
    TRACE_FIELDS
};

enum { TRACE_SIGNAL_SET, TRACE_SIGNAL_ADD };

/* Values of TRACE_COMPARISON, equal for all libraries. */
enum trace_comparison {
    TRACE_EQUAL,
    TRACE_NOT_EQUAL,
    TRACE_GREATER,
    TRACE_LESS_EQUAL,
    TRACE_LESS,
    TRACE_GREATER_EQUAL
};

/* The team of PEs that share memory. Other teams have the number 0 (all PEs), or count from 1 in
 * the order of their creation on a PE. */
#define TRACE_TEAM_SHARED (-2)

/* A place in memory is one number, by which places of different PEs can be compared. Its high bits
 * are the object, the low ones the distance in bytes from the beginning of the object. */
enum trace_object {
    TRACE_PRIVATE, /* not symmetric: distance is 0 */
    TRACE_HEAP,    /* symmetric heap */
    TRACE_STATIC,  /* global and static variables of the program */
    TRACE_LIBRARY  /* the first shared library; further ones follow in the order of loading */
};
#define TRACE_OBJECT_SHIFT 48
#define TRACE_OBJECT(place) ((unsigned)((uint64_t)(place) >> TRACE_OBJECT_SHIFT))
#define TRACE_DISTANCE(place) ((uint64_t)(place) & ((UINT64_C(1) << TRACE_OBJECT_SHIFT) - 1))

/* The type of TRACE_CONDITION, TRACE_VALUE and TRACE_RESULT. Floating-point values are kept as
 * their bits. */
enum trace_type { TRACE_SIGNED, TRACE_UNSIGNED, TRACE_FLOAT, TRACE_DOUBLE };

struct trace_routine {
    const char *name; /* shmem_long_put_nbi */
    enum trace_class class;
    enum trace_type type;
    unsigned element_bytes; /* 0 where there is no element */
    uint32_t fields;        /* 1 << enum trace_field */
};

/*
 * Lists of routines, as --only takes them: words with commas between them. A word is a class, or a
 * name in which * and ? stand for other characters; it may lack shmem_.
 */
#define TRACE_WORD_BYTES 128
#define TRACE_LIST_HELP                                                                            \
    "give put, get, nonblocking, atomic, ..., or names such as barrier_all or long_*"
/* Whether there are words, none of them empty. */
bool trace_list_is_valid(const char *list);
/* Whether a list (NULL: an empty one) names the routine. */
bool trace_list_names(const char *list, const struct trace_routine *);
/* Whether a word names neither a class nor one of the routines. Copies the first such word. */
bool trace_list_unknown(const char *list, const struct trace_routine *routines, size_t count,
                        char word[TRACE_WORD_BYTES]);

/* Lists of numbers, as --pe takes them: 0,4-7. */
struct trace_range {
    uint32_t first, last;
};
/* Takes the first range of a list, and moves the list to the next one. False: there is no range. */
bool trace_list_range(const char **list, struct trace_range *);
/* Whether a number is in one of the ranges; without ranges, each number is. */
bool trace_ranges_hold(const struct trace_range *ranges, size_t count, int64_t number);

/* A put may keep this many bytes of its data, as a number whose lowest bits are the first byte. */
#define TRACE_PUT_VALUE_BYTES 8

/* Whether TRACE_VALUE is the data that the routine puts. It is kept of small puts, and only with
 * --values. */
static inline bool trace_puts_value(const struct trace_routine *routine)
{
    const uint32_t both = 1u << TRACE_SOURCE | 1u << TRACE_VALUE;
    return (routine->fields & both) == both && !(routine->fields >> TRACE_SIGNAL & 1) &&
           (routine->class == TRACE_PUT || routine->class == TRACE_NONBLOCKING);
}

/* Most return addresses of a call that are kept. */
#define TRACE_DEPTH_MOST 16

/* Flags of an event. TRACE_POINTER: the program has a pointer to memory of the peer from now on,
 * through which data may move without a call. */
enum { TRACE_IMPLICIT_BARRIER = 1, TRACE_FAILED = 2, TRACE_POINTER = 4 };

struct trace_event {
    uint32_t routine; /* index into the file's routines */
    uint32_t thread;  /* of the PE, in order of their first calls */
    uint32_t flags;
    uint32_t phase;   /* as set by the application, 0 at first */
    uint32_t site;    /* where the program called it: a number of its file (trace_site()), 0: not
                         known */
    uint64_t index;   /* of the thread, from 0 */
    int64_t start;    /* ticks */
    int64_t duration; /* ticks */
    int64_t burst;    /* ticks between the end of the thread's previous call and start (CPUBurst) */
    uint32_t fields;  /* the fields that are present: those of the routine, perhaps without the last
                         one */
    int64_t values[TRACE_FIELDS];
};

/*
 * Members of a team, in the order of their numbers, as ranges of PEs of the world: one range if
 * their distance is constant, else as few ranges as a single pass finds.
 */
struct pe_range {
    int64_t index; /* of its first member in the team */
    int64_t first, stride, count;
};

static inline int pe_range_compare(const void *key, const void *element)
{
    const int64_t *index = (const int64_t *)key;
    const struct pe_range *range = (const struct pe_range *)element;
    if (*index < range->index)
        return -1;
    return *index - range->index >= range->count;
}

/* The PE of a member, -1 when there is none; ranges are in the order of their indices and without
 * gaps. O(log ranges). */
static inline int64_t pe_ranges_member(const struct pe_range *ranges, size_t count, int64_t index)
{
    const struct pe_range *range =
        count ? bsearch(&index, ranges, count, sizeof *ranges, pe_range_compare) : NULL;
    return range ? range->first + (index - range->index) * range->stride : -1;
}

static inline int64_t pe_ranges_size(const struct pe_range *ranges, size_t count)
{
    return count ? ranges[count - 1].index + ranges[count - 1].count : 0;
}

#endif
