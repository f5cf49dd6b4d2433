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

/* A command that is the program's first word. */
struct sim_command {
    const char *name, *summary;
    const char *synopsis; /* what follows the name */
    const char *text;     /* of its help and manual page */
    const struct manual_option *rows;
    size_t count;
    int (*run)(int argc, char **argv); /* argv[0] is the name; the exit status */
};
extern const struct sim_command what_if_command, pack_command, unpack_command;

/* Prints the help of a command, and ends the program. */
_Noreturn void command_help(const struct sim_command *);
/* "shmemsim: ..." on standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the program: "shmemsim: ..." on standard error. Takes the text over. */
_Noreturn void fail(int status, const char *text);
/* Ends the program, with 1 if standard output could not be written. */
_Noreturn void finish_printing(void);

/* Calls take() for each option, with the number of its row, in the order of the command line.
 * Options may follow other words. Returns the index in argv of the first word that is no option. */
int arguments_parse(const struct manual_option *rows, size_t count, const char *program, int argc,
                    char **argv, void (*take)(void *context, size_t row, const char *value),
                    void *context);

/* A row of options, for output_check(). */
#define OPTION_FORCE                                                                               \
    {                                                                                              \
        .name = "force", .help = "replace any file, also one that no program of skampi wrote"      \
    }

/* Options that every prediction has, as the first rows of its table. */
struct prediction_options {
    struct replay_options replay;
    bool json, force;
    const char *output, *traced_on;
};
enum {
    OPTION_MODEL,
    OPTION_CONTENTION,
    OPTION_POINTERS,
    OPTION_TRACED_ON,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTION_FORCED,
    OWN_OPTIONS
};
#define PREDICTION_OPTIONS                                                                         \
    [OPTION_MODEL] = {"model", 'm',           "NAME", "what calls cost: loggp (default) or paper", \
                      false,   "loggp paper", NULL},                                               \
    [OPTION_CONTENTION] = {"contention",                                                           \
                           'c',                                                                    \
                           "HOW",                                                                  \
                           "links are busy: transfers wait (fifo, default) or share them (fair)",  \
                           true,                                                                   \
                           "fifo fair",                                                            \
                           NULL},                                                                  \
    [OPTION_POINTERS] = {.name = "ignore-pointers",                                                \
                         .help = "predict, although pointers of shmem_ptr may move data between "  \
                                 "nodes unseen"},                                                  \
    [OPTION_TRACED_ON] = {.name = "traced-on",                                                     \
                          .value = "MACHINE",                                                      \
                          .help = "the machine of the trace: add what calls took there beyond "    \
                                  "what its description says"},                                    \
    [OPTION_JSON] = {.name = "json", .help = "one JSON object with everything"},                   \
    [OPTION_OUTPUT] = {.name = "output",                                                           \
                       .letter = 'o',                                                              \
                       .value = "FILE",                                                            \
                       .help = "write to FILE instead of standard output"},                        \
    [OPTION_FORCED] = OPTION_FORCE
/* Takes one of these options. False: the row is none of them. */
bool arguments_take(struct prediction_options *, size_t row, const char *value);

struct inputs {
    const char *machine;
    char *const *traces;
    size_t count;
};
/* Takes the machine description, and the traces or the default trace. */
struct inputs arguments_inputs(const char *help, int argc, char **argv, int at);
/* Reads a description. Ends the program when it cannot be read. */
struct machine *machine_open(const char *path);
/* That of the inputs. Says so if it lacks what the model needs. */
struct machine *inputs_machine(const struct inputs *, const struct prediction_options *);
/* Opens the traces as one, and compares it with its machine; the options then have what calls take
 * in addition. Ends the program when that cannot be done. inputs_close() frees both. */
void inputs_open(const struct inputs *, struct prediction_options *, struct run *);
void inputs_close(struct prediction_options *, struct run *);

/* Ends the program if the file must not be replaced; with force, any file may be. Call it before
 * long work. */
void output_check(const char *path, bool force);
/* Ends the program if writing to the file would change this file, which is read. */
void output_differs(const char *path, const char *read);
/* Opens the file, or standard output for NULL and "-". Ends the program if the file cannot be
 * written, or is the machine description or a file of the trace (each may be NULL). */
FILE *sim_output_open(const char *path, const char *machine, struct run *);
/* Makes the folder. Ends the program unless it is new or empty. Returns whether it was new. */
bool sim_output_folder(const char *path);
/* Ends the program when something could not be written. */
void sim_output_close(FILE *, const char *path);

#endif
