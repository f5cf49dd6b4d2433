/* shmemtrace export: which formats, and of which part of the trace. */
#include "trace/export/export.h"

static const struct {
    const char *option;
    void (*run)(struct reader *, const char *path);
} formats[] = {{"otf2", export_otf2},
               {"chrome", export_chrome},
               {"perfetto", export_perfetto},
               {"paraver", export_paraver},
               {"goal", export_goal}};
#define FORMATS (sizeof formats / sizeof *formats)

static int export_run(struct reader *reader)
{
    bool any = false;
    for (size_t i = 0; i < FORMATS; i++) {
        const char *path = reader_given(reader, formats[i].option);
        if (path && !*path)
            reader_fail(reader, 2, "--%s needs a name", formats[i].option);
        if (path)
            formats[i].run(reader, path);
        any = any || path;
    }
    if (!any)
        reader_fail(
            reader, 2,
            "say what to write: --otf2 FOLDER, --chrome FILE, --perfetto FILE, --paraver NAME or "
            "--goal FILE");
    int status = reader_status(reader);
    if (reader->windowed && reader->kept == 0)
        reader_fail(reader, 2, "no selected call lies between --from and --to");
    return status;
}

static const struct manual_option options[] = {
    {.name = "otf2", .value = "FOLDER", .help = "OTF2, for Vampir, Scalasca, otf2-print"},
    {.name = "chrome", .value = "FILE", .help = "Trace Event JSON, for ui.perfetto.dev and Chrome"},
    {.name = "perfetto",
     .value = "FILE",
     .help = "Perfetto's own format, for ui.perfetto.dev: much smaller than --chrome"},
    {.name = "paraver", .value = "NAME", .help = "NAME.prv, NAME.pcf, NAME.row for Paraver"},
    {.name = "goal",
     .value = "FILE",
     .help = "a GOAL schedule of messages, for LogGOPSim and ATLAHS"},
    {0},
};

const struct reader_command export_command = {
    .name = "export",
    .summary = "Converts a trace to the formats of other tools.",
    .options = options,
    .filters = true,
    .window = true,
    .creates = true,
    .notes = "",
    .run = export_run,
};
