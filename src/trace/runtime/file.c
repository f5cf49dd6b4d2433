/* Makes the file of a PE, and writes into it. */
#define _GNU_SOURCE /* pwritev */
#include "trace/runtime/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/format.h"

/* Descriptors that applications count on are below. */
#define LEAST_DESCRIPTOR 200

static struct {
    char path[PATH_MAX]; /* absolute: programs change folders */
    _Atomic int descriptor;
    dev_t device; /* of the file, in case the application closes all descriptors and opens others */
    ino_t inode;
    off_t ending; /* where there is room for that */
    _Atomic off_t end;
    atomic_int append_error; /* why a block could not be appended, see why_not(); 0: all could */
} file = {.descriptor = -1};

_Static_assert(sizeof(struct block_head) == 48, "heads of blocks have no gaps");
_Static_assert(sizeof(struct format_head) == 24, "the file's head has no gaps");

/* ---- At the beginning ---- */

bool file_make_folder(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(part, 0777);
            *at = '/';
        }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

char *file_problem(const char *what, const char *remedy)
{
    return text_format("%s: %s: %s", file.path, what, remedy);
}

/* A program must not be killed by SIGXFSZ because of its tracer; it may set its own limit at any
 * time. In signal handlers. */
static uint64_t most_bytes(void)
{
    struct rlimit limit;
    uint64_t most = tracer.recording.limit ? tracer.recording.limit : UINT64_MAX;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < most)
        most = limit.rlim_cur;
    return most;
}

enum { NO_LONGER_OPEN = -1, TOO_LARGE = -2 };

/* Why something was not written; error: errno, or one of those above. In signal handlers. */
static const char *why_not(int error)
{
    switch (error) {
    case ENOSPC:
        return "the disk is full";
    case EDQUOT:
        return "the quota of the disk is used up";
    case NO_LONGER_OPEN:
        return "closed by the program";
    case TOO_LARGE:
    case EFBIG:
        return "the limit of its size is reached";
    default: {
        const char *text = strerrordesc_np(error);
        return text ? text : "cannot be written";
    }
    }
}

/* Writes all parts, however many calls that takes: signals and file systems may end one early. 0,
 * or why not, for why_not(). In signal handlers. */
static int write_all(int descriptor, struct iovec *parts, int count, off_t at)
{
    while (count > 0) {
        ssize_t done = pwritev(descriptor, parts, count, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        at += done;
        for (; count > 0 && (size_t)done >= parts->iov_len; parts++, count--)
            done -= (ssize_t)parts->iov_len;
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + done;
            parts->iov_len -= (size_t)done;
        }
    }
    return 0;
}

#define OTHER_FOLDER "name another folder by SHMEMTRACE_OUTPUT (-o of shmemtrace)"

static char *write_beginning(int descriptor, const unsigned char *description, size_t bytes)
{
    static const unsigned char no_ending[FORMAT_ENDING_BYTES];
    struct format_head head = compose_head(description, (uint32_t)bytes);
    struct iovec parts[] = {{&head, sizeof head},
                            {(void *)(uintptr_t)description, bytes},
                            {(void *)(uintptr_t)no_ending, sizeof no_ending}};
    file.ending = (off_t)(sizeof head + head.description_bytes);
    file.end = file.ending + FORMAT_ENDING_BYTES;
    if ((uint64_t)file.end > most_bytes())
        return file_problem("files may not be as large as a trace's beginning",
                            "raise SHMEMTRACE_LIMIT, or the shell's ulimit -f");
    int error = write_all(descriptor, parts, 3, 0);
    return error ? file_problem(why_not(error), "free some, or " OTHER_FOLDER) : NULL;
}

/* Moves a descriptor out of the application's way. */
static int keep(int descriptor)
{
    int above = fcntl(descriptor, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR);
    if (above < 0)
        return descriptor;
    close(descriptor);
    return above;
}

/* A file system without locks must do without them. */
static bool is_free(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* The folder of the job, which is made, and the names of the file: in the end, and until its
 * beginning is written. 0, or errno. */
static int name_files(int job, char *unfinished, size_t size)
{
    char folder[PATH_MAX], whole[PATH_MAX];
    if (job > 1)
        snprintf(folder, sizeof folder, FORMAT_JOB, tracer.recording.folder, job);
    else
        snprintf(folder, sizeof folder, "%s", tracer.recording.folder);
    snprintf(file.path, sizeof file.path, "%s", folder);
    if (!file_make_folder(folder) || !realpath(folder, whole))
        return errno;
    if (snprintf(file.path, sizeof file.path, "%s/" FORMAT_NAME, whole, tracer.pe) >=
            (int)sizeof file.path ||
        snprintf(unfinished, size, "%s/" FORMAT_NEW, whole, tracer.pe) >= (int)size)
        return ENAMETOOLONG;
    return 0;
}

/* Looks whether something other than an old trace has the file's name. NULL, or what is wrong. */
static char *find_obstacle(void)
{
    struct stat status;
    int there = open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (there < 0)
        return errno == ENOENT ? NULL : file_problem(strerror(errno), OTHER_FOLDER);
    char *problem = NULL;
    if (fstat(there, &status) != 0 || !S_ISREG(status.st_mode) || !format_may_replace(there))
        problem =
            file_problem("there is a file that is no trace", "move it or name another folder");
    else if (!is_free(there))
        problem = file_problem("a running program writes its trace there", OTHER_FOLDER);
    close(there);
    return problem;
}

static bool has_no_room(int error)
{
    return error == ENOSPC || error == EDQUOT || error == ENOMEM || error == EMFILE ||
           error == ENFILE || error == EIO;
}

/* Writes the beginning into a file that is not in the place of an earlier one yet. NULL, or what is
 * wrong. */
static char *begin_file(int descriptor, const unsigned char *description, size_t bytes,
                        const char *unfinished)
{
    struct stat status;
    if (!is_free(descriptor))
        return file_problem("a running program writes its trace there", OTHER_FOLDER);
    if (fstat(descriptor, &status) != 0 || ftruncate(descriptor, 0) != 0)
        return file_problem(strerror(errno), OTHER_FOLDER);
    char *problem = write_beginning(descriptor, description, bytes);
    if (!problem && rename(unfinished, file.path) != 0)
        problem = file_problem(strerror(errno), OTHER_FOLDER);
    file.device = status.st_dev;
    file.inode = status.st_ino;
    return problem;
}

char *file_create(int job, const unsigned char *description, size_t bytes, bool *wrong)
{
    char unfinished[PATH_MAX];
    int error = name_files(job, unfinished, sizeof unfinished);
    char *obstacle = error ? NULL : find_obstacle();
    *wrong = obstacle;
    if (obstacle)
        return obstacle;
    int descriptor = error ? -1 : open(unfinished, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        error = error ? error : errno;
        *wrong = !has_no_room(error);
        return file_problem(strerror(error), OTHER_FOLDER);
    }
    descriptor = keep(descriptor);
    char *problem = begin_file(descriptor, description, bytes, unfinished);
    if (problem) {
        *wrong = tracer.recording.limit && (uint64_t)file.end > tracer.recording.limit;
        unlink(unfinished);
        close(descriptor);
        return problem;
    }
    file.descriptor = descriptor;
    return NULL;
}

/* ---- Blocks ---- */

off_t file_end(void)
{
    return file.end;
}

static bool leads_to_file(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_dev == file.device &&
           status.st_ino == file.inode;
}

/* Whether there is a descriptor of the file: opened again when the application has closed it. */
static bool is_open(void)
{
    if (leads_to_file(file.descriptor))
        return true;
    int again = open(file.path, O_RDWR | O_CLOEXEC);
    if (again < 0)
        return false;
    if (!leads_to_file(again)) {
        close(again);
        return false;
    }
    file.descriptor = keep(again);
    (void)is_free(file.descriptor);
    return true;
}

bool file_write_at(off_t *end, const struct block_head *head, const void *payload)
{
    struct block_head whole = *head;
    compose_block_head(&whole, payload);
    struct iovec parts[] = {{&whole, sizeof whole}, {(void *)(uintptr_t)payload, whole.bytes}};
    off_t bytes = (off_t)(sizeof whole + whole.bytes);
    int error = (uint64_t)(*end + bytes) > most_bytes() ? TOO_LARGE
                : !is_open()                            ? NO_LONGER_OPEN
                             : write_all(file.descriptor, parts, 2, *end);
    if (error) {
        file.append_error = error;
        return false;
    }
    *end += bytes;
    return true;
}

bool file_write_block(struct buffer *block)
{
    if (atomic_load(&tracer.off) & (OFF_LIMIT | OFF_FAILED))
        return false;
    off_t end = file.end;
    if (file_write_at(&end, &block->head, block->payload)) {
        file.end = end;
        return true;
    }
    int error = file.append_error;
    if (!(tracer_stop(error == TOO_LARGE ? OFF_LIMIT : OFF_FAILED) & (OFF_LIMIT | OFF_FAILED)))
        tracer_say("%s: %s; recording has stopped, the program goes on", file.path, why_not(error));
    /* What was written of the block must not stay. */
    if (error > 0 && ftruncate(file.descriptor, end) != 0)
        return false;
    return false;
}

void file_begin_records(struct file_records *records, enum block_kind kind, uint32_t thread,
                        off_t *end)
{
    records->head = (struct block_head){.kind = (uint16_t)kind, .thread = thread};
    records->end = end;
    records->calls = records->lost = 0;
    records->output =
        (struct output){records->bytes, records->bytes + sizeof records->bytes, false};
}

uint64_t file_end_records(struct file_records *records)
{
    struct block_head *head = &records->head;
    head->bytes = (uint32_t)(records->output.next - records->bytes);
    if (head->records > 0 && !file_write_at(records->end, head, records->bytes))
        records->lost += records->calls;
    head->records = 0;
    records->calls = 0;
    records->output.next = records->bytes;
    return records->lost;
}

struct output *file_next_record(struct file_records *records, size_t most, uint64_t calls)
{
    if ((size_t)(records->output.end - records->output.next) < most)
        file_end_records(records);
    records->head.records++;
    records->calls += calls;
    return &records->output;
}

void file_keep(off_t end)
{
    file.end = end;
}

void file_append(enum block_kind kind, uint32_t thread,
                 void (*give)(struct file_records *, const void *context), const void *context)
{
    struct tracer_hold hold;
    tracer_hold(&hold);
    if (tracer_lock() && !(atomic_load(&tracer.off) & (OFF_FAILED | OFF_LIMIT))) {
        off_t end = file.end;
        struct file_records records;
        file_begin_records(&records, kind, thread, &end);
        give(&records, context);
        file_end_records(&records);
        file.end = end;
    }
    tracer_unlock();
    tracer_release(&hold);
}

/* A line for standard error that is put together where snprintf is not allowed. */
struct line {
    char text[PATH_MAX + 512];
    size_t length;
};

static void add_text(struct line *line, const char *text)
{
    for (; *text && line->length < sizeof line->text; text++)
        line->text[line->length++] = *text;
}

static void add_number(struct line *line, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = '\0';
    do
        *--first = (char)('0' + number % 10);
    while (number /= 10);
    add_text(line, first);
}

void file_report_lost(uint64_t lost, uint64_t events)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    int error = file.append_error;
    if (!error || lost == 0 || atomic_load(&tracer.off) & (OFF_LIMIT | OFF_FAILED) ||
        atomic_flag_test_and_set(&said))
        return;
    struct line line = {.length = 0};
    add_text(&line, "shmemtrace: PE ");
    add_number(&line, (uint64_t)tracer.pe);
    add_text(&line, ": ");
    add_text(&line, file.path);
    add_text(&line, ": ");
    add_text(&line, why_not(error));
    add_text(&line, ": ");
    add_number(&line, lost);
    add_text(&line, " of ");
    add_number(&line, events);
    add_text(&line, " events are lost; make room, ");
    add_text(&line, tracer.recording.ring ? "name another folder with -o, or keep fewer with --ring"
                                          : "or name another folder with -o");
    add_text(&line, "\n");
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        return; /* nobody is left to hear of it */
}

void file_write_ending(const struct trace_info *run, off_t end, bool last)
{
    unsigned char bytes[FORMAT_ENDING_BYTES];
    if (file.descriptor < 0 || !is_open())
        return;
    compose_ending(bytes, run);
    struct iovec part = {(void *)(uintptr_t)bytes, sizeof bytes};
    if (write_all(file.descriptor, &part, 1, file.ending) != 0)
        return; /* readers see that it does not say how the program ended */
    if (last && ftruncate(file.descriptor, end) == 0)
        file.end = end;
}
