/*
 * What the emulation has besides where it is a library, which stands before that of 1.4: memory of
 * its own, and contexts of teams. Routines here call those of 1.4 with the numbers that PEs have in
 * the world; a few are enough. Each has both its names, so that it is found by either.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONTEXTS 64
#define MOST_PES 64 /* as in emulation.c */

extern long *arrived;

static struct {
    shmem_ctx_t context;
    shmem_team_t team;
} table[MOST_CONTEXTS];
static int count;

static int find(shmem_ctx_t context)
{
    int i = 0;
    while (i < count && table[i].context != context)
        i++;
    return i;
}

static int in_world(shmem_ctx_t context, int pe)
{
    int i = find(context);
    return i == count ? pe : shmem_team_translate_pe(table[i].team, pe, SHMEM_TEAM_WORLD);
}

int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t *context)
{
    if (shmem_ctx_create(options, context) != 0)
        return 1;
    if (count == MOST_CONTEXTS)
        abort();
    table[count].context = *context;
    table[count++].team = team;
    return 0;
}

int shmem_ctx_get_team(shmem_ctx_t context, shmem_team_t *team)
{
    int i = find(context);
    *team = i == count ? SHMEM_TEAM_WORLD : table[i].team;
    return 0;
}

/* shmem_calloc may clear the memory when others have begun to use it. */
static void make_arrived(void)
{
    arrived = shmem_malloc(MOST_PES * sizeof *arrived);
    memset(arrived, 0, MOST_PES * sizeof *arrived);
    shmem_barrier_all();
}

#define ROUTINE(name, declared, before, passed, behind)                                            \
    void pshmem_##name declared;                                                                   \
    void pshmem_##name declared                                                                    \
    {                                                                                              \
        void(*real) declared;                                                                      \
        *(void **)&real = dlsym(RTLD_NEXT, "pshmem_" #name);                                       \
        before;                                                                                    \
        real passed;                                                                               \
        behind;                                                                                    \
    }                                                                                              \
    void shmem_##name declared                                                                     \
    {                                                                                              \
        pshmem_##name passed;                                                                      \
    }
ROUTINE(init, (void), , (), make_arrived())
ROUTINE(ctx_destroy, (shmem_ctx_t context), int i = find(context);
        if (i < count) table[i] = table[--count], (context), )
ROUTINE(ctx_long_p, (shmem_ctx_t context, long *target, long value, int pe),
        pe = in_world(context, pe), (context, target, value, pe), )
ROUTINE(ctx_putmem, (shmem_ctx_t context, void *target, const void *source, size_t bytes, int pe),
        pe = in_world(context, pe), (context, target, source, bytes, pe), )
ROUTINE(ctx_long_atomic_add, (shmem_ctx_t context, long *target, long value, int pe),
        pe = in_world(context, pe), (context, target, value, pe), )

void shmem_ctx_putmem_signal(shmem_ctx_t context, void *target, const void *source, size_t bytes,
                             uint64_t *signal, uint64_t value, int operation, int pe)
{
    shmem_putmem_signal(target, source, bytes, signal, value, operation, in_world(context, pe));
}
