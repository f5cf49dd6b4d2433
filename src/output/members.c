/* Members that the records of several formats have alike. */
#include <string.h>

#include "output/columns.h"
#include "output/record.h"
#include "settings/table.h"

static const char *synchronization(const struct result *result)
{
    static const char *const names[] = {"window", "barrier", "none"};
    return names[result->synchronized ? result->settings.synchronization : SYNCHRONIZE_NONE];
}

static const char *rule(const struct result *result)
{
    return result->in_windows ? window_rule_words[result->settings.window.rule].name : "";
}

static const char *run_time(const struct result *result)
{
    return result->global ? "global" : "local";
}

static const char *buffers(const struct result *result)
{
    return result->buffers;
}

static const char *cache(const struct result *result)
{
    if (strcmp(result->buffers, "none") == 0)
        return "";
    return strcmp(result->buffers, "fresh") == 0 ? "cold" : "warm";
}

#define RESULT(member) (int)offsetof(struct result, member)
#define STATISTICS(member) RESULT(statistics.member)
#define ROUNDS(member) (int)offsetof(struct result_rounds, member)

const struct member members[] = {
    {"round", MEMBER_COUNT, RESULT(round), -1, NULL},
    {"at", MEMBER_SECONDS, RESULT(at), -1, NULL},
    {"time", MEMBER_VALUE, STATISTICS(time), -1, NULL},
    {"standard_error", MEMBER_VALUE, STATISTICS(standard_error), -1, NULL},
    {"error", MEMBER_VALUE, STATISTICS(error), -1, NULL},
    {"time_low", MEMBER_VALUE, STATISTICS(time_low), -1, NULL},
    {"time_high", MEMBER_VALUE, STATISTICS(time_high), -1, NULL},
    {"time_confidence", MEMBER_NUMBER, STATISTICS(time_confidence), -1, NULL},
    {"kept", MEMBER_COUNT, STATISTICS(kept), -1, NULL},
    {"mean", MEMBER_VALUE, STATISTICS(mean), -1, NULL},
    {"deviation", MEMBER_VALUE, STATISTICS(deviation), -1, NULL},
    {"median", MEMBER_VALUE, STATISTICS(median), ROUNDS(median), NULL},
    {"median_low", MEMBER_VALUE, STATISTICS(median_low), ROUNDS(median_low), NULL},
    {"median_high", MEMBER_VALUE, STATISTICS(median_high), ROUNDS(median_high), NULL},
    {"bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bandwidth), ROUNDS(rates.bandwidth), NULL},
    {"bus_bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bus_bandwidth), ROUNDS(rates.bus_bandwidth),
     NULL},
    {"rate", MEMBER_RATE, RESULT(rates.rate), ROUNDS(rates.rate), NULL},
    {"confidence", MEMBER_NUMBER, STATISTICS(confidence), ROUNDS(confidence), NULL},
    {"min", MEMBER_VALUE, STATISTICS(minimum), -1, NULL},
    {"max", MEMBER_VALUE, STATISTICS(maximum), -1, NULL},
    {"p5", MEMBER_VALUE, STATISTICS(p5), -1, NULL},
    {"p25", MEMBER_VALUE, STATISTICS(p25), -1, NULL},
    {"p75", MEMBER_VALUE, STATISTICS(p75), -1, NULL},
    {"p95", MEMBER_VALUE, STATISTICS(p95), -1, NULL},
    {"p99", MEMBER_VALUE, STATISTICS(p99), -1, NULL},
    {"p999", MEMBER_VALUE, STATISTICS(p999), -1, NULL},
    {"valid", MEMBER_COUNT, STATISTICS(valid), -1, NULL},
    {"invalid", MEMBER_COUNT, STATISTICS(invalid), -1, NULL},
    {"late", MEMBER_COUNT, STATISTICS(late), -1, NULL},
    {"overruns", MEMBER_COUNT, STATISTICS(overruns), -1, NULL},
    {"warm_up", MEMBER_COUNT, STATISTICS(warm_up), -1, NULL},
    {"autocorrelation", MEMBER_NUMBER, STATISTICS(autocorrelation), -1, NULL},
    {"effective", MEMBER_NUMBER, STATISTICS(effective), -1, NULL},
    {"iterations", MEMBER_INTEGER, STATISTICS(iterations), -1, NULL},
    {"synchronization", MEMBER_WORD, 0, -1, synchronization},
    {"window_rule", MEMBER_WORD, 0, -1, rule},
    {"window", MEMBER_SECONDS, STATISTICS(window), -1, NULL},
    {"run_time", MEMBER_WORD, 0, -1, run_time},
    {"buffers", MEMBER_WORD, 0, -1, buffers},
    {"cache", MEMBER_WORD, 0, -1, cache},
    {"hand_over", MEMBER_SECONDS, STATISTICS(controls.hand_over), -1, NULL},
    {"hand_over_slowest", MEMBER_SECONDS, STATISTICS(controls.hand_over_slowest), -1, NULL},
    {"hand_over_shared", MEMBER_SECONDS, STATISTICS(controls.hand_over_shared), -1, NULL},
    {"addition", MEMBER_SECONDS, STATISTICS(controls.addition), -1, NULL},
    {"copy", MEMBER_SECONDS, STATISTICS(controls.copy), -1, NULL},
    {"repeated", MEMBER_COUNT, STATISTICS(repeated), -1, NULL},
    {"unit", MEMBER_NUMBER, RESULT(point.unit), ROUNDS(point.unit), NULL},
    {"rounds", MEMBER_COUNT, -1, ROUNDS(rounds), NULL},
    {"reached", MEMBER_NUMBER, -1, ROUNDS(reached), NULL},
    {"next_low", MEMBER_VALUE, -1, ROUNDS(next_low), NULL},
    {"next_high", MEMBER_VALUE, -1, ROUNDS(next_high), NULL},
    {"between", MEMBER_NUMBER, -1, ROUNDS(between), NULL},
    {"within", MEMBER_NUMBER, -1, ROUNDS(within), NULL},
    {"launch_difference", MEMBER_NUMBER, -1, ROUNDS(launch_difference), NULL},
};
const size_t member_count = sizeof members / sizeof *members;

const char *column_name(size_t index)
{
    return index < member_count ? members[index].name : NULL;
}

int column_find(const char *name)
{
    for (size_t i = 0; i < member_count; i++)
        if (strcmp(members[i].name, name) == 0 && members[i].type != MEMBER_WORD)
            return (int)i;
    return -1;
}

const char *missing_name(enum result_missing kind)
{
    static const char *const names[] = {[MISSING_FAILED] = "failed",
                                        [MISSING_UNSUPPORTED] = "unsupported",
                                        [MISSING_SKIPPED] = "skipped",
                                        [MISSING_TIME_LIMIT] = "time_limit",
                                        [MISSING_REFUSED] = "not_measurable",
                                        [MISSING_TOO_LARGE] = "too_large",
                                        [MISSING_STATE] = "state"};
    return names[kind];
}

bool variable_hidden(const struct result_point *point, size_t index)
{
    for (size_t later = index + 1; later < point->variable_count; later++)
        if (strcmp(point->variables[later].name, point->variables[index].name) == 0)
            return true;
    return false;
}
