/*
 * encode_event() of encode.h, to be inlined where the number of values is a constant: on the path
 * of every traced call, a few nanoseconds count.
 */
#ifndef SKAMPI_TRACE_ENCODE_INLINE_H
#define SKAMPI_TRACE_ENCODE_INLINE_H

#include "trace/encode.h"

/* Another series, in that slot of the hash table; its record goes to *out. */
struct series *encoder_new_series(struct encoder *encoder, uint64_t key, unsigned slot,
                                  unsigned char **out, unsigned routine, unsigned n,
                                  unsigned flags);

static inline unsigned char *put_code(unsigned char *out, unsigned series, bool mask)
{
    if (series < SERIES_SHORT) {
        *out++ = (unsigned char)(series | (mask ? CODE_MASK : 0));
        return out;
    }
    *out++ = (unsigned char)(CODE_LONG | (mask ? CODE_LONG_MASK : 0) | series >> 8);
    *out++ = (unsigned char)series;
    return out;
}

/* What a series is of, in one number. */
static inline uint32_t series_of(unsigned routine, unsigned n, unsigned flags)
{
    return routine << 16 | n << 8 | flags;
}

/* Two slots are looked at, so that two series that share one do not drive each other out. */
static inline struct series *find_series(struct encoder *encoder, uint64_t key, unsigned char **out,
                                         unsigned routine, unsigned n, unsigned flags)
{
    unsigned slot = (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 53);
    unsigned number = encoder->hash[slot];
    uint32_t of = series_of(routine, n, flags);
    if (__builtin_expect(number != 0, 1)) {
        struct series *series = &encoder->series[number - 1];
        if (__builtin_expect(series->key == key && series->of == of, 1))
            return series;
        slot ^= 1;
        number = encoder->hash[slot];
        if (number) {
            series = &encoder->series[number - 1];
            if (series->key == key && series->of == of)
                return series;
            slot ^= encoder->used & 1;
        }
    }
    return encoder_new_series(encoder, key, slot, out, routine, n, flags);
}

/* As put_number; most are small, and those of one value alike. */
static inline unsigned char *put_change(unsigned char *out, uint64_t number)
{
    if (number >= 128)
        return put_number(out, number);
    *out = (unsigned char)(number << 1 | 1);
    return out + 1;
}

/* What the number of elements tells of the number of bytes behind it need not be written. */
static inline uint32_t resize(const struct series *series, uint32_t mask, int64_t *change,
                              unsigned elements)
{
    uint64_t expected = (uint64_t)change[elements] * series->element_bytes;
    change[elements + 1] = (int64_t)((uint64_t)change[elements + 1] - expected);
    mask &= ~(UINT32_C(2) << elements);
    return mask | (uint32_t)(change[elements + 1] != 0) << (elements + 1);
}

__attribute__((always_inline)) static inline void
encode_inline(struct encoder *encoder, uint64_t key, unsigned routine, uint64_t start, uint64_t end,
              uint32_t phase, unsigned flags, unsigned n, const int64_t *values)
{
    unsigned char *out = encoder->payload + encoder_bytes(encoder);
    if (__builtin_expect(phase != encoder->phase, 0)) {
        *out++ = CODE_PHASE;
        out = put_number(out, phase);
        encoder->phase = phase;
    }
    if (__builtin_expect((int64_t)start < encoder->time, 0)) {
        uint64_t word = LITTLE_ENDIAN_64(start);
        *out++ = CODE_TIME;
        memcpy(out, &word, 8);
        out += 8;
        encoder->time = (int64_t)start;
    }
    struct series *series = find_series(encoder, key, &out, routine, n, flags);
    /* Loops over a constant number of values become straight code. */
    int64_t *last = series->last, change[TRACE_FIELDS];
    uint32_t mask = 0, places = series->places;
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++) {
        change[i] = (int64_t)((uint64_t)values[i] - (uint64_t)last[i]);
        last[i] = values[i];
        mask |= (uint32_t)(change[i] != 0) << i;
    }
    if (mask) {
        uint64_t moved = 0; /* bits of the changes of places */
        if (mask & 1 && series->sized == 0 && n > 1)
            mask = resize(series, mask, change, 0);
        if (mask & 2 && series->sized == 1 && n > 2)
            mask = resize(series, mask, change, 1);
#pragma GCC unroll 8
        for (unsigned i = 0; i < n; i++)
            if (places >> i & 1)
                moved |= (uint64_t)change[i];
        if (__builtin_expect((moved & ((UINT64_C(1) << series->shift) - 1)) != 0, 0)) {
            series->shift = 0;
            *out++ = CODE_UNALIGNED;
            out = put_number(out, series->number);
        }
    }
    out = put_code(out, series->number, mask != series->mask);
    if (mask != series->mask) {
        out = put_number(out, mask);
        series->mask = mask;
    }
    out = put_number(out, start - (uint64_t)encoder->time);
    out = put_number(out, end > start ? end - start : 0);
#pragma GCC unroll 8
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1)
            out = put_change(out,
                             fold_sign(places >> i & 1 ? change[i] >> series->shift : change[i]));
    encoder->time = (int64_t)(end > start ? end : start);
    __atomic_store_n(&encoder->done,
                     (encoder->done & ~UINT64_C(0xffffffff)) + (UINT64_C(1) << 32) +
                         (uint64_t)(out - encoder->payload),
                     __ATOMIC_RELEASE);
}

#endif
