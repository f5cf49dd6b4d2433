/* Keeps operations that are under way. */
#include "sim/operation.h"

#include "base/memory.h"

uint32_t operations_add(struct operations *operations, const struct operation *operation)
{
    uint32_t number = operations->unused - 1;
    if (operations->unused) {
        operations->unused = operations->of[number].next;
    } else {
        if (operations->count == operations->room) {
            operations->room = 2 * operations->room + 64;
            operations->of =
                memory_resize_array(operations->of, operations->room, sizeof *operations->of);
        }
        number = (uint32_t)operations->count++;
    }
    operations->of[number] = *operation;
    return number;
}

void operations_remove(struct operations *operations, uint32_t number)
{
    operations->of[number].next = operations->unused;
    operations->unused = number + 1;
}

void operations_append(struct operations *operations, struct operation_list *list, uint32_t number)
{
    operations->of[number].next = 0;
    if (list->first)
        operations->of[list->last - 1].next = number + 1;
    else
        list->first = number + 1;
    list->last = number + 1;
}
