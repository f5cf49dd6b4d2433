/* Reads a file of results line by line, and parses only the kinds of records that matter here. */
#define _GNU_SOURCE
#include "known/known_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/result.h"

void known_run_release(struct known_run *run)
{
    for (size_t i = 0; i < run->node_count; i++)
        free(run->nodes[i]);
    free(run->nodes);
    free(run->path);
    free(run->library);
    free(run->version);
    free(run->software);
    free(run->options);
    free(run->checksum);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *known_software(const char *library, const char *const *variables, size_t count)
{
    const char **sorted = memory_zeroed(count + 1, sizeof *sorted);
    char *software;
    size_t size, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(variables[i], "SKAMPI_", strlen("SKAMPI_")) != 0)
            sorted[kept++] = variables[i];
    qsort(sorted, kept, sizeof *sorted, compare_texts);
    FILE *text = memory_stream(&software, &size);
    fprintf(text, "%s\n", library);
    for (size_t i = 0; i < kept; i++)
        fprintf(text, "%s\n", sorted[i]);
    if (fclose(text) != 0)
        memory_missing();
    free(sorted);
    return software;
}

void known_state_release(struct known_state *state)
{
    free(state->members);
}

void known_point_release(struct known_point *point)
{
    free(point->key);
    free(point->members);
    free(point->values);
}

char *known_state_name(const char *members, int pes, int number)
{
    return text_format("%d %d %s", number, pes, members);
}

const struct known_state *known_file_state(struct known_file *file, const struct known_point *point,
                                           int number)
{
    char *name = known_state_name(point->members, (int)point->pes, number);
    size_t index = table_number(&file->names, name, strlen(name) + 1);
    free(name);
    return index < file->state_count ? &file->states[index] : NULL;
}

void known_file_release(struct known_file *file)
{
    table_free(&file->names);
    known_run_release(&file->run);
    for (size_t i = 0; i < file->state_count; i++)
        known_state_release(&file->states[i]);
    for (size_t i = 0; i < file->point_count; i++)
        known_point_release(&file->points[i]);
    free(file->states);
    free(file->points);
}

#if !SKAMPI_JANSSON

char *known_file_read(const char *path, struct known_file *file)
{
    *file = (struct known_file){0};
    return text_format("--known %s: built without Jansson; install libjansson-dev (or what your "
                       "system calls it), and build again",
                       path);
}

#else

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <sys/stat.h>

#define SCHEMA 1
/* Longest record that is parsed: results, which may list samples, are not. */
#define LONGEST_RECORD ((size_t)16 << 20)
/* Highest number of a state; a higher one means that the file is damaged. */
#define HIGHEST_NUMBER 999
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* ---- Members of records; each says whether it is right ---- */

static bool number_of(const json_t *record, const char *name, double low, double high,
                      double *value)
{
    const json_t *member = json_object_get(record, name);
    *value = json_number_value(member);
    return json_is_number(member) && *value >= low && *value <= high;
}

/* A number within low to high; `none` if the member is null or missing. */
static bool number_or(const json_t *record, const char *name, double none, double low, double high,
                      double *value)
{
    const json_t *member = json_object_get(record, name);
    if (member && !json_is_null(member))
        return number_of(record, name, low, high, value);
    *value = none;
    return true;
}

static bool integer_of(const json_t *record, const char *name, int low, int high, int *value)
{
    double number;
    bool right = number_of(record, name, low, high, &number) && number == floor(number);
    *value = right ? (int)number : 0;
    return right;
}

/* A text; "" if the member is missing. */
static bool text_or_empty(const json_t *record, const char *name, char **value)
{
    const json_t *member = json_object_get(record, name);
    const char *text = json_string_value(member);
    *value = memory_text(text ? text : "");
    return text || !member || json_is_null(member);
}

/* ---- Records; each returns NULL or what is wrong ---- */

static const char *take_nodes(const json_t *record, struct known_run *run)
{
    const json_t *nodes = json_object_get(record, "nodes");
    if (nodes && !json_is_array(nodes))
        return "nodes is no list";
    size_t count = json_array_size(nodes);
    run->nodes = memory_zeroed(count, sizeof *run->nodes);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(nodes, i), "name"));
        if (!name)
            return "a node has no name";
        run->nodes[run->node_count++] = memory_text(name);
    }
    return NULL;
}

/* The library and the settings; files of other programs and older versions may lack the settings.
 */
static void take_software(const json_t *record, struct known_run *run)
{
    json_t *settings = json_object_get(record, "environment"), *value;
    const char *name;
    char **texts = memory_zeroed(json_object_size(settings) + 1, sizeof *texts);
    size_t count = 0;
    json_object_foreach(settings, name, value) if (json_is_string(value)) texts[count++] =
        text_format("%s=%s", name, json_string_value(value));
    run->software = json_is_object(settings) && run->library[0]
                        ? known_software(run->library, (const char *const *)texts, count)
                        : memory_text("");
    while (count > 0)
        free(texts[--count]);
    free(texts);
}

static const char *take_header(const json_t *record, struct known_run *run)
{
    double schema;
    if (!number_of(record, "schema", SCHEMA, SCHEMA, &schema))
        return "schema is not 1";
    bool library = text_or_empty(record, "library", &run->library);
    bool version = text_or_empty(record, "version", &run->version);
    bool checksum = text_or_empty(json_object_get(record, "script"), "checksum", &run->checksum);
    bool options = text_or_empty(record, "options", &run->options);
    if (!library || !version || !checksum || !options)
        return "library, version, checksum or options is no text";
    take_software(record, run);
    if (!integer_of(record, "pes", 1, INT_MAX, &run->pes))
        return "pes is no count";
    return take_nodes(record, run);
}

const char *known_run_read(const char *line, size_t length, struct known_run *run)
{
    json_t *record =
        json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    const char *kind = json_string_value(json_object_get(record, "record"));
    const char *wrong = kind && strcmp(kind, "header") == 0 ? take_header(record, run)
                                                            : "the first line is no header";
    json_decref(record);
    return wrong;
}

/* One control of a state; its value is NaN if the record does not have it. */
static const char *take_range(const json_t *record, size_t kind, struct states_range *range)
{
    const json_t *member = json_object_get(record, result_control_kinds[kind].name);
    *range = (struct states_range){NAN, 0, INFINITY};
    if (!member || json_is_null(member))
        return NULL;
    if (!json_is_object(member))
        return "hand_over or addition is no object of value, low and high";
    if (!number_of(member, "value", 0, INFINITY, &range->value) || range->value == 0)
        return "the value of a control is no time above 0";
    if (!number_or(member, "low", 0, 0, INFINITY, &range->low) ||
        !number_or(member, "high", INFINITY, 0, INFINITY, &range->high))
        return "low or high is no time";
    if (!(range->low < range->high) || range->value < range->low || range->value >= range->high)
        return "the value is not between its bounds";
    return NULL;
}

static const char *take_ranges(const json_t *record, struct known_state *state)
{
    const char *wrong = NULL;
    bool any = false;
    for (size_t kind = 0; kind < STATES_KINDS && !wrong; kind++) {
        wrong = take_range(record, kind, &state->ranges[kind]);
        any = any || !isnan(state->ranges[kind].value);
    }
    return wrong || any ? wrong : "a state has neither hand_over nor addition";
}

static const char *take_numbers(const json_t *record, struct known_state *state)
{
    if (!integer_of(record, "state", 1, HIGHEST_NUMBER, &state->number))
        return "state is no number from 1 to 999";
    if (!integer_of(record, "pes", 1, INT_MAX, &state->pes))
        return "pes is no count";
    if (!number_or(record, "share", 0, 0, 1.001, &state->share))
        return "share is not from 0 to 1";
    if (!number_or(record, "seconds", 0, 0, INFINITY, &state->seconds))
        return "seconds is no time";
    return NULL;
}

static const char *take_state(const json_t *record, struct known_file *file)
{
    memory_extend(file->states, file->state_count, &file->state_room);
    struct known_state *read = &file->states[file->state_count++];
    *read = (struct known_state){.known = json_is_true(json_object_get(record, "known"))};
    const char *wrong = text_or_empty(record, "members", &read->members)
                            ? take_numbers(record, read)
                            : "members is no text";
    if (!wrong)
        wrong = take_ranges(record, read);
    if (wrong)
        return wrong;
    char *name = known_state_name(read->members, read->pes, read->number);
    bool new = table_number(&file->names, name, strlen(name) + 1) + 1 == file->state_count;
    free(name);
    return new ? NULL : "a state with this number has been there already";
}

static const char *take_values(const json_t *states, struct known_point *point)
{
    size_t count = json_array_size(states);
    if (count > HIGHEST_NUMBER)
        return "no set of PEs has so many states";
    point->values = memory_zeroed(count, sizeof *point->values);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(states, i);
        struct known_value *value = &point->values[point->value_count++];
        int rounds;
        if (!integer_of(entry, "state", 1, HIGHEST_NUMBER, &value->state) ||
            !integer_of(entry, "rounds", 0, INT_MAX, &rounds) ||
            !number_or(entry, "median", NAN, -INFINITY, INFINITY, &value->median) ||
            !number_or(entry, "next_low", NAN, -INFINITY, INFINITY, &value->next_low) ||
            !number_or(entry, "next_high", NAN, -INFINITY, INFINITY, &value->next_high))
            return "an entry of states has a member that is missing or of a wrong type";
        value->rounds = (size_t)rounds;
        if (isnan(value->next_low) != isnan(value->next_high) || value->next_low > value->next_high)
            return "next_low and next_high of an entry of states are no interval";
        for (size_t k = 0; k < i; k++)
            if (point->values[k].state == value->state)
                return "a state is twice in states";
    }
    return NULL;
}

/* Adds the rounds of a point to the sums of their states. Only times: counts do not differ from
 * launch to launch. */
static const char *take_medians(const json_t *record, struct known_point *point)
{
    const json_t *medians = json_object_get(record, "medians"),
                 *states = json_object_get(record, "round_states");
    const char *quantity = json_string_value(json_object_get(record, "quantity"));
    if (!medians || !states || !quantity || strcmp(quantity, "time") != 0)
        return NULL;
    if (!json_is_array(medians) || !json_is_array(states))
        return "medians or round_states is no list";
    struct rounds_launch *launches[HIGHEST_NUMBER + 1] = {
        NULL}; /* indexed by number of the state */
    for (size_t i = 0; i < point->value_count; i++)
        launches[point->values[i].state] = &point->values[i].launch;
    for (size_t i = 0; i < json_array_size(medians); i++) {
        const json_t *median = json_array_get(medians, i);
        double state = json_number_value(json_array_get(
            states, i)); /* number of the state; 0 if there were several, or it is unknown */
        if (json_is_number(median) && state >= 1 && state <= HIGHEST_NUMBER &&
            launches[(size_t)state])
            rounds_launch_add(launches[(size_t)state], json_number_value(median));
    }
    return NULL;
}

/* Texts of loop variables, which the caller frees with the array. */
static struct result_variable *take_variables(json_t *variables, size_t *count)
{
    const char *name;
    json_t *member;
    struct result_variable *taken = memory_zeroed(json_object_size(variables), sizeof *taken);
    *count = 0;
    json_object_foreach(variables, name, member)
    {
        const char *text = json_string_value(member);
        char *value = json_is_number(member) ? text_format("%.17g", json_number_value(member))
                                             : memory_text(text ? text : "null");
        taken[(*count)++] = (struct result_variable){name, value};
    }
    return taken;
}

/* The output_point_text() that the file states. For files of older versions it is made from their
 * members.
 */
static char *key_of(const json_t *record, struct result_point *identity)
{
    const char *stated = json_string_value(json_object_get(record, "point"));
    if (stated)
        return memory_text(stated);
    struct result_variable *variables =
        take_variables(json_object_get(record, "variables"), &identity->variable_count);
    identity->variables = variables;
    char *key = output_point_text(identity);
    for (size_t i = 0; i < identity->variable_count; i++)
        free((char *)variables[i].value);
    free(variables);
    return key;
}

/* Takes a point with the values of its states. A point without states is left out. */
static const char *take_rounds(const json_t *record, struct known_file *file, size_t line)
{
    const json_t *states = json_object_get(record, "states"),
                 *set = json_object_get(record, "pe_set");
    if (!states || (json_is_array(states) && json_array_size(states) == 0))
        return NULL;
    if (!json_is_array(states) || !json_is_object(json_object_get(record, "variables")))
        return "states is no list, or variables no object";
    memory_extend(file->points, file->point_count, &file->point_room);
    struct known_point *point = &file->points[file->point_count++];
    *point = (struct known_point){.line = line};
    int pes;
    struct result_point identity = {.block = json_string_value(json_object_get(record, "block")),
                                    .text = json_string_value(json_object_get(record, "call"))};
    if (!text_or_empty(set, "members", &point->members) || !identity.block || !identity.text)
        return "block, call or members is no text";
    if (!integer_of(set, "size", 1, INT_MAX, &pes))
        return "the size of pe_set is no count";
    point->pes = identity.pes = (size_t)pes;
    identity.members = point->members;
    point->key = key_of(record, &identity);
    const char *wrong = take_values(states, point);
    return wrong ? wrong : take_medians(record, point);
}

/* ---- The file ---- */

enum kind { KIND_HEADER, KIND_STATE, KIND_ROUNDS, KIND_END, KIND_OTHER, KIND_UNKNOWN };

static enum kind kind_named(const char *name, size_t length)
{
    static const char *const names[] = {"header", "state", "rounds", "end"};
    for (enum kind kind = KIND_HEADER; kind <= KIND_END; kind++)
        if (strlen(names[kind]) == length && memcmp(names[kind], name, length) == 0)
            return kind;
    return KIND_OTHER;
}

/* The kind of record, without parsing the line: skampi begins each record with its kind. */
static enum kind kind_of(const char *line)
{
    char name[16];
    bool named = sscanf(line, " { \"record\" : \"%15[^\"\\]", name) == 1;
    return named ? kind_named(name, strlen(name)) : KIND_UNKNOWN;
}

static const char *take_record(const json_t *record, struct known_file *file, size_t line)
{
    const json_t *member = json_object_get(record, "record");
    if (!json_is_string(member))
        return "no record of skampi's JSON Lines";
    enum kind kind = kind_named(json_string_value(member), json_string_length(member));
    bool header = file->run.pes > 0;
    if (header == (kind == KIND_HEADER))
        return header ? "a second header, so these are several runs, whose files belong apart"
                      : "no header before it";
    switch (kind) {
    case KIND_HEADER:
        return take_header(record, &file->run);
    case KIND_STATE:
        return take_state(record, file);
    case KIND_ROUNDS:
        return take_rounds(record, file, line);
    case KIND_END:
        file->run.complete = true;
        return NULL;
    default:
        return NULL;
    }
}

static char *fail_line(const char *path, size_t line, const char *wrong)
{
    return text_format("%s:%zu: %s: the file is damaged, or another version of skampi wrote it: "
                       "measure again, or leave the file out",
                       path, line, wrong);
}

/* A line without its newline. */
struct line {
    char *text;
    size_t length, number; /* number: from 1 */
    bool ended;            /* by a newline; the last line of a file may have none */
};

static char *take_line(const char *path, const struct line *line, struct known_file *file)
{
    json_error_t error;
    if (line->length > LONGEST_RECORD)
        return fail_line(path, line->number, "the record is longer than 16 MiB");
    json_t *record = json_loadb(line->text, line->length,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (!record && !line->ended && line->number > 1)
        return NULL; /* the run may have been killed while it wrote this line */
    const char *wrong =
        record ? take_record(record, file, line->number) : "no record of skampi's JSON Lines";
    char *message = wrong ? fail_line(path, line->number, wrong) : NULL;
    json_decref(record);
    return message;
}

/* Checks the first line. NULL, or what to do with a file of another format. */
static char *check_format(const char *path, const char *line)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int length = dot && dot != path && dot[-1] != '/' ? (int)(dot - path) : (int)strlen(path);
    line += strspn(line, " \t\"");
    if (*line == '{')
        return NULL;
    if (*line == '#' || strncmp(line, "record", 6) == 0)
        return text_format(
            "%s: --known reads JSON: convert it first: skampi convert -o %.*s.json %s", path,
            length, path, path);
    return text_format("%s: not a result of skampi in JSON: name what -o FILE.json wrote", path);
}

static char *read_lines(const char *path, FILE *stream, struct known_file *file)
{
    struct line line = {0};
    bool first = true;
    char *error = NULL, *text = NULL;
    size_t room = 0;
    for (ssize_t length; !error && (length = getline(&text, &room, stream)) > 0;) {
        line.ended = text[length - 1] == '\n';
        text[length - line.ended] = '\0';
        size_t mark = first && strncmp(text, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
        line.text = text + mark;
        line.length = (size_t)length - line.ended - mark;
        line.number++;
        if (strspn(line.text, " \t\r") == line.length)
            continue;
        if (first)
            error = check_format(path, line.text);
        if (!error && (first || kind_of(line.text) != KIND_OTHER))
            error = take_line(path, &line, file);
        first = false;
    }
    free(text);
    if (error)
        return error;
    if (ferror(stream))
        return text_format("%s: cannot be read: %s", path, strerror(errno));
    return first ? text_format("%s: the file is empty: name a result of skampi in JSON", path)
                 : NULL;
}

/* Checks that the file has each state that a point names. Called at the end, since records may come
 * in any order. */
static char *check_points(const char *path, struct known_file *file)
{
    for (size_t i = 0; i < file->point_count; i++) {
        const struct known_point *point = &file->points[i];
        for (size_t v = 0; v < point->value_count; v++)
            if (!known_file_state(file, point, point->values[v].state))
                return fail_line(path, point->line,
                                 "states names a state that the file does not describe");
    }
    return NULL;
}

static char *check_file(const char *path, struct known_file *file)
{
    if (file->state_count > 0)
        return check_points(path, file);
    if (file->run.complete)
        return text_format("%s: no states of the machine: measure again with this version of "
                           "skampi, and with controls",
                           path);
    return text_format("%s: no states of the machine: the run was cut before it wrote them: name a "
                       "run that came to its end",
                       path);
}

FILE *known_open(const char *path)
{
    FILE *stream = fopen(path, "r");
    struct stat status;
    if (!stream || fstat(fileno(stream), &status) != 0 || !S_ISCHR(status.st_mode))
        return stream;
    fclose(stream);
    errno = EINVAL;
    return NULL;
}

char *known_file_read(const char *path, struct known_file *file)
{
    *file = (struct known_file){.run.path = memory_text(path)};
    FILE *stream = known_open(path);
    if (!stream)
        return text_format("%s: cannot be read: %s", path, strerror(errno));
    char *error = read_lines(path, stream, file);
    fclose(stream);
    return error ? error : check_file(path, file);
}

#endif
