/*
 * OpenSHMEM 1.5 over a library of 1.4: see emulation/shmem.h. Teams are lists of PEs; everything
 * collective is made of a synchronization in which each PE tells each other one, and of puts and
 * gets between two of them. With EMULATION_ALONE=PE, that one shares memory with no other. With
 * EMULATION_LIBRARY, it becomes a library together with library.c.
 */
#include <shmem.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PES 64

/* For the test that what does not arrive is noticed. */
#ifdef EMULATION_LOSES_DATA
static void lose(void *target, const void *source, size_t bytes, int pe)
{
    (void)target;
    (void)source;
    (void)bytes;
    (void)pe;
}
#define shmem_putmem lose
#define shmem_putmem_nbi lose
#define shmem_getmem lose
#endif

/* ---- Teams ---- */

struct shmem_team {
    int size;
    int pes[MOST_PES];
};

static struct shmem_team world;
shmem_team_t SHMEM_TEAM_WORLD = &world;
#ifdef EMULATION_ALONE
static struct shmem_team shared;
shmem_team_t SHMEM_TEAM_SHARED = &shared;
#else
shmem_team_t SHMEM_TEAM_SHARED = &world;
#endif

/* By PE: how often it has told this one that it came, and how often that was
 * waited for. Two PEs synchronize in the same order whatever teams they do it in, so that all
 * teams share the counters. */
#ifdef EMULATION_LIBRARY
long *arrived; /* of a library, what is static is not symmetric */
#else
static long arrived[MOST_PES];
#endif
static long expected[MOST_PES];

/* They are known once the library has started. */
static void fill(shmem_team_t team)
{
    if (shmem_n_pes() > MOST_PES) {
        fprintf(stderr, "the emulation of OpenSHMEM 1.5 is for at most %d PEs\n", MOST_PES);
        shmem_global_exit(1);
    }
    for (int pe = 0; pe < shmem_n_pes(); pe++) {
#ifdef EMULATION_ALONE
        if (team == &shared && (pe == EMULATION_ALONE) != (shmem_my_pe() == EMULATION_ALONE))
            continue;
#endif
        team->pes[team->size++] = pe;
    }
}

int shmem_team_n_pes(shmem_team_t team)
{
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    if (team->size == 0)
        fill(team);
    return team->size;
}

static int pe_of(shmem_team_t team, int rank)
{
    return team->pes[rank];
}

int shmem_team_my_pe(shmem_team_t team)
{
    for (int rank = 0; rank < shmem_team_n_pes(team); rank++)
        if (pe_of(team, rank) == shmem_my_pe())
            return rank;
    return -1;
}

int shmem_team_translate_pe(shmem_team_t from, int rank, shmem_team_t to)
{
    if (rank < 0 || rank >= shmem_team_n_pes(from))
        return -1;
    for (int other = 0; other < shmem_team_n_pes(to); other++)
        if (pe_of(to, other) == pe_of(from, rank))
            return other;
    return -1;
}

int shmem_team_sync(shmem_team_t team)
{
    int me = shmem_my_pe(), n = shmem_team_n_pes(team);
    for (int rank = 0; rank < n; rank++)
        if (pe_of(team, rank) != me)
            shmem_long_atomic_inc(&arrived[me], pe_of(team, rank));
    for (int rank = 0; rank < n; rank++) {
        int pe = pe_of(team, rank);
        if (pe != me)
            shmem_long_wait_until(&arrived[pe], SHMEM_CMP_GE, ++expected[pe]);
    }
    return 0;
}

static shmem_team_t make_team(shmem_team_t parent, int start, int stride, int size)
{
    shmem_team_t team = malloc(sizeof *team);
    if (!team)
        abort();
    team->size = size;
    for (int rank = 0; rank < size; rank++)
        team->pes[rank] = pe_of(parent, start + rank * stride);
    return team;
}

int shmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                             const shmem_team_config_t *config, long mask, shmem_team_t *team)
{
    (void)config;
    (void)mask;
    int me = shmem_team_my_pe(parent), last = start + (size - 1) * stride;
    *team = SHMEM_TEAM_INVALID;
    shmem_team_sync(parent);
    if (size < 1 || start < 0 || last < 0 || last >= shmem_team_n_pes(parent))
        return -1;
    for (int rank = 0; rank < size; rank++)
        if (start + rank * stride == me)
            *team = make_team(parent, start, stride, size);
    return 0;
}

int shmem_team_split_2d(shmem_team_t parent, int range, const shmem_team_config_t *x_config,
                        long x_mask, shmem_team_t *x_team, const shmem_team_config_t *y_config,
                        long y_mask, shmem_team_t *y_team)
{
    (void)x_config;
    (void)x_mask;
    (void)y_config;
    (void)y_mask;
    int me = shmem_team_my_pe(parent), n = shmem_team_n_pes(parent);
    int column = me % range, row = me / range, left = n - row * range;
    shmem_team_sync(parent);
    *x_team = make_team(parent, row * range, 1, left < range ? left : range);
    *y_team = make_team(parent, column, range, (n - column + range - 1) / range);
    return 0;
}

void shmem_team_destroy(shmem_team_t team)
{
    shmem_team_sync(team);
    free(team);
}

/* ---- Collectives ---- */

/* All are there, so that their targets may be written; and all have written. */
static void begin(shmem_team_t team)
{
    shmem_quiet();
    shmem_team_sync(team);
}

static int end(shmem_team_t team)
{
    shmem_quiet();
    shmem_team_sync(team);
    return 0;
}

static unsigned char *block(const void *memory, size_t i, size_t bytes)
{
    return (unsigned char *)(size_t)memory + i * bytes;
}

int shmem_broadcastmem(shmem_team_t team, void *target, const void *source, size_t n, int root)
{
    begin(team);
    if (shmem_team_my_pe(team) == root)
        for (int rank = 0; rank < shmem_team_n_pes(team); rank++)
            shmem_putmem(target, source, n, pe_of(team, rank));
    return end(team);
}

int shmem_fcollectmem(shmem_team_t team, void *target, const void *source, size_t n)
{
    begin(team);
    for (int rank = 0; rank < shmem_team_n_pes(team); rank++)
        shmem_putmem(block(target, (size_t)shmem_team_my_pe(team), n), source, n,
                     pe_of(team, rank));
    return end(team);
}

/* Of blocks of one size only. */
int shmem_collectmem(shmem_team_t team, void *target, const void *source, size_t n)
{
    return shmem_fcollectmem(team, target, source, n);
}

int shmem_alltoallmem(shmem_team_t team, void *target, const void *source, size_t n)
{
    begin(team);
    for (int rank = 0; rank < shmem_team_n_pes(team); rank++)
        shmem_putmem(block(target, (size_t)shmem_team_my_pe(team), n),
                     block(source, (size_t)rank, n), n, pe_of(team, rank));
    return end(team);
}

/* Of neighbouring elements only. */
int shmem_alltoallsmem(shmem_team_t team, void *target, const void *source, ptrdiff_t step,
                       ptrdiff_t from_step, size_t n)
{
    return step == 1 && from_step == 1 ? shmem_alltoallmem(team, target, source, n) : -1;
}

int shmem_int_broadcast(shmem_team_t team, int *target, const int *source, size_t n, int root)
{
    return shmem_broadcastmem(team, target, source, n * sizeof *target, root);
}

int shmem_int_collect(shmem_team_t team, int *target, const int *source, size_t n)
{
    return shmem_collectmem(team, target, source, n * sizeof *target);
}

int shmem_int_fcollect(shmem_team_t team, int *target, const int *source, size_t n)
{
    return shmem_fcollectmem(team, target, source, n * sizeof *target);
}

int shmem_int_alltoall(shmem_team_t team, int *target, const int *source, size_t n)
{
    return shmem_alltoallmem(team, target, source, n * sizeof *target);
}

int shmem_int_alltoalls(shmem_team_t team, int *target, const int *source, ptrdiff_t step,
                        ptrdiff_t from_step, size_t n)
{
    return shmem_alltoallsmem(team, target, source, step, from_step, n * sizeof *target);
}

/* Everybody gets everything and reduces it; target may be source. */
#define REDUCE(T, name, operation, expression)                                                     \
    int shmem_##name##_##operation##_reduce(shmem_team_t team, T *target, const T *source,         \
                                            size_t n)                                              \
    {                                                                                              \
        T *all = malloc((n + 1) * 2 * sizeof *all), *other = all + n;                              \
        if (!all)                                                                                  \
            abort();                                                                               \
        begin(team);                                                                               \
        for (int rank = 0; rank < shmem_team_n_pes(team); rank++) {                                \
            shmem_getmem(rank == 0 ? all : other, source, n * sizeof *all, pe_of(team, rank));     \
            for (size_t i = 0; rank > 0 && i < n; i++) {                                           \
                T a = all[i], b = other[i];                                                        \
                all[i] = expression;                                                               \
            }                                                                                      \
        }                                                                                          \
        end(team);                                                                                 \
        memcpy(target, all, n * sizeof *all);                                                      \
        free(all);                                                                                 \
        return 0;                                                                                  \
    }
REDUCE(unsigned int, uint, and, a &b)
REDUCE(unsigned int, uint, or, a | b)
REDUCE(unsigned int, uint, xor, a ^ b)
REDUCE(int, int, sum, a + b)
REDUCE(int, int, prod, a *b)
REDUCE(int, int, min, a < b ? a : b)
REDUCE(int, int, max, a > b ? a : b)
REDUCE(double, double, sum, a + b)
REDUCE(double, double, max, a > b ? a : b)

/* ---- Signals ---- */

static void signal_behind_data(uint64_t *signal, uint64_t value, int operation, int pe)
{
    _Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "unsigned long is a signal");
    shmem_quiet();
    if (operation == SHMEM_SIGNAL_ADD)
        shmem_ulong_atomic_add((unsigned long *)signal, value, pe);
    else
        shmem_ulong_atomic_set((unsigned long *)signal, value, pe);
}

void shmem_putmem_signal(void *target, const void *source, size_t n, uint64_t *signal,
                         uint64_t value, int operation, int pe)
{
    shmem_putmem(target, source, n, pe);
    signal_behind_data(signal, value, operation, pe);
}

void shmem_putmem_signal_nbi(void *target, const void *source, size_t n, uint64_t *signal,
                             uint64_t value, int operation, int pe)
{
    shmem_putmem_nbi(target, source, n, pe);
    signal_behind_data(signal, value, operation, pe);
}

uint64_t shmem_signal_fetch(const uint64_t *signal)
{
    return shmem_ulong_atomic_fetch((const unsigned long *)signal, shmem_my_pe());
}

uint64_t shmem_signal_wait_until(uint64_t *signal, int comparison, uint64_t value)
{
    shmem_ulong_wait_until((unsigned long *)signal, comparison, value);
    return *signal;
}

/* ---- Several variables; status is not looked at ---- */

static bool holds(int *variables, size_t i, int comparison, const int *values, bool vector)
{
    return shmem_int_test(&variables[i], comparison, values[vector ? i : 0]);
}

static size_t find_any(int *variables, size_t n, int comparison, const int *values, bool vector)
{
    for (size_t i = 0; i < n; i++)
        if (holds(variables, i, comparison, values, vector))
            return i;
    return SIZE_MAX;
}

static size_t find_some(int *variables, size_t n, size_t *indices, int comparison,
                        const int *values, bool vector)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (holds(variables, i, comparison, values, vector))
            indices[count++] = i;
    return count;
}

static bool find_all(int *variables, size_t n, int comparison, const int *values, bool vector)
{
    for (size_t i = 0; i < n; i++)
        if (!holds(variables, i, comparison, values, vector))
            return false;
    return true;
}

#define UNTIL(found)                                                                               \
    while (!(found))                                                                               \
    shmem_quiet()

#define WAITS(suffix, V, values, vector)                                                           \
    int shmem_int_test_all##suffix(int *variables, size_t n, const int *status, int comparison,    \
                                   V value)                                                        \
    {                                                                                              \
        (void)status;                                                                              \
        return find_all(variables, n, comparison, values, vector);                                 \
    }                                                                                              \
    size_t shmem_int_test_any##suffix(int *variables, size_t n, const int *status, int comparison, \
                                      V value)                                                     \
    {                                                                                              \
        (void)status;                                                                              \
        return find_any(variables, n, comparison, values, vector);                                 \
    }                                                                                              \
    size_t shmem_int_test_some##suffix(int *variables, size_t n, size_t *indices,                  \
                                       const int *status, int comparison, V value)                 \
    {                                                                                              \
        (void)status;                                                                              \
        return find_some(variables, n, indices, comparison, values, vector);                       \
    }                                                                                              \
    void shmem_int_wait_until_all##suffix(int *variables, size_t n, const int *status,             \
                                          int comparison, V value)                                 \
    {                                                                                              \
        (void)status;                                                                              \
        UNTIL(find_all(variables, n, comparison, values, vector));                                 \
    }                                                                                              \
    size_t shmem_int_wait_until_any##suffix(int *variables, size_t n, const int *status,           \
                                            int comparison, V value)                               \
    {                                                                                              \
        size_t found;                                                                              \
        (void)status;                                                                              \
        UNTIL((found = find_any(variables, n, comparison, values, vector)) < n);                   \
        return found;                                                                              \
    }                                                                                              \
    size_t shmem_int_wait_until_some##suffix(int *variables, size_t n, size_t *indices,            \
                                             const int *status, int comparison, V value)           \
    {                                                                                              \
        size_t found;                                                                              \
        (void)status;                                                                              \
        UNTIL((found = find_some(variables, n, indices, comparison, values, vector)) > 0);         \
        return found;                                                                              \
    }
WAITS(, int, &value, false)
WAITS(_vector, const int *, value, true)

/* ---- Memory with hints ---- */

/* At no multiple of a page, and without memory for hints that nobody has defined. */
void *shmem_malloc_with_hints(size_t size, long hints)
{
    if (hints != SHMEM_MALLOC_ATOMICS_REMOTE && hints != SHMEM_MALLOC_SIGNAL_REMOTE)
        return NULL;
    return shmem_malloc(size);
}
