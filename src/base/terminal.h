/*
 * Terminals: where a standard stream ends, and messages in colours on standard error.
 */
#ifndef SKAMPI_BASE_TERMINAL_H
#define SKAMPI_BASE_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>

/* Where a standard stream of this process ends up, or -1 if that is no terminal. launched: by a
 * launcher, which hands the stream on through a pipe, or a terminal of its own making, to its own.
 * The caller closes it unless it is stream itself. */
int terminal_of(int stream, bool launched);
/* That of standard error; found once. */
int terminal_of_messages(bool launched);

/* How wide a terminal is: as COLUMNS in the environment or itself says; else 80, and 20 at least.
 */
int terminal_columns(int terminal);

/* Of what is done by itself where it makes sense. */
enum terminal_use { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Whether messages are coloured from now on. WHEN_AUTO: on a terminal that is not "dumb",
 * unless NO_COLOR (https://no-color.org) has a value. */
void terminal_choose(enum terminal_use when, bool launched);

enum terminal_style { TERMINAL_PLAIN, TERMINAL_BOLD, TERMINAL_GOOD, TERMINAL_DOUBT, TERMINAL_BAD };

/* What begins a style; TERMINAL_PLAIN ends it. "" without colours. */
const char *terminal_style(enum terminal_style);

/* To standard error. In colours, "error:" and "warning:" stand out, and so do carets below a line
 * of a script. A text without an end of line gets one. Control
 * characters, apart from newlines and tabs, are shown escaped. */
void terminal_say(const char *text);
/* terminal_say() with a format. */
void terminal_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line, without colours: the program, ": ", and a text in which newlines are escaped, too. */
void terminal_line(const char *program, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Between these two lines of standard output are folded at the width of the terminal: what is too
 * long goes on below its text. terminals_only: what is no terminal gets lines as they are; else it
 * gets 80 columns, and lines without indentation are those of a paragraph. */
void terminal_fold_begin(bool terminals_only);
void terminal_fold_end(void);

#endif
