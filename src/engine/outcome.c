/*
 * Memory for the outcome of a measurement, and its way to PE 0.
 */
#include "engine/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"

void outcome_reserve(struct outcome *outcome, const struct pe_set *set)
{
    int size = pe_set_size(set);
    *outcome = (struct outcome){0};
    if (comm_pe() != 0 && comm_pe() != pe_set_member(set, 0))
        return;
    outcome->per_pe = memory_zeroed((size_t)size, sizeof *outcome->per_pe);
    for (int i = 0; i < size; i++)
        outcome->per_pe[i] = NAN;
}

void outcome_restart(struct outcome *outcome)
{
    free(outcome->samples);
    free(outcome->controls);
    *outcome = (struct outcome){.per_pe = outcome->per_pe};
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->per_pe);
    free(outcome->samples);
    free(outcome->controls);
}

void outcome_keep_controls(struct outcome *outcome, const struct control *controls, size_t count)
{
    outcome->control_count = count;
    if (count == 0)
        return;
    outcome->controls = memory_zeroed(count, sizeof *controls);
    memcpy(outcome->controls, controls, count * sizeof *controls);
}

/* What follows the statistics. */
struct sizes {
    int64_t notes, samples, window_changes, controls; /* notes: bytes */
};

static char *pack(const struct notes *notes, int64_t *length)
{
    char *text = memory_zeroed(1, 1);
    size_t bytes = 0;
    for (size_t i = 0; i < notes->count; i++) {
        size_t more = strlen(notes->text[i]) + 1;
        text = memory_resize(text, bytes + more);
        memcpy(text + bytes, notes->text[i], more);
        bytes += more;
    }
    *length = (int64_t)bytes;
    return text;
}

static void send_outcome(const struct outcome *outcome, const struct notes *notes, int size)
{
    struct sizes sizes = {.samples = (int64_t)outcome->sample_count,
                          .window_changes = (int64_t)outcome->window_changes,
                          .controls = (int64_t)outcome->control_count};
    char *text = pack(notes, &sizes.notes);
    comm_send(0, &outcome->statistics, sizeof outcome->statistics);
    comm_send(0, outcome->counted, sizeof outcome->counted);
    comm_send(0, &sizes, sizeof sizes);
    comm_send(0, outcome->per_pe, (size_t)size * sizeof *outcome->per_pe);
    comm_send(0, text, (size_t)sizes.notes);
    if (sizes.samples > 0)
        comm_send(0, outcome->samples, outcome->sample_count * sizeof *outcome->samples);
    if (sizes.controls > 0)
        comm_send(0, outcome->controls, outcome->control_count * sizeof *outcome->controls);
    free(text);
}

/* NULL: there is nothing. */
static void *receive_array(int root, size_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *array = memory_zeroed(count, size);
    comm_receive(root, array, count * size);
    return array;
}

static void receive_outcome(int root, struct outcome *outcome, struct notes *notes, int size)
{
    struct sizes sizes;
    comm_receive(root, &outcome->statistics, sizeof outcome->statistics);
    comm_receive(root, outcome->counted, sizeof outcome->counted);
    comm_receive(root, &sizes, sizeof sizes);
    comm_receive(root, outcome->per_pe, (size_t)size * sizeof *outcome->per_pe);
    char *text = memory_zeroed((size_t)sizes.notes + 1, 1);
    comm_receive(root, text, (size_t)sizes.notes);
    notes_clear(notes);
    for (size_t at = 0; at < (size_t)sizes.notes; at += strlen(text + at) + 1)
        notes_add(notes, memory_text(text + at));
    free(text);
    outcome->window_changes = (size_t)sizes.window_changes;
    outcome->sample_count = (size_t)sizes.samples;
    outcome->control_count = (size_t)sizes.controls;
    outcome->samples = receive_array(root, outcome->sample_count, sizeof *outcome->samples);
    outcome->controls = receive_array(root, outcome->control_count, sizeof *outcome->controls);
}

void outcome_bring(struct outcome *outcome, struct notes *notes, const struct pe_set *set)
{
    int root = pe_set_member(set, 0), size = pe_set_size(set);
    if (root != 0 && comm_pe() == root)
        send_outcome(outcome, notes, size);
    else if (root != 0 && comm_pe() == 0)
        receive_outcome(root, outcome, notes, size);
    for (size_t i = 0; i < counters_count(); i++)
        outcome->counted[i].name = counters_name(i);
}
