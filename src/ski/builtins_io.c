/*
 * Functions for scripts that measure files: hints, and the ways to access data of MPI-IO.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "objects/mpi_names.h"
#include "ski/builtin.h"

/* ---- Hints ---- */

static struct value set_file_info(struct builtin_call *call)
{
    struct settings *settings = engine_settings(call->engine);
    struct info *info = settings->file_info ? info_copy(settings->file_info) : info_create();
    const char *error =
        info_set(info, call->args[0].as.string->text, call->args[1].as.string->text);

    if (error)
        builtin_refuse(call, "%s", error);
    else
        settings->file_info = info_keep(info);
    info_release(info);
    return value_void();
}

static struct value reset_file_info(struct builtin_call *call)
{
    engine_settings(call->engine)->file_info = NULL;
    return value_void();
}

/* Takes the text over; PE 0 prints it as a comment. */
static void print(struct builtin_call *call, char *text)
{
    char *line = text_format("#P[0] %s\n", text);

    if (engine_pe(call->engine) == 0)
        engine_print(call->engine, line);
    free(line);
    free(text);
}

static struct value print_file_info(struct builtin_call *call)
{
    struct info *info = engine_settings(call->engine)->file_info;

    print(call, text_format("%s", info ? info_text(info) : "MPI_INFO_NULL"));
    return value_void();
}

/* ---- Ways to access data ---- */

static bool next_access(struct builtin_call *call, void **state, struct value *v)
{
    size_t *next = *state;
    int access;

    if (!next)
        *state = next = memory_zeroed(1, sizeof *next);
    do {
        access = file_access_at((*next)++);
    } while (access && (access & call->args[0].as.integer) != access);
    if (access) {
        *v = value_int(access);
        return true;
    }
    free(next);
    *state = NULL;
    return false;
}

static struct value print_access(struct builtin_call *call)
{
    int64_t access = call->args[0].as.integer, which = call->args[1].as.integer;

    if (!file_access_routine(access, false))
        return builtin_refuse(call, FILE_ACCESS_WANTED);
    if (!builtin_in_range(call, which, 1, 3))
        return value_void();
    for (int writes = 0; writes < 2; writes++)
        if (which & (writes ? 2 : 1))
            print(call, text_format("0x%x: %s", (unsigned)access,
                                    file_access_routine(access, writes != 0)));
    return value_void();
}

/* ---- Sizes of ranks ---- */

static struct value round_up(struct builtin_call *call, int64_t i, int64_t unit)
{
    int64_t rest = i % unit, up = rest > 0 ? unit - rest : -rest, rounded;

    if (__builtin_add_overflow(i, up, &rounded))
        return builtin_refuse(call, "%lld is too large", (long long)i);
    return value_int(rounded);
}

static struct value round_to_fourbytes(struct builtin_call *call)
{
    return round_up(call, call->args[0].as.integer, 4);
}

static struct value round_to_fivebytes(struct builtin_call *call)
{
    return round_up(call, call->args[0].as.integer, 5);
}

const struct builtin builtins_io[] = {
    {"set_file_info", TAKES(TYPE_STRING, TYPE_STRING), TYPE_VOID, .call = set_file_info,
     .help = "(key, value) a hint for files of MPI-IO, such as \"cb_buffer_size\""},
    {"reset_file_info", TAKES_NOTHING, TYPE_VOID, .call = reset_file_info,
     .help = "() forgets all hints for files"},
    {"print_file_info", TAKES_NOTHING, TYPE_VOID, .call = print_file_info,
     .help = "() prints the hints for files as a comment"},
    {"print_data_access_settings", TAKES(TYPE_INT, TYPE_INT), TYPE_VOID, .call = print_access,
     .help = "(daccess, which) prints as comments the routines of MPI that a way to access data "
             "stands for; which: 1 those that read, 2 those that write, 3 both"},
    {"data_access_routines", TAKES(TYPE_INT), TYPE_INT, .iterator = true, .next = next_access,
     .help = "(mask) iterator: the ways to access data whose bits are all in the mask"},
    {"round_to_fourbytes", TAKES(TYPE_INT), TYPE_INT, .call = round_to_fourbytes,
     .help = "(n) the smallest multiple of 4 that is not below n"},
    {"round_to_fivebytes", TAKES(TYPE_INT), TYPE_INT, .call = round_to_fivebytes,
     .help = "(n) the smallest multiple of 5 that is not below n"},
    {.name = NULL},
};
