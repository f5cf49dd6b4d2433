/* shmemsim what-if: predictions for machines that differ from the described one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "sim/arguments.h"
#include "sim/report.h"
#include "sim/sweep.h"

#define MOST_POINTS 10000
#define MOST_SWEEPS 64

static const struct manual_option rows[] = {
    PREDICTION_OPTIONS,
    MANUAL_HELP,
    {.name = "latency",
     /* the first of the quantities that are swept */ .value = "VALUES",
     .help = "of buses: 'x0.5,+1 us,3 us'; of one: ib=x0.5"},
    {.name = "bandwidth", .value = "VALUES", .help = "of buses, such as '1 GB/s,x2,infinite'"},
    {.name = "overhead", .value = "VALUES", .help = "of buses, for loggp"},
    {.name = "gap", .value = "VALUES", .help = "of buses, for loggp"},
    {.name = "receive", .value = "VALUES", .help = "of buses, for loggp"},
    {.name = "answer", .value = "VALUES", .help = "of buses, for loggp"},
    {.name = "lanes", .value = "VALUES", .help = "of buses, with --contention"},
    {.name = "total",
     .value = "VALUES",
     .help = "bandwidth of all messages on a bus, with --contention=fair"},
    {.name = "ratio", .value = "VALUES", .help = "speed of the processors of nodes"},
    {.name = "atomic",
     .value = "VALUES",
     .help = "how long an atomic keeps its target busy: of buses that have it, else of nodes"},
    {.name = "count", .value = "VALUES", .help = "number of nodes of a kind"},
    {.name = "cores", .value = "VALUES", .help = "PEs that a node can have"},
    {.name = "in", .value = "VALUES", .help = "links into a node, with --contention"},
    {.name = "out", .value = "VALUES", .help = "links out of a node, with --contention"},
    {.name = "map", .value = "VALUES", .help = "round-robin, blocks, { nodes of all PEs }"},
    {.name = "pes-per-node", .value = "VALUES", .help = "PEs fill nodes one by one, so many each"},
};

struct outcome {
    double run_time, communication, compute, waiting; /* ps */
};

struct study {
    struct prediction common;
    struct run run;
    struct machine *machine;
    const struct given_option *swept[MOST_SWEEPS]; /* options with VALUES */
    struct sweep sweeps[MOST_SWEEPS];
    size_t count, points;
    struct outcome *outcomes; /* of points, behind that of the unchanged machine */
    struct repeat repeat;     /* of that machine */
    struct errors errors;
};

/* ---- Options ---- */

static void take_swept(struct study *study, const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct given_option *given = &arguments->given[i];
        if (!given->option->value || strcmp(given->option->value, "VALUES") != 0)
            continue;
        if (study->count == MOST_SWEEPS)
            sim_fail(2, "what-if: more than %d quantities are swept", MOST_SWEEPS);
        study->swept[study->count++] = given;
    }
    if (study->count == 0)
        sim_fail(2,
                 "what-if: name what differs, such as --latency x0.5,x2; shmemsim what-if -h lists "
                 "all");
}

/* Values without effect would look like an answer. */
static void check_effect(const struct study *study, const struct arguments *arguments)
{
    const bool loggp = study->common.replay.model->has_overheads,
               links = study->common.replay.contention,
               shares = study->common.replay.contention == CONTENTION_FAIR;
    const struct {
        const char *option;
        bool has;
        const char *need;
    } needs[] = {{"overhead", loggp, "the model loggp"}, {"gap", loggp, "the model loggp"},
                 {"receive", loggp, "the model loggp"},  {"answer", loggp, "the model loggp"},
                 {"lanes", links, "--contention"},       {"in", links, "--contention"},
                 {"out", links, "--contention"},         {"total", shares, "--contention=fair"}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!needs[i].has && sim_arguments_given(arguments, needs[i].option))
            sim_fail(2, "what-if: --%s changes nothing without %s; choose that", needs[i].option,
                     needs[i].need);
    if (sim_arguments_given(arguments, "pes-per-node") && sim_arguments_given(arguments, "map"))
        sim_fail(2, "what-if: --map and --pes-per-node both say where PEs are; give one of them");
}

static void read_sweeps(struct study *study)
{
    bool wrong = false;
    study->points = 1;
    for (size_t i = 0; i < study->count; i++) {
        struct sweep *sweep = &study->sweeps[i];
        char *error = sweep_read(sweep, study->swept[i]->option->name, study->swept[i]->value,
                                 study->machine);
        if (error)
            terminal_say(error);
        free(error);
        wrong = wrong || error;
        for (size_t k = 0; k < i && !wrong; k++)
            if (strcmp(study->sweeps[k].label, sweep->label) == 0)
                sim_fail(2,
                         "what-if: --%s is given twice for the same; write all values into one, "
                         "with commas",
                         sweep->option);
        study->points *= sweep->setting_count;
        if (study->points > MOST_POINTS)
            sim_fail(2, "what-if: the values have more than %d combinations; give fewer",
                     MOST_POINTS);
    }
    if (wrong)
        exit(2);
}

/* ---- Points ---- */

/* The last quantity changes fastest. */
static size_t setting_of(const struct study *study, size_t point, size_t sweep)
{
    for (size_t i = study->count; --i > sweep;)
        point /= study->sweeps[i].setting_count;
    return point % study->sweeps[sweep].setting_count;
}

static const char *value_of(const struct study *study, size_t point, size_t sweep)
{
    return study->sweeps[sweep].settings[setting_of(study, point, sweep)].text;
}

static _Noreturn void fail_at(const struct study *study, size_t point, int status,
                              const char *problem)
{
    struct text text = {0};
    text_append(&text, "what-if: ");
    for (size_t i = 0; i < study->count; i++)
        text_append(&text, "%s%s %s", i ? ", " : "", study->sweeps[i].label,
                    value_of(study, point, i));
    sim_fail(status, "%s: %s", text.data, problem);
}

/* The machine of a point. Ends the program if there can be no such machine. */
static struct machine *machine_at(const struct study *study, size_t point)
{
    struct machine *machine = sim_machine_open(study->common.machine);
    for (size_t i = 0; i < study->count; i++) {
        char *problem = sweep_apply(machine, &study->sweeps[i], setting_of(study, point, i));
        if (problem)
            fail_at(study, point, 2, problem);
    }
    return machine;
}

/* All of them, before the first one is predicted. */
static void check_points(const struct study *study)
{
    int pes = study->run.pes, *nodes = memory_zeroed((size_t)pes, sizeof *nodes);
    for (size_t i = 0; i < study->points; i++) {
        struct machine *machine = machine_at(study, i);
        char *problem = sim_machine_place(machine, pes, nodes);
        if (problem)
            fail_at(study, i, 2, problem);
        sim_machine_free(machine);
    }
    free(nodes);
}

/* Predicts for a machine: 0 is the unchanged one, for which it also finds out what errors mean; the
 * points come after it. Ends the program if that cannot be done. */
static void predict(struct study *study, const struct machine *machine, size_t number)
{
    struct replay replay;
    if (!replay_run(&replay, &study->run, machine, &study->common.replay)) {
        if (number > 0)
            fail_at(study, number - 1, replay.found ? 1 : 2, replay.error);
        sim_fail(replay.found ? 1 : 2, "%s", replay.error);
    }
    struct report report = sim_report_make(&replay);
    if (number == 0) {
        study->repeat = repeat_of(&replay, &study->common.replay, study->common.machine);
        study->errors = errors_find(&study->repeat, &(struct prediction_spread){0}, false);
    }
    study->outcomes[number] =
        (struct outcome){(double)report.run_time, report.parts[REPORT_COMMUNICATION].sum,
                         report.parts[REPORT_COMPUTE].sum, report.parts[REPORT_WAITING].sum};
    replay_close(&replay);
}

static void predict_all(struct study *study)
{
    bool watched = isatty(STDERR_FILENO);
    study->outcomes = memory_zeroed(study->points + 1, sizeof *study->outcomes);
    predict(study, study->machine, 0);
    for (size_t i = 0; i < study->points; i++) {
        if (watched)
            fprintf(stderr, "\rshmemsim: %zu of %zu", i + 1, study->points);
        struct machine *machine = machine_at(study, i);
        predict(study, machine, i + 1);
        sim_machine_free(machine);
    }
    if (watched)
        fputs("\r\033[K", stderr);
}

/* ---- Output ---- */

static double change(double now, double before)
{
    return 100 * (now / before - 1);
}

static void print_row(FILE *out, const struct outcome *now, const struct outcome *before)
{
    const double times[][2] = {{now->run_time, before->run_time},
                               {now->communication, before->communication}};
    for (size_t i = 0; i < 2; i++) {
        sim_report_column(out, 18, times[i][0]);
        if (times[i][1] > 0)
            fprintf(out, " %+9.2f %%", change(times[i][0], times[i][1]));
        else
            fprintf(out, " %9s  ", "---");
    }
    fputc('\n', out);
}

static void print_table(FILE *out, const struct study *study)
{
    const struct outcome *outcomes = study->outcomes;
    int widths[MOST_SWEEPS], before = 0;
    sim_report_subject(out, &study->repeat);
    for (size_t i = 0; i < study->count; i++) {
        const struct sweep *sweep = &study->sweeps[i];
        size_t width = strlen(sweep->label);
        for (size_t k = 0; k < sweep->setting_count; k++)
            if (strlen(sweep->settings[k].text) > width)
                width = strlen(sweep->settings[k].text);
        widths[i] = (int)width;
        before += widths[i] + (i ? 2 : 0);
        fprintf(out, "%s%-*s", i ? "  " : "", widths[i], sweep->label);
    }
    int missing = before < 12 ? 12 - before : 0;
    fprintf(out, "%*s %18s %9s   %18s %9s\n", missing, "", "run time s", "change",
            "communication s", "change");
    fprintf(out, "%-*s", before + missing, "as described");
    print_row(out, &outcomes[0], &outcomes[0]);
    for (size_t i = 0; i < study->points; i++) {
        for (size_t k = 0; k < study->count; k++)
            fprintf(out, "%s%-*s", k ? "  " : "", widths[k], value_of(study, i, k));
        fprintf(out, "%*s", missing, "");
        print_row(out, &outcomes[i + 1], &outcomes[0]);
    }
    if (study->errors.how == ERRORS_NONE && !study->errors.model)
        return;
    fputs("\nas described: ", out);
    sim_report_run_time(out, &study->errors, outcomes[0].run_time);
    fputc('\n', out);
    sim_report_errors(out, &study->errors, &study->repeat);
}

static void json_outcome(FILE *out, const struct outcome *now)
{
    json_print(out, "'run_time':%f,'communication':%f,'compute':%f,'waiting':%f",
               sim_report_seconds(now->run_time), sim_report_seconds(now->communication),
               sim_report_seconds(now->compute), sim_report_seconds(now->waiting));
}

static void json_sweep(FILE *out, const struct sweep *sweep)
{
    static const char *const of[] = {"buses", "nodes", "map", "map"};
    json_print(out, "{'name':%s,'quantity':%s,'of':%s,'unit':%s,'values':[", sweep->label,
               sweep->option, of[sweep->of], sweep->unit);
    for (size_t i = 0; i < sweep->setting_count; i++) {
        const struct setting *setting = &sweep->settings[i];
        fputs(i ? "," : "", out);
        json_print(out, "{'text':%s", setting->text);
        if (sweep->of != SWEEP_MAP)
            json_print(out, ",%s:%f",
                       setting->factor  ? "factor"
                       : setting->added ? "added"
                                        : "value",
                       setting->number);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void print_json(FILE *out, const struct study *study)
{
    const struct outcome *before = study->outcomes;
    json_print(out, "{'what_if':%s,", study->run.command);
    sim_report_subject_json(out, &study->repeat);
    json_print(out, ",\n'swept':[");
    for (size_t i = 0; i < study->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        json_sweep(out, &study->sweeps[i]);
    }
    fputs("],\n", out);
    sim_report_errors_json(out, &study->errors);
    json_print(out, "'as_described':{");
    json_outcome(out, before);
    json_print(out, "},\n'points':[");
    for (size_t i = 0; i < study->points; i++) {
        const struct outcome *now = &study->outcomes[i + 1];
        json_print(out, i ? ",\n{'values':[" : "\n{'values':[");
        for (size_t k = 0; k < study->count; k++)
            json_print(out, k ? ",%s" : "%s", value_of(study, i, k));
        fputs("],", out);
        json_outcome(out, now);
        json_print(out, ",'run_time_change':%f,'communication_change':%f}",
                   change(now->run_time, before->run_time),
                   change(now->communication, before->communication));
    }
    fputs("]}\n", out);
}

static int what_if(const struct arguments *arguments)
{
    struct study *study = memory_zeroed(1, sizeof *study);
    study->common = sim_arguments_prediction(arguments, NULL);
    take_swept(study, arguments);
    check_effect(study, arguments);
    study->machine = prediction_machine(&study->common);
    prediction_open(&study->common, &study->run);
    read_sweeps(study);
    check_points(study);
    FILE *out = sim_output_open(study->common.output, study->common.machine, &study->run);
    predict_all(study);
    (study->common.json ? print_json : print_table)(out, study);
    sim_output_close(out, study->common.output);
    for (size_t i = 0; i < study->count; i++)
        sweep_free(&study->sweeps[i]);
    prediction_close(&study->common, &study->run);
    sim_machine_free(study->machine);
    free(study->outcomes);
    free(study);
    return 0;
}

const struct sim_command what_if_command = {
    .name = "what-if",
    .summary = "predicts for machines that differ from the described one",
    .synopsis = "[OPTION]... MACHINE [TRACE]...",
    .text = "Predicts the run for the machine as described, and for each combination of the\n"
            "values that you give. VALUES have commas between them: values with their units, or\n"
            "factors such as x2. NAME= before them means one bus or one kind of nodes; buses= or\n"
            "nodes= all of them.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .run = what_if,
};
