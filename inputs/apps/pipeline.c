/*
 * Broadcasts in a pipeline: the message goes in segments along a chain of PEs that begins with a
 * root, in each step another one. Several contexts let a PE pass on a segment while others are
 * still on their way.
 */
#include "app.h"

#define MOST_CONTEXTS 64

struct pipe {
    long size, segment; /* bytes */
    long contexts;      /* in use */
    shmem_ctx_t context[MOST_CONTEXTS];
    unsigned char *message;
    long *arrived; /* by segment: steps in which it has */
};

static unsigned char byte_of(long step, long index)
{
    return (unsigned char)app_random((uint64_t)step + 1, (uint64_t)index);
}

static uint64_t checksum_of(long step, long index, unsigned char byte)
{
    return app_random(((uint64_t)step << 8) + byte, (uint64_t)index);
}

static void start_segment(const struct pipe *pipe, long number, int pe)
{
    long begin = number * pipe->segment, left = pipe->size - begin;
    CALL(shmem_ctx_putmem_nbi)
    (pipe->context[number % pipe->contexts], pipe->message + begin, pipe->message + begin,
     (size_t)(left < pipe->segment ? left : pipe->segment), pe);
}

static void end_segment(const struct pipe *pipe, long number, int pe, long step)
{
    shmem_ctx_t context = pipe->context[number % pipe->contexts];
    CALL(shmem_ctx_quiet)(context);
    CALL(shmem_ctx_long_p)(context, &pipe->arrived[number], step + 1, pe);
}

static void broadcast(const struct app *app, const struct pipe *pipe, int root, long step)
{
    long segments = (pipe->size + pipe->segment - 1) / pipe->segment;
    int next = (app->pe + 1) % app->pes;
    bool passes = next != root;
    for (long i = 0; i < segments; i++) {
        if (app->pe != root)
            CALL(shmem_long_wait_until)(&pipe->arrived[i], SHMEM_CMP_GE, step + 1);
        if (passes && i >= pipe->contexts)
            end_segment(pipe, i - pipe->contexts, next, step);
        if (passes)
            start_segment(pipe, i, next);
    }
    long begin = segments > pipe->contexts ? segments - pipe->contexts : 0;
    for (long i = begin; passes && i < segments; i++)
        end_segment(pipe, i, next, step);
}

int main(int argc, char **argv)
{
    long steps = 6, own = 3;
    struct pipe pipe = {.size = 20000, .segment = 1024};
    const struct app_option options[] = {
        {"size", &pipe.size, 1, 1L << 40, "bytes of a message"},
        {"steps", &steps, 0, LONG_MAX / 2, "broadcasts"},
        {"segment", &pipe.segment, 1, 1L << 40, "bytes of a segment"},
        {"contexts", &own, 0, MOST_CONTEXTS, "private contexts (0: the default context)"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("pipeline", argv, options);
    if (app.pe == 0)
        printf("pipeline: %ld bytes, %ld broadcasts, segments of %ld, %ld contexts, %d PEs\n",
               pipe.size, steps, pipe.segment, own, app.pes);

    pipe.message = app_memory(&app, (size_t)pipe.size);
    pipe.arrived = app_memory(&app, (size_t)(pipe.size / pipe.segment + 1) * sizeof *pipe.arrived);
    pipe.contexts = own > 0 ? own : 1;
    pipe.context[0] = SHMEM_CTX_DEFAULT; /* a variable, which shmem_init sets in Open MPI */
    for (long i = 0; i < own; i++)
        if (CALL(shmem_ctx_create)(SHMEM_CTX_PRIVATE, &pipe.context[i]) != 0)
            app_fail(&app, 1, "context %ld cannot be created; take fewer --contexts", i);

    uint64_t mine = 0, wanted = 0;
    for (long step = 0; step < steps; step++) {
        int root = (int)(step % app.pes);
        if (app.pe == root)
            for (long i = 0; i < pipe.size; i++)
                pipe.message[i] = byte_of(step, i);
        CALL(shmem_barrier_all)();
        broadcast(&app, &pipe, root, step);
        CALL(shmem_barrier_all)();
        for (long i = 0; i < pipe.size; i++) {
            mine += checksum_of(step, i, pipe.message[i]);
            wanted += checksum_of(step, i, byte_of(step, i));
        }
    }
    for (long i = 0; i < own; i++)
        CALL(shmem_ctx_destroy)(pipe.context[i]);

    uint64_t wrong = app_sum(&app, mine != wanted);
    return app_end(&app, wanted + wrong, wanted);
}
