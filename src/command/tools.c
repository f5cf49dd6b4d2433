/* One table of tools and their views, in the order of `skampi help`. */
#include "command/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "ski/function_names.h"

#define STATUS_BAD 2

static const struct tool {
    const char *word, *program; /* program NULL: the word is a heading */
    const char *purpose;
    bool is_view; /* of the program, which expects the word as its first argument */
} tools[] = {
    {"Look at results", NULL, NULL, false},
    {"table", "skampi-table", "result files as tables on the terminal", false},
    {"plot", "skampi-plot", "figures as PNG, SVG or PDF", false},
    {"report", "skampi-report", "one HTML page: tables, plots, and whether to trust them", false},
    {"convert", "skampi-convert", ".sko, CSV and JSON Lines into each other", false},
    {"fastest", "skampi-table", "the fastest of several ways, by PEs and size", true},
    {"load", "skampi-table", "how much slower operations get while other PEs flood", true},
    {"progress", "skampi-table", "which operations make progress while the target computes", true},
    {"Measure more than once", NULL, NULL, false},
    {"campaign", "skampi-campaign", "one script in many separate launches, summarized", false},
    {"again", "skampi-again", "the run that a result describes once more, and whether it agrees",
     false},
    {"job", "skampi-job", "a campaign as a job of Slurm, PBS, LSF or Flux", false},
    {"tune", "skampi-tune", "settings of a library, searched, proven, and written as it reads them",
     false},
    {"coverage", "skampi-campaign", "whether prediction intervals keep their promise here", true},
    {"Judge", NULL, NULL, false},
    {"compare", "skampi-compare", "what became slower or faster, and what stayed the same", false},
    {"history", "skampi-history", "when points changed over weeks", false},
    {"guidelines", "skampi-guidelines",
     "operations that are slower than others that can replace them", false},
    {"accept", "skampi-accept", "which nodes, links and PEs of a machine are slower than others",
     false},
    {"Applications", NULL, NULL, false},
    {"trace", "shmemtrace", "records the OpenSHMEM calls of a program, and reads traces", false},
    {"script", "skampi-script", "a script that measures what a traced program calls", false},
    {"shares", "skampi-table", "what share of their time traced programs spend in what", true},
    {"model", "skampi-model", "a description of a machine, from results", false},
    {"predict", "shmemsim", "how long a traced program takes on a machine that is described",
     false},
    {"bench-apps", "shmembench", "programs that call every routine, to test libraries and tracers",
     false},
};
#define TOOLS (sizeof tools / sizeof *tools)

static const struct tool *find(const char *word)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (tools[i].program && strcmp(tools[i].word, word) == 0)
            return &tools[i];
    return NULL;
}

const char *tools_closest(const char *word, bool *certain)
{
    const char *words[TOOLS];
    size_t count = 0;
    *certain = true;
    for (size_t i = 0; i < TOOLS; i++) {
        if (!tools[i].program)
            continue;
        words[count++] = tools[i].word;
        if (strcmp(tools[i].word, word) == 0 ||
            (!tools[i].is_view && strcmp(tools[i].program, word) == 0))
            return tools[i].word;
    }
    *certain = false;
    return closest_name(word, words, count);
}

static int show_list(void)
{
    puts("skampi measures, and starts the tools that work with its results:\n\n"
         "  skampi TOOL [ARGUMENT]...     starts a tool\n"
         "  skampi help TOOL              its options\n"
         "  skampi -h                     how to measure");
    for (size_t i = 0; i < TOOLS; i++)
        if (tools[i].program)
            printf("  %-12s %s\n", tools[i].word, tools[i].purpose);
        else
            printf("\n%s:\n", tools[i].word);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

/* Returns only if that fails: the exit status. */
static int start(const struct tool *tool, char **arguments)
{
    beside_start(tool->program, arguments, "skampi");
    return STATUS_BAD;
}

static int help(const char *word)
{
    const struct tool *tool = word ? find(word) : NULL;
    if (!word)
        return show_list();
    if (tool)
        return start(tool, tool->is_view ? (char *[]){NULL, (char *)word, (char[]){"--help"}, NULL}
                                         : (char *[]){NULL, (char[]){"--help"}, NULL});
    bool certain;
    const char *closest = tools_closest(word, &certain);
    char *meant = closest ? text_format(": did you mean %s?", closest) : function_suggestion(word);
    terminal_message("skampi: error: no tool or function is called %s%s%s skampi help lists tools, "
                     "skampi --list %s functions\n",
                     word, meant, *meant ? "" : ";", word);
    free(meant);
    return STATUS_BAD;
}

bool tools_start(int argc, char **argv, bool acts, int *status)
{
    if (argc < 2)
        return false;
    const struct tool *tool = find(argv[1]);
    if (!tool && strcmp(argv[1], "help") != 0)
        return false;
    if (!tool && argc > 2 && !find(argv[2]) && function_meant(argv[2])) {
        argv[1] = "--describe";
        return false;
    }
    char **arguments = tool && tool->is_view ? argv : argv + 1;
    *status = !acts ? 0 : tool ? start(tool, arguments) : help(argv[2]);
    return true;
}
