/* Boards in shared memory on which the PEs of a node say how they end. */
#include "crash/board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "crash/last_words.h"

/* The launcher may be faster than the words of a PE on another node. */
#define WORDS_SECONDS 0.1

struct place {
    atomic_int pid; /* 0: has not joined */
    int pe;
    atomic_flag taken;
    atomic_int end; /* an enum board_end */
    int status;
    _Atomic double alive; /* wall_seconds() of its last sign of life */
    char text[LAST_WORDS_LONGEST];
};

static struct {
    struct place *places, *own;
    size_t count;
} board;

void board_create(size_t places, struct tally_offer *offer)
{
    board.places = tally_offer(places * sizeof *board.places, offer);
}

void board_join(const struct tally_offer *offer, size_t places, int place, int pe)
{
    if (pe != 0)
        board.places = tally_find(offer, places * sizeof *board.places);
    if (!board.places)
        return;
    board.count = places;
    board.own = &board.places[place];
    board.own->pe = pe;
    board_beat();
    atomic_store(&board.own->pid, getpid());
}

void board_say_end(enum board_end end, int status, const char *text)
{
    if (!board.own && end == BOARD_FAILED)
        last_words_send(status, text);
    if (!board.own || atomic_flag_test_and_set(&board.own->taken))
        return;
    board.own->status = status;
    snprintf(board.own->text, sizeof board.own->text, "%s", text);
    atomic_store(&board.own->end, (int)end);
}

void board_beat(void)
{
    if (board.own)
        atomic_store(&board.own->alive, wall_seconds());
}

int board_failed_pe(int *status, char *text, size_t size)
{
    for (size_t i = 0; i < board.count; i++) {
        const struct place *place = &board.places[i];
        if (place == board.own || atomic_load(&place->end) != BOARD_FAILED)
            continue;
        *status = place->status;
        snprintf(text, size, "%s", place->text);
        return place->pe;
    }
    return last_words_receive(WORDS_SECONDS, status, text, size);
}

/* Also when nobody has asked for its status yet. */
static bool is_dead(int pid)
{
    char path[32], text[256];
    if (kill(pid, 0) != 0 && errno == ESRCH)
        return true;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && (name_end[2] == 'Z' || name_end[2] == 'X');
}

int board_vanished_pe(void)
{
    for (size_t i = 0; i < board.count; i++) {
        const struct place *place = &board.places[i];
        int pid = atomic_load(&place->pid);
        if (place != board.own && pid > 0 && is_dead(pid) &&
            atomic_load(&place->end) == BOARD_RUNNING)
            return place->pe;
    }
    return -1;
}

int board_silent_pe(double seconds)
{
    double limit = wall_seconds() - seconds;
    for (size_t i = 0; i < board.count; i++) {
        const struct place *place = &board.places[i];
        if (place != board.own && atomic_load(&place->pid) > 0 &&
            atomic_load(&place->end) == BOARD_RUNNING && atomic_load(&place->alive) < limit)
            return place->pe;
    }
    return -1;
}
