/* Counts races by their pairs of call sites, and puts them into words. */
#include "trace/check/race_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define MOST_PAIRS 4096       /* pairs of call sites */
#define MOST_ALLOCATIONS 4096 /* the latest ones */

struct allocation {
    uint64_t place, bytes;
    uint32_t site;
};

struct found {
    struct race race; /* the first one */
    struct allocation allocation;
    uint64_t times;
    uint32_t last; /* the last second call, */
    int last_pe;   /* and its PE */
};

struct race_report {
    struct table pairs; /* struct found */
    uint64_t more;
    struct allocation allocations[MOST_ALLOCATIONS]; /* a ring */
    size_t allocation_count;
};

struct race_report *race_report_new(void)
{
    return memory_zeroed(1, sizeof(struct race_report));
}

void race_report_free(struct race_report *report)
{
    table_free(&report->pairs);
    free(report);
}

uint64_t race_report_more(const struct race_report *report)
{
    return report->more;
}

void race_report_allocated(struct race_report *report, uint64_t place, uint64_t bytes,
                           uint32_t site)
{
    report->allocations[report->allocation_count++ % MOST_ALLOCATIONS] =
        (struct allocation){place, bytes, site};
}

static struct allocation allocation_of(const struct race_report *report, uint64_t place)
{
    size_t kept =
        report->allocation_count < MOST_ALLOCATIONS ? report->allocation_count : MOST_ALLOCATIONS;
    for (size_t i = report->allocation_count; i-- > report->allocation_count - kept;) {
        const struct allocation *allocation = &report->allocations[i % MOST_ALLOCATIONS];
        if (place - allocation->place < allocation->bytes)
            return *allocation;
    }
    return (struct allocation){0};
}

void race_report_add(struct race_report *report, const struct race *race)
{
    const uint32_t key[] = {
        race->first.routine, race->first.site,  race->first.does, race->second.routine,
        race->second.site,   race->second.does, race->lack};
    size_t before = report->pairs.count;
    if (before == MOST_PAIRS) {
        report->more++;
        return;
    }
    struct found *found = table_value(&report->pairs, key, sizeof key, sizeof *found);
    bool new = report->pairs.count > before;
    if (new)
        *found = (struct found){.race = *race, .allocation = allocation_of(report, race->begin)};
    bool same_call = found->last_pe == race->second_pe && found->last == race->second.number;
    if (same_call && found->times == 1 && found->race.end == race->begin)
        found->race.end = race->end;
    found->times += !same_call || new;
    found->last = race->second.number;
    found->last_pe = race->second_pe;
}

/* ---- Texts ---- */

struct telling {
    struct text text;
    struct reader *reader;
};

static void put_access(struct telling *telling, const struct access *access, int pe)
{
    const char *does = !(access->does & ACCESS_WRITES) ? "reads"
                       : access->does & ACCESS_ATOMIC  ? "changes it"
                                                       : "writes";
    text_append(&telling->text, "\n  PE %d %s at %.9f s: ", pe, does, access->time);
    text_append(&telling->text, "%s",
                (const char *)table_key(&telling->reader->routines, access->routine));
    if (access->site)
        text_append(&telling->text, " at %s", sites_text(&telling->reader->sites, access->site));
}

static void put_place(struct telling *telling, const struct found *found)
{
    const struct race *race = &found->race;
    const struct trace_info *info = telling->reader->run;
    unsigned object = TRACE_OBJECT(race->begin);
    uint64_t bytes = race->end - race->begin, inside = race->begin - found->allocation.place;
    text_append(&telling->text, "race: %" PRIu64 " byte%s of PE %d, %s+%" PRIu64, bytes,
                bytes == 1 ? "" : "s", race->owner,
                object < info->objects ? info->object_names[object] : "unknown",
                TRACE_DISTANCE(race->begin));
    if (found->allocation.bytes && found->allocation.site)
        text_append(&telling->text, " (byte %" PRIu64 " of what is allocated at %s)", inside,
                    sites_text(&telling->reader->sites, found->allocation.site));
    if (found->times > 1)
        text_append(&telling->text, ", %" PRIu64 " times", found->times);
}

static void put_remedy(struct telling *telling, const struct race *race)
{
    struct text *text = &telling->text;
    char quiet[64] = "shmem_quiet";
    if (race->context)
        snprintf(quiet, sizeof quiet, "shmem_ctx_quiet of context %" PRId64, race->context);
    text_append(text, "\n  Order them: ");
    switch (race->lack) {
    case LACK_FENCE:
        text_append(text, "shmem_%sfence on PE %d between them", race->context ? "ctx_" : "",
                    race->first_pe);
        break;
    case LACK_QUIET:
        text_append(text, "%s on PE %d between them: the first one may still go on", quiet,
                    race->first_pe);
        break;
    case LACK_COMPLETION:
        text_append(text,
                    "%s on PE %d after the first one and before what tells PE %d: that comes, "
                    "but the first one may still go on",
                    quiet, race->first_pe, race->second_pe);
        break;
    default:
        if (race->pending)
            text_append(text, "%s on PE %d after the first one, then ", quiet, race->first_pe);
        text_append(text, "a barrier, or a flag that PE %d waits for, before the second one",
                    race->second_pe);
    }
    if ((race->first.does ^ race->second.does) & ACCESS_ATOMIC)
        text_append(text, "; or use atomics for both");
}

void race_report_tell(const struct race_report *report, struct reader *reader, races_tell *tell,
                      void *context)
{
    for (size_t i = 0; i < report->pairs.count; i++) {
        struct telling telling = {.reader = reader};
        const struct found *found = (const struct found *)report->pairs.values + i;
        const struct race *race = &found->race;
        put_place(&telling, found);
        put_access(&telling, &race->first, race->first_pe);
        put_access(&telling, &race->second, race->second_pe);
        put_remedy(&telling, race);
        char *text = text_take(&telling.text);
        tell(context, text);
        free(text);
    }
}
