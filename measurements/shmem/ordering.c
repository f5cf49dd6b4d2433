/*
 * Quiet and fence: with nothing outstanding, and alone after a put.
 */
#include "measurements/common/order_parts.h"

static const struct order by_quiet = {.fence = false}, by_fence = {.fence = true};

/* clang-format off */
const struct measurement measurements_ordering[] = {
    {"Shmem_Quiet", "quiet with nothing outstanding", {&order_empty}, .routine = "shmem_quiet", .timed = "quiet", .cost = "quiet", .variant = &by_quiet},
    {"Shmem_Fence", "fence with nothing outstanding", {&order_empty}, .routine = "shmem_fence", .timed = "fence", .cost = "fence", .variant = &by_fence},
    {"Shmem_Quiet_Put", "quiet alone after a put to the next rank", {&order_quiet_put}, .routine = "shmem_quiet", .calls = "shmem_put", .variant = &by_quiet},
    {"Shmem_Fence_Put", "fence alone after a put to the next rank", {&order_fence_put}, .routine = "shmem_fence", .calls = "shmem_put", .variant = &by_fence},
    {.name = NULL},
};
/* clang-format on */
