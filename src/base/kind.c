/* What files are, told by how they begin, and whether writing may replace them. */
#define _GNU_SOURCE
#include "base/kind.h"

#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

#define HEAD_BYTES 4096
#define TAIL_BYTES 65536 /* of PDF, which states at its end what has made it */

#define RESULTS "a result file", "skampi table %s", true
#define TABLE "a table of results", NULL, true
#define CALLS "calls of a trace", NULL, true
#define PREDICTION "a prediction of shmemsim", "skampi plot %s", true
#define EXPLANATION "what shmemtrace explain found", NULL, true
#define SHARES "a table of shares", NULL, true

/* The first row that fits counts. No row may use what Python's expressions have not. */
static const struct kind kinds[] = {
    {"^[ \t\r\n]*[{] *\"record\" *:", RESULTS},
    {"^\"?record\"?,", RESULTS},
    {"(^|\n)# (begin result |SKaMPI Version)", RESULTS},
    {"^block,function,pes,placement,bytes,", TABLE},
    {"^[{]\"params\": [{][^}]*[}], \"callpath\": \"[^\"]*->", TABLE},
    {"^[{]\n? *\"(comparison|coverage|fastest|guidelines_checked|history|load|progress|model|"
     "accept|tuned)\": 1,",
     "an evaluation of results (--json of a tool)", NULL, true},
    {"^[{].*\"panels\": \\[", "the description of a figure", "skampi plot RESULTS --spec %s", true},
    {"^[{]\"command\":\".*\",\"machine\":\"", PREDICTION},
    {"^[{]\"what_if\":", PREDICTION},
    {"^[^\n]*\n[0-9]+ PEs? on [^\n]*, model ", "a prediction of shmemsim as text", NULL, true},
    {"^[{]\"summary\":1", "the summary of a trace", "skampi table shares %s", true},
    {"^[^\n]*\n[^\n]*\n[0-9]+ PEs?[^\n]*; [0-9]+ events", "the summary of a trace as text", NULL,
     true},
    {"^[{]\"explain\":1", EXPLANATION},
    {"^[^\n]*\n[0-9]+ PEs?, [0-9]+ calls?, ", EXPLANATION},
    {"(^|\n)PEs: [0-9]+, events: [0-9]+, sets of PEs", "the check of a trace", NULL, true},
    {"^[{]\"pe\":[0-9]+,\"thread\":", CALLS},
    {"^pe,thread,index,routine,", CALLS},
    {"^# PE [0-9]+ of [0-9]+ on ", CALLS},
    {"^[{]\"traceEvents\":\\[", "a trace for https://ui.perfetto.dev", NULL, true},
    {"^#Paraver [(]", "a trace for Paraver", "wxparaver %s", true},
    {"^DEFAULT_OPTIONS\n", "a trace for Paraver", NULL, true},
    {"^LEVEL CPU SIZE", "a trace for Paraver", NULL, true},
    {"^SHMT(RACE|PACK)", "a trace", "shmemtrace summary %s", true},
    {"^# Machine description for shmemsim", "a machine description", "shmemsim %s TRACE", true},
    {"^[<][?]xml.*[<]platform version=\"4.1\">\n  [<]zone id=", "a platform for SimGrid", NULL,
     true},
    {"^[<][?]xml.*[<]testsuite name=\"skampi-", "a report for continuous integration", NULL, true},
    {"^# TYPE skampi_(accept|history)_", "numbers for Prometheus", NULL, true},
    {"^[<]!DOCTYPE html>.*([<]meta name=\"generator\" content=\"skampi|[<]title>skampi-accept)",
     "a page for a browser", "xdg-open %s", true},
    {"^([<]([?]xml|svg)|.PNG|%PDF).*skampi-(plot|model)", "a figure", "xdg-open %s", true},
    {"^application  +PEs +time", SHARES},
    {"^[|] application [|] PEs ", SHARES},
    {"^application,pes,seconds,", SHARES},
    {"^\\[\n [{]\n  \"application\":", SHARES},
    {"^# [^\n]*written by skampi-", "a script that a tool has written", "oshrun -np 2 skampi -i %s",
     true},
    {"(^|\n)[ \t]*(begin measurement|measure [A-Za-z_]|set_[a-z_]+ *[(])", "a script",
     "oshrun -np 2 skampi -i %s", false},
    {"(^|\n)[ \t]*(node|bus) +[A-Za-z0-9_-]+ *[{]", "a machine description", "shmemsim %s TRACE",
     false},
    {"^([<]([?]xml|svg)|.PNG|%PDF)", "a picture", NULL, false},
    {"^.ELF", "a program", NULL, false},
};

/* ---- What a file is ---- */

/* What no expression has to know is one character: zeros, which would end the text, and bytes
 * beyond ASCII, which a locale may not know. */
static void simplify(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((signed char)text[i] <= 0)
            text[i] = '?';
    text[length] = '\0';
}

/* NULL: it cannot be read, or is no regular file. */
static char *beginning(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return NULL;
    ssize_t got = -1;
    char *text = memory_allocate(HEAD_BYTES + TAIL_BYTES + 1);
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        got = pread(descriptor, text, HEAD_BYTES, 0);
    if (got == HEAD_BYTES && memcmp(text, "%PDF", 4) == 0) {
        off_t from = status.st_size > TAIL_BYTES ? status.st_size - TAIL_BYTES : 0;
        ssize_t more = pread(descriptor, text + got, TAIL_BYTES, from);
        got += more > 0 ? more : 0;
    }
    close(descriptor);
    if (got >= 0)
        simplify(text, (size_t)got);
    else
        free(text);
    return got >= 0 ? text : NULL;
}

const struct kind *kind_of(const char *path)
{
    char *text = beginning(path);
    const struct kind *kind = NULL;
    for (size_t i = 0; text && !kind && i < sizeof kinds / sizeof *kinds; i++) {
        regex_t expression;
        if (regcomp(&expression, kinds[i].begins, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        if (regexec(&expression, text, 0, NULL, 0) == 0)
            kind = &kinds[i];
        regfree(&expression);
    }
    free(text);
    return kind;
}

char *kind_misfit(const char *path, const char *own)
{
    const struct kind *kind = kind_of(path);
    size_t length = strlen(own);
    bool damaged = kind && kind->reader && strncmp(kind->reader, own, length) == 0 &&
                   kind->reader[length] == ' ';
    if (!kind || damaged)
        return NULL;
    struct text text = {0};
    text_append(&text, "this is %s", kind->what);
    if (kind->reader) {
        const char *name = strstr(kind->reader, "%s");
        text_append(&text, ": %.*s", (int)(name - kind->reader), kind->reader);
        text_append_word(&text, path);
        text_append(&text, "%s", name + 2);
    }
    return text_take(&text);
}

/* ---- Replacing ---- */

static char *replaced_text(const char *path, time_t written)
{
    char when[32];
    time_t now = time(NULL);
    struct tm then, today;
    localtime_r(&written, &then);
    localtime_r(&now, &today);
    bool old = then.tm_yday != today.tm_yday || then.tm_year != today.tm_year;
    strftime(when, sizeof when, old ? "%Y-%m-%d %H:%M" : "%H:%M", &then);
    return text_format("replaced %s of %s", path, when);
}

char *kind_refuse_replacing(const char *path, bool force, char **replaced)
{
    struct stat status;
    *replaced = NULL;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return NULL;
    const struct kind *kind = force ? NULL : kind_of(path);
    if (!force && !(kind && kind->ours))
        return text_format("%s: is there already, and is not a file that skampi or its tools have "
                           "written: give another name, or --force to replace it",
                           path);
    *replaced = replaced_text(path, status.st_mtime);
    return NULL;
}
