/*
 * A library of OpenSHMEM 1.4 that looks like one of 1.5: this folder stands before the library's
 * among the places of headers, and emulation.c is linked in. Slow and simple: only what is called
 * and what arrives is right.
 */
#ifndef SKAMPI_TESTS_STUB_OPENSHMEM_EMULATION_H
#define SKAMPI_TESTS_STUB_OPENSHMEM_EMULATION_H

#if SKAMPI_SHMEM

#include_next <shmem.h>

#undef SHMEM_MINOR_VERSION
#define SHMEM_MINOR_VERSION 5

#include "tests/support/stub/openshmem-1.5/additions.inc"

#endif
#endif
