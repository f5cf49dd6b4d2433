/* Writes the description of the run. */
#include "trace/runtime/describe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/comm.h"
#include "trace/encode.h"
#include "trace/runtime/counters.h"
#include "trace/runtime/places.h"
#include "trace/runtime/state.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

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

/* The options that leave calls out, as they are typed; "" when none does. */
static void give_selection(struct output *output)
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
    give_text(output, text.data ? text.data + 1 : "");
    text_release(&text);
}

static void give_description(struct output *output)
{
    char host[256] = "unknown", command[COMMAND_BYTES], date[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    own_command(command);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    give_number(output, (uint64_t)tracer.pe);
    give_number(output, (uint64_t)trace_pes);
    give_text(output, host);
    give_text(output, command);
    give_text(output, comm_library());
    give_text(output, SKAMPI_VERSION);
    give_text(output, date);
    give_number(output, tracer.recording.summary);
    give_text(output, tracer.clock_text);
    give_real(output, tracer.ticks_per_second);
    give_signed(output, tracer.beginning);
    give_number(output, tracer.start.known);
    give_signed(output, tracer.start.local);
    give_signed(output, tracer.start.global);
    give_real(output, tracer.start.rate);
    give_real(output, tracer.start.bound);
    give_number(output, counters_kept());
    for (size_t i = 0; i < counters_kept(); i++)
        give_text(output, counters_kept_name(i));
    give_number(output, places_objects());
    for (size_t i = 0; i < places_objects(); i++)
        give_text(output, places_object_name(i));
    give_number(output, trace_routine_count);
    for (size_t i = 0; i < trace_routine_count; i++) {
        const struct trace_routine *routine = &trace_routines[i];
        give_text(output, routine->name);
        give_number(output, (uint64_t)routine->class);
        give_number(output, (uint64_t)routine->type);
        give_number(output, routine->element_bytes);
        give_number(output, routine->fields);
    }
    give_selection(output);
    give_real(output, tracer.cost_between_ns);
    give_real(output, tracer.cost_inside_ns);
}

unsigned char *describe_run(size_t *size)
{
    unsigned char *bytes = malloc(DESCRIPTION_BYTES);
    *size = 0;
    if (!bytes)
        return NULL;
    struct output output = {bytes, bytes + DESCRIPTION_BYTES, false};
    give_description(&output);
    *size = (size_t)(output.next - bytes);
    if (!output.full)
        return bytes;
    free(bytes);
    return NULL;
}
