/* Members of records that several formats write. */
#include <string.h>

#include "output/columns.h"
#include "output/record.h"

#define RESULT(member) (int)offsetof(struct result, member)
#define STATISTICS(member) RESULT(statistics.member)
#define ROUNDS(member) (int)offsetof(struct result_rounds, member)

const struct member members[] = {
    {"round", MEMBER_COUNT, RESULT(round), -1},
    {"at", MEMBER_SECONDS, RESULT(at), -1},
    {"time", MEMBER_VALUE, STATISTICS(time), -1},
    {"standard_error", MEMBER_VALUE, STATISTICS(standard_error), -1},
    {"error", MEMBER_VALUE, STATISTICS(error), -1},
    {"time_low", MEMBER_VALUE, STATISTICS(time_low), -1},
    {"time_high", MEMBER_VALUE, STATISTICS(time_high), -1},
    {"time_confidence", MEMBER_NUMBER, STATISTICS(time_confidence), -1},
    {"kept", MEMBER_COUNT, STATISTICS(kept), -1},
    {"mean", MEMBER_VALUE, STATISTICS(mean), -1},
    {"deviation", MEMBER_VALUE, STATISTICS(deviation), -1},
    {"median", MEMBER_VALUE, STATISTICS(median), ROUNDS(median)},
    {"median_low", MEMBER_VALUE, STATISTICS(median_low), ROUNDS(median_low)},
    {"median_high", MEMBER_VALUE, STATISTICS(median_high), ROUNDS(median_high)},
    {"bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bandwidth), ROUNDS(rates.bandwidth)},
    {"bus_bandwidth", MEMBER_BANDWIDTH, RESULT(rates.bus_bandwidth), ROUNDS(rates.bus_bandwidth)},
    {"rate", MEMBER_RATE, RESULT(rates.rate), ROUNDS(rates.rate)},
    {"confidence", MEMBER_NUMBER, STATISTICS(confidence), ROUNDS(confidence)},
    {"min", MEMBER_VALUE, STATISTICS(minimum), -1},
    {"max", MEMBER_VALUE, STATISTICS(maximum), -1},
    {"p5", MEMBER_VALUE, STATISTICS(p5), -1},
    {"p25", MEMBER_VALUE, STATISTICS(p25), -1},
    {"p75", MEMBER_VALUE, STATISTICS(p75), -1},
    {"p95", MEMBER_VALUE, STATISTICS(p95), -1},
    {"p99", MEMBER_VALUE, STATISTICS(p99), -1},
    {"p999", MEMBER_VALUE, STATISTICS(p999), -1},
    {"valid", MEMBER_COUNT, STATISTICS(valid), -1},
    {"invalid", MEMBER_COUNT, STATISTICS(invalid), -1},
    {"late", MEMBER_COUNT, STATISTICS(late), -1},
    {"overruns", MEMBER_COUNT, STATISTICS(overruns), -1},
    {"warm_up", MEMBER_COUNT, STATISTICS(warm_up), -1},
    {"autocorrelation", MEMBER_NUMBER, STATISTICS(autocorrelation), -1},
    {"effective", MEMBER_NUMBER, STATISTICS(effective), -1},
    {"iterations", MEMBER_INTEGER, STATISTICS(iterations), -1},
    {"synchronization", MEMBER_WORD, RESULT(point.synchronization), ROUNDS(point.synchronization)},
    {"window_rule", MEMBER_WORD, RESULT(point.window_rule), ROUNDS(point.window_rule)},
    {"window", MEMBER_SECONDS, STATISTICS(window), -1},
    {"run_time", MEMBER_WORD, RESULT(point.run_time), ROUNDS(point.run_time)},
    {"buffers", MEMBER_WORD, RESULT(buffers), -1},
    {"cache", MEMBER_WORD, RESULT(cache), -1},
    {"source_in_page", MEMBER_NUMBER, RESULT(source_in_page), -1},
    {"target_in_page", MEMBER_NUMBER, RESULT(target_in_page), -1},
    {"hand_over", MEMBER_SECONDS, STATISTICS(controls.hand_over), -1},
    {"hand_over_slowest", MEMBER_SECONDS, STATISTICS(controls.hand_over_slowest), -1},
    {"hand_over_shared", MEMBER_SECONDS, STATISTICS(controls.hand_over_shared), -1},
    {"addition", MEMBER_SECONDS, STATISTICS(controls.addition), -1},
    {"copy", MEMBER_SECONDS, STATISTICS(controls.copy), -1},
    {"repeated", MEMBER_COUNT, STATISTICS(repeated), -1},
    {"unit", MEMBER_NUMBER, RESULT(point.unit), ROUNDS(point.unit)},
    {"rounds", MEMBER_COUNT, -1, ROUNDS(rounds)},
    {"reached", MEMBER_NUMBER, -1, ROUNDS(reached)},
    {"next_low", MEMBER_VALUE, -1, ROUNDS(next_low)},
    {"next_high", MEMBER_VALUE, -1, ROUNDS(next_high)},
    {"between", MEMBER_NUMBER, -1, ROUNDS(between)},
    {"within", MEMBER_NUMBER, -1, ROUNDS(within)},
    {"launch_difference", MEMBER_NUMBER, -1, ROUNDS(launch_difference)},
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

const char *word_of(const void *place)
{
    const char *word = *(const char *const *)place;
    return word ? word : "";
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
