/* The parts of a trace file: their checksums, what can be wrong with a block, and how they are
 * written. */
#include "trace/format.h"

#include <stddef.h>

#include "base/hash.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

uint32_t format_head_checksum(const struct format_head *head, const void *description)
{
    size_t covered = sizeof head->version + sizeof head->description_bytes;
    return hash_crc32c(hash_crc32c(0, &head->version, covered), description,
                       head->description_bytes);
}

uint32_t format_ending_checksum(const unsigned char bytes[FORMAT_ENDING_BYTES])
{
    size_t before = sizeof(uint32_t);
    return hash_crc32c(0, bytes + before, FORMAT_ENDING_BYTES - before);
}

static uint32_t block_checksum(const struct block_head *head, const void *payload)
{
    size_t before = offsetof(struct block_head, bytes);
    uint32_t sum = hash_crc32c(0, (const char *)head + before, sizeof *head - before);
    return hash_crc32c(sum, payload, head->bytes);
}

const char *format_block_problem(const struct block_head *head, int64_t rest, const void *payload)
{
    int64_t bytes = (int64_t)sizeof *head;
    if (rest < bytes)
        return "the file ends within the head of a block";
    if (head->magic != BLOCK_MAGIC || head->bytes > BLOCK_MOST_BYTES ||
        head->records > head->bytes || head->thread >= THREADS_MOST)
        return "no block begins there";
    if (rest < bytes + head->bytes)
        return "the file ends within a block";
    return !payload || block_checksum(head, payload) == head->checksum
               ? NULL
               : "the checksum of a block is wrong";
}

/* ---- Writing ---- */

static void give_fix(struct output *output, const struct clock_fix *fix)
{
    give_number(output, fix->known);
    give_signed(output, fix->local);
    give_signed(output, fix->global);
}

static void give_texts(struct output *output, const char *const *texts, size_t count)
{
    give_number(output, count);
    for (size_t i = 0; i < count; i++)
        give_text(output, texts[i]);
}

void compose_description(struct output *output, const struct trace_info *run)
{
    give_number(output, (uint64_t)run->pe);
    give_number(output, (uint64_t)run->pes);
    give_text(output, run->host);
    give_text(output, run->command);
    give_text(output, run->library);
    give_text(output, SKAMPI_VERSION);
    give_text(output, run->date);
    give_number(output, run->profile);
    give_text(output, run->clock);
    give_real(output, run->ticks_per_second);
    give_signed(output, run->beginning);
    give_fix(output, &run->start);
    give_real(output, run->start.rate);
    give_real(output, run->start.bound);
    give_texts(output, run->counter_names, run->counters);
    give_texts(output, run->object_names, run->objects);
    give_number(output, run->routines);
    for (size_t i = 0; i < run->routines; i++) {
        const struct trace_routine *routine = &run->routine[i];
        give_text(output, routine->name);
        give_number(output, (uint64_t)routine->class);
        give_number(output, (uint64_t)routine->type);
        give_number(output, routine->element_bytes);
        give_number(output, routine->fields);
    }
    give_text(output, run->selection);
    give_real(output, 1e9 * run->cost_between);
    give_real(output, 1e9 * run->cost_inside);
}

struct format_head compose_head(const unsigned char *description, uint32_t bytes)
{
    struct format_head head = {
        .magic = FORMAT_MAGIC, .version = FORMAT_VERSION, .description_bytes = bytes};
    head.checksum = format_head_checksum(&head, description);
    return head;
}

void compose_ending(unsigned char bytes[FORMAT_ENDING_BYTES], const struct trace_info *run)
{
    memset(bytes, 0, FORMAT_ENDING_BYTES);
    struct output output = {bytes + sizeof(uint32_t), bytes + FORMAT_ENDING_BYTES, false};
    give_text(&output, run->end);
    give_number(&output, run->events);
    give_number(&output, run->dropped);
    give_number(&output, (uint64_t)run->threads);
    give_fix(&output, &run->finish);
    give_real(&output, run->finish.bound);
    give_number(&output, run->lost);
    give_signed(&output, run->realtime);
    uint32_t sum = format_ending_checksum(bytes);
    memcpy(bytes, &sum, sizeof sum);
}

void compose_team(struct output *output, int64_t team, int64_t size, const struct pe_range *range)
{
    give_signed(output, team);
    give_number(output, (uint64_t)size);
    give_number(output, (uint64_t)range->index);
    give_number(output, (uint64_t)range->first);
    give_signed(output, range->stride);
    give_number(output, (uint64_t)range->count);
}

struct block_head compose_events_head(uint32_t thread, const struct encoder *encoder, uint64_t done)
{
    return (struct block_head){
        .kind = BLOCK_EVENTS,
        .bytes = (uint32_t)done & ((UINT32_C(1) << ENCODER_BYTES_BITS) - 1),
        .thread = thread,
        .records = (uint32_t)((done >> ENCODER_BYTES_BITS) - encoder->first),
        .first = encoder->first,
        .base = encoder->base,
        .phase = encoder->base_phase,
    };
}

void compose_block_head(struct block_head *head, const void *payload)
{
    head->magic = BLOCK_MAGIC;
    head->checksum = block_checksum(head, payload);
}
