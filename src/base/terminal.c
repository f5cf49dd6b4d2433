/* Finds terminals, writes messages in colours, and folds lines. */
#define _GNU_SOURCE /* memfd_create */
#include "base/terminal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

#define UNKNOWN_COLUMNS 80
#define FEWEST_COLUMNS 20

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

int terminal_columns(int terminal)
{
    const char *given = getenv("COLUMNS");
    int stated = given ? atoi(given) : 0;
    struct winsize size;
    if (stated <= 0 && ioctl(terminal, TIOCGWINSZ, &size) == 0)
        stated = size.ws_col;
    if (stated <= 0)
        stated = UNKNOWN_COLUMNS;
    return stated < FEWEST_COLUMNS ? FEWEST_COLUMNS : stated;
}

int terminal_of_messages(bool launched)
{
    static int found = -2;
    if (found == -2)
        found = terminal_of(STDERR_FILENO, launched);
    return found;
}

void terminal_choose(enum terminal_use when, bool launched)
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

/* ---- Folding ---- */

static bool paragraphs;  /* there are some */
static int folding = -1; /* where standard output goes really; -1: nothing is folded */

/* Characters, as bytes of UTF-8 that begin one. */
static size_t width(const char *text, size_t length)
{
    size_t found = 0;
    for (size_t i = 0; i < length; i++)
        found += (text[i] & 0xc0) != 0x80;
    return found;
}

/* Where the text begins to which a line goes on: after its first gap of two blanks. */
static size_t hanging(const char *line, size_t length, size_t most)
{
    size_t indent = strspn(line, " ");
    const char *gap = indent < length ? memmem(line + indent, length - indent, "  ", 2) : NULL;
    size_t at = gap ? (size_t)(gap - line) + strspn(gap, " ") : 0;
    return at > 0 && at <= most / 2 ? at : indent > 0 ? indent + 4 : 0;
}

static void fold_line(const char *line, size_t length, size_t most)
{
    size_t indent = hanging(line, length, most), used = 0;
    const char *end = line + length;
    while (line < end) {
        size_t blanks = 0, word;
        while (line + blanks < end && line[blanks] == ' ')
            blanks++;
        for (word = blanks; line + word < end && line[word] != ' ';)
            word++;
        size_t wide = width(line, word);
        if (used > indent && used + wide > most) {
            printf("\n%*s", (int)indent, "");
            line += blanks;
            word -= blanks;
            wide -= blanks;
            used = indent;
        }
        fwrite(line, 1, word, stdout);
        used += wide;
        line += word;
    }
}

/* The length of a line, which takes in the lines of its paragraph: those without indentation. */
static size_t join(char *text, size_t length)
{
    while (text[0] != ' ' && text[length] && text[length + 1] && !strchr(" \n", text[length + 1])) {
        text[length] = ' ';
        length += strcspn(text + length, "\n");
    }
    return length;
}

static void fold(char *text, size_t most)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        if (paragraphs && width(text, length) > most)
            length = join(text, length);
        if (width(text, length) > most)
            fold_line(text, length, most);
        else
            fwrite(text, 1, length, stdout);
        if (text[length] == '\n')
            putchar(text[length++]);
    }
}

void terminal_fold_begin(bool terminals_only)
{
    if (terminals_only && !isatty(STDOUT_FILENO))
        return;
    fflush(stdout);
    paragraphs = !terminals_only;
    int kept = memfd_create("folded", MFD_CLOEXEC);
    folding = kept < 0 ? -1 : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (folding >= 0)
        dup2(kept, STDOUT_FILENO);
    if (kept >= 0)
        close(kept);
}

void terminal_fold_end(void)
{
    if (folding < 0)
        return;
    fflush(stdout);
    off_t length = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    char *text = memory_zeroed((size_t)length + 1, 1);
    ssize_t got = pread(STDOUT_FILENO, text, (size_t)length, 0);
    dup2(folding, STDOUT_FILENO);
    close(folding);
    folding = -1;
    text[got > 0 ? got : 0] = '\0';
    fold(text, (size_t)terminal_columns(STDOUT_FILENO));
    free(text);
}
