/*
 * cmocka, after the headers that it needs. The state that test functions are given is used by few:
 * the compiler does not warn of that.
 */
#ifndef SKAMPI_TESTS_UNIT_UNIT_H
#define SKAMPI_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
