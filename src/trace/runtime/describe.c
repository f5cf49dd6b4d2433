/* Writes the description of the run. */
#include "trace/runtime/describe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/comm.h"
#include "trace/compose.h"
#include "trace/runtime/counters.h"
#include "trace/runtime/places.h"
#include "trace/runtime/state.h"

#define COMMAND_BYTES 4096
#define DESCRIPTION_BYTES (1024 * 1024)

static void own_command(char *command)
{
    int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor >= 0 ? read(descriptor, command, COMMAND_BYTES - 1) : 0;
    if (descriptor >= 0)
        close(descriptor);
    length = length > 0 ? length : 0;
    command[length] = '\0';
    for (ssize_t i = 0; i + 1 < length; i++)
        if (command[i] == '\0')
            command[i] = ' ';
}

/* The options that leave calls out, as they are typed; NULL when none does. */
static char *selection(void)
{
    const struct recording *recording = &tracer.recording;
    struct text text = {0};
    if (recording->only)
        text_append(&text, " --only %s", recording->only);
    if (recording->exclude)
        text_append(&text, " --exclude %s", recording->exclude);
    for (size_t i = 0; i < recording->phase_count; i++)
        text_append(&text, "%s%" PRIu32 "-%" PRIu32, i ? "," : " --phase ",
                    recording->phases[i].first, recording->phases[i].last);
    if (recording->ring)
        text_append(&text, " --ring=%" PRIu64, recording->ring);
    return text.data;
}

static void describe(struct output *output)
{
    char host[256] = "unknown", command[COMMAND_BYTES], date[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    own_command(command);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    char *selected = selection();
    compose_description(output, &(struct run_description){
                                    .pe = tracer.pe,
                                    .pes = trace_pes,
                                    .host = host,
                                    .command = command,
                                    .library = comm_library(),
                                    .date = date,
                                    .profile = tracer.recording.summary,
                                    .clock = tracer.clock_text,
                                    .ticks_per_second = tracer.ticks_per_second,
                                    .beginning = tracer.beginning,
                                    .start = tracer.start,
                                    .counters = counters_kept(),
                                    .counter_names = counters_kept_names(),
                                    .objects = places_objects(),
                                    .object_names = places_object_names(),
                                    .routines = trace_routine_count,
                                    .routine = trace_routines,
                                    .selection = selected ? selected + 1 : "",
                                    .cost_between_ns = tracer.cost_between_ns,
                                    .cost_inside_ns = tracer.cost_inside_ns,
                                });
    free(selected);
}

unsigned char *describe_run(size_t *size)
{
    unsigned char *bytes = malloc(DESCRIPTION_BYTES);
    *size = 0;
    if (!bytes)
        return NULL;
    struct output output = {bytes, bytes + DESCRIPTION_BYTES, false};
    describe(&output);
    *size = (size_t)(output.next - bytes);
    if (!output.full)
        return bytes;
    free(bytes);
    return NULL;
}
