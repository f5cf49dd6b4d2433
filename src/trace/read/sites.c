/* Numbers call sites, and names them. */
#include "trace/read/sites.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

size_t sites_add(struct sites *sites, const uint64_t *addresses, size_t depth)
{
    size_t number = table_number(&sites->table, addresses, depth * sizeof *addresses);
    if (sites->table.count > sites->room) {
        size_t room = 2 * sites->table.count;
        sites->texts = memory_resize_array(sites->texts, room, sizeof *sites->texts);
        for (; sites->room < room; sites->room++)
            sites->texts[sites->room] = NULL;
    }
    return number + 1;
}

static char *name(const struct sites *sites, size_t number)
{
    struct text text = {0};
    const uint64_t *addresses = table_key(&sites->table, number);
    size_t depth = sites->table.entries[number].size / sizeof *addresses;
    for (size_t i = 0; i < depth; i++)
        text_append(&text, "%s0x%" PRIx64, i ? " < " : "", addresses[i]);
    return text_take(&text);
}

const char *sites_text(struct sites *sites, size_t site)
{
    if (site == 0 || site > sites->table.count)
        return "?";
    char **text = &sites->texts[site - 1];
    if (!*text)
        *text = name(sites, site - 1);
    return *text;
}

void sites_free(struct sites *sites)
{
    for (size_t i = 0; i < sites->table.count; i++)
        free(sites->texts[i]);
    free(sites->texts);
    table_free(&sites->table);
}
