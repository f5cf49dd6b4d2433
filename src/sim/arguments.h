/* The command line of shmemsim and its commands, taken apart by one table. One process. */
#ifndef SKAMPI_SIM_ARGUMENTS_H
#define SKAMPI_SIM_ARGUMENTS_H

#include <stdio.h>

#include "base/manual.h"
#include "sim/replay.h"
#include "sim/run.h"

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

/* "shmemsim: ..." on standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the program: "shmemsim: ..." on standard error. Takes the text over. */
_Noreturn void fail(int status, const char *text);
/* Ends the program, with 1 if standard output could not be written. */
_Noreturn void finish_printing(void);

/* Gives take() each option, with the number of its row, in the order of the command line. Options
 * may come after other words. The index in argv of the first word that is none. */
int arguments_parse(const struct manual_option *rows, size_t count, const char *program, int argc,
                    char **argv, void (*take)(void *context, size_t row, const char *value),
                    void *context);

/* What --model and --contention say. */
void arguments_model(struct replay_options *, const char *value);
void arguments_contention(struct replay_options *, const char *value);

struct inputs {
    const char *machine;
    char *const *traces;
    size_t count;
};
/* The machine description, and the traces or the default one. */
struct inputs arguments_inputs(const char *help, int argc, char **argv, int at);
/* Ends the program when it cannot be read. */
struct machine *machine_open(const char *path);
/* Both opened. Ends the program when one cannot be, or the options cannot be predicted for it. */
struct machine *inputs_open(const struct inputs *, const struct replay_options *, struct run *);

/* A row of options, for output_check(). */
#define OPTION_FORCE                                                                               \
    {                                                                                              \
        .name = "force", .help = "replace any file, also one that no program of skampi wrote"      \
    }

/* Ends the program when this file must not be replaced. force: any may be. Before long work. */
void output_check(const char *path, bool force);
/* Standard output for NULL and "-"; ends the program when the file is one of those that are read
 * (NULL: none), or cannot be written. */
FILE *sim_output_open(const char *path, const char *machine, struct file_names *files);
/* Ends the program when something could not be written. */
void sim_output_close(FILE *, const char *path);

#endif
