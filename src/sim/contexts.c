/* Contexts: what is open in them. */
#include "sim/contexts.h"

#include "base/memory.h"

struct context_key {
    uint32_t pe, context;
};

struct context_state *context_of(struct replay *replay, uint32_t pe, unsigned context)
{
    const struct context_key key = {replay->pes[pe].home, context};
    size_t before = replay->context_numbers.count,
           number = table_number(&replay->context_numbers, &key, sizeof key);
    if (number >= replay->context_room) {
        replay->context_room = 2 * replay->context_room + 16;
        replay->contexts =
            memory_resize_array(replay->contexts, replay->context_room, sizeof *replay->contexts);
    }
    if (number == before)
        replay->contexts[number] = (struct context_state){0};
    return &replay->contexts[number];
}
