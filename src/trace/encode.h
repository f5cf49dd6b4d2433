/*
 * Numbers, texts and events as bytes and back. Pure: no input or output, no allocation, safe in
 * signal handlers. Encoding an event is on the path of every traced call.
 */
#ifndef SKAMPI_TRACE_ENCODE_H
#define SKAMPI_TRACE_ENCODE_H

#include <stddef.h>
#include <string.h>

#include "trace/entry.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE_ENDIAN_64(x) __builtin_bswap64(x)
#else
#define LITTLE_ENDIAN_64(x) (x)
#endif

/* ---- Numbers: the more zeros below the lowest set bit of the first byte, the more bytes ---- */

#define NUMBER_MOST_BYTES 9

/* Writes up to NUMBER_MOST_BYTES - 1 bytes beyond what the number takes. */
static inline unsigned char *put_number(unsigned char *out, uint64_t number)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
    if (__builtin_expect(bits > 56, 0)) {
        uint64_t word = LITTLE_ENDIAN_64(number);
        *out = 0;
        memcpy(out + 1, &word, 8);
        return out + 9;
    }
    unsigned bytes = (bits * 9 + 64) >> 6; /* (bits + 6) / 7, for at most 56 bits */
    uint64_t word = LITTLE_ENDIAN_64((number << 1 | 1) << (bytes - 1));
    memcpy(out, &word, 8);
    return out + bytes;
}

/* Maps signed numbers to unsigned ones, so that numbers near 0 stay small. */
static inline uint64_t fold_sign(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline int64_t unfold_sign(uint64_t number)
{
    return (int64_t)(number >> 1 ^ -(number & 1));
}

/* Bytes to read from. bad is set once a read went beyond the end. */
struct input {
    const unsigned char *next, *end;
    bool bad;
};

uint64_t take_number(struct input *);
int64_t take_signed(struct input *);
uint64_t take_word(struct input *); /* 8 bytes */
double take_real(struct input *);
/* A text, which is not terminated. */
const char *take_text(struct input *, size_t *length);

/* Memory to which descriptions are written. Nothing is written beyond end; full says that there was
 * too little room. */
struct output {
    unsigned char *next, *end;
    bool full;
};

void give_number(struct output *, uint64_t number);
void give_signed(struct output *, int64_t number);
void give_real(struct output *, double number);
void give_text(struct output *, const char *text);

/* ---- Events ---- */

/* Most series of a block. An event is written as its difference to the last event of its series. */
#define SERIES_MOST 512
#define SERIES_SHORT 64 /* series with codes of one byte */

/* First byte of a record. That of an event holds the number of its series, and whether a mask
 * follows, which names the values that are not as expected. Without a mask the one of the series'
 * last event applies. */
enum {
    CODE_MASK = 64,       /* added to a short code */
    CODE_LONG = 128,      /* + high bits of the series; a byte with the lower ones follows */
    CODE_LONG_MASK = 16,  /* added to a long code */
    CODE_SERIES = 192,    /* a new series: series, routine, number of values, flags */
    CODE_TIME = 193,      /* end of the event before: 8 bytes, ticks */
    CODE_PHASE = 194,     /* phase from now on */
    CODE_UNALIGNED = 195, /* series whose places are written in bytes from now on */
    CODE_SITE = 196 /* of the series that has begun last: number of return addresses; each as its
                       difference to the one before in the block */
};

/* What encoder and decoder remember of a series of events. */
struct series {
    uint64_t key; /* encoder: call site and peer, which identify the series */
    uint32_t of;  /* encoder: entry_of() of its events */
    uint16_t routine, number;
    uint32_t site; /* decoder: see struct decoder */
    uint8_t values, flags;
    uint8_t shift;   /* places differ by multiples of 1 << shift */
    uint8_t sized;   /* index of TRACE_ELEMENTS, from whose changes those of TRACE_BYTES follow;
                        TRACE_FIELDS if the routine does not have both */
    uint16_t places; /* bits of the values that are places */
    uint32_t mask;   /* of the values that differed from the expected ones in the last event */
    uint32_t element_bytes;
    int64_t last[TRACE_FIELDS]; /* encoder: as in entries, addresses instead of places */
};

/* Properties of a routine that its series need. */
struct trace_series_kind {
    uint8_t shift, sized;
    uint8_t keyed; /* bits of the first value that distinguish series; 0: it is no peer */
    uint16_t places;
    uint32_t element_bytes;
};

/* Addresses from begin on that lie in one object, or between two objects. */
struct range {
    uintptr_t begin;
    size_t bytes;
    uint64_t place; /* of begin, see event.h; 0 if private */
};

static inline bool range_holds(const struct range *range, int64_t address)
{
    return (uintptr_t)address - range->begin < range->bytes;
}
struct trace_series_kind trace_series_kind(const struct trace_routine *);

#define EVENT_MOST_BYTES                                                                           \
    512 /* most bytes of an event, with the records that may come before it                        \
         */
#define ENCODER_HASH 2048
#define ENCODER_BYTES_BITS 18

struct encoder {
    /* Complete events since the thread began, and complete bytes of this block: events <<
     * ENCODER_BYTES_BITS | bytes. One word, so that a signal handler reads a consistent pair. */
    volatile uint64_t done;
    uint64_t first;         /* events before this block */
    unsigned char *payload; /* has room for the bytes that encode_entries() may fill */
    int64_t base;           /* end of the last event before this block */
    int64_t time;           /* end of the last event */
    uint32_t base_phase, phase;
    uint32_t used;                         /* series */
    uint16_t hash[ENCODER_HASH];           /* series + 1 */
    uint16_t *latest;                      /* by routine: series + 1 */
    const struct trace_series_kind *kinds; /* by routine */
    struct series *series;                 /* SERIES_MOST of them */
    size_t routines;
    /* Where addresses lie: in the symmetric heap, or in the range that find_range() found last
     * (another). If find_range is NULL, entries hold places. */
    struct range heap, another;
    struct range (*find_range)(uintptr_t address);
    /* Whether call sites are written. The caller of an entry is a return address, or find_stack()
     * gives the return addresses that it stands for, the innermost first. */
    bool sites;
    const uint64_t *(*find_stack)(const uint64_t *caller, size_t *depth);
    uint64_t address; /* the last one written in this block */
};

/* Begins a block at payload, without any series. Keeps time, phase and the count of events. */
void encoder_begin(struct encoder *, unsigned char *payload);

static inline uint32_t encoder_bytes(const struct encoder *encoder)
{
    return (uint32_t)encoder->done & ((UINT32_C(1) << ENCODER_BYTES_BITS) - 1);
}

/* Number of events since the thread began. */
static inline uint64_t encoder_total(const struct encoder *encoder)
{
    return encoder->done >> ENCODER_BYTES_BITS;
}

/* Number of events in this block. */
static inline uint32_t encoder_events(const struct encoder *encoder)
{
    return (uint32_t)(encoder_total(encoder) - encoder->first);
}

/* Adds the entries from `from` to `to`, until a block of `most` bytes has no room for another
 * event. Returns the first entry that was not added. */
const struct trace_entry *encode_entries(struct encoder *, const struct trace_entry *from,
                                         const void *to, size_t most);

struct decoder {
    struct input input;
    int64_t time;
    uint32_t phase;
    const struct trace_routine *routines;
    size_t routine_count;
    uint16_t *latest; /* by routine: series + 1 */
    struct series
        *series; /* SERIES_MOST of them; one that has not begun has more than TRACE_FIELDS values */
    struct series *begun; /* the latest */
    uint64_t address;     /* the last one read in this block */
    /* Numbers call sites, from 1 on. NULL: the numbers are all 0. */
    uint32_t (*number_site)(void *context, const uint64_t *addresses, size_t depth);
    void *context;
};

/* The caller has set latest, with one entry for each routine, and series. */
void decoder_begin(struct decoder *, const unsigned char *payload, size_t bytes, int64_t time,
                   uint32_t phase);
/* NULL, or what is wrong. Does not fill in thread and index. */
const char *decode_event(struct decoder *, struct trace_event *event);

/* An event for callers that need few values of many events. The values stay in the decoder, in the
 * order of the routine's fields, until the next event is decoded. */
struct raw_event {
    const struct series *series;
    int64_t start, duration, burst; /* ticks */
    uint32_t phase;
};
const char *decode_raw(struct decoder *, struct raw_event *event);

#endif
