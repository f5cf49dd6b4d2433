/* Reads windows of operations from the files of PEs. */
#include "sim/streams.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define WINDOW_BYTES ((size_t)128 * 1024 * 1024) /* of all windows together */
#define LEAST_WINDOW 64
#define MOST_WINDOW 1024

void streams_open(struct streams *streams, struct run *run, double *speed)
{
    size_t threads = (size_t)run->thread_count;
    size_t window = WINDOW_BYTES / threads / sizeof(struct op);
    *streams = (struct streams){.run = run, .speed = speed};
    streams->of = memory_zeroed(threads, sizeof *streams->of);
    streams->window = window < LEAST_WINDOW  ? LEAST_WINDOW
                      : window > MOST_WINDOW ? MOST_WINDOW
                                             : (uint32_t)window;
    streams->windows = memory_large(threads * streams->window, sizeof *streams->windows);
    streams->cursor = trace_visitor(run->most_routines);
    streams_rewind(streams);
}

void streams_note_times(struct streams *streams)
{
    size_t threads = (size_t)streams->run->thread_count;
    streams->ends = memory_zeroed(threads * streams->window, sizeof *streams->ends);
    streams->recorded = memory_zeroed(threads, sizeof *streams->recorded);
}

/* PEs whose clocks were not synchronized leave shmem_init together. */
bool streams_set_clocks(struct streams *streams)
{
    int pes = streams->recorded ? streams->run->pes : 0;
    double *begins = memory_zeroed((size_t)pes + 1, sizeof *begins), first = INFINITY;
    for (int pe = 0; pe < pes && !streams->error; pe++) {
        struct trace_file *file = trace_open(sim_run_path(streams->run, pe), &streams->error);
        if (!file)
            break;
        struct recorded_times *recorded = &streams->recorded[pe];
        const int64_t second = (int64_t)trace_info(file)->ticks_per_second;
        begins[pe] = trace_info(file)->start.known ? trace_seconds(file, recorded->begin) : 0;
        first = fmin(first, begins[pe]);
        recorded->ps_per_tick =
            PS_PER_SECOND / (double)second *
            (trace_seconds(file, recorded->begin + second) - trace_seconds(file, recorded->begin));
        trace_close(file);
    }
    for (int i = 0; pes && i < streams->run->thread_count; i++) {
        struct recorded_times *recorded = &streams->recorded[i];
        *recorded = streams->recorded[sim_run_pe(streams->run, i)];
        recorded->begin_time = recorded->end =
            llround(PS_PER_SECOND * (begins[sim_run_pe(streams->run, i)] - first));
    }
    free(begins);
    return !streams->error;
}

static void release(struct stream *stream)
{
    trace_forget(&stream->mark);
    free(stream->poll);
}

void streams_rewind(struct streams *streams)
{
    const struct cycles *cycles = &streams->cycles;
    uint32_t cycle = 0;
    for (int i = 0; i < streams->run->thread_count; i++) {
        while (cycle < cycles->count && cycles->found[cycle].thread < (uint32_t)i)
            cycle++;
        release(&streams->of[i]);
        streams->of[i] =
            (struct stream){.ops = streams->windows + (size_t)i * streams->window,
                            .cycle = cycle,
                            .mark.block = streams->run->files[sim_run_pe(streams->run, i)].blocks};
    }
    streams->events = streams->loops = streams->polls = 0;
    streams->taken_off = 0;
}

void streams_close(struct streams *streams)
{
    for (int i = 0; i < streams->run->thread_count; i++)
        release(&streams->of[i]);
    free(streams->of);
    free(streams->windows);
    free(streams->ends);
    free(streams->recorded);
    free(streams->cycles.found);
    free(streams->speed);
    trace_cursor_free(streams->cursor);
    free(streams->error);
    table_free(&streams->pointed);
}

static bool end_of_file(struct streams *streams, int thread)
{
    struct stream *stream = &streams->of[thread];
    int pe = sim_run_pe(streams->run, thread);
    uint64_t events = streams->run->files[pe].events, read = 0;
    bool all = true;
    stream->finished = true;
    translate_end(streams, thread);
    trace_forget(&stream->mark);
    for (int64_t i = pe; i >= 0; i = sim_run_next(streams->run, i)) {
        all = all && streams->of[i].finished;
        read += streams->of[i].read;
    }
    if (!all || read >= events)
        return true;
    streams->damaged = true;
    streams->error = text_format("%s: truncated: %" PRIu64 " events were recorded, %" PRIu64
                                 " are there; record it again",
                                 sim_run_path(streams->run, pe), events, read);
    return false;
}

/* Reads events until the window is full. */
static bool read_events(struct streams *streams, int thread)
{
    struct stream *stream = &streams->of[thread];
    struct raw_event event;
    while (stream->count + TRANSLATE_MOST <= streams->window) {
        int got = trace_next_raw(streams->cursor, &event);
        if (__builtin_expect(got <= 0, 0)) {
            if (got == 0)
                return end_of_file(streams, thread);
            streams->damaged = true;
            streams->error = memory_text(trace_problem(streams->cursor));
            return false;
        }
        streams->events++;
        if (__builtin_expect(!translate(streams, thread, &event), 0))
            return false;
    }
    return true;
}

bool stream_fill(struct streams *streams, int thread)
{
    struct stream *stream = &streams->of[thread];
    struct run *run = streams->run;
    if (streams->simulated && !streams->observe)
        simulated_flush(streams->simulated, thread);
    stream->next = stream->count = 0;
    if (stream->finished || streams->error)
        return false;
    int pe = sim_run_pe(run, thread);
    double speed = streams->speed[pe];
    streams->ps_per_tick = run->files[pe].ps_per_tick / speed;
    streams->cost = streams->ends ? 0 : (int64_t)(run->files[pe].cost_ps / speed + 0.5);
    const struct program *program = sim_run_program(run, pe);
    struct trace_visit visit = {sim_run_path(run, pe), program->routines, program->count,
                                sim_run_index(run, thread), sim_run_threads(run, pe)};
    streams->error = trace_visit(streams->cursor, &visit, &stream->mark);
    if (streams->error)
        return false;
    bool good = read_events(streams, thread);
    trace_leave(streams->cursor, &stream->mark);
    return good && stream->count > 0;
}
