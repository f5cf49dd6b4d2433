/* Writes events as CSV, JSON or text; the commands dump and merge: every event, PE by PE or in the
 * order of time. */
#define _GNU_SOURCE
#include "trace/read/event_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "trace/read/reader.h"

/* Names of the values of TRACE_COMPARISON. */
static const char *const comparisons[] = {
    [TRACE_EQUAL] = "eq",      [TRACE_NOT_EQUAL] = "ne", [TRACE_GREATER] = "gt",
    [TRACE_LESS_EQUAL] = "le", [TRACE_LESS] = "lt",      [TRACE_GREATER_EQUAL] = "ge",
};

enum parameter_kind { PLAIN, PLACE, TYPED, COMPARISON, ELEMENT_BYTES };

/* All parameters, in the order of the columns. */
static const struct parameter {
    const char *name;
    enum parameter_kind kind;
    enum trace_field field;
} parameters[] = {
    {"peer", PLAIN, TRACE_PEER},
    {"elements", PLAIN, TRACE_ELEMENTS},
    {"element_bytes", ELEMENT_BYTES, 0},
    {"bytes", PLAIN, TRACE_BYTES},
    {"target", PLACE, TRACE_TARGET},
    {"source", PLACE, TRACE_SOURCE},
    {"target_stride", PLAIN, TRACE_TARGET_STRIDE},
    {"source_stride", PLAIN, TRACE_SOURCE_STRIDE},
    {"context", PLAIN, TRACE_CONTEXT_ID},
    {"set_start", PLAIN, TRACE_SET_START},
    {"set_stride", PLAIN, TRACE_SET_STRIDE},
    {"set_size", PLAIN, TRACE_SET_SIZE},
    {"root", PLAIN, TRACE_ROOT},
    {"comparison", COMPARISON, TRACE_COMPARISON},
    {"condition", TYPED, TRACE_CONDITION},
    {"value", TYPED, TRACE_VALUE},
    {"result", TYPED, TRACE_RESULT},
    {"options", PLAIN, TRACE_OPTIONS},
    {"signal", PLACE, TRACE_SIGNAL},
};
#define PARAMETERS (sizeof parameters / sizeof *parameters)

/* printf() takes most of the time of a dump, so whole numbers and times are written without it. */
static void put_unsigned(FILE *out, uint64_t value, int least_digits)
{
    char digits[24], *c = digits + sizeof digits;
    size_t length = 0;
    for (; value || least_digits > 0; value /= 10, least_digits--, length++)
        *--c = (char)('0' + value % 10);
    fwrite_unlocked(c, 1, length, out);
}

static void put_seconds(FILE *out, double seconds)
{
    double ns = rint(seconds * 1e9);
    if (!(fabs(ns) < 9e18)) {
        fprintf(out, "%.9f", seconds);
        return;
    }
    if (ns < 0)
        putc_unlocked('-', out);
    uint64_t whole = (uint64_t)fabs(ns);
    put_unsigned(out, whole / 1000000000, 1);
    putc_unlocked('.', out);
    put_unsigned(out, whole % 1000000000, 9);
}

/* Whether the event has the parameter, and what it is. */
static inline bool find_argument(const struct trace_file *file, const struct trace_routine *routine,
                                 const struct trace_event *event, const struct parameter *p,
                                 struct event_argument *argument)
{
    int64_t value = p->kind == ELEMENT_BYTES ? routine->element_bytes : event->values[p->field];
    if (p->kind == ELEMENT_BYTES ? value == 0 : !(event->fields >> p->field & 1))
        return false;
    *argument = (struct event_argument){.name = p->name, .integer = value};
    if (p->kind == PLACE) {
        const struct trace_info *info = trace_info(file);
        unsigned object = TRACE_OBJECT(value);
        argument->object = object < info->objects ? info->object_names[object] : "unknown";
        argument->integer = (int64_t)TRACE_DISTANCE(value);
    } else if (p->kind == COMPARISON) {
        bool known = value >= 0 && (size_t)value < sizeof comparisons / sizeof *comparisons;
        argument->text = known ? comparisons[value] : "unknown";
    } else if (p->kind == TYPED) {
        /* The bytes of several elements are shown as one unsigned number. */
        bool several = trace_puts_value(routine) && event->values[TRACE_ELEMENTS] != 1;
        argument->type = several ? TRACE_UNSIGNED : routine->type;
        if (argument->type == TRACE_FLOAT) {
            float single;
            memcpy(&single, &(uint32_t){(uint32_t)value}, sizeof single);
            argument->real = single;
        } else {
            memcpy(&argument->real, &value, sizeof value);
        }
    }
    return true;
}

static bool is_real(const struct event_argument *argument)
{
    return argument->type == TRACE_FLOAT || argument->type == TRACE_DOUBLE;
}

/* What is no place; of a place, the distance. quote: what is around texts. */
static void put_value(FILE *out, const struct event_argument *argument, const char *quote)
{
    if (argument->text)
        fprintf(out, "%s%s%s", quote, argument->text, quote);
    else if (is_real(argument) && *quote && !isfinite(argument->real))
        fprintf(out, "\"%g\"", argument->real);
    else if (is_real(argument))
        fprintf(out, "%.17g", argument->real);
    else if (argument->type == TRACE_UNSIGNED || argument->object)
        put_unsigned(out, (uint64_t)argument->integer, 1);
    else {
        if (argument->integer < 0)
            putc_unlocked('-', out);
        put_unsigned(
            out, argument->integer < 0 ? -(uint64_t)argument->integer : (uint64_t)argument->integer,
            1);
    }
}

/* Names of objects come from files, which may hold anything. */
static void put_csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs_unlocked(text, out);
        return;
    }
    putc_unlocked('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc_unlocked('"', out);
        putc_unlocked(*text, out);
    }
    putc_unlocked('"', out);
}

static void put_flags(FILE *out, uint32_t flags)
{
    static const char *const names[] = {"barrier", "failed", "pointer"};
    const char *plus = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags >> i & 1) {
            fprintf(out, "%s%s", plus, names[i]);
            plus = "+";
        }
}

enum { START, DURATION, BURST, TIMES };

/* Times of an event in seconds. */
static void take_times(double times[TIMES], const struct trace_file *file,
                       const struct trace_event *event)
{
    double per_tick = 1 / trace_info(file)->ticks_per_second;
    times[START] = trace_seconds(file, event->start);
    times[DURATION] = (double)event->duration * per_tick;
    times[BURST] = (double)event->burst * per_tick;
}

static void event_csv(FILE *out, const struct trace_file *file, const struct trace_event *event,
                      const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    const uint64_t numbers[] = {(uint64_t)trace_info(file)->pe, event->thread, event->index};
    double times[TIMES];
    take_times(times, file, event);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put_unsigned(out, numbers[i], 1);
        putc_unlocked(',', out);
    }
    put_csv_text(out, routine->name);
    putc_unlocked(',', out);
    fputs_unlocked(trace_class_names[routine->class], out);
    for (size_t i = 0; i < TIMES; i++) {
        putc_unlocked(',', out);
        put_seconds(out, times[i]);
    }
    putc_unlocked(',', out);
    put_flags(out, event->flags);
    putc_unlocked(',', out);
    put_unsigned(out, event->phase, 1);
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        struct event_argument argument;
        bool there = find_argument(file, routine, event, p, &argument);
        putc_unlocked(',', out);
        if (there && argument.object)
            put_csv_text(out, argument.object);
        if (p->kind == PLACE)
            putc_unlocked(',', out);
        if (there)
            put_value(out, &argument, "");
    }
    putc_unlocked(',', out);
    if (site)
        put_csv_text(out, site);
    putc_unlocked('\n', out);
}

/* Whether a double holds it, or it is no integer. */
static bool is_safe(const struct event_argument *argument)
{
    int64_t value = argument->integer;
    bool negative = argument->type == TRACE_SIGNED && value < 0;
    return argument->text || is_real(argument) ||
           (negative ? -(uint64_t)value : (uint64_t)value) <= UINT64_C(1) << 53;
}

void event_json_parameters(FILE *out, const struct trace_file *file,
                           const struct trace_event *event, const char *site, bool safe)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    const char *separator = "";
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        struct event_argument argument;
        if (!find_argument(file, routine, event, p, &argument))
            continue;
        fprintf(out, "%s\"%s\":", separator, p->name);
        separator = ",";
        if (argument.object) {
            json_string(out, argument.object);
            fprintf(out, ",\"%s_offset\":", p->name);
        }
        const char *quote = safe && !is_safe(&argument) ? "\"" : "";
        fputs_unlocked(quote, out);
        put_value(out, &argument, "\"");
        fputs_unlocked(quote, out);
    }
    if (site) {
        fprintf(out, "%s\"site\":", separator);
        json_string(out, site);
    }
}

static bool is_private(const struct parameter *p, const struct trace_event *event)
{
    return p->kind == PLACE && TRACE_OBJECT(event->values[p->field]) == TRACE_PRIVATE;
}

void event_arguments(const struct trace_file *file, const struct trace_event *event,
                     void (*take)(void *context, const struct event_argument *), void *context)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    bool elements_follow = routine->element_bytes > 0 && event->fields >> TRACE_BYTES & 1;
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        struct event_argument argument;
        bool follows = p->kind == PLAIN && p->field == TRACE_ELEMENTS && elements_follow;
        if (p->kind != ELEMENT_BYTES && !follows && !is_private(p, event) &&
            find_argument(file, routine, event, p, &argument))
            take(context, &argument);
    }
}

static void event_json(FILE *out, const struct trace_file *file, const struct trace_event *event,
                       const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    double times[TIMES];
    take_times(times, file, event);
    fprintf(out, "{\"pe\":%d,\"thread\":%" PRIu32 ",\"index\":%" PRIu64 ",\"routine\":",
            trace_info(file)->pe, event->thread, event->index);
    json_string(out, routine->name);
    fprintf(out, ",\"class\":\"%s\",\"start\":%.9f,\"duration\":%.9f,\"burst\":%.9f,\"flags\":\"",
            trace_class_names[routine->class], times[START], times[DURATION], times[BURST]);
    put_flags(out, event->flags);
    fprintf(out, "\",\"phase\":%" PRIu32, event->phase);
    if (event->fields || routine->element_bytes || site) {
        putc_unlocked(',', out);
        event_json_parameters(out, file, event, site, false);
    }
    fputs_unlocked("}\n", out);
}

static void event_text_header(FILE *out, const struct trace_info *info)
{
    fprintf(out, "# PE %d of %d on %s: %s\n", info->pe, info->pes, info->host, info->command);
    fprintf(out, "# %s, %s; %d thread%s, %" PRIu64 " events%s%s\n", info->library, info->date,
            info->threads, info->threads == 1 ? "" : "s", info->events,
            *info->end ? ", ended by " : "", info->end);
    if (!info->complete)
        fputs("# not ended in order\n", out);
    if (info->dropped)
        fprintf(out, "# %" PRIu64 " events more were not kept", info->dropped);
    if (info->lost)
        fprintf(out, ", %" PRIu64 " of them lost for want of room", info->lost);
    if (info->dropped)
        fputc('\n', out);
    if (isfinite(info->clock_bound))
        fprintf(out, "# clocks: %s, within %.0f ns\n", info->clock, 1e9 * info->clock_bound);
    else
        fprintf(out, "# clocks: %s%s\n", info->clock,
                info->start_alone ? "; not synchronized at the end" : "");
    if (info->cost_between > 0 || info->cost_inside > 0)
        fprintf(out, "# of the tracer: %.1f ns in each burst, %.1f ns in each duration\n",
                1e9 * info->cost_between, 1e9 * info->cost_inside);
}

static void event_text(FILE *out, const struct trace_file *file, const struct trace_event *event,
                       const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    double times[TIMES];
    take_times(times, file, event);
    fprintf(out, "%14.9f %13.9f %13.9f  %6" PRIu32 " %5" PRIu32 " %s(", times[START],
            times[DURATION], times[BURST], event->thread, event->phase, routine->name);
    const char *separator = "";
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        struct event_argument argument;
        if (p->kind == ELEMENT_BYTES || !find_argument(file, routine, event, p, &argument))
            continue;
        fputs_unlocked(separator, out);
        separator = ", ";
        fputs_unlocked(p->name, out);
        putc_unlocked('=', out);
        if (argument.object)
            fputs_unlocked(argument.object, out);
        if (argument.object && !is_private(p, event))
            putc_unlocked('+', out);
        if (!is_private(p, event))
            put_value(out, &argument, "");
    }
    putc_unlocked(')', out);
    if (event->flags) {
        fputs_unlocked(" [", out);
        put_flags(out, event->flags);
        putc_unlocked(']', out);
    }
    if (site) {
        fputs_unlocked(" at ", out);
        fputs_unlocked(site, out);
    }
    putc_unlocked('\n', out);
}

/* ---- The commands ---- */

typedef void event_writer(FILE *, const struct trace_file *, const struct trace_event *,
                          const char *site);

/* What the options ask for, or else `usual`; with the header of CSV. */
static event_writer *begin(struct reader *reader, event_writer *usual)
{
    bool csv = reader_given(reader, "csv"), json = reader_given(reader, "json");
    if (csv && json)
        reader_fail(reader, 2, "--csv and --json are mutually exclusive");
    event_writer *write = csv ? event_csv : json ? event_json : usual;
    reader_open_output(reader);
    if (write == event_csv) {
        fputs("pe,thread,index,routine,class,start,duration,burst,flags,phase", reader->out);
        for (size_t i = 0; i < PARAMETERS; i++) {
            fprintf(reader->out, ",%s", parameters[i].name);
            if (parameters[i].kind == PLACE)
                fprintf(reader->out, ",%s_offset", parameters[i].name);
        }
        fputs(",site\n", reader->out);
    }
    return write;
}

static void put(event_writer *write, struct source *source, const struct trace_event *event)
{
    struct reader *reader = source->reader;
    write(reader->out, source->file, event, trace_source_site_text(source, event));
    reader_check_written(reader, reader->out, reader->out_name);
}

/* ---- dump ---- */

static int dump(struct reader *reader)
{
    event_writer *write = begin(reader, event_text);
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        if (write == event_text) {
            event_text_header(reader->out, source->info);
            trace_source_print_teams(source, reader->out);
            fprintf(reader->out, "# %12s %13s %13s  thread phase call\n", "start s", "duration s",
                    "burst s");
        }
        for (struct trace_event event; trace_source_event(source, -1, &event);)
            put(write, source, &event);
    }
    return reader_status(reader);
}

static const struct manual_option dump_options[] = {
    {.name = "csv", .help = "comma-separated values, with a header line"},
    {.name = "json", .help = "JSON Lines: one object per event"},
    {0},
};

const struct reader_command dump_command = {
    .name = "dump",
    .summary = "Prints every event, PE by PE, with all parameters and times.",
    .options = dump_options,
    .filters = true,
    .output = true,
    .notes = "Times are in seconds. Starts count from a beginning common to all PEs. Burst is "
             "the\ntime since the end of the thread's previous call.\n\n",
    .run = dump,
};

/* ---- merge ---- */

static int merge(struct reader *reader)
{
    event_writer *write = begin(reader, event_csv);
    struct merge *merge = merge_open(reader, false);
    for (struct merge_event next; merge_next(merge, &next);)
        put(write, next.source, next.event);
    merge_close(merge);
    return reader_status(reader);
}

static const struct manual_option merge_options[] = {
    {.name = "csv", .help = "comma-separated values, as dump writes them (default)"},
    {.name = "json", .help = "JSON Lines, as dump writes them"},
    {0},
};

const struct reader_command merge_command = {
    .name = "merge",
    .summary = "Prints the events of all PEs and threads as one stream, ordered by start time.",
    .options = merge_options,
    .filters = true,
    .output = true,
    .notes = "",
    .run = merge,
};
