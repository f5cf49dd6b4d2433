/*
 * A program of OpenSHMEM 1.5 with all that teams and signals can be, for 4 PEs, of which PE 2
 * shares memory with no other. What arrives is verified. The first argument says how it ends, or
 * what it does wrong: "finalize", "exit", "abort", "kill", "differ"; the second one, how many more
 * puts it makes.
 */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 4

static int me;
static long cell[N];
static uint64_t flag;
static unsigned char data[64], all[64];

static void require(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "PE %d: %s\n", me, what);
    shmem_global_exit(1);
}

/* Each member but the first adds to the first one's cell, on a context of the team. */
static void add_up(shmem_team_t team)
{
    shmem_ctx_t context;
    int size = shmem_team_n_pes(team), rank = shmem_team_my_pe(team);
    require(shmem_team_create_ctx(team, 0, &context) == 0, "a context");
    cell[0] = 0;
    shmem_team_sync(team);
    shmem_ctx_long_atomic_add(context, cell, 1 + rank, 0);
    shmem_ctx_quiet(context);
    shmem_team_sync(team);
    require(rank > 0 || cell[0] == size * (size + 1) / 2, "what was added");
    /* To the next one of the team. */
    shmem_ctx_long_p(context, cell + 1, rank, (rank + 1) % size);
    shmem_ctx_quiet(context);
    shmem_team_sync(team);
    require(cell[1] == (rank + size - 1) % size, "what was put");
    shmem_ctx_destroy(context);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "finalize";
    shmem_team_t odd, again, row, column, pair;
    int one = 1, sum = 0;
    shmem_init();
    me = shmem_my_pe();
    require(shmem_n_pes() == N, "4 PEs are needed");

    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, 2, NULL, 0, &odd);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, 2, NULL, 0, &again);
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    require((odd != SHMEM_TEAM_INVALID) == me % 2, "who is in the team");
    for (long i = argc > 2 ? atol(argv[2]) : 0; i > 0; i--)
        shmem_long_p(cell + 2, i, (me + 1) % N);
    if (odd != SHMEM_TEAM_INVALID) {
        memset(data, me, sizeof data);
        shmem_broadcastmem(odd, all, data, 5, 1);
        require(all[4] == 3 && all[5] == 0, "the broadcast");
        shmem_team_sync(again);
        shmem_team_split_strided(odd, 1, 1, 1, NULL, 0, &pair);
        require((pair != SHMEM_TEAM_INVALID) == (me == 3), "who is alone");
    }
    static int numbers[2];
    numbers[0] = one + me;
    shmem_int_sum_reduce(row, numbers + 1, numbers, 1);
    sum = numbers[1];
    require(sum == 2 * (one + me / 2 * 2) + 1, "the sum");
    memset(data, me, sizeof data);
    if (me == 3 && strcmp(end, "differ") == 0)
        shmem_fcollectmem(column, all, data, 3);
    else
        shmem_collectmem(column, all, data, 3);
    require(all[3] == 2 + me % 2, "what was collected");
    add_up(column);
    add_up(SHMEM_TEAM_SHARED);
    shmem_team_sync(SHMEM_TEAM_WORLD);

    shmem_putmem_signal(all, data, 8, &flag, 7, SHMEM_SIGNAL_SET, (me + 1) % N);
    require(shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 7) == 7, "the signal");

    if (strcmp(end, "exit") == 0)
        exit(0);
    if (strcmp(end, "abort") == 0) {
        shmem_barrier_all();
        abort();
    }
    if (strcmp(end, "kill") == 0) {
        shmem_barrier_all();
        raise(SIGKILL);
    }
    if (odd != SHMEM_TEAM_INVALID)
        shmem_team_destroy(odd);
    shmem_finalize();
    return 0;
}
