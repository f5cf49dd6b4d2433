/*
 * What comm_start() puts together, for start.c only.
 */
#ifndef SKAMPI_COMM_PARTS_H
#define SKAMPI_COMM_PARTS_H

/* Collectives over all PEs are possible from now on (comm.c). */
void trees_begin(void);

/* Where the PEs are (nodes.c); collective over the world. PE 0 looks at all PEs; where they lie
 * regularly on nodes, other PEs learn that in a few numbers, else they get the node of each PE. */
void nodes_find(void);
void nodes_forget(void);

/* Tells the PEs of each node where the others' words for hand-overs are, and forgets them
 * (hand_over.c). All PEs, once they know where the PEs are. */
void hand_overs_begin(void);
void hand_overs_end(void);

#endif
