/* Encodes and decodes numbers, texts and events. */
#include "trace/encode.h"

/* ---- Numbers and texts ---- */

/* Reads a number near the end, where fewer bytes are left than the longest number has. */
static uint64_t take_last_number(struct input *input)
{
    size_t left = (size_t)(input->end - input->next);
    unsigned first = left > 0 ? *input->next : 0;
    size_t bytes = first == 0 ? 9 : (size_t)__builtin_ctz(first) + 1;
    if (bytes > left) {
        input->bad = true;
        return 0;
    }
    uint64_t word = 0;
    memcpy(&word, input->next, bytes);
    input->next += bytes;
    return LITTLE_ENDIAN_64(word) >> bytes;
}

static inline uint64_t take(struct input *input)
{
    uint64_t word;
    if (__builtin_expect(input->end - input->next < NUMBER_MOST_BYTES, 0))
        return take_last_number(input);
    unsigned first = *input->next;
    if (__builtin_expect(first == 0, 0)) {
        memcpy(&word, input->next + 1, 8);
        input->next += 9;
        return LITTLE_ENDIAN_64(word);
    }
    unsigned bytes = (unsigned)__builtin_ctz(first) + 1;
    memcpy(&word, input->next, 8);
    input->next += bytes;
    return LITTLE_ENDIAN_64(word) << (64 - 8 * bytes) >> (64 - 7 * bytes);
}

uint64_t take_number(struct input *input)
{
    return take(input);
}

int64_t take_signed(struct input *input)
{
    return unfold_sign(take_number(input));
}

/* The next `bytes` bytes; NULL if fewer are left. */
static const unsigned char *take_bytes(struct input *input, size_t bytes)
{
    if ((size_t)(input->end - input->next) < bytes) {
        input->bad = true;
        return NULL;
    }
    input->next += bytes;
    return input->next - bytes;
}

uint64_t take_word(struct input *input)
{
    const unsigned char *bytes = take_bytes(input, 8);
    uint64_t word = 0;
    if (bytes)
        memcpy(&word, bytes, 8);
    return LITTLE_ENDIAN_64(word);
}

double take_real(struct input *input)
{
    uint64_t word = take_word(input);
    double number;
    memcpy(&number, &word, 8);
    return number;
}

const char *take_text(struct input *input, size_t *length)
{
    *length = take_number(input);
    return (const char *)take_bytes(input, *length);
}

static bool has_room(struct output *output, size_t bytes)
{
    if ((size_t)(output->end - output->next) < bytes)
        output->full = true;
    return !output->full;
}

void give_number(struct output *output, uint64_t number)
{
    unsigned char bytes[2 * NUMBER_MOST_BYTES];
    size_t length = (size_t)(put_number(bytes, number) - bytes);
    if (!has_room(output, length))
        return;
    memcpy(output->next, bytes, length);
    output->next += length;
}

void give_signed(struct output *output, int64_t number)
{
    give_number(output, fold_sign(number));
}

void give_real(struct output *output, double number)
{
    uint64_t word;
    memcpy(&word, &number, 8);
    word = LITTLE_ENDIAN_64(word);
    if (!has_room(output, 8))
        return;
    memcpy(output->next, &word, 8);
    output->next += 8;
}

void give_text(struct output *output, const char *text)
{
    size_t length = strlen(text);
    give_number(output, length);
    if (!has_room(output, length))
        return;
    memcpy(output->next, text, length);
    output->next += length;
}

/* ---- Series ---- */

/* Up to this many peers of one call site have a series each; beyond, several peers share a series.
 */
#define PEERS_APART 64

struct trace_series_kind trace_series_kind(const struct trace_routine *routine)
{
    struct trace_series_kind kind = {.sized = TRACE_FIELDS,
                                     .element_bytes = routine->element_bytes};
    unsigned index = 0;
    for (unsigned field = 0; field < TRACE_FIELDS; field++) {
        if (!(routine->fields >> field & 1))
            continue;
        if (field == TRACE_TARGET || field == TRACE_SOURCE || field == TRACE_SIGNAL)
            kind.places |= (uint16_t)(1 << index);
        if (field == TRACE_ELEMENTS && routine->fields >> TRACE_BYTES & 1 && index <= 1)
            kind.sized = (uint8_t)index;
        index++;
    }
    kind.keyed = routine->fields >> TRACE_PEER & 1 ? PEERS_APART - 1 : 0;
    unsigned bytes = routine->element_bytes;
    if (bytes > 1 && (bytes & (bytes - 1)) == 0 && bytes <= 16)
        kind.shift = (uint8_t)__builtin_ctz(bytes);
    return kind;
}

/* Begins a series with the last values of the routine's latest series, since they are often
 * similar. */
static void series_begin(struct series *all, unsigned number, uint16_t *latest, unsigned routine,
                         unsigned n, unsigned flags, const struct trace_series_kind *kind)
{
    struct series *series = &all[number];
    const struct series *model = latest[routine] ? &all[latest[routine] - 1] : NULL;
    if (model && model->routine != routine)
        model = NULL; /* its number now belongs to another routine */
    unsigned known = model ? model->values : 0;
    for (unsigned i = 0; i < n; i++)
        series->last[i] = i < known ? model->last[i] : 0;
    series->routine = (uint16_t)routine;
    series->number = (uint16_t)number;
    series->values = (uint8_t)n;
    series->flags = (uint8_t)flags;
    series->shift = kind->shift;
    series->sized = kind->sized;
    series->places = kind->places;
    series->element_bytes = kind->element_bytes;
    series->mask = 0;
    series->site = 0;
    latest[routine] = (uint16_t)(number + 1);
}

/* ---- Encoder ---- */

void encoder_begin(struct encoder *encoder, unsigned char *payload)
{
    encoder->done = encoder_total(encoder) << ENCODER_BYTES_BITS;
    encoder->first = encoder_total(encoder);
    encoder->base = encoder->time;
    encoder->base_phase = encoder->phase;
    encoder->payload = payload;
    encoder->used = 0;
    encoder->address = 0;
    memset(encoder->hash, 0, sizeof encoder->hash);
    memset(encoder->latest, 0, encoder->routines * sizeof *encoder->latest);
}

/* Writes a number like put_number(); faster for small numbers, which most are. */
static inline unsigned char *put_small(unsigned char *out, uint64_t number)
{
    if (__builtin_expect(number >= 1 << 14, 0))
        return put_number(out, number);
    unsigned more = number >= 1 << 7, word = (unsigned)(number << 1 | 1) << more;
    out[0] = (unsigned char)word;
    out[1] = (unsigned char)(word >> 8);
    return out + 1 + more;
}

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

__attribute__((noinline)) static unsigned char *put_time(struct encoder *encoder,
                                                         unsigned char *out, int64_t time)
{
    uint64_t word = LITTLE_ENDIAN_64((uint64_t)time);
    *out++ = CODE_TIME;
    memcpy(out, &word, 8);
    encoder->time = time;
    return out + 8;
}

__attribute__((noinline)) static unsigned char *put_phase(struct encoder *encoder,
                                                          unsigned char *out, uint32_t phase)
{
    *out++ = CODE_PHASE;
    encoder->phase = phase;
    return put_number(out, phase);
}

static unsigned char *put_site(struct encoder *encoder, unsigned char *out, const uint64_t *caller)
{
    size_t depth = 1;
    const uint64_t *addresses = encoder->find_stack ? encoder->find_stack(caller, &depth) : caller;
    *out++ = CODE_SITE;
    out = put_number(out, depth);
    for (size_t i = 0; i < depth; i++) {
        out = put_number(out, fold_sign((int64_t)(addresses[i] - encoder->address)));
        encoder->address = addresses[i];
    }
    return out;
}

/* Begins another series, in this slot of the hash table. */
__attribute__((noinline)) static unsigned char *put_series(struct encoder *encoder,
                                                           unsigned char *out, uint64_t key,
                                                           const struct trace_entry *entry,
                                                           unsigned slot)
{
    const uint32_t of = entry->of;
    unsigned number = encoder->used++ % SERIES_MOST, routine = entry_routine(of);
    series_begin(encoder->series, number, encoder->latest, routine, entry_values(of),
                 entry_flags(of), &encoder->kinds[routine]);
    encoder->series[number].key = key;
    encoder->series[number].of = of;
    encoder->hash[slot] = (uint16_t)(number + 1);
    *out++ = CODE_SERIES;
    out = put_number(out, number);
    out = put_number(out, routine);
    out = put_number(out, entry_values(of));
    out = put_number(out, entry_flags(of));
    return encoder->sites ? put_site(encoder, out, &entry->caller) : out;
}

/* Finds a series; NULL if there is none, and *slot is where it belongs. It looks at two slots, so
 * that two series with one hash do not keep replacing each other. */
static struct series *find_series(struct encoder *encoder, uint64_t key, uint32_t of,
                                  unsigned *slot)
{
    *slot = (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 53);
    for (unsigned i = 0; i < 2; i++) {
        unsigned number = encoder->hash[*slot ^ i];
        if (number == 0) {
            *slot ^= i;
            return NULL;
        }
        struct series *series = &encoder->series[number - 1];
        if (series->key == key && series->of == of)
            return series;
    }
    *slot ^= encoder->used & 1;
    return NULL;
}

static uint64_t place_of(struct encoder *encoder, int64_t address)
{
    if (!encoder->find_range)
        return (uint64_t)address;
    const struct range *range = &encoder->heap;
    if (!range_holds(range, address)) {
        range = &encoder->another;
        if (!range_holds(range, address))
            encoder->another = encoder->find_range((uintptr_t)address);
    }
    return range->place ? range->place + ((uintptr_t)address - range->begin) : 0;
}

__attribute__((noinline)) static uint64_t move_between(struct encoder *encoder, int64_t from,
                                                       int64_t to)
{
    uint64_t place = place_of(encoder, from);
    return place_of(encoder, to) - place;
}

/* The difference of two places, which is mostly that of the addresses. */
static inline uint64_t move(struct encoder *encoder, int64_t from, int64_t to)
{
    const struct range *range = &encoder->heap;
    if (__builtin_expect(range_holds(range, from) && range_holds(range, to), 1))
        return (uint64_t)to - (uint64_t)from;
    range = &encoder->another;
    if (range_holds(range, from) && range_holds(range, to))
        return range->place ? (uint64_t)to - (uint64_t)from : 0;
    return move_between(encoder, from, to);
}

/* Leaves out the number of bytes if it follows from the number of elements. */
static uint32_t resize(const struct series *series, uint32_t mask, uint64_t *change)
{
    unsigned bytes = series->sized + 1u;
    change[bytes] =
        (mask >> bytes & 1 ? change[bytes] : 0) - change[series->sized] * series->element_bytes;
    mask &= ~(UINT32_C(1) << bytes);
    return mask | (uint32_t)(change[bytes] != 0) << bytes;
}

/* Adds entries of one routine that follow each other. Where n is a constant, its loops become
 * straight code. Returns the first entry that was not added. */
__attribute__((always_inline)) static inline const struct trace_entry *
put_run(struct encoder *encoder, const struct trace_entry *entry, const void *to, size_t most,
        unsigned n)
{
    const uint32_t of = entry->of;
    const uint64_t keyed = n > 0 ? encoder->kinds[entry_routine(of)].keyed : 0;
    unsigned char *const payload = encoder->payload, *out = payload + encoder_bytes(encoder);
    struct series *series = NULL;
    do {
        int64_t start = (int64_t)entry->start, end = (int64_t)entry->end;
        if (__builtin_expect(entry->phase != encoder->phase, 0))
            out = put_phase(encoder, out, entry->phase);
        if (__builtin_expect(start < encoder->time, 0))
            out = put_time(encoder, out, start);
        if (__builtin_expect(end < start, 0))
            end = start;
        uint64_t key = entry->caller * PEERS_APART + ((uint64_t)entry->values[0] & keyed);
        if (!series || series->key != key) {
            unsigned slot;
            series = find_series(encoder, key, of, &slot);
            if (__builtin_expect(!series, 0)) {
                out = put_series(encoder, out, key, entry, slot);
                series = &encoder->series[encoder->hash[slot] - 1];
            }
        }
        uint64_t change[TRACE_FIELDS], moved = 0; /* moved: the changes of all places, or-ed */
        uint32_t mask = 0;
#pragma GCC unroll 8
        for (unsigned i = 0; i < n; i++)
            if (entry->values[i] != series->last[i]) {
                if (series->places >> i & 1) {
                    change[i] = move(encoder, series->last[i], entry->values[i]);
                    moved |= change[i];
                } else {
                    change[i] = (uint64_t)entry->values[i] - (uint64_t)series->last[i];
                }
                mask |= (uint32_t)(change[i] != 0) << i;
                series->last[i] = entry->values[i];
            }
        if (__builtin_expect(mask >> series->sized & 1, 0))
            mask = resize(series, mask, change);
        if (__builtin_expect((moved & ((UINT64_C(1) << series->shift) - 1)) != 0, 0)) {
            series->shift = 0;
            *out++ = CODE_UNALIGNED;
            out = put_number(out, series->number);
        }
        out = put_code(out, series->number, mask != series->mask);
        if (__builtin_expect(mask != series->mask, 0)) {
            out = put_number(out, mask);
            series->mask = mask;
        }
        out = put_small(out, (uint64_t)(start - encoder->time));
        out = put_small(out, (uint64_t)(end - start));
        for (; mask; mask &= mask - 1) {
            unsigned i = (unsigned)__builtin_ctz(mask);
            unsigned shift = series->places >> i & 1 ? series->shift : 0;
            out = put_small(out, fold_sign((int64_t)change[i] >> shift));
        }
        encoder->time = end;
        __atomic_store_n(&encoder->done,
                         ((encoder_total(encoder) + 1) << ENCODER_BYTES_BITS) +
                             (uint64_t)(out - payload),
                         __ATOMIC_RELEASE);
        entry = (const struct trace_entry *)(entry->values + n);
    } while ((const void *)entry < to && entry->of == of && (size_t)(out - payload) <= most);
    return entry;
}

const struct trace_entry *encode_entries(struct encoder *encoder, const struct trace_entry *entry,
                                         const void *to, size_t most)
{
    most -= EVENT_MOST_BYTES;
    while ((const void *)entry < to && encoder_bytes(encoder) <= most) {
        unsigned n = entry_values(entry->of);
        if (__builtin_expect(entry->of == ENTRY_SKIP, 0)) {
            unsigned char *out = encoder->payload + encoder_bytes(encoder);
            put_time(encoder, out, (int64_t)entry->end);
            encoder->done += 9;
            entry = entry_after(entry);
        } else if (n == 5) {
            entry = put_run(encoder, entry, to, most, 5);
        } else if (n == 3) {
            entry = put_run(encoder, entry, to, most, 3);
        } else if (n == 0) {
            entry = put_run(encoder, entry, to, most, 0);
        } else {
            entry = put_run(encoder, entry, to, most, n);
        }
    }
    return entry;
}

/* ---- Decoder ---- */

void decoder_begin(struct decoder *decoder, const unsigned char *payload, size_t bytes,
                   int64_t time, uint32_t phase)
{
    decoder->input = (struct input){payload, payload + bytes, false};
    decoder->time = time;
    decoder->phase = phase;
    decoder->begun = NULL;
    decoder->address = 0;
    memset(decoder->latest, 0, decoder->routine_count * sizeof *decoder->latest);
    for (unsigned i = 0; i < SERIES_MOST; i++)
        decoder->series[i].values = TRACE_FIELDS + 1; /* not there */
}

static const char *decode_series(struct decoder *decoder)
{
    uint64_t number = take_number(&decoder->input), routine = take_number(&decoder->input);
    uint64_t n = take_number(&decoder->input), flags = take_number(&decoder->input);
    if (number >= SERIES_MOST || routine >= decoder->routine_count || flags > 255)
        return "a series that cannot be";
    unsigned fields = (unsigned)__builtin_popcount(decoder->routines[routine].fields);
    /* The last value, a result, may be missing. */
    if (n != fields && n + 1 != fields)
        return "a series with a wrong number of values";
    struct trace_series_kind kind = trace_series_kind(&decoder->routines[routine]);
    series_begin(decoder->series, (unsigned)number, decoder->latest, (unsigned)routine, (unsigned)n,
                 (unsigned)flags, &kind);
    decoder->begun = &decoder->series[number];
    return NULL;
}

static const char *decode_site(struct decoder *decoder)
{
    uint64_t addresses[TRACE_DEPTH_MOST], depth = take_number(&decoder->input);
    if (!decoder->begun || depth == 0 || depth > TRACE_DEPTH_MOST)
        return "a call site that cannot be";
    for (size_t i = 0; i < depth; i++)
        addresses[i] = decoder->address += (uint64_t)take_signed(&decoder->input);
    if (decoder->number_site && !decoder->input.bad)
        decoder->begun->site = decoder->number_site(decoder->context, addresses, depth);
    return NULL;
}

/* Reads a record other than an event. Returns NULL, or what is wrong. */
static const char *decode_other(struct decoder *decoder, unsigned code)
{
    uint64_t number;
    switch (code) {
    case CODE_SERIES:
        return decode_series(decoder);
    case CODE_SITE:
        return decode_site(decoder);
    case CODE_TIME:
        decoder->time = (int64_t)take_word(&decoder->input);
        return NULL;
    case CODE_PHASE:
        decoder->phase = (uint32_t)take_number(&decoder->input);
        return NULL;
    case CODE_UNALIGNED:
        number = take_number(&decoder->input);
        if (number >= SERIES_MOST)
            return "a series that cannot be";
        decoder->series[number].shift = 0;
        return NULL;
    default:
        return "an unknown record";
    }
}

static inline void decode_values(struct decoder *decoder, struct series *series)
{
    for (uint32_t mask = series->mask; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        uint64_t change = (uint64_t)unfold_sign(take(&decoder->input));
        if (series->places >> i & 1)
            change <<= series->shift;
        series->last[i] = (int64_t)((uint64_t)series->last[i] + change);
        if (i == series->sized)
            series->last[i + 1] =
                (int64_t)((uint64_t)series->last[i + 1] + change * series->element_bytes);
    }
}

static void fill_in(const struct decoder *decoder, const struct series *series,
                    struct trace_event *event)
{
    const struct trace_routine *routine = &decoder->routines[series->routine];
    event->routine = series->routine;
    event->flags = series->flags;
    event->site = series->site;
    event->phase = decoder->phase;
    event->fields = 0;
    unsigned i = 0;
    for (unsigned field = 0; field < TRACE_FIELDS; field++) {
        event->values[field] = 0;
        if (routine->fields >> field & 1 && i < series->values) {
            event->values[field] = series->last[i++];
            event->fields |= UINT32_C(1) << field;
        }
    }
    unsigned bytes = routine->element_bytes;
    /* The value of a put is kept as bytes. If they are one element, it gets its sign back. */
    if (trace_puts_value(routine) && event->fields >> TRACE_VALUE & 1 &&
        event->values[TRACE_ELEMENTS] == 1 && routine->type == TRACE_SIGNED && bytes > 0 &&
        bytes < sizeof(int64_t)) {
        unsigned shift = 8 * ((unsigned)sizeof(int64_t) - bytes);
        event->values[TRACE_VALUE] =
            (int64_t)((uint64_t)event->values[TRACE_VALUE] << shift) >> shift;
    }
    /* Calls that move one element have no fields for that: the routine tells its size. */
    bool moves = routine->class <= TRACE_ATOMIC && routine->element_bytes > 0;
    if (moves && !(routine->fields >> TRACE_ELEMENTS & 1) &&
        !(routine->fields >> TRACE_BYTES & 1)) {
        event->values[TRACE_ELEMENTS] = 1;
        event->values[TRACE_BYTES] = routine->element_bytes;
        event->fields |= 1 << TRACE_ELEMENTS | 1 << TRACE_BYTES;
    }
}

const char *decode_raw(struct decoder *decoder, struct raw_event *event)
{
    for (;;) {
        const unsigned char *next = take_bytes(&decoder->input, 1);
        if (!next)
            return "fewer events than said";
        unsigned code = *next;
        if (code >= CODE_SERIES) {
            const char *problem = decode_other(decoder, code);
            if (problem)
                return problem;
            if (decoder->input.bad)
                return "a record that does not end";
            continue;
        }
        unsigned number = code & (SERIES_SHORT - 1);
        bool masked = code & CODE_MASK;
        if (code & CODE_LONG) {
            next = take_bytes(&decoder->input, 1);
            number = (code & (CODE_LONG_MASK - 1)) << 8 | (next ? *next : 0);
            masked = code & CODE_LONG_MASK;
        }
        if (decoder->input.bad || number >= SERIES_MOST ||
            decoder->series[number].values > TRACE_FIELDS)
            return "an event of no series";
        struct series *series = &decoder->series[number];
        if (masked) {
            uint64_t mask = take(&decoder->input);
            if (mask >> series->values)
                return "an event with values that it does not have";
            series->mask = (uint32_t)mask;
        }
        uint64_t burst = take(&decoder->input), duration = take(&decoder->input);
        decode_values(decoder, series);
        if (decoder->input.bad)
            return "an event that does not end";
        event->series = series;
        event->phase = decoder->phase;
        event->burst = (int64_t)burst;
        event->duration = (int64_t)duration;
        event->start = (int64_t)((uint64_t)decoder->time + burst);
        decoder->time = (int64_t)((uint64_t)event->start + duration);
        return NULL;
    }
}

const char *decode_event(struct decoder *decoder, struct trace_event *event)
{
    struct raw_event raw;
    const char *problem = decode_raw(decoder, &raw);
    if (problem)
        return problem;
    event->start = raw.start;
    event->duration = raw.duration;
    event->burst = raw.burst;
    fill_in(decoder, raw.series, event);
    return NULL;
}
