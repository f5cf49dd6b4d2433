/* `shmemtrace [options] LAUNCHER... PROGRAM...`: starts a program under the tracer. */
#ifndef SKAMPI_TRACE_COMMAND_RECORD_H
#define SKAMPI_TRACE_COMMAND_RECORD_H

/* argv[0] is the command. Returns only when the program cannot be started: the exit status, after
 * one line on standard error. */
int record_main(int argc, char **argv);

#endif
