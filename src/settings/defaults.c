/* Defaults and hash of the settings, both from the table. */
#include "settings/settings.h"

#include <string.h>

#include "base/hash.h"
#include "settings/table.h"

struct settings settings_default(void)
{
    struct settings settings = {0};

    /* Store from the last row to the first: if a member has several rows, the first one has the
     * default. */
    for (size_t i = setting_row_count; i-- > 0;)
        setting_store_initial(&setting_rows[i], &settings);
    settings.buffer_given = false;
    return settings;
}

static size_t size_of(enum setting_type type)
{
    switch (type) {
    case SETTING_INT:
    case SETTING_WORD:
        return sizeof(int);
    case SETTING_BYTES:
        return sizeof(int64_t);
    case SETTING_REAL:
        return sizeof(double);
    case SETTING_FLAG:
        return sizeof(bool);
    case SETTING_INFO:
    case SETTING_TEXT:
        break;
    }
    return 0;
}

/* Hashes member by member, since the padding between members is not defined. */
uint64_t settings_hash(const struct settings *settings)
{
    uint64_t hash = HASH_EMPTY;

    for (size_t i = 0; i < setting_row_count; i++) {
        const struct setting *setting = &setting_rows[i];
        const void *member = (const char *)settings + setting->place;

        if (setting->type == SETTING_TEXT)
            hash = hash_bytes(hash, *(const char *const *)member,
                              strlen(*(const char *const *)member));
        hash = hash_bytes(hash, member, size_of(setting->type));
    }
    return hash;
}
