/*
 * Stands in for libFuzzer where the compiler has none, with the same options as far as the test
 * uses them: mutates inputs, and keeps those that reach new code. With files alone it runs each of
 * them once.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SIZE_LIMIT 8192
#define STATUS_FOUND 77

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Of the sanitizers; missing where it is built without them. */
#define OPTIONAL __attribute__((weak))
OPTIONAL void __sanitizer_set_death_callback(void (*callback)(void));
OPTIONAL int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *,
                                                                         size_t),
                                                       void (*freed)(const volatile void *));
OPTIONAL int __lsan_do_recoverable_leak_check(void);

struct bytes {
    uint8_t *data;
    size_t size;
};

struct list {
    struct bytes *items;
    size_t count;
};

static struct list corpus, words;
static struct bytes input; /* the one being run */
static const char *artifact_prefix = "./";
static unsigned int timeout_seconds = 60;
static bool late; /* an input took longer */

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void list_add(struct list *list, const void *data, size_t size)
{
    struct bytes *added;

    list->items = must(realloc(list->items, (list->count + 1) * sizeof *list->items));
    added = &list->items[list->count++];
    *added = (struct bytes){must(malloc(size + 1)), size};
    memcpy(added->data, data, size);
}

/* ---- Chance ---- */

static uint64_t random_state;

/* Below bound; SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
static size_t any_below(size_t bound)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return bound > 0 ? (size_t)(z ^ (z >> 31)) % bound : 0;
}

/* ---- Coverage ---- */

#define EDGES 65536

static uint8_t edges_seen[EDGES];
static uintptr_t previous_place;
static bool reached_new_code;

void __sanitizer_cov_trace_pc(void);

/* Called by the instrumented code at every branch. */
void __sanitizer_cov_trace_pc(void)
{
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    uint8_t *seen = &edges_seen[(place ^ previous_place * 31) % EDGES];

    reached_new_code = reached_new_code || *seen == 0;
    *seen = 1;
    previous_place = place;
}

static size_t edge_count(void)
{
    size_t count = 0;

    for (size_t i = 0; i < EDGES; i++)
        count += edges_seen[i];
    return count;
}

/* ---- Findings ---- */

static void keep_input(void)
{
    char path[4096];
    uint64_t hash = 0xcbf29ce484222325u;
    FILE *file;

    for (size_t i = 0; i < input.size; i++)
        hash = (hash ^ input.data[i]) * 0x100000001b3u;
    snprintf(path, sizeof path, "%s%s-%016llx", artifact_prefix, late ? "timeout" : "crash",
             (unsigned long long)hash);
    file = fopen(path, "w");
    if (!file)
        return;
    fwrite(input.data, 1, input.size, file);
    fclose(file);
    fprintf(stderr, "Test unit written to %s\n", path);
}

static void on_signal(int number)
{
    late = number == SIGALRM;
    fprintf(stderr, "ERROR: %s\n", late ? "timeout" : strsignal(number));
    keep_input();
    _exit(STATUS_FOUND);
}

static long outstanding;

static void count_allocated(const volatile void *memory, size_t size)
{
    (void)size;
    outstanding += memory;
}

static void count_freed(const volatile void *memory)
{
    outstanding -= memory;
}

static void watch(void)
{
    signal(SIGALRM, on_signal);
    signal(SIGABRT, on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    else
        signal(SIGSEGV, on_signal);
    if (__sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_allocated, count_freed);
}

static void run_one(const uint8_t *data, size_t size)
{
    /* A copy of the exact size, so that reading behind it is noticed. */
    input = (struct bytes){must(malloc(size > 0 ? size : 1)), size};
    memcpy(input.data, data, size);
    outstanding = 0;
    reached_new_code = false;
    alarm(timeout_seconds);
    LLVMFuzzerTestOneInput(input.data, input.size);
    alarm(0);
    if (outstanding > 0 && __lsan_do_recoverable_leak_check &&
        __lsan_do_recoverable_leak_check() != 0) {
        keep_input();
        _exit(STATUS_FOUND);
    }
    free(input.data);
}

/* ---- Reading files ---- */

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "r");
    struct stat status;

    if (!file || fstat(fileno(file), &status) != 0) {
        perror(path);
        exit(1);
    }
    bytes.data = must(malloc((size_t)status.st_size + 1));
    bytes.size = fread(bytes.data, 1, (size_t)status.st_size, file);
    bytes.data[bytes.size] = '\0';
    fclose(file);
    return bytes;
}

static void read_directory(const char *directory)
{
    DIR *open = opendir(directory);
    struct dirent *entry;

    while (open && (entry = readdir(open))) {
        char path[4096];
        struct bytes bytes;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        bytes = read_file(path);
        if (bytes.size <= SIZE_LIMIT)
            list_add(&corpus, bytes.data, bytes.size);
        free(bytes.data);
    }
    if (open)
        closedir(open);
}

/* A line "..." of the dictionary, whose only escapes are \" \\ and \xHH. */
static void read_word(const char *line)
{
    char word[256];
    size_t size = 0;

    if (*line++ != '"')
        return;
    while (*line != '"' && *line != '\0' && size < sizeof word) {
        char hex[3] = "";

        if (line[0] == '\\' && line[1] == 'x') {
            memcpy(hex, line + 2, strnlen(line + 2, 2));
            word[size++] = (char)strtol(hex, NULL, 16);
            line += 2 + strlen(hex);
            continue;
        }
        line += line[0] == '\\' && line[1] != '\0';
        word[size++] = *line++;
    }
    list_add(&words, word, size);
}

static void read_words(const char *path)
{
    struct bytes bytes = read_file(path);
    char *rest = (char *)bytes.data, *line;

    while ((line = strsep(&rest, "\n")))
        read_word(line);
    free(bytes.data);
}

/* ---- Mutating ---- */

struct buffer {
    uint8_t data[SIZE_LIMIT];
    size_t size;
};

static void replace(struct buffer *buffer, size_t at, size_t length, const void *data, size_t size)
{
    if (buffer->size - length + size > SIZE_LIMIT)
        return;
    memmove(buffer->data + at + size, buffer->data + at + length, buffer->size - at - length);
    memcpy(buffer->data + at, data, size);
    buffer->size += size - length;
}

static void mutate(struct buffer *buffer)
{
    size_t at = any_below(buffer->size + 1), left = buffer->size - at;
    size_t length = any_below((left < 40 ? left : any_below(4) > 0 ? 40 : left) + 1);
    const struct bytes *other = &corpus.items[any_below(corpus.count)];
    uint8_t copy[SIZE_LIMIT], byte = (uint8_t)any_below(256);
    size_t from = any_below(other->size + 1), size = any_below(other->size - from + 1);

    switch (any_below(7)) {
    case 0: /* a byte more, or in the place of another */
        replace(buffer, at, left > 0 && any_below(2) > 0, &byte, 1);
        break;
    case 1:
        replace(buffer, at, length, "", 0);
        break;
    case 2: /* the same again */
        memcpy(copy, buffer->data + at, length);
        replace(buffer, at, 0, copy, length);
        break;
    case 3: /* a part of another input */
        replace(buffer, at, any_below(2) > 0 ? length : 0, other->data + from, size);
        break;
    default:
        if (words.count == 0)
            break;
        other = &words.items[any_below(words.count)];
        replace(buffer, at, any_below(2) > 0 ? length : 0, other->data, other->size);
    }
}

static void fuzz(long seconds)
{
    time_t end = time(NULL) + seconds;
    size_t runs = 0;

    for (size_t i = 0; i < corpus.count; i++)
        run_one(corpus.items[i].data, corpus.items[i].size);
    while (corpus.count > 0 && time(NULL) < end) {
        const struct bytes *parent = &corpus.items[any_below(corpus.count)];
        struct buffer buffer = {.size = parent->size};

        memcpy(buffer.data, parent->data, parent->size);
        for (size_t times = 1 + any_below(4); times > 0; times--)
            mutate(&buffer);
        run_one(buffer.data, buffer.size);
        runs++;
        if (reached_new_code)
            list_add(&corpus, buffer.data, buffer.size);
    }
    fprintf(stderr, "DONE cov: %zu corp: %zu\n", edge_count(), corpus.count);
    fprintf(stderr, "stat::number_of_executed_units: %zu\n", runs);
}

/* ---- The program ---- */

/* The value of an option "-name=value", or NULL. */
static const char *option(const char *argument, const char *name)
{
    size_t length = strlen(name);

    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void replay(const char *path)
{
    struct bytes bytes = read_file(path);

    fprintf(stderr, "Running: %s\n", path);
    run_one(bytes.data, bytes.size);
    fprintf(stderr, "Executed %s\n", path);
    free(bytes.data);
}

int main(int argc, char **argv)
{
    bool directories = false;
    long seconds = 60;

    random_state = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        const char *value;

        if ((value = option(argv[i], "-max_total_time=")))
            seconds = atol(value);
        else if ((value = option(argv[i], "-timeout=")))
            timeout_seconds = (unsigned int)atoi(value);
        else if ((value = option(argv[i], "-artifact_prefix=")))
            artifact_prefix = value;
        else if ((value = option(argv[i], "-seed=")))
            random_state = strtoull(value, NULL, 10);
        else if ((value = option(argv[i], "-dict=")))
            read_words(value);
        else if (is_directory(argv[i])) {
            read_directory(argv[i]);
            directories = true;
        }
    }
    watch();
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-' && !is_directory(argv[i]))
            replay(argv[i]);
    if (directories)
        fuzz(seconds);
    return 0;
}
