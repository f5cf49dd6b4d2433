/*
 * How clocks are synchronized: the part of the settings that src/clock works by.
 */
#ifndef SKAMPI_SETTINGS_CLOCK_RULES_H
#define SKAMPI_SETTINGS_CLOCK_RULES_H

enum clock_sync {
    CLOCK_SYNC_DEFAULT, /* none where all PEs are seen to have one clock, else hca */
    CLOCK_SYNC_NONE,
    CLOCK_SYNC_LINEAR,
    CLOCK_SYNC_RING,
    CLOCK_SYNC_TREE,
    CLOCK_SYNC_HCA
};

struct clock_rules {
    enum clock_sync algorithm;
    int patience;       /* an exchange ends when this many round trips in a row were no better */
    int fit_points;     /* offsets that a drift is fitted to */
    int fit_exchanges;  /* round trips for each of them */
    double spread;      /* seconds over which the points are spread, */
    double long_spread; /* and where they seem to show a drift */
};

#endif
