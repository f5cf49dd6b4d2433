/* Writes an event as CSV, JSON or text. */
#define _GNU_SOURCE
#include "trace/read/event_out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"

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

/* The object in which a place lies. */
static const char *object_name(const struct trace_file *file, int64_t place)
{
    const struct trace_info *info = trace_info(file);
    unsigned object = TRACE_OBJECT(place);
    return object < info->objects ? info->object_names[object] : "unknown";
}

/* printf() takes most of the time of a dump, so whole numbers and times are written without it. */
static void put_unsigned(FILE *out, uint64_t value, int least_digits)
{
    char digits[24], *c = digits + sizeof digits;
    size_t length = 0;
    for (; value || least_digits > 0; value /= 10, least_digits--, length++)
        *--c = (char)('0' + value % 10);
    fwrite_unlocked(c, 1, length, out);
}

static void put_integer(FILE *out, int64_t value)
{
    if (value < 0)
        putc_unlocked('-', out);
    put_unsigned(out, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
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

static double real_value(enum trace_type type, int64_t bits)
{
    double real;
    if (type == TRACE_FLOAT) {
        float single;
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        return single;
    }
    memcpy(&real, &bits, sizeof real);
    return real;
}

static void put_typed(FILE *out, enum trace_type type, int64_t value, bool json)
{
    if (type == TRACE_FLOAT || type == TRACE_DOUBLE) {
        double real = real_value(type, value);
        if (json && !isfinite(real))
            fprintf(out, "\"%g\"", real);
        else
            fprintf(out, "%.17g", real);
    } else if (type == TRACE_UNSIGNED) {
        put_unsigned(out, (uint64_t)value, 1);
    } else {
        put_integer(out, value);
    }
}

static bool has_parameter(const struct parameter *p, const struct trace_routine *routine,
                          const struct trace_event *event)
{
    return p->kind == ELEMENT_BYTES ? routine->element_bytes > 0 : event->fields >> p->field & 1;
}

static const char *comparison_name(int64_t value)
{
    return value >= 0 && (size_t)value < sizeof comparisons / sizeof *comparisons
               ? comparisons[value]
               : "unknown";
}

/* The bytes of several elements are shown as one unsigned number. */
static enum trace_type type_of(const struct trace_routine *routine, const struct trace_event *event)
{
    bool several = trace_puts_value(routine) && event->values[TRACE_ELEMENTS] != 1;
    return several ? TRACE_UNSIGNED : routine->type;
}

/* A parameter that is not a place. */
static void put_value(FILE *out, const struct trace_routine *routine,
                      const struct trace_event *event, const struct parameter *p, bool json)
{
    int64_t value = event->values[p->field];
    switch (p->kind) {
    case ELEMENT_BYTES:
        put_unsigned(out, routine->element_bytes, 1);
        break;
    case COMPARISON:
        fprintf(out, json ? "\"%s\"" : "%s", comparison_name(value));
        break;
    case TYPED:
        put_typed(out, type_of(routine, event), value, json);
        break;
    default:
        put_integer(out, value);
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

/* Times of an event in seconds. */
struct times {
    double start, duration, burst;
};

static struct times times_of(const struct trace_file *file, const struct trace_event *event)
{
    double per_tick = 1 / trace_info(file)->ticks_per_second;
    return (struct times){trace_seconds(file, event->start), (double)event->duration * per_tick,
                          (double)event->burst * per_tick};
}

void event_csv_header(FILE *out)
{
    fputs("pe,thread,index,routine,class,start,duration,burst,flags,phase", out);
    for (size_t i = 0; i < PARAMETERS; i++) {
        fprintf(out, ",%s", parameters[i].name);
        if (parameters[i].kind == PLACE)
            fprintf(out, ",%s_offset", parameters[i].name);
    }
    fputs(",site\n", out);
}

void event_csv(FILE *out, const struct trace_file *file, const struct trace_event *event,
               const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    struct times times = times_of(file, event);
    put_integer(out, trace_info(file)->pe);
    putc_unlocked(',', out);
    put_unsigned(out, event->thread, 1);
    putc_unlocked(',', out);
    put_unsigned(out, event->index, 1);
    putc_unlocked(',', out);
    put_csv_text(out, routine->name);
    putc_unlocked(',', out);
    fputs_unlocked(trace_class_names[routine->class], out);
    putc_unlocked(',', out);
    put_seconds(out, times.start);
    putc_unlocked(',', out);
    put_seconds(out, times.duration);
    putc_unlocked(',', out);
    put_seconds(out, times.burst);
    putc_unlocked(',', out);
    put_flags(out, event->flags);
    putc_unlocked(',', out);
    put_unsigned(out, event->phase, 1);
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        putc_unlocked(',', out);
        bool there = has_parameter(p, routine, event);
        if (p->kind == PLACE) {
            if (there)
                put_csv_text(out, object_name(file, event->values[p->field]));
            putc_unlocked(',', out);
            if (there)
                put_unsigned(out, TRACE_DISTANCE(event->values[p->field]), 1);
        } else if (there) {
            put_value(out, routine, event, p, false);
        }
    }
    putc_unlocked(',', out);
    if (site)
        put_csv_text(out, site);
    putc_unlocked('\n', out);
}

/* Whether a double holds the number. */
static bool is_safe(enum trace_type type, int64_t value)
{
    if (type == TRACE_FLOAT || type == TRACE_DOUBLE)
        return true;
    bool negative = type == TRACE_SIGNED && value < 0;
    return (negative ? -(uint64_t)value : (uint64_t)value) <= UINT64_C(1) << 53;
}

void event_json_parameters(FILE *out, const struct trace_file *file,
                           const struct trace_event *event, const char *site, bool safe)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    const char *separator = "";
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        if (!has_parameter(p, routine, event))
            continue;
        int64_t value = event->values[p->field];
        enum trace_type type = p->kind == TYPED ? type_of(routine, event) : TRACE_SIGNED;
        bool number = p->kind == PLAIN || p->kind == TYPED;
        const char *quote = safe && number && !is_safe(type, value) ? "\"" : "";
        fprintf(out, "%s\"%s\":%s", separator, p->name, quote);
        separator = ",";
        if (p->kind == PLACE) {
            json_string(out, object_name(file, value));
            fprintf(out, ",\"%s_offset\":%" PRIu64, p->name, TRACE_DISTANCE(value));
        } else {
            put_value(out, routine, event, p, true);
        }
        fputs_unlocked(quote, out);
    }
    if (site) {
        fprintf(out, "%s\"site\":", separator);
        json_string(out, site);
    }
}

void event_arguments(const struct trace_file *file, const struct trace_event *event,
                     void (*take)(void *context, const struct event_argument *), void *context)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        if (p->kind == ELEMENT_BYTES || !has_parameter(p, routine, event))
            continue;
        int64_t value = event->values[p->field];
        struct event_argument argument = {.name = p->name, .integer = value};
        bool follows = p->kind == PLAIN && p->field == TRACE_ELEMENTS &&
                       routine->element_bytes > 0 && event->fields >> TRACE_BYTES & 1;
        if (follows || (p->kind == PLACE && TRACE_OBJECT(value) == TRACE_PRIVATE))
            continue;
        if (p->kind == PLACE) {
            argument.object = object_name(file, value);
            argument.integer = (int64_t)TRACE_DISTANCE(value);
        } else if (p->kind == COMPARISON) {
            argument.text = comparison_name(value);
        } else if (p->kind == TYPED) {
            argument.type = type_of(routine, event);
            if (argument.type == TRACE_FLOAT || argument.type == TRACE_DOUBLE)
                argument.real = real_value(argument.type, value);
        }
        take(context, &argument);
    }
}

void event_json(FILE *out, const struct trace_file *file, const struct trace_event *event,
                const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    struct times times = times_of(file, event);
    fprintf(out, "{\"pe\":%d,\"thread\":%" PRIu32 ",\"index\":%" PRIu64 ",\"routine\":",
            trace_info(file)->pe, event->thread, event->index);
    json_string(out, routine->name);
    fprintf(out, ",\"class\":\"%s\",\"start\":%.9f,\"duration\":%.9f,\"burst\":%.9f,\"flags\":\"",
            trace_class_names[routine->class], times.start, times.duration, times.burst);
    put_flags(out, event->flags);
    fprintf(out, "\",\"phase\":%" PRIu32, event->phase);
    if (event->fields || routine->element_bytes || site) {
        putc_unlocked(',', out);
        event_json_parameters(out, file, event, site, false);
    }
    fputs_unlocked("}\n", out);
}

void event_text_header(FILE *out, const struct trace_info *info)
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

void event_text_columns(FILE *out)
{
    fprintf(out, "# %12s %13s %13s  thread phase call\n", "start s", "duration s", "burst s");
}

static void put_text_parameter(FILE *out, const struct trace_file *file,
                               const struct trace_event *event, const struct parameter *p)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    int64_t value = event->values[p->field];
    fputs_unlocked(p->name, out);
    putc_unlocked('=', out);
    if (p->kind != PLACE) {
        put_value(out, routine, event, p, false);
        return;
    }
    fputs_unlocked(object_name(file, value), out);
    if (TRACE_OBJECT(value) != TRACE_PRIVATE) {
        putc_unlocked('+', out);
        put_unsigned(out, TRACE_DISTANCE(value), 1);
    }
}

void event_text(FILE *out, const struct trace_file *file, const struct trace_event *event,
                const char *site)
{
    const struct trace_routine *routine = trace_routine(file, event->routine);
    struct times times = times_of(file, event);
    fprintf(out, "%14.9f %13.9f %13.9f  %6" PRIu32 " %5" PRIu32 " %s(", times.start, times.duration,
            times.burst, event->thread, event->phase, routine->name);
    const char *separator = "";
    for (const struct parameter *p = parameters; p < parameters + PARAMETERS; p++) {
        if (p->kind == ELEMENT_BYTES || !has_parameter(p, routine, event))
            continue;
        fputs_unlocked(separator, out);
        separator = ", ";
        put_text_parameter(out, file, event, p);
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
