/*
 * Brings the text that scripts print from all PEs to the output.
 */
#include "engine/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"
#include "engine/messages.h"

void texts_add(struct pending_text *pending, struct display *display, const char *text)
{
    if (pending->output) {
        output_print(pending->output, text);
        fatal_check_output(display, pending->output);
        return;
    }
    size_t length = strlen(text);
    pending->text = memory_resize(pending->text, pending->length + length + 1);
    memcpy(pending->text + pending->length, text, length + 1);
    pending->length += length;
}

/* O(log n) when no PE but 0 has text, else O(PEs with text). */
void texts_bring(struct pending_text *pending)
{
    const struct pe_group *world = comm_world();
    int64_t length = (int64_t)pending->length, any = length;
    comm_allreduce_int(world, COMM_MAX, &any, 1);
    if (any == 0)
        return;
    int64_t *lengths = NULL;
    if (comm_pe() == 0)
        lengths = memory_zeroed((size_t)comm_pes(), sizeof *lengths);
    comm_gather(world, &length, sizeof length, lengths);
    if (comm_pe() != 0) {
        if (length > 0)
            comm_send(0, pending->text, (size_t)length);
        free(pending->text);
        pending->text = NULL;
        pending->length = 0;
        return;
    }
    for (int pe = 1; pe < comm_pes(); pe++) {
        if (lengths[pe] == 0)
            continue;
        char *text = memory_zeroed((size_t)lengths[pe] + 1, 1);
        comm_receive(pe, text, (size_t)lengths[pe]);
        output_print(pending->output, text);
        free(text);
    }
    free(lengths);
}

void texts_flush(struct pending_text *pending, struct display *display)
{
    texts_bring(pending);
    fatal_check_output(display, pending->output);
}
