/* `shmemtrace [options] LAUNCHER... PROGRAM...` starts a program under the tracer. */
#ifndef SKAMPI_TRACE_COMMAND_RECORD_H
#define SKAMPI_TRACE_COMMAND_RECORD_H

/* argv[0] is the command. commands are the names of commands that read traces, for hints. Returns
 * the exit status. */
int record_main(int argc, char **argv, const char *const *commands, int command_count);

/* The classes of routines as a sentence, which the caller frees. */
char *record_classes(void);

#endif
