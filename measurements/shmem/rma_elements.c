/*
 * Single elements, strided elements, blocks of elements of 1 to 16 bytes, and static objects.
 */
#include "measurements/common/rma_parts.h"

/* clang-format off */
#define COUNT {"count", PARAMETER_INT, "elements", "data moved by each operation", .size = true, .minimum = 1, .element = "element_bytes", .example = "256"}
#define STRIDE {"stride", PARAMETER_INT, "elements", "distance from one element to the next, on both sides", .minimum = 1, .example = "2"}
#define ELEMENT_BYTES {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .maximum = 16, .allowed = "a power of two", .example = "4"}
#define COUNT_STRIDED {"count", PARAMETER_INT, "elements", "one-byte elements moved by each operation", .size = true, .example = "256"}
#define COUNT_STATIC {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .maximum = RMA_STATIC_BYTES, .example = "1024"}

static const struct measurement one_by_all = {.parameters = {ITERATIONS}, .like = {&rma_ring}};
static const struct measurement one_by_pair = {.parameters = {ITERATIONS}, .like = {&rma_pair}};
static const struct measurement strided_bytes = {.parameters = {COUNT_STRIDED, STRIDE, ITERATIONS}, .like = {&rma_ring}};
static const struct measurement strided_elements = {.parameters = {COUNT, STRIDE, ELEMENT_BYTES, ITERATIONS}, .like = {&rma_ring}};
static const struct measurement elements = {.parameters = {COUNT, ELEMENT_BYTES, ITERATIONS}, .like = {&rma_ring}};
static const struct measurement static_object = {.parameters = {COUNT_STATIC, ITERATIONS}, .like = {&rma_ring},
    .variant = &(const struct rma){.shape = SHAPE_RING, .static_object = true}};

const struct measurement measurements_rma_elements[] = {
    {"Shmem_P_Simple", "put of one int from rank 0 to rank 1 until it is complete there",
     {&rma_until_complete, &one_by_pair}, .word = "p", .routine = "shmem_int_p"},
    {"Shmem_P_Round", "put of one int around the ring until it is complete at the target",
     {&rma_until_complete, &one_by_all}, .word = "p", .routine = "shmem_int_p"},
    {"Shmem_P_Full", "put of one int and quiet around the ring", {&rma_full, &one_by_all}, .word = "p", .routine = "shmem_int_p"},
    {"Shmem_P_Call", "the put of one int alone, until the call returns", {&rma_post, &one_by_all}, .word = "p", .routine = "shmem_int_p"},
    {"Shmem_G_Simple", "get of one int by rank 0 from rank 1", {&rma_blocking, &one_by_pair}, .word = "g", .routine = "shmem_int_g"},
    {"Shmem_G_Round", "get of one int around the ring", {&rma_blocking, &one_by_all}, .word = "g", .routine = "shmem_int_g"},

    {"Shmem_Iput_Round", "strided put of bytes around the ring until it is complete at the target", {&rma_until_complete, &strided_bytes}, .word = "iput"},
    {"Shmem_Iget_Round", "strided get of bytes around the ring", {&rma_blocking, &strided_bytes}, .word = "iget"},
    {"Shmem_Iput_Elements_Round", "strided put of elements around the ring until it is complete at the target",
     {&rma_until_complete, &strided_elements}, .word = "iput"},
    {"Shmem_Iget_Elements_Round", "strided get of elements around the ring", {&rma_blocking, &strided_elements}, .word = "iget"},

    {"Shmem_Put_Elements_Round", "put of elements around the ring until it is complete at the target", {&rma_until_complete, &elements}, .word = "put"},
    {"Shmem_Put_Elements_Full", "put of elements and quiet around the ring", {&rma_full, &elements}, .word = "put"},
    {"Shmem_Put_Elements_Nonblocking_Post", "posting a non-blocking put of elements around the ring", {&rma_post, &elements}, .word = "put_nbi"},
    {"Shmem_Put_Elements_Nonblocking_Full", "non-blocking put of elements and quiet around the ring", {&rma_full, &elements}, .word = "put_nbi"},
    {"Shmem_Put_Elements_Nonblocking_Quiet", "quiet right after a non-blocking put of elements", {&rma_quiet, &elements}, .word = "put_nbi"},
    {"Shmem_Put_Elements_Nonblocking_Quiet_Delayed", "quiet long after a non-blocking put of elements",
     {&rma_quiet_delayed, &elements}, .word = "put_nbi"},
    {"Shmem_Put_Elements_Nonblocking_Overlap",
     "part of a non-blocking put of elements that is not overlapped by computation", {&rma_overlap, &elements},
     .word = "put_nbi"},

    {"Shmem_Get_Elements_Round", "get of elements around the ring", {&rma_blocking, &elements}, .word = "get"},
    {"Shmem_Get_Elements_Nonblocking_Post", "posting a non-blocking get of elements around the ring", {&rma_post, &elements}, .word = "get_nbi"},
    {"Shmem_Get_Elements_Nonblocking_Full", "non-blocking get of elements and quiet around the ring", {&rma_full, &elements}, .word = "get_nbi"},
    {"Shmem_Get_Elements_Nonblocking_Quiet", "quiet right after a non-blocking get of elements", {&rma_quiet, &elements}, .word = "get_nbi"},
    {"Shmem_Get_Elements_Nonblocking_Quiet_Delayed", "quiet long after a non-blocking get of elements",
     {&rma_quiet_delayed, &elements}, .word = "get_nbi"},
    {"Shmem_Get_Elements_Nonblocking_Overlap",
     "part of a non-blocking get of elements that is not overlapped by computation", {&rma_overlap, &elements},
     .word = "get_nbi"},

    {"Shmem_Put_Static_Full", "put and quiet around the ring, to a static object instead of the symmetric heap",
     {&rma_full_of_target, &static_object}, .word = "put"},
    {"Shmem_Get_Static_Round", "get around the ring, from a static object instead of the symmetric heap",
     {&rma_blocking_of_target, &static_object}, .word = "get"},
    {.name = NULL},
};
/* clang-format on */
