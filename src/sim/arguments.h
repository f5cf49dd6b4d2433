/* Parses the command lines of shmemsim and its commands, by one table. One process. */
#ifndef SKAMPI_SIM_ARGUMENTS_H
#define SKAMPI_SIM_ARGUMENTS_H

#include <stdio.h>

#include "base/manual.h"
#include "sim/run.h"
#include "sim/state.h"

#ifndef SKAMPI_VERSION
#define SKAMPI_VERSION "unknown"
#endif

struct arguments;

/* A command that is the program's first word; or, without a name, predicting. */
struct sim_command {
    const char *name, *summary;
    const char *synopsis; /* what follows the name */
    const char *text;     /* of its help and manual page */
    const struct manual_option *rows;
    size_t count;
    int (*run)(const struct arguments *); /* the exit status */
};
extern const struct sim_command what_if_command, sim_pack_command, unpack_command;

/* A command line, taken apart. */
struct arguments {
    const struct sim_command *command;
    char *program; /* "shmemsim what-if" */
    struct given_option {
        const struct manual_option *option;
        const char *value; /* NULL: none */
    } * given;             /* options, in the order of the command line */
    size_t given_count;
    char *const *words; /* what is no option */
    size_t word_count;
};

/* Runs a command: argv[0] is its word. Returns the exit status. */
int sim_arguments_run(const struct sim_command *, int argc, char **argv);
/* The last option of that name; NULL: it was not given. */
const struct given_option *sim_arguments_given(const struct arguments *, const char *option);
/* Its value; NULL: it has none. */
const char *sim_arguments_value(const struct arguments *, const char *option);

/* "shmemsim: ..." on standard error. */
void sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and ends the program. */
_Noreturn void sim_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the program, with 1 if standard output could not be written. */
_Noreturn void finish_printing(void);

/* ---- Predicting ---- */

/* Options that every prediction has. */
#define PREDICTION_OPTIONS                                                                         \
    {.name = "model",                                                                              \
     .letter = 'm',                                                                                \
     .value = "NAME",                                                                              \
     .help = "what calls cost: loggp (default) or paper",                                          \
     .words = "loggp paper"},                                                                      \
        {.name = "contention",                                                                     \
         .letter = 'c',                                                                            \
         .value = "HOW",                                                                           \
         .help = "links are busy: transfers wait (fifo, default) or share them (fair)",            \
         .optional = true,                                                                         \
         .words = "fifo fair"},                                                                    \
        {.name = "ignore-pointers",                                                                \
         .help = "predict, although pointers of shmem_ptr may move data between nodes unseen"},    \
        {.name = "traced-on",                                                                      \
         .value = "MACHINE",                                                                       \
         .help = "the machine of the trace: add what calls took there beyond what its "            \
                 "description says"},                                                              \
        {.name = "json", .help = "one JSON object with everything"}, MANUAL_OUTPUT, MANUAL_FORCE

/* What is predicted, and how. */
struct prediction {
    const char *machine; /* file of its description */
    char *const *traces; /* their folders or files */
    size_t trace_count;
    struct replay_options replay;
    bool json;
    const char *output, *traced_on;
};
/* From a command line. Ends the program if something is wrong with it, or if its output, or the
 * value of `writes` instead (NULL: none), must not be replaced. */
struct prediction sim_arguments_prediction(const struct arguments *, const char *writes);
/* Reads a description. Ends the program when it cannot be read. */
struct machine *sim_machine_open(const char *path);
/* That of the prediction. Says so if it lacks what the model needs. */
struct machine *prediction_machine(const struct prediction *);
/* Opens the traces as one, and compares it with its machine; the options of the replay then have
 * what calls take in addition. Ends the program when that cannot be done. prediction_close() frees
 * both. */
void prediction_open(struct prediction *, struct run *);
void prediction_close(struct prediction *, struct run *);

/* ---- Files ---- */

/* Ends the program if the file must not be replaced, which --force allows. Call it before long
 * work. */
void sim_output_check(const struct arguments *, const char *path);
/* Ends the program if writing to the file would change this file, which is read. */
void sim_output_differs(const char *path, const char *read);
/* Opens the file, or standard output for NULL and "-". Ends the program if the file cannot be
 * written, or is the machine description or a file of the trace (each may be NULL). */
FILE *sim_output_open(const char *path, const char *machine, struct run *);
/* Makes the folder. Ends the program unless it is new or empty. Returns whether it was new. */
bool sim_output_folder(const char *path);
/* Ends the program when something could not be written. */
void sim_output_close(FILE *, const char *path);

#endif
