/*
 * The report of races: which ones are the same, what an access belongs to, and what would order
 * two.
 */
#include "trace/check/races_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/text.h"

#define MOST_PAIRS 4096 /* pairs of call sites */

struct race_entry {
    struct race race; /* the first one */
    struct allocation allocation;
    uint64_t times;
    uint32_t last; /* the last second call, */
    int last_pe;   /* and its PE */
};

static struct allocation allocation_of(const struct race_report *report, uint64_t place)
{
    size_t kept = report->allocation_count < RACES_MOST_ALLOCATIONS ? report->allocation_count
                                                                    : RACES_MOST_ALLOCATIONS;
    for (size_t i = report->allocation_count; i-- > report->allocation_count - kept;) {
        const struct allocation *allocation = &report->allocations[i % RACES_MOST_ALLOCATIONS];
        if (place - allocation->place < allocation->bytes)
            return *allocation;
    }
    return (struct allocation){0};
}

void races_report_add(struct race_report *report, const struct race *race)
{
    const uint32_t key[] = {
        race->first.routine, race->first.site,  race->first.does, race->second.routine,
        race->second.site,   race->second.does, race->lack};
    size_t before = report->pairs.count;
    if (before == MOST_PAIRS) {
        report->more++;
        return;
    }
    struct race_entry *found = table_value(&report->pairs, key, sizeof key, sizeof *found);
    bool new = report->pairs.count > before;
    if (new)
        *found =
            (struct race_entry){.race = *race, .allocation = allocation_of(report, race->begin)};
    bool same_call = found->last_pe == race->second_pe && found->last == race->second.number;
    if (same_call && found->times == 1 && found->race.end == race->begin)
        found->race.end = race->end;
    found->times += !same_call || new;
    found->last = race->second.number;
    found->last_pe = race->second_pe;
}

static void put_access(struct text *text, struct reader *reader, const struct access *access,
                       int pe)
{
    const char *does = !(access->does & ACCESS_WRITES) ? "reads"
                       : access->does & ACCESS_ATOMIC  ? "changes it"
                                                       : "writes";
    text_append(text, "\n  PE %d %s at %.9f s: %s", pe, does, access->time,
                (const char *)table_key(&reader->routines, access->routine));
    if (access->site)
        text_append(text, " at %s", sites_text(&reader->sites, access->site));
}

static void put_remedy(struct text *text, const struct race *race)
{
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

/* The caller frees it. */
static char *race_text(struct reader *reader, const struct race_entry *found)
{
    struct text text = {0};
    const struct race *race = &found->race;
    const struct allocation *allocation = &found->allocation;
    unsigned object = TRACE_OBJECT(race->begin);
    uint64_t bytes = race->end - race->begin;
    text_append(&text, "race: %" PRIu64 " byte%s of PE %d, %s+%" PRIu64, bytes,
                numbers_plural(bytes), race->owner,
                object < reader->run->objects ? reader->run->object_names[object] : "unknown",
                TRACE_DISTANCE(race->begin));
    if (allocation->bytes && allocation->site)
        text_append(&text, " (byte %" PRIu64 " of what is allocated at %s)",
                    race->begin - allocation->place, sites_text(&reader->sites, allocation->site));
    if (found->times > 1)
        text_append(&text, ", %" PRIu64 " times", found->times);
    put_access(&text, reader, &race->first, race->first_pe);
    put_access(&text, reader, &race->second, race->second_pe);
    put_remedy(&text, race);
    return text_take(&text);
}

void races_report_allocation(struct race_report *report, struct allocation allocation)
{
    report->allocations[report->allocation_count++ % RACES_MOST_ALLOCATIONS] = allocation;
}

void races_report_tell(const struct race_report *report, struct reader *reader,
                       void (*tell)(void *, const char *), void *context)
{
    for (size_t i = 0; i < report->pairs.count; i++) {
        char *text = race_text(reader, (const struct race_entry *)report->pairs.values + i);
        tell(context, text);
        free(text);
    }
}

void races_report_free(struct race_report *report)
{
    table_free(&report->pairs);
}
