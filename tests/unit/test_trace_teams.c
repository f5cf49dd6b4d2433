/* LINK: src/trace/encode.c src/trace/format.c src/base/hash.c */
/* Members of teams are ranges, in memory and in blocks; whom contexts mean by a PE; numbers of
 * handles, also of more than there is room for. */
#include <stdlib.h>

#include "unit/unit.h"

#if SKAMPI_SHMEM
#include <pthread.h>

#include "trace/runtime/teams.c"

#define PES 100000

struct tracer tracer;
int trace_pes = PES;
__thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* ---- A library with one team ---- */

static int *team_pes, team_count;

static int size_of(const void *team)
{
    (void)team;
    return team_count;
}

static int pe_of(const void *team, int index)
{
    (void)team;
    return team_pes[index];
}

static const struct trace_team_calls calls = {size_of, pe_of};

/* ---- A file that is read at once ---- */

static unsigned blocks, records;
static int64_t next_index;

static void read_record(struct input *input)
{
    assert_int_equal(take_signed(input), -2);
    assert_int_equal(take_number(input), team_count);
    struct pe_range range = {.index = (int64_t)take_number(input)};
    range.first = (int64_t)take_number(input);
    range.stride = take_signed(input);
    range.count = (int64_t)take_number(input);
    assert_false(input->bad);
    assert_int_equal(range.index, next_index);
    next_index += range.count;
    for (int64_t i = range.index; i < next_index; i++)
        assert_int_equal(pe_ranges_member(&range, 1, i), team_pes[i]);
    records++;
}

void tracer_say(const char *format, ...)
{
    (void)format;
}

static void end_block(struct file_records *block)
{
    struct input input = {block->bytes, block->output.next, false};
    for (uint32_t i = 0; i < block->head.records; i++)
        read_record(&input);
    assert_ptr_equal(input.next, input.end);
    blocks += block->head.records > 0;
    block->head.records = 0;
    block->output.next = block->bytes;
}

struct output *file_next_record(struct file_records *block, size_t most, uint64_t lost)
{
    assert_int_equal(lost, 0);
    if ((size_t)(block->output.end - block->output.next) < most)
        end_block(block);
    block->head.records++;
    return &block->output;
}

void file_append(enum block_kind kind, uint32_t thread,
                 void (*give)(struct file_records *, const void *context), const void *context)
{
    struct file_records block = {.output = {block.bytes, block.bytes + sizeof block.bytes, false}};
    assert_int_equal(kind, BLOCK_TEAMS);
    assert_int_equal(thread, 3);
    give(&block, context);
    end_block(&block);
}

static void write_team(int *pes, int count)
{
    struct tracer_thread thread = {.number = 3};
    trace_this_thread = &thread.common;
    team_pes = pes;
    team_count = count;
    blocks = records = 0;
    next_index = 0;
    trace_team_add(-2, NULL, &calls);
    trace_this_thread = NULL;
}

TEST(test_few)
{
    int one[] = {7}, up[] = {3, 5, 7, 9}, down[] = {9, 6, 3, 0}, mixed[] = {0, 1, 3, 7, 6, 5};
    const struct {
        int *pes, count;
        unsigned ranges;
    } teams[] = {{one, 1, 1}, {up, 4, 1}, {down, 4, 1}, {mixed, 6, 3}};
    for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
        write_team(teams[i].pes, teams[i].count);
        assert_int_equal(blocks, 1);
        assert_int_equal(records, teams[i].ranges);
        assert_int_equal(next_index, teams[i].count);
    }
}

TEST(test_many)
{
    int *pes = malloc(PES * sizeof *pes);
    assert_non_null(pes);
    for (int i = 0; i < PES; i++)
        pes[i] = (int)(INT64_C(70001) * i % PES) ^ (i & 1);
    write_team(pes, PES);
    assert_int_equal(next_index, PES);
    assert_true(blocks > 1);
    for (int i = 0; i < PES; i++)
        pes[i] = i;
    write_team(pes, PES);
    assert_int_equal(records, 1);
    free(pes);
}

TEST(test_none)
{
    int wrong[] = {0, -1}, beyond[] = {0, PES};
    write_team(wrong, 2);
    assert_int_equal(blocks, 0);
    write_team(beyond, 2);
    assert_int_equal(blocks, 0);
    write_team(wrong, 0);
    assert_int_equal(blocks, 0);
    tracer.off = OFF_ENDED;
    write_team(wrong, 1);
    assert_int_equal(blocks, 0);
    tracer.off = 0;
}

TEST(test_contexts)
{
    int pes[] = {4, 2, 9}, a, b, team;
    team_pes = pes;
    team_count = 3;
    assert_false(trace_team_contexts);
    trace_handle_add(TRACE_CONTEXT_HANDLE, &a);
    trace_handle_add(TRACE_CONTEXT_HANDLE, &b);
    trace_context_add(&b, NULL, NULL);
    assert_false(trace_team_contexts);
    trace_context_add(&a, &team, &calls);
    assert_true(trace_team_contexts);
    assert_int_equal(trace_context_peer(&a, 0), 4);
    assert_int_equal(trace_context_peer(&a, 2), 9);
    assert_int_equal(trace_context_peer(&a, 3), -1);
    assert_int_equal(trace_context_peer(&a, -1), -1);
    assert_int_equal(trace_context_peer(&b, 2), 2);
    /* The handle is used again: for the same team, for all PEs, for one that cannot be asked. */
    trace_context_add(&a, &team, &calls);
    assert_int_equal(trace_context_peer(&a, 1), 2);
    trace_context_add(&a, NULL, NULL);
    assert_int_equal(trace_context_peer(&a, 1), 1);
    pes[1] = -1;
    trace_context_add(&a, &team, &calls);
    assert_int_equal(trace_context_peer(&a, 0), -1);
}

/* ---- Handles ---- */

#define ROUNDS 20000

static char handles[HANDLES + 1];

/* There is no room for it, each time. */
static void *add_one_more(void *end)
{
    while (!atomic_load((atomic_bool *)end))
        trace_handle_add(TRACE_TEAM_HANDLE, &handles[HANDLES]);
    return NULL;
}

TEST(test_handles)
{
    for (int i = 0; i < HANDLES; i++)
        trace_handle_add(TRACE_TEAM_HANDLE, &handles[i]);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[0]), 1);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[HANDLES - 1]), HANDLES);
    assert_int_equal(trace_handle_number(TRACE_CONTEXT_HANDLE, &handles[0]), -1);
    /* Used again, with or without room for others. */
    trace_handle_add(TRACE_TEAM_HANDLE, &handles[7]);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[7]), HANDLES + 1);

    /* Behind the handles of the table lies the first number, which is 1. */
    atomic_bool end = false;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, add_one_more, &end), 0);
    size_t found = 0;
    for (int i = 0; i < ROUNDS; i++)
        found += trace_handle_number(TRACE_TEAM_HANDLE, (const void *)1) != -1;
    atomic_store(&end, true);
    pthread_join(other, NULL);
    assert_int_equal(found, 0);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[HANDLES]), -1);
    assert_int_equal(trace_handle_number(TRACE_TEAM_HANDLE, &handles[0]), 1);
}

#endif
