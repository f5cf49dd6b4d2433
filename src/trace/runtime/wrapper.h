/* Functions for the wrappers that src/trace/wrappers/generate writes: they turn parameters into
 * values of fields, and find the library. */
#ifndef SKAMPI_TRACE_RUNTIME_WRAPPER_H
#define SKAMPI_TRACE_RUNTIME_WRAPPER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr, RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "trace/runtime/runtime.h"
#include "trace/runtime/teams.h"

/* Makes the library's names visible, which wrappers need: a program that opens the library by
 * dlopen() may have kept them local. */
static inline int trace_publish_library(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    static char here;
    Dl_info where, own;
    void *handle = *object->dlpi_name ? dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = handle ? dlsym(handle, "shmem_n_pes") : NULL;
    bool other = found && dladdr(found, &where) && dladdr(&here, &own) &&
                 strcmp(where.dli_fname, own.dli_fname) != 0;
    if (other)
        dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (handle)
        dlclose(handle);
    return other;
}

/* True if the library was not visible before. */
static inline bool trace_starting(void)
{
    return !dlsym(RTLD_NEXT, "shmem_n_pes") && dl_iterate_phdr(trace_publish_library, NULL);
}

static inline int64_t trace_float_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {value};
    return both.bits;
}

static inline int64_t trace_double_bits(double value)
{
    union {
        double value;
        int64_t bits;
    } both = {value};
    return both.bits;
}

/* Libraries number these constants differently, traces do not. -1 for any other number. */
static inline int64_t trace_comparison(int comparison)
{
    return comparison == SHMEM_CMP_EQ   ? TRACE_EQUAL
           : comparison == SHMEM_CMP_NE ? TRACE_NOT_EQUAL
           : comparison == SHMEM_CMP_GT ? TRACE_GREATER
           : comparison == SHMEM_CMP_LE ? TRACE_LESS_EQUAL
           : comparison == SHMEM_CMP_LT ? TRACE_LESS
           : comparison == SHMEM_CMP_GE ? TRACE_GREATER_EQUAL
                                        : -1;
}

/* Whether the data of a put of n elements are kept. */
static inline unsigned trace_keeps_value(uint64_t n, size_t element_bytes)
{
    return trace_values && n > 0 && n <= TRACE_PUT_VALUE_BYTES / element_bytes;
}

/* The data of a put for which trace_keeps_value() is true. step is the distance of the source's
 * elements. */
static inline int64_t trace_put_value(const void *source, uint64_t n, size_t element_bytes,
                                      ptrdiff_t step)
{
    unsigned char bytes[TRACE_PUT_VALUE_BYTES] = {0};
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        memcpy(bytes + i * element_bytes,
               (const char *)source + (ptrdiff_t)i * step * (ptrdiff_t)element_bytes,
               element_bytes);
    for (size_t i = TRACE_PUT_VALUE_BYTES; i-- > 0;)
        value = value << 8 | bytes[i];
    return (int64_t)value;
}

/* The logarithm comes from the application and may be anything. */
static inline int64_t trace_stride(int logarithm)
{
    return (int64_t)(UINT64_C(1) << (logarithm & 63));
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 4
static inline int64_t trace_context_number(shmem_ctx_t context)
{
    return context == SHMEM_CTX_DEFAULT
               ? 0
               : trace_handle_number(TRACE_CONTEXT_HANDLE, (const void *)context);
}

/* The PE in the world that a context calls pe. */
static inline int64_t trace_peer(shmem_ctx_t context, int pe)
{
#ifdef SHMEM_TEAM_INVALID
    if (__builtin_expect(trace_team_contexts, 0) && context != SHMEM_CTX_DEFAULT)
        return trace_context_peer((const void *)context, pe);
#else
    (void)context;
#endif
    return pe;
}

/* Notes a context that a call may have created; any status but 0 means that it has not. */
static inline void trace_note_context(int status, const shmem_ctx_t *context)
{
    if (status != 0)
        return;
    trace_handle_add(TRACE_CONTEXT_HANDLE, (const void *)*context);
    trace_context_add((const void *)*context, NULL, NULL);
}

static inline int64_t trace_new_context(int status, const shmem_ctx_t *context)
{
    return status == 0 ? trace_context_number(*context) : -1;
}
#endif

#ifdef SHMEM_TEAM_INVALID
/* Libraries number these constants differently, traces do not. -1 for any other number. */
static inline int64_t trace_signal_operation(int operation)
{
    return operation == SHMEM_SIGNAL_SET   ? TRACE_SIGNAL_SET
           : operation == SHMEM_SIGNAL_ADD ? TRACE_SIGNAL_ADD
                                           : -1;
}

/* The number of a team: 0 has all PEs, -2 those that share memory; created teams count from 1. */
static inline int64_t trace_team_number(shmem_team_t team)
{
    return team == SHMEM_TEAM_WORLD    ? 0
           : team == SHMEM_TEAM_SHARED ? TRACE_TEAM_SHARED
                                       : trace_handle_number(TRACE_TEAM_HANDLE, (const void *)team);
}

/* Teams that are there from the beginning. */
static inline void trace_note_first_teams(const struct trace_team_calls *calls)
{
    trace_team_add(0, (const void *)SHMEM_TEAM_WORLD, calls);
    if (SHMEM_TEAM_SHARED != SHMEM_TEAM_INVALID && SHMEM_TEAM_SHARED != SHMEM_TEAM_WORLD)
        trace_team_add(TRACE_TEAM_SHARED, (const void *)SHMEM_TEAM_SHARED, calls);
}

static inline void trace_note_team(int status, const shmem_team_t *team,
                                   const struct trace_team_calls *calls)
{
    if (status != 0 || *team == SHMEM_TEAM_INVALID)
        return;
    trace_handle_add(TRACE_TEAM_HANDLE, (const void *)*team);
    trace_team_add(trace_team_number(*team), (const void *)*team, calls);
}

static inline void trace_note_team_context(int status, const shmem_ctx_t *context,
                                           shmem_team_t team, const struct trace_team_calls *calls)
{
    trace_note_context(status, context);
    if (status == 0 && team != SHMEM_TEAM_WORLD)
        trace_context_add((const void *)*context, (const void *)team, calls);
}

static inline int64_t trace_new_team(int status, const shmem_team_t *team)
{
    return status == 0 && *team != SHMEM_TEAM_INVALID ? trace_team_number(*team) : -1;
}
#endif

#endif
