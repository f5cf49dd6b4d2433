/*
 * Sum over all ranks along a binomial tree.
 */
#include "measurements/common/tree_sum.h"

int tree_levels(int ranks)
{
    int levels = 0;
    while ((int64_t)1 << levels < ranks)
        levels++;
    return levels;
}

size_t tree_sum_longs(int ranks, size_t elements)
{
    size_t levels = (size_t)tree_levels(ranks);
    return levels + 1 + levels * elements;
}

#if SKAMPI_SHMEM

#include <shmem.h>

void tree_sum_set_up(struct tree_sum *tree, int ranks, long *memory)
{
    tree->levels = tree_levels(ranks);
    tree->flags = memory;
    tree->values = memory + tree->levels + 1;
}

/* Values, and then the flag that says so. */
static void send(const struct tree_sum *tree, long *target, const long *source, size_t elements,
                 long *flag, int pe)
{
    shmem_putmem(target, source, elements * sizeof *source, pe);
    shmem_fence();
    shmem_long_p(flag, tree->done, pe);
}

void tree_sum(const struct run *run, struct tree_sum *tree, long *sum, size_t elements)
{
    long *down = &tree->flags[tree->levels];
    int level = 0;
    tree->done++;
    for (; level < tree->levels && !(run->rank >> level & 1); level++) {
        const long *child = tree->values + (size_t)level * elements;
        if (run->rank + (1 << level) >= run->size)
            continue;
        shmem_long_wait_until(&tree->flags[level], SHMEM_CMP_GE, tree->done);
        for (size_t i = 0; i < elements; i++)
            sum[i] += child[i];
    }
    if (run->rank > 0) {
        send(tree, tree->values + (size_t)level * elements, sum, elements, &tree->flags[level],
             pe_set_member(run->set, run->rank - (1 << level)));
        shmem_long_wait_until(down, SHMEM_CMP_GE, tree->done);
    }
    while (--level >= 0)
        if (run->rank + (1 << level) < run->size)
            send(tree, sum, sum, elements, down, pe_set_member(run->set, run->rank + (1 << level)));
}

#endif
