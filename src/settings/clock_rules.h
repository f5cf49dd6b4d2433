/*
 * How clocks are synchronized: the settings that src/clock needs.
 */
#ifndef SKAMPI_SETTINGS_CLOCK_RULES_H
#define SKAMPI_SETTINGS_CLOCK_RULES_H

enum clock_sync {
    CLOCK_SYNC_DEFAULT, /* none if exchanges show that all PEs have one clock, else hca */
    CLOCK_SYNC_NONE,
    CLOCK_SYNC_LINEAR,
    CLOCK_SYNC_RING,
    CLOCK_SYNC_TREE,
    CLOCK_SYNC_HCA
};

struct clock_rules {
    enum clock_sync algorithm;
    int patience;   /* an exchange ends after this many round trips in a row without improvement */
    int fit_points; /* offsets to which a drift is fitted */
    int fit_exchanges;  /* round trips for each offset */
    double spread;      /* seconds over which the offsets are spread */
    double long_spread; /* seconds for the two fits that have to confirm a drift */
};

#endif
