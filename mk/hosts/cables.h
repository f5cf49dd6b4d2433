/* The command line of a switch, and the cables that it asks for: what delay.c and line.c have in
 * common. */
#ifndef CABLES_H
#define CABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PORTS 255
#define HEADER 14   /* bytes in front of what a packet carries */
#define PREAMBLE 24 /* bytes that a packet takes on the line besides: preamble, checksum, gap */
/* Bytes that a packet carries at most: the usual ones, and those of jumbo frames. */
#define USUAL_MTU 1500
#define MOST_MTU 9000

static int port_count;
static int64_t delay_ns;
static double ns_per_byte; /* of each cable; 0: it has no rate */
static int mtu = USUAL_MTU;
static int64_t late_ns = -1; /* that timers are taken to be late at first; -1: measure it */

/* What is bad about the cable between two ports, which are numbered from 1; 0: nothing. */
static int64_t slower_ns[PORTS + 1][PORTS + 1];
static uint32_t lost[PORTS + 1][PORTS + 1]; /* of 2^32 packets */

/* m: the MTU. e: microseconds, by which timers are late. Else PORT:PORT:NUMBER, in both directions.
 * s: packets take so many us longer; l: this percentage is lost. */
static inline bool set_option(int option, const char *text)
{
    if (option == 'm') {
        mtu = atoi(text);
        return mtu >= USUAL_MTU && mtu <= MOST_MTU;
    }
    if (option == 'e') {
        late_ns = (int64_t)(atof(text) * 1e3);
        return late_ns >= 0;
    }
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

/* Options, DELAY_US, RATE_MBIT, a word, and a word for each port. The first word after the numbers;
 * NULL: wrong usage. */
static inline char **read_command_line(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "+s:l:m:e:")) != -1;)
        if (option == '?' || !set_option(option, optarg))
            return NULL;
    char **words = argv + optind;
    port_count = argc - optind - 3;
    if (port_count < 1 || port_count > PORTS)
        return NULL;
    delay_ns = (int64_t)(atof(words[0]) * 1e3);
    ns_per_byte = atof(words[1]) > 0 ? 8e3 / atof(words[1]) : 0;
    return words + 2;
}

#endif
