/*
 * Who works on whom in pairs at half of the set, and their data.
 */
#include "measurements/common/half_pairs.h"

#include <stdio.h>

struct half_pair half_pair_of(int rank, int size, int64_t count)
{
    bool first;
    const struct pairs pairs = {.pattern = PATTERN_HALF, .size = size, .pairs = (int)count};
    int other = pairs_partner(&pairs, rank, &first);
    return (struct half_pair){
        .works = other >= 0 && first, .worked_on = other >= 0 && !first, .other = other};
}

const char *half_pairs_refusal(int64_t pairs, const struct pe_set *set)
{
    static char text[96];
    int size = pe_set_size(set);
    if (pairs <= size / 2)
        return NULL;
    snprintf(text, sizeof text, "pairs is %lld, but %d PEs make only %d", (long long)pairs, size,
             size / 2);
    return text;
}

struct half_pair half_pair_of_run(const struct run *run)
{
    return half_pair_of(run->rank, run->size, run_argument(run, "pairs")->integer);
}

int half_pair_source(const struct half_pair *pair, bool get)
{
    return (get ? pair->works : pair->worked_on) ? pair->other : -1;
}
