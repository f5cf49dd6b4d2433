/*
 * Numbers of the time line as bytes, in base64, so that a page of text can hold millions of them.
 * Numbers take 7 bits a byte, the lowest first; the last byte has its highest bit clear.
 */
#ifndef SKAMPI_TRACE_REPORT_PACKED_H
#define SKAMPI_TRACE_REPORT_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct packed {
    unsigned char *bytes; /* of the block that is being filled */
    size_t count, room;
    uint64_t written; /* characters so far */
};

void packed_byte(struct packed *, unsigned char);
void packed_number(struct packed *, uint64_t);
/* Writes the block; returns at which character it begins. */
uint64_t packed_write(struct packed *, FILE *out);

#endif
