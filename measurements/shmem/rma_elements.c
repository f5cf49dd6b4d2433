/*
 * Single elements, strided elements, blocks of elements of 1 to 16 bytes, and static objects.
 */
#include "measurements/common/rma_parts.h"

/* clang-format off */
#define COUNT {"count", PARAMETER_INT, "elements", "data moved by each operation", .size = true, .minimum = 1, .example = "256"}
#define STRIDE {"stride", PARAMETER_INT, "elements", "distance from one element to the next, on both sides", .minimum = 1, .example = "2"}
#define ELEMENT_BYTES {"element_bytes", PARAMETER_INT, "bytes", "size of one element", .minimum = 1, .maximum = 16, .allowed = "a power of two", .example = "4"}
#define COUNT_STRIDED {"count", PARAMETER_INT, "elements", "one-byte elements moved by each operation", .size = true, .example = "256"}
#define COUNT_STATIC {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .maximum = RMA_STATIC_BYTES, .example = "1024"}
/* clang-format on */

#define ONE_BY_ALL .parameters = {ITERATIONS}, .who = "all"
#define ONE_BY_PAIR .parameters = {ITERATIONS}, .who = "rank 0", .minimum_pes = 2
#define STRIDED_BYTES .parameters = {COUNT_STRIDED, STRIDE, ITERATIONS}, .who = "all"
#define STRIDED_ELEMENTS .parameters = {COUNT, STRIDE, ELEMENT_BYTES, ITERATIONS}, .who = "all"
#define ELEMENTS .parameters = {COUNT, ELEMENT_BYTES, ITERATIONS}, .who = "all"
#define STATIC .parameters = {COUNT_STATIC, ITERATIONS}, .who = "all"

const struct measurement measurements_rma_elements[] = {
    {"Shmem_P_Simple", "put of one int from rank 0 to rank 1 until it is complete there",
     RMA_COMMON, ONE_BY_PAIR, MINUS_QUIET("p"), .routine = "shmem_int_p", .calls = "shmem_quiet",
     RMA(RMA_P, SHAPE_PAIR)},
    {"Shmem_P_Round", "put of one int around the ring until it is complete at the target",
     RMA_COMMON, ONE_BY_ALL, MINUS_QUIET("p"), .routine = "shmem_int_p", .calls = "shmem_quiet",
     RMA(RMA_P, SHAPE_RING)},
    {"Shmem_P_Full", "put of one int and quiet around the ring", RMA_COMMON, ONE_BY_ALL, FULL("p"),
     .routine = "shmem_int_p", .calls = "shmem_quiet", RMA(RMA_P, SHAPE_RING)},
    {"Shmem_P_Call", "the put of one int alone, until the call returns", RMA_COMMON, ONE_BY_ALL,
     POST("p"), .routine = "shmem_int_p", RMA(RMA_P, SHAPE_RING)},
    {"Shmem_G_Simple", "get of one int by rank 0 from rank 1", RMA_COMMON, ONE_BY_PAIR,
     BLOCKING("g"), .routine = "shmem_int_g", RMA(RMA_G, SHAPE_PAIR)},
    {"Shmem_G_Round", "get of one int around the ring", RMA_COMMON, ONE_BY_ALL, BLOCKING("g"),
     .routine = "shmem_int_g", RMA(RMA_G, SHAPE_RING)},

    {"Shmem_Iput_Round", "strided put of bytes around the ring until it is complete at the target",
     RMA_COMMON, STRIDED_BYTES, MINUS_QUIET("iput"), .routine = "shmem_iput",
     .calls = "shmem_quiet", RMA(RMA_IPUT, SHAPE_RING)},
    {"Shmem_Iget_Round", "strided get of bytes around the ring", RMA_COMMON, STRIDED_BYTES,
     BLOCKING("iget"), .routine = "shmem_iget", RMA(RMA_IGET, SHAPE_RING)},
    {"Shmem_Iput_Elements_Round",
     "strided put of elements around the ring until it is complete at the target", RMA_COMMON,
     STRIDED_ELEMENTS, MINUS_QUIET("iput"), .routine = "shmem_iput", .calls = "shmem_quiet",
     RMA(RMA_IPUT, SHAPE_RING)},
    {"Shmem_Iget_Elements_Round", "strided get of elements around the ring", RMA_COMMON,
     STRIDED_ELEMENTS, BLOCKING("iget"), .routine = "shmem_iget", RMA(RMA_IGET, SHAPE_RING)},

    {"Shmem_Put_Elements_Round",
     "put of elements around the ring until it is complete at the target", RMA_COMMON, ELEMENTS,
     MINUS_QUIET("put"), .routine = "shmem_put", .calls = "shmem_quiet", RMA(RMA_PUT, SHAPE_RING)},
    {"Shmem_Put_Elements_Full", "put of elements and quiet around the ring", RMA_COMMON, ELEMENTS,
     FULL("put"), .routine = "shmem_put", .calls = "shmem_quiet", RMA(RMA_PUT, SHAPE_RING)},
    {"Shmem_Put_Elements_Nonblocking_Post",
     "posting a non-blocking put of elements around the ring", RMA_COMMON, ELEMENTS,
     POST("put_nbi"), .routine = "shmem_put_nbi", RMA(RMA_PUT_NBI, SHAPE_RING)},
    {"Shmem_Put_Elements_Nonblocking_Full",
     "non-blocking put of elements and quiet around the ring", RMA_COMMON, ELEMENTS,
     FULL("put_nbi"), .routine = "shmem_put_nbi", .calls = "shmem_quiet",
     RMA(RMA_PUT_NBI, SHAPE_RING)},
    {"Shmem_Put_Elements_Nonblocking_Quiet", "quiet right after a non-blocking put of elements",
     RMA_COMMON, ELEMENTS, QUIET("put_nbi"), .routine = "shmem_quiet", .calls = "shmem_put_nbi",
     RMA(RMA_PUT_NBI, SHAPE_RING)},
    {"Shmem_Put_Elements_Nonblocking_Quiet_Delayed",
     "quiet long after a non-blocking put of elements", RMA_COMMON, ELEMENTS,
     QUIET_DELAYED("put_nbi"), .routine = "shmem_quiet", .calls = "shmem_put_nbi",
     RMA(RMA_PUT_NBI, SHAPE_RING)},
    {"Shmem_Put_Elements_Nonblocking_Overlap",
     "part of a non-blocking put of elements that is not overlapped by computation", RMA_COMMON,
     ELEMENTS, OVERLAP("put_nbi"), .routine = "shmem_put_nbi", .calls = "shmem_quiet",
     RMA(RMA_PUT_NBI, SHAPE_RING)},

    {"Shmem_Get_Elements_Round", "get of elements around the ring", RMA_COMMON, ELEMENTS,
     BLOCKING("get"), .routine = "shmem_get", RMA(RMA_GET, SHAPE_RING)},
    {"Shmem_Get_Elements_Nonblocking_Post",
     "posting a non-blocking get of elements around the ring", RMA_COMMON, ELEMENTS,
     POST("get_nbi"), .routine = "shmem_get_nbi", RMA(RMA_GET_NBI, SHAPE_RING)},
    {"Shmem_Get_Elements_Nonblocking_Full",
     "non-blocking get of elements and quiet around the ring", RMA_COMMON, ELEMENTS,
     FULL("get_nbi"), .routine = "shmem_get_nbi", .calls = "shmem_quiet",
     RMA(RMA_GET_NBI, SHAPE_RING)},
    {"Shmem_Get_Elements_Nonblocking_Quiet", "quiet right after a non-blocking get of elements",
     RMA_COMMON, ELEMENTS, QUIET("get_nbi"), .routine = "shmem_quiet", .calls = "shmem_get_nbi",
     RMA(RMA_GET_NBI, SHAPE_RING)},
    {"Shmem_Get_Elements_Nonblocking_Quiet_Delayed",
     "quiet long after a non-blocking get of elements", RMA_COMMON, ELEMENTS,
     QUIET_DELAYED("get_nbi"), .routine = "shmem_quiet", .calls = "shmem_get_nbi",
     RMA(RMA_GET_NBI, SHAPE_RING)},
    {"Shmem_Get_Elements_Nonblocking_Overlap",
     "part of a non-blocking get of elements that is not overlapped by computation", RMA_COMMON,
     ELEMENTS, OVERLAP("get_nbi"), .routine = "shmem_get_nbi", .calls = "shmem_quiet",
     RMA(RMA_GET_NBI, SHAPE_RING)},

    {"Shmem_Put_Static_Full",
     "put and quiet around the ring, to a static object instead of the symmetric heap", RMA_COMMON,
     STATIC, FULL_OF_TARGET("put"), .routine = "shmem_put", .calls = "shmem_quiet",
     RMA_STATIC(RMA_PUT)},
    {"Shmem_Get_Static_Round",
     "get around the ring, from a static object instead of the symmetric heap", RMA_COMMON, STATIC,
     BLOCKING_OF_TARGET("get"), .routine = "shmem_get", RMA_STATIC(RMA_GET)},
    {.name = NULL},
};
