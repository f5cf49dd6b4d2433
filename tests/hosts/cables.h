/* The cables that a command line asks of a switch: what delay.c and line.c have in common. */
#ifndef CABLES_H
#define CABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PORTS 255
#define PREAMBLE 24 /* bytes that a packet takes on the line besides: preamble, checksum, gap */

/* Of the bad cables, by their ports, which begin with 1: 0: none. */
static int64_t slower_ns[PORTS + 1][PORTS + 1];
static uint32_t lost[PORTS + 1][PORTS + 1]; /* of 2^32 packets */

/* PORT:PORT:NUMBER, in both directions. option: s: packets take so many us longer; l: this
 * percentage is lost. */
static inline bool set_cable(int option, const char *text)
{
    int a, b;
    double number;
    if (sscanf(text, "%d:%d:%lf", &a, &b, &number) != 3 || a < 1 || b < 1 || a > PORTS || b > PORTS)
        return false;
    if (option == 's')
        slower_ns[a][b] = slower_ns[b][a] = (int64_t)(number * 1e3);
    else
        lost[a][b] = lost[b][a] = (uint32_t)(number / 100 * 4294967295.0);
    return number >= 0 && number <= (option == 's' ? 1e6 : 100);
}

#endif
