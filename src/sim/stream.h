/*
 * Reads the events of a thread, a window of them at a time. A file is only mapped while a window is
 * filled.
 */
#ifndef SKAMPI_SIM_STREAM_H
#define SKAMPI_SIM_STREAM_H

#include "sim/streams.h"

/* speed is the speed of each PE's processor over that of the trace; window_bytes is the size of all
 * windows together. */
void streams_open(struct streams *, struct run *, const double *speed, size_t window_bytes);
/* Also notes what calls took in the trace. */
void streams_note_times(struct streams *);
/* Goes back to the beginning. */
void streams_rewind(struct streams *);
void streams_close(struct streams *);

/* Fills an empty window. False if there are no more operations or after an error. */
bool stream_fill(struct streams *, int thread);

/* The next operation; NULL where stream_fill() returns false. */
static inline const struct op *stream_peek(struct streams *streams, int thread)
{
    struct stream *stream = &streams->of[thread];
    if (__builtin_expect(stream->next == stream->count, 0) && !stream_fill(streams, thread))
        return NULL;
    return &stream->ops[stream->next];
}

#endif
