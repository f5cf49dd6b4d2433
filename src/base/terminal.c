/* Finds terminals, and writes messages in colours. */
#include "base/terminal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool coloured;

int terminal_of(int stream, bool launched)
{
    char path[64];
    struct stat status;
    if (fstat(stream, &status) != 0 || S_ISREG(status.st_mode))
        return -1;
    if (!launched)
        return isatty(stream) ? stream : -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), stream);
    int found = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (found >= 0 && isatty(found))
        return found;
    if (found >= 0)
        close(found);
    return -1;
}

int terminal_of_messages(bool launched)
{
    static int found = -2;
    if (found == -2)
        found = terminal_of(STDERR_FILENO, launched);
    return found;
}

void terminal_choose(enum when when, bool launched)
{
    const char *off = getenv("NO_COLOR"), *name = getenv("TERM");
    coloured = when == WHEN_ALWAYS;
    if (when == WHEN_AUTO)
        coloured = !(off && *off) && !(name && strcmp(name, "dumb") == 0) &&
                   terminal_of_messages(launched) >= 0;
}

const char *terminal_style(enum terminal_style style)
{
    static const char *const codes[] = {
        [TERMINAL_PLAIN] = "\033[0m",   [TERMINAL_BOLD] = "\033[1m",
        [TERMINAL_GOOD] = "\033[1;32m", [TERMINAL_DOUBT] = "\033[1;33m",
        [TERMINAL_BAD] = "\033[1;31m",
    };
    return coloured ? codes[style] : "";
}

static const struct {
    const char *word;
    enum terminal_style style;
} words[] = {{": error:", TERMINAL_BAD}, {": warning:", TERMINAL_DOUBT}};

static void say_line(const char *line, size_t length)
{
    const char *plain = terminal_style(TERMINAL_PLAIN);
    if (length > 0 && line[length - 1] == '^' && strspn(line, " \t") == length - 1) {
        fprintf(stderr, "%s%.*s%s\n", terminal_style(TERMINAL_GOOD), (int)length, line, plain);
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(line, words[i].word);
        size_t word = strlen(words[i].word);
        if (!at || at + word > line + length)
            continue;
        fprintf(stderr, "%s%.*s:%s%s%s%s%.*s\n", terminal_style(TERMINAL_BOLD), (int)(at - line),
                line, plain, terminal_style(words[i].style), words[i].word + 1, plain,
                (int)(line + length - at - word), at + word);
        return;
    }
    fprintf(stderr, "%.*s\n", (int)length, line);
}

void terminal_say(const char *text)
{
    char *shown = text_printable(text, true);
    for (const char *line = shown; *line;) {
        size_t length = strcspn(line, "\n");
        say_line(line, length);
        line += length + (line[length] == '\n');
    }
    free(shown);
}

void terminal_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    terminal_say(text);
    free(text);
}

void terminal_line(const char *program, const char *format, va_list arguments)
{
    char *text = text_format_with(format, arguments), *shown = text_printable(text, false);
    fprintf(stderr, "%s: %s\n", program, shown);
    free(shown);
    free(text);
}
