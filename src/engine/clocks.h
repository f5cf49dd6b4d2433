/*
 * The clocks of all PEs: which timer they use, how they are synchronized, and where the time goes.
 * Collective over the world.
 */
#ifndef SKAMPI_ENGINE_CLOCKS_H
#define SKAMPI_ENGINE_CLOCKS_H

#include <stdbool.h>

#include "clock/sync.h"
#include "output/output.h"
#include "settings/settings.h"

/* Where the time of the measure statements goes, for scripts that ask. */
struct accounting {
    double sync, comm, wait, over, total; /* seconds, this PE */
};

struct clocks {
    struct output *output;         /* of PE 0, else NULL */
    struct accounting *accounting; /* to which synchronizing adds its time */
    bool debug;                    /* each PE reports its clock on standard error */
    struct clock_rules rules;      /* by which clocks were synchronized, */
    bool known;                    /* if they were, with this timer */
    struct sync_report report;
};

/* Makes clocks wrong as SKAMPI_TEST_CLOCK_SKEW says, for tests; before a timer is selected. */
void clocks_skew(void);

/* Selects a timer by name. Returns NULL, or why it cannot be used here. */
const char *clocks_select_timer(struct clocks *, const char *name);

/* Synchronizes the clocks as the settings say, and states how well. */
void clocks_synchronize(struct clocks *, const struct settings *);
/* As clocks_synchronize(), unless the clocks were synchronized with these settings before. */
void clocks_need(struct clocks *, const struct settings *);
/* At the end of a block: how far they have moved. */
void clocks_report(const struct clocks *);

/* The PE with the largest smallest round trip to PE 0 (the lowest such; 0 when alone). */
int clocks_farthest(struct clocks *, const struct settings *);

/* Sums over all PEs, as comments of the output (NULL except on PE 0); collective. */
void accounting_print(const struct accounting *, struct output *);

#endif
