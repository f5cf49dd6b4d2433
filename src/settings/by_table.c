/* Settings by their table: stores and checks values of a row, describes it; all settings together.
 */
#include "settings/table.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

_Static_assert(sizeof(enum clock_sync) == sizeof(int), "words are stored as int");

size_t setting_arguments(const struct setting *first)
{
    const struct setting *end = setting_rows + setting_row_count, *row = first;

    while (row < end && strcmp(row->function, first->function) == 0)
        row++;
    return (size_t)(row - first);
}

/* ---- Storing ---- */

void setting_store_integer(const struct setting *setting, struct settings *settings, int64_t value)
{
    void *member = (char *)settings + setting->place;

    if (setting->place == offsetof(struct settings, buffer_bytes))
        settings->buffer_given = true;
    if (setting->type == SETTING_BYTES)
        *(int64_t *)member = value;
    else if (setting->type == SETTING_FLAG)
        *(bool *)member = value != 0;
    else
        *(int *)member = (int)value;
}

void setting_store_real(const struct setting *setting, struct settings *settings, double value)
{
    *(double *)((char *)settings + setting->place) = value;
}

/* One copy of each text, since results refer to it. */
static const char *kept(const char *text)
{
    static struct kept_text {
        struct kept_text *next;
        char *text;
    } * all;
    struct kept_text *one = all;

    while (one && strcmp(one->text, text) != 0)
        one = one->next;
    if (!one) {
        one = memory_zeroed(1, sizeof *one);
        *one = (struct kept_text){all, text_format("%s", text)};
        all = one;
    }
    return one->text;
}

void setting_store_text(const struct setting *setting, struct settings *settings, const char *text)
{
    *(const char **)((char *)settings + setting->place) = kept(text);
}

void setting_store_info(const struct setting *setting, struct settings *settings, struct info *info)
{
    *(struct info **)((char *)settings + setting->place) = info;
}

void setting_store_initial(const struct setting *setting, struct settings *settings)
{
    if (setting->type == SETTING_REAL)
        setting_store_real(setting, settings, setting->initial);
    else if (setting->type == SETTING_INFO)
        setting_store_info(setting, settings, NULL);
    else if (setting->type == SETTING_TEXT)
        setting_store_text(setting, settings, setting->initial_text);
    else
        setting_store_integer(setting, settings, (int64_t)setting->initial);
}

/* ---- Range ---- */

void setting_limits(const struct setting *setting, int64_t *low, int64_t *high)
{
    *low = (int64_t)setting->low;
    *high = (int64_t)setting->high;
    if (setting->type == SETTING_FLAG)
        *high = 1;
    else if (setting->high == 0)
        *high = setting->type == SETTING_BYTES ? INT64_MAX : INT_MAX;
}

bool setting_contains(const struct setting *setting, double value)
{
    if (!isfinite(value))
        return false;
    if (setting->open)
        return value > setting->low && (setting->high == 0 || value < setting->high);
    return value >= setting->low && (setting->high == 0 || value <= setting->high);
}

/* A value with its unit. */
static void append_value(struct text *text, const struct setting *setting, double value)
{
    int64_t bytes = (int64_t)value;

    if (setting->type != SETTING_BYTES || bytes < 1 << 20 || bytes % (1 << 20) != 0)
        text_append(text, setting->type == SETTING_REAL ? "%g%s%s" : "%.0f%s%s", value,
                    setting->unit ? " " : "", setting->unit ? setting->unit : "");
    else if (bytes % (1 << 30) == 0)
        text_append(text, "%lld GiB", (long long)(bytes >> 30));
    else
        text_append(text, "%lld MiB", (long long)(bytes >> 20));
}

char *setting_range(const struct setting *setting)
{
    bool real = setting->type == SETTING_REAL;
    struct text text = {0};

    if (setting->type == SETTING_FLAG)
        return text_format("0 or 1");
    if (setting->open)
        text_append(&text, "more than ");
    else
        text_append(&text, "%s", real || setting->high == 0 ? "at least " : "from ");
    append_value(&text, setting, setting->low);
    if (setting->high != 0) {
        text_append(&text, "%s",
                    setting->open ? " and less than "
                    : real        ? " and at most "
                                  : " to ");
        append_value(&text, setting, setting->high);
    }
    return text_take(&text);
}

/* ---- Words ---- */

int setting_word_find(const struct setting_word *words, const char *name)
{
    for (int i = 0; words[i].name; i++)
        if (strcmp(words[i].name, name) == 0)
            return i;
    return -1;
}

char *setting_word_list(const struct setting_word *words, const char *quote, const char *last)
{
    struct text text = {0};

    for (size_t i = 0; words[i].name; i++) {
        if (i > 0 && words[i + 1].name)
            text_append(&text, ", ");
        else if (i > 0)
            text_append(&text, " %s ", last);
        text_append(&text, "%s%s%s", quote, words[i].name, quote);
    }
    return text_take(&text);
}

const char *setting_arrival_name(enum arrival arrival)
{
    return setting_arrival_words[arrival].name;
}

/* ---- What is refused ---- */

char *setting_refuse_word(const struct setting *setting, const char *word)
{
    if (setting_word_find(setting->words, word) >= 0)
        return NULL;
    char *allowed = setting_word_list(setting->words, "\"", "or");
    char *refusal =
        text_format("%s(): \"%s\" is unknown; allowed is %s", setting->function, word, allowed);

    free(allowed);
    return refusal;
}

char *setting_refuse_number(const struct setting *setting, double value)
{
    int64_t low, high;
    bool good = setting_contains(setting, value);

    if (setting->type != SETTING_REAL) {
        setting_limits(setting, &low, &high);
        good = value >= (double)low && value <= (double)high;
    }
    if (good)
        return NULL;
    char *range = setting_range(setting);
    char *refusal =
        text_format("%s(): %.15g is out of range; it must be %s", setting->function, value, range);

    free(range);
    return refusal;
}

/* ---- Reference ---- */

static void append_words(struct text *text, const struct setting_word *words)
{
    for (size_t i = 0; words[i].name; i++) {
        text_append(text, "%s \"%s\"", i ? "," : ":", words[i].name);
        if (words[i].meaning)
            text_append(text, " (%s)", words[i].meaning);
    }
}

static void append_default(struct text *text, const struct setting *setting)
{
    text_append(text, "; default ");
    if (setting->initially)
        text_append(text, "%s", setting->initially);
    else if (setting->words)
        text_append(text, "\"%s\"", setting->words[(int)setting->initial].name);
    else if (setting->type == SETTING_TEXT)
        text_append(text, "\"%s\"", setting->initial_text);
    else
        append_value(text, setting, setting->initial);
}

/* Whether a function without arguments chooses the default. */
static bool chooses_default(const struct setting *setting)
{
    const struct setting *row = setting_rows;

    while (row->place != setting->place)
        row++;
    return row == setting;
}

/* Whether the reference states the limits. It does not state that a number is not negative. */
static bool limits_matter(const struct setting *setting)
{
    return setting->type != SETTING_FLAG && setting->type != SETTING_INFO &&
           setting->type != SETTING_TEXT &&
           (setting->open || setting->low != 0 || setting->high != 0);
}

static void append_argument(struct text *text, const struct setting *setting)
{
    text_append(text, "%s", setting->help);
    if (!setting->argument) {
        text_append(text, "%s", chooses_default(setting) ? ", the default" : "");
        return;
    }
    if (setting->words) {
        append_words(text, setting->words);
    } else if (limits_matter(setting)) {
        char *range = setting_range(setting);

        text_append(text, "; %s", range);
        free(range);
    }
    append_default(text, setting);
}

char *setting_help(const struct setting *first)
{
    struct text text = {0};
    size_t count = setting_arguments(first);

    text_append(&text, "(");
    for (size_t i = 0; i < count && first->argument; i++)
        text_append(&text, "%s%s", i ? ", " : "", first[i].argument);
    text_append(&text, ") ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append(&text, ". %s: ", first[i].argument);
        append_argument(&text, &first[i]);
    }
    return text_take(&text);
}

/* ---- All together: defaults, hash, and what of them says what is measured ---- */

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
