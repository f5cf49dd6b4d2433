/*
 * Functions that change the rules of later measurements. Functions that only store a value are made
 * from the table of settings; the others are written out here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "settings/table.h"
#include "ski/builtin_call.h"

static struct settings *settings_of(struct builtin_call *call)
{
    return engine_settings(call->engine);
}

/* ---- Functions of the table of settings ---- */

static void set_argument(struct builtin_call *call, const struct setting *setting,
                         const struct value *value)
{
    const char *text = value->type == TYPE_STRING ? value->string : NULL;
    struct settings *settings = settings_of(call);
    char *refusal = setting->words             ? setting_refuse_word(setting, text)
                    : value->type == TYPE_REAL ? setting_refuse_number(setting, value->real)
                    : value->type == TYPE_INT
                        ? setting_refuse_number(setting, (double)value->integer)
                        : NULL;

    if (refusal)
        builtin_fail(call, refusal);
    else if (setting->words)
        setting_store_integer(setting, settings, setting_word_find(setting->words, text));
    else if (value->type == TYPE_REAL)
        setting_store_real(setting, settings, value->real);
    else if (value->type == TYPE_INFO)
        setting_store_info(setting, settings, info_keep(value->info));
    else if (text)
        setting_store_text(setting, settings, text);
    else
        setting_store_integer(setting, settings, value->integer);
}

/* Stores each argument, and the default of each argument that is left out. */
static struct value set_arguments(struct builtin_call *call)
{
    const struct setting *settings = call->builtin->settings;
    size_t count = settings->argument ? setting_arguments(settings) : 0;

    if (settings->alone && call->count > 1 && strcmp(call->args[0].string, settings->alone) == 0)
        return builtin_refuse(call, "\"%s\" takes no numbers here; use %s", settings->alone,
                              settings->instead);
    for (size_t i = 0; i < count && !call->error; i++)
        if (i < call->count)
            set_argument(call, &settings[i], &call->args[i]);
        else
            setting_store_initial(&settings[i], settings_of(call));
    if (count == 0)
        setting_store_initial(settings, settings_of(call));
    return value_void();
}

/* The value that its setting has, for get_io_...(). */
static struct value get_setting(struct builtin_call *call)
{
    const struct setting *setting = call->builtin->settings;
    const void *member = (const char *)settings_of(call) + setting->place;
    const char *text;

    if (setting->type == SETTING_FLAG)
        return value_int(*(const bool *)member);
    text =
        setting->words ? setting->words[*(const int *)member].name : *(const char *const *)member;
    return value_string(text);
}

/* ---- Other functions ---- */

static struct value set_timer(struct builtin_call *call)
{
    const char *error = engine_set_timer(call->engine, call->args[0].string);

    if (error)
        return builtin_refuse(call, "\"%s\" cannot be used: %s", call->args[0].string, error);
    return value_void();
}

static struct value set_hw_counters(struct builtin_call *call)
{
    const char **names = memory_zeroed(call->count, sizeof *names);
    size_t count = call->count;

    for (size_t i = 0; i < count; i++)
        names[i] = call->args[i].string;
    if (count == 1 && strcmp(names[0], "none") == 0)
        count = 0;

    char *error = engine_set_counters(call->engine, names, count);

    free(names);
    if (error)
        builtin_refuse(call, "%s", error);
    free(error);
    return value_void();
}

static struct value init_time_accounting(struct builtin_call *call)
{
    engine_accounting_reset(call->engine);
    return value_void();
}

static struct value print_time_accounting_info(struct builtin_call *call)
{
    engine_accounting_print(call->engine);
    return value_void();
}

/* Does nothing: skampi never measures in auxiliary memory, so its origin makes no difference. */
static struct value use_mpi_alloc_mem(struct builtin_call *call)
{
    builtin_in_range(call, call->args[0].integer, 0, 1);
    return value_void();
}

static struct value get_mpi_alloc_mem_info(struct builtin_call *call)
{
    struct info *info = settings_of(call)->memory_info;

    return value_info(!info ? info_null() : info_reference(info));
}

static struct value set_skampi_buffer_mpi_alloc_mem(struct builtin_call *call)
{
    if (!builtin_in_range(call, call->args[0].integer, 0, INT64_MAX))
        return value_void();
    settings_of(call)->buffer_bytes = call->args[0].integer;
    settings_of(call)->buffer_given = true;
    settings_of(call)->memory_info = info_keep(call->args[1].info);
    return value_void();
}

static const struct builtin others[] = {
    {"set_timer", TAKES(TYPE_STRING), TYPE_VOID, .collective = true, .call = set_timer,
     .help = "(name) the timer to use, one of skampi --timers"},
    {"set_hw_counters", TAKES(TYPE_STRING), TYPE_VOID, .parameters.more = true, .collective = true,
     .call = set_hw_counters,
     .help = "(name, ...) events of PAPI that are counted per operation; \"none\": no more"},
    {"init_time_accounting", TAKES_NOTHING, TYPE_VOID, .call = init_time_accounting,
     .help = "() sets the sums of print_time_accounting_info() to zero"},
    {"print_time_accounting_info", TAKES_NOTHING, TYPE_VOID, .collective = true,
     .call = print_time_accounting_info,
     .help = "() prints as comments what the time was spent on"},
    {"get_mpi_alloc_mem_info", TAKES_NOTHING, TYPE_INFO, .call = get_mpi_alloc_mem_info,
     .help = "() what set_mpi_alloc_mem_info() was given last; MPI_INFO_NULL at first"},
    {"set_skampi_buffer_mpi_alloc_mem", TAKES(TYPE_INT, TYPE_INFO), TYPE_VOID,
     .call = set_skampi_buffer_mpi_alloc_mem,
     .help = "(bytes, info) set_skampi_buffer(bytes) and set_mpi_alloc_mem_info(info)"},
    {"use_mpi_alloc_mem", TAKES(TYPE_INT), TYPE_VOID, .call = use_mpi_alloc_mem,
     .help = "(flag) 0 or 1; accepted for older scripts, without effect"},
};
#define OTHERS (sizeof others / sizeof *others)

/* ---- All of them ---- */

static enum value_type type_of(const struct setting *setting)
{
    if (setting->words)
        return TYPE_STRING;
    if (setting->names_unit)
        return TYPE_UNIT;
    if (setting->type == SETTING_REAL)
        return TYPE_REAL;
    return setting->type == SETTING_INFO   ? TYPE_INFO
           : setting->type == SETTING_TEXT ? TYPE_STRING
                                           : TYPE_INT;
}

static struct builtin function_of(const struct setting *first)
{
    struct builtin function = {
        .name = first->function,
        .result = TYPE_VOID,
        .call = set_arguments,
        .settings = first,
        .help = setting_help(first),
    };
    size_t count = first->argument ? setting_arguments(first) : 0;

    for (size_t i = 0; i < count; i++) {
        function.parameters.types[i] = type_of(&first[i]);
        function.parameters.optional += first[i].optional; /* optional ones are last */
    }
    return function;
}

/* get_... beside set_... */
static struct builtin reader_of(const struct setting *setting)
{
    char *name = text_format("g%s", setting->function + 1);

    return (struct builtin){
        .name = name,
        .result = setting->type == SETTING_FLAG ? TYPE_INT : TYPE_STRING,
        .call = get_setting,
        .settings = setting,
        .help = text_format("() what %s() was given last, or its default", setting->function),
    };
}

struct builtin *builtins_settings(void)
{
    struct builtin *functions =
        memory_zeroed(2 * setting_row_count + OTHERS + 1, sizeof *functions);
    size_t count = 0;

    for (size_t i = 0; i < setting_row_count; i += setting_arguments(&setting_rows[i]))
        functions[count++] = function_of(&setting_rows[i]);
    for (size_t i = 0; i < setting_row_count; i++)
        if (setting_rows[i].readable)
            functions[count++] = reader_of(&setting_rows[i]);
    memcpy(functions + count, others, sizeof others);
    return functions;
}
