/* All settings together, by the table: defaults, hash, and what of them says what is measured. */
#include "settings/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "settings/table.h"

struct settings settings_default(void)
{
    static struct settings initial;
    static bool known;

    /* Store from the last row to the first: if a member has several rows, the first one has the
     * default. */
    for (size_t i = known ? 0 : setting_row_count; i-- > 0;)
        setting_store_initial(&setting_rows[i], &initial);
    initial.buffer_given = false;
    known = true;
    return initial;
}

/* The value of a setting as a number; of a word its index. */
static double value_of(const struct setting *row, const struct settings *settings)
{
    const void *member = (const char *)settings + row->place;
    switch (row->type) {
    case SETTING_INT:
    case SETTING_WORD:
        return *(const int *)member;
    case SETTING_BYTES:
        return (double)*(const int64_t *)member;
    case SETTING_REAL:
        return *(const double *)member;
    case SETTING_FLAG:
        return *(const bool *)member;
    case SETTING_INFO:
    case SETTING_TEXT:
        break;
    }
    return 0;
}

static const char *text_of(const struct setting *row, const struct settings *settings)
{
    return *(const char *const *)((const char *)settings + row->place);
}

/* Hashes member by member, since the padding between members is not defined. */
uint64_t settings_hash(const struct settings *settings)
{
    uint64_t hash = HASH_EMPTY;

    for (size_t i = 0; i < setting_row_count; i++) {
        const struct setting *setting = &setting_rows[i];
        double value = value_of(setting, settings);

        if (setting->type == SETTING_TEXT)
            hash = hash_bytes(hash, text_of(setting, settings), strlen(text_of(setting, settings)));
        hash = hash_bytes(hash, &value, sizeof value);
    }
    return hash;
}

/* ---- In the words of a script ---- */

/* The call of the function whose first row is given. */
static char *call_of(const struct setting *row, const struct settings *settings)
{
    struct text text = {0};
    size_t count = row->argument ? setting_arguments(row) : 0;
    while (count > 0 && row[count - 1].optional &&
           value_of(&row[count - 1], settings) == row[count - 1].initial)
        count--;
    text_append(&text, "%s(", row->function);
    for (size_t i = 0; i < count; i++) {
        double value = value_of(&row[i], settings);
        text_append(&text, "%s", i ? ", " : "");
        if (row[i].words)
            text_append(&text, "\"%s\"", row[i].words[(size_t)value].name);
        else if (row[i].type == SETTING_TEXT)
            text_append(&text, "\"%s\"", text_of(&row[i], settings));
        else
            text_append(&text, "%.15g", value);
    }
    text_append(&text, ")");
    return text_take(&text);
}

/* Whether this function states the member's value. If several functions without arguments set the
 * member, only one of them does. */
static bool is_stated(const struct setting *row, const struct settings *settings,
                      const struct settings *initial)
{
    double value = value_of(row, settings);
    if (row->type == SETTING_TEXT)
        return row->identifies && strcmp(text_of(row, settings), text_of(row, initial)) != 0;
    return row->identifies && value != value_of(row, initial) &&
           (row->argument || value == row->initial);
}

size_t settings_stated(const struct settings *settings, char ***texts)
{
    struct settings initial = settings_default();
    size_t count = 0;
    *texts = memory_zeroed(setting_row_count, sizeof **texts);
    for (size_t i = 0; i < setting_row_count; i += setting_arguments(&setting_rows[i])) {
        bool stated = false;
        for (size_t k = 0; k < setting_arguments(&setting_rows[i]); k++)
            stated = stated || is_stated(&setting_rows[i + k], settings, &initial);
        if (stated)
            (*texts)[count++] = call_of(&setting_rows[i], settings);
    }
    return count;
}
