#include "support/stub/stub_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "objects/value.h"

#define PREDICTABLE_LOG 65536

struct engine {
    int pe, pes, pes_per_node;
    bool predictable;
    struct settings settings;
    struct text log;
    char *place, *message;
    int status;
    uint64_t agreed;
    double last_time, share;
    size_t last_weight;
    const char *absent;
    size_t left_out;
    jmp_buf *escape;
};

/* The archive has the real one as well; this one serves where the output is not built. */
__attribute__((weak)) struct settings settings_default(void)
{
    return (struct settings){.min_repetitions = 8,
                             .max_repetitions = 33,
                             .max_relative_standard_error = 0.1,
                             .rounds = 1,
                             .rounds_spread = ROUNDS_SPREAD_DEFAULT,
                             .max_nr_node_times = 16,
                             .unit = 1e6,
                             .max_window = 10,
                             .watchdog = 120,
                             .buffer_bytes = 1 << 20,
                             .buffer_cycling = true,
                             .send_alignment = 32,
                             .receive_alignment = 32,
                             .max_outstanding = 16,
                             .autorefine_factor = 2,
                             .autorefine_tolerance = 0.05};
}

/* ---- For tests ---- */

struct engine *stub_engine_create(int pe, int pes)
{
    struct engine *engine = memory_zeroed(1, sizeof *engine);

    engine->pe = pe;
    engine->pes = engine->pes_per_node = pes;
    engine->settings = settings_default();
    text_append(&engine->log, "%s", "");
    return engine;
}

void stub_engine_release(struct engine *engine)
{
    text_release(&engine->log);
    free(engine->place);
    free(engine->message);
    free(engine);
}

void stub_engine_pes_per_node(struct engine *engine, int pes)
{
    engine->pes_per_node = pes;
}

void stub_engine_predictable(struct engine *engine)
{
    engine->predictable = true;
}

bool stub_engine_try(struct engine *engine, void (*body)(void *), void *argument)
{
    jmp_buf here;
    bool reached_end = false;

    engine->escape = &here;
    if (setjmp(here) == 0) {
        body(argument);
        reached_end = true;
    }
    engine->escape = NULL;
    return reached_end;
}

int stub_engine_status(const struct engine *engine)
{
    return engine->status;
}

const char *stub_engine_message(const struct engine *engine)
{
    return engine->message ? engine->message : "";
}

const char *stub_engine_log(const struct engine *engine)
{
    return engine->log.data;
}

const char *stub_engine_place(const struct engine *engine)
{
    return engine->place ? engine->place : "";
}

uint64_t stub_engine_agreed(const struct engine *engine)
{
    return engine->agreed;
}

/* ---- The engine ---- */

static struct text *log_of(struct engine *engine)
{
    struct text *log = &engine->log;

    if (engine->predictable && log->length > PREDICTABLE_LOG && log->data[log->length - 1] == '\n')
        log->length = 0;
    return log;
}

void engine_fatal_text(struct engine *engine, int status, const char *text)
{
    free(engine->message);
    engine->message = text_format("%s", text);
    engine->status = status;
    if (engine->escape)
        longjmp(*engine->escape, 1);
    fputs(engine->message, stderr);
    exit(status);
}

/* Nothing ends the job from here: the interpreter could not give its memory back. */
static enum measure_status judge(struct engine *engine, const struct measure_request *request)
{
    const struct measurement *function = request->function;
    struct run run = {.function = function,
                      .arguments = request->arguments,
                      .set = request->set,
                      .size = pe_set_size(request->set)};

    if (pe_set_size(request->set) == 0)
        return MEASURE_SKIPPED;
    if (measurement_unsupported(function))
        return MEASURE_UNSUPPORTED;
    if (strcmp(function->name, "Fake_Failing") == 0)
        return MEASURE_FAILED;
    if (function->demand)
        function->demand(&run);
    engine->last_weight = measurement_weight(function, &run.demand);
    return engine->last_weight > (size_t)engine->settings.buffer_bytes ? MEASURE_TOO_LARGE
                                                                       : MEASURE_DONE;
}

char *engine_refusal(const struct measure_request *request, int *argument)
{
    *argument = 0;
    if (strcmp(request->function->name, "Fake_Arguments") == 0 &&
        request->arguments[0].integer == 13)
        return text_format("13 is refused");
    return NULL;
}

/* A curve with a kink, for what reacts to times. */
static double time_of(int64_t argument)
{
    return argument <= 50 ? 1 : 1 + 0.5 * (double)(argument - 50);
}

static void log_measure(struct engine *engine, const struct measure_request *request,
                        enum measure_status status)
{
    static const char *const remarks[] = {[MEASURE_DONE] = "",
                                          [MEASURE_TOO_LARGE] = " too large",
                                          [MEASURE_FAILED] = " failed",
                                          [MEASURE_UNSUPPORTED] = " unsupported",
                                          [MEASURE_SKIPPED] = " skipped",
                                          [MEASURE_REFUSED] = " refused"};
    struct value set = value_set((struct pe_set *)request->set);
    char *members = value_text(&set);

    free(engine->place);
    engine->place = text_format("%s", request->place);
    text_append(log_of(engine), "measure ");
    for (size_t i = 0; i < request->variable_count; i++)
        text_append(log_of(engine), "%s=%s ", request->variables[i].name,
                    request->variables[i].value);
    text_append(log_of(engine), "%s on %s%s%s\n", request->text, members, remarks[status],
                status == MEASURE_TOO_LARGE && request->open ? ", open" : "");
    free(members);
}

size_t engine_last_weight(const struct engine *engine)
{
    return engine->last_weight;
}

enum measure_status engine_measure(struct engine *engine, const struct measure_request *request)
{
    enum measure_status status = judge(engine, request);

    log_measure(engine, request, status);
    engine->left_out += status == MEASURE_TOO_LARGE && !request->open;
    engine->last_time = NAN;
    engine->absent = "it has none";
    if (status == MEASURE_DONE && request->function->parameters[0].name)
        engine->last_time = time_of(request->arguments[0].integer);
    return status;
}

void engine_leave_out(struct engine *engine, const struct measure_request *request,
                      const char *reason)
{
    log_measure(engine, request, MEASURE_REFUSED);
    engine->last_time = NAN;
    engine->absent = "it was left out";
    text_append(log_of(engine), "since %s\n", reason);
    engine->left_out++;
}

bool engine_lists_missing(const struct engine *engine)
{
    return engine->left_out < MOST_LISTED_MISSING;
}

void engine_leave_out_more(struct engine *engine, int64_t count)
{
    text_append(log_of(engine), "missing %lld more\n", (long long)count);
}

double engine_last_time(const struct engine *engine)
{
    return engine->last_time;
}

double engine_assumed_time(const struct engine *engine)
{
    return engine->last_time;
}

const char *engine_absent(const struct engine *engine)
{
    return engine->absent;
}

void engine_end_early(struct engine *engine, const char *place)
{
    text_append(log_of(engine), "ended at %s, since %s\n", place, engine->absent);
}

void engine_sort_begin(struct engine *engine)
{
    text_append(log_of(engine), "sort\n");
}

void engine_sort_key(struct engine *engine, double key)
{
    text_append(log_of(engine), "key %g\n", key);
}

void engine_sort_end(struct engine *engine)
{
    text_append(log_of(engine), "sorted\n");
}

struct settings *engine_settings(struct engine *engine)
{
    return &engine->settings;
}

const char *engine_set_timer(struct engine *engine, const char *name)
{
    (void)engine;
    return strcmp(name, "tsc") == 0 ? NULL : "no such timer";
}

char *engine_set_counters(struct engine *engine, const char *const *names, size_t n)
{
    text_append(log_of(engine), "count");
    for (size_t i = 0; i < n; i++)
        text_append(log_of(engine), " %s", names[i]);
    text_append(log_of(engine), "\n");
    return n > 0 && strcmp(names[0], "NO_EVENT") == 0 ? text_format("no such event") : NULL;
}

bool engine_counter_usable(struct engine *engine, const char *name)
{
    (void)engine;
    return strcmp(name, "NO_EVENT") != 0;
}

void engine_begin_block(struct engine *engine, const char *name, const char *source)
{
    if (source)
        text_append(log_of(engine), "source %s\n", source);
    text_append(log_of(engine), "begin %s\n", name);
}

void engine_end_block(struct engine *engine)
{
    text_append(log_of(engine), "end\n");
}

void engine_print(struct engine *engine, const char *text)
{
    text_append(log_of(engine), "%s", text);
}

void engine_flush(struct engine *engine)
{
    text_append(log_of(engine), "flush\n");
}

/* A stub is all PEs in one. */
bool engine_agree(struct engine *engine, uint64_t tag)
{
    engine->agreed = hash_bytes(engine->agreed, &tag, sizeof tag);
    return true;
}

void engine_broadcast(struct engine *engine, void *data, size_t bytes)
{
    if (engine->predictable)
        memset(data, 0, bytes);
}

/* All PEs have the same. */
void engine_share(struct engine *engine, int64_t mine, int64_t *values)
{
    for (int i = 0; i < engine->pes; i++)
        values[i] = mine;
}

uint64_t engine_random(struct engine *engine)
{
    static uint64_t number = 0x9e3779b97f4a7c15u;
    number = number * 6364136223846793005u + 1442695040888963407u;
    return engine->predictable ? 0 : number;
}

void engine_progress(struct engine *engine, double share)
{
    engine->share = share;
}

double stub_engine_share(const struct engine *engine)
{
    return engine->share;
}

int engine_farthest_from_root(struct engine *engine)
{
    return engine->pes - 1;
}

struct pe_set *engine_arrange(struct engine *engine, const struct pe_set *set,
                              struct topology *topology, bool reorder)
{
    text_append(&engine->log, "arrange%s\n", reorder ? ", reorder" : "");
    return pe_set_arranged(set, topology_places(topology), topology);
}

int engine_node_count(struct engine *engine)
{
    return (engine->pes + engine->pes_per_node - 1) / engine->pes_per_node;
}

int engine_node_of(struct engine *engine, int pe)
{
    return pe / engine->pes_per_node;
}

void engine_accounting_reset(struct engine *engine)
{
    text_append(log_of(engine), "accounting reset\n");
}

void engine_accounting_print(struct engine *engine)
{
    text_append(log_of(engine), "accounting\n");
}

int engine_pe(const struct engine *engine)
{
    return engine->pe;
}

int engine_pes(const struct engine *engine)
{
    return engine->pes;
}

/* ---- Support ---- */

const char *measurement_unsupported(const struct measurement *function)
{
    return strcmp(function->name, "Fake_Unsupported") == 0 ? "not with the stub" : NULL;
}
