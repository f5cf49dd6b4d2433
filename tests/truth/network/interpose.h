/*
 * Defining a library's functions: the real one with something before and behind it.
 */
#ifndef TRUTH_INTERPOSE_H
#define TRUTH_INTERPOSE_H

#include "network.h"

#pragma GCC visibility push(hidden)
void *real_function(const char *name);
#pragma GCC visibility pop

/* `before` and `after` are statements that may use `call`, the parameters, and `after` in
 * INTERPOSE_VALUE also `value`, what the real function has returned. */
#define INTERPOSE(name, parameters, arguments, before, after)                                      \
    void name parameters                                                                           \
    {                                                                                              \
        static void(*real) parameters;                                                             \
        struct call call = call_enter();                                                           \
        if (!real) {                                                                               \
            real = (void(*) parameters)real_function(#name);                                       \
        }                                                                                          \
        before;                                                                                    \
        real arguments;                                                                            \
        call_leave();                                                                              \
        after;                                                                                     \
    }

#define INTERPOSE_VALUE(type, name, parameters, arguments, before, after)                          \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        struct call call = call_enter();                                                           \
        if (!real) {                                                                               \
            real = (type(*) parameters)real_function(#name);                                       \
        }                                                                                          \
        before;                                                                                    \
        type value = real arguments;                                                               \
        call_leave();                                                                              \
        after;                                                                                     \
        return value;                                                                              \
    }

/* shmem_NAME; `after` is a function of the call and the context. */
#define INTERPOSE_ALONE(name, parameters, arguments, before, after)                                \
    INTERPOSE(shmem_##name, parameters, arguments, before, after(call, SHMEM_CTX_DEFAULT))
#define INTERPOSE_VALUE_ALONE(type, name, parameters, arguments, before, after)                    \
    INTERPOSE_VALUE(type, shmem_##name, parameters, arguments, before,                             \
                    after(call, SHMEM_CTX_DEFAULT))

/* And shmem_ctx_NAME, which has a context in front. */
#define BARE(...) __VA_ARGS__
#define INTERPOSE_PAIR(name, parameters, arguments, before, after)                                 \
    INTERPOSE_ALONE(name, parameters, arguments, before, after)                                    \
    INTERPOSE(shmem_ctx_##name, (shmem_ctx_t context, BARE parameters), (context, BARE arguments), \
              before, after(call, context))
#define INTERPOSE_VALUE_PAIR(type, name, parameters, arguments, before, after)                     \
    INTERPOSE_VALUE_ALONE(type, name, parameters, arguments, before, after)                        \
    INTERPOSE_VALUE(type, shmem_ctx_##name, (shmem_ctx_t context, BARE parameters),                \
                    (context, BARE arguments), before, after(call, context))

#define NOTHING (void)0

#endif
