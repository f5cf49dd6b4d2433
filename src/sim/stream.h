/*
 * Reads the events of a line, a window of them at a time. A file is mapped while a window is
 * filled, and no longer; what the decoder remembers of an unfinished block is kept in a few bytes a
 * series.
 */
#ifndef SKAMPI_SIM_STREAM_H
#define SKAMPI_SIM_STREAM_H

#include "sim/streams.h"

/* speed: of each PE's processor, in that of the trace; window_bytes: for all windows together. */
void streams_open(struct streams *, struct run *, const double *speed, size_t window_bytes);
/* Back to the beginning. */
void streams_rewind(struct streams *);
void streams_close(struct streams *);

/* Fills an empty window. False: no more operations, or error is set, or cycles have been noticed.
 */
bool stream_fill(struct streams *, int line);

/* The next operation; NULL: as there. */
static inline const struct op *stream_peek(struct streams *streams, int line)
{
    struct stream *stream = &streams->of[line];
    if (__builtin_expect(stream->next == stream->count, 0) && !stream_fill(streams, line))
        return NULL;
    return &stream->ops[stream->next];
}

#endif
