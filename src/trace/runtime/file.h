/* The file of a PE (format.h). It is made once; then blocks are written at its end. Any thread,
 * under the lock of state.h. */
#ifndef SKAMPI_TRACE_RUNTIME_FILE_H
#define SKAMPI_TRACE_RUNTIME_FILE_H

#include <sys/types.h>

#include "trace/format.h"
#include "trace/runtime/state.h"

#pragma GCC visibility push(hidden)

#define BLOCK_BYTES (64 * 1024) /* of a block's payload */

/* A block on its way into the file; its payload follows the head directly. */
struct buffer {
    struct block_head head;
    unsigned char payload[BLOCK_BYTES];
};

/* Makes the file of a job's trace, writes the description, and only then replaces the file of an
 * earlier trace. Returns NULL, or what is wrong and what to do, which the caller frees. *wrong: the
 * name is wrong; otherwise there is no room. */
char *file_create(int job, const unsigned char *description, size_t bytes, bool *wrong);
/* Writes a block at the file's end, under the lock; its head is filled in but for magic and
 * checksum. False: not written, and recording is off from now on. */
bool file_write_block(struct buffer *block);
/* Appends a block without moving the file's end: at *end, which is moved. False: there is no room.
 * In signal handlers. */
bool file_write_at(off_t *end, const struct block_head *head, const void *payload);
/* Records other than events, appended in blocks as file_write_at() does. Small, since handlers of
 * signals may have little stack. */
struct file_records {
    struct block_head head;
    off_t *end;
    uint64_t calls, lost; /* calls that this block's records tell of; calls of blocks that could not
                             be written */
    struct output output;
    unsigned char bytes[2048];
};
void file_begin_records(struct file_records *, enum block_kind, uint32_t thread, off_t *end);
/* Where to put the next record, which has at most `most` bytes and tells of `calls` calls. */
struct output *file_next_record(struct file_records *, size_t most, uint64_t calls);
/* Returns how many calls are lost for want of room. */
uint64_t file_end_records(struct file_records *);
off_t file_end(void);
/* Moves the file's end to `end`, so that what was appended stays. In signal handlers. */
void file_keep(off_t end);
/* Blocks could not be appended: says once why, and how many events are lost of how many, unless
 * recording had stopped before. In signal handlers. */
void file_report_lost(uint64_t lost, uint64_t events);
/* How many of the calls to record are where. */
struct event_counts {
    uint64_t events;  /* in the file */
    uint64_t dropped; /* not in the file */
    uint64_t lost;    /* of the dropped ones: for another reason than a full ring */
};
/* Writes how the program ended; last: cuts off what follows `end`. In signal handlers. */
void file_write_ending(const char *reason, const struct event_counts *kept, off_t end, bool last);

/* "FILE: what: remedy", to be freed. */
char *file_problem(const char *what, const char *remedy);

#pragma GCC visibility pop

#endif
