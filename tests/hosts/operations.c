/*
 * Every PE puts to, gets from and counts on every other one; PE 0 prints "ok PES" when all is
 * right, any PE what is wrong. Then each prints "PE HOST".
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 20000 /* bytes: several packets */

static void expect(int right, const char *what, int pe)
{
    if (right)
        return;
    printf("PE %d: wrong %s, PE %d\n", shmem_my_pe(), what, pe);
    fflush(stdout);
    shmem_global_exit(1);
}

static int all_are(const unsigned char *data, int value)
{
    for (size_t i = 0; i < SIZE; i++)
        if (data[i] != (unsigned char)value)
            return 0;
    return 1;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), pes = shmem_n_pes();
    unsigned char *from_each = shmem_malloc((size_t)pes * SIZE), *mine = shmem_malloc(SIZE);
    long *counter = shmem_malloc(sizeof *counter), *flag = shmem_malloc(sizeof *flag);
    unsigned char *local = malloc(SIZE);

    memset(mine, me + 1, SIZE);
    memset(from_each, 0, (size_t)pes * SIZE);
    *counter = *flag = 0;
    shmem_barrier_all();
    for (int pe = 0; pe < pes; pe++) {
        if (pe % 2)
            shmem_putmem(from_each + (size_t)me * SIZE, mine, SIZE, pe);
        else
            shmem_putmem_nbi(from_each + (size_t)me * SIZE, mine, SIZE, pe);
        shmem_long_atomic_add(counter, me + 1, pe);
        expect(shmem_long_atomic_fetch_inc(flag, pe) < pes, "fetch_inc", pe);
        shmem_getmem(local, mine, SIZE, pe);
        expect(all_are(local, pe + 1), "get", pe);
    }
    shmem_quiet();
    shmem_long_wait_until(flag, SHMEM_CMP_EQ, pes);
    shmem_barrier_all();
    for (int pe = 0; pe < pes; pe++)
        expect(all_are(from_each + (size_t)pe * SIZE, pe + 1), "put", pe);
    expect(*counter == (long)pes * (pes + 1) / 2, "atomic_add", me);

    char host[64];
    gethostname(host, sizeof host);
    printf("%d %s\n", me, host);
    fflush(stdout);
    shmem_barrier_all();
    if (me == 0) {
        printf("ok %d\n", pes);
        fflush(stdout);
    }
    shmem_barrier_all();
    shmem_global_exit(0);
}
