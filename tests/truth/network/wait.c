/*
 * Waiting for what another PE does: wait_until, test and locks.
 */
#include "interpose.h"
#include "truth/openshmem_types.h"

/* ---- wait_until and test ---- */

/* Also where these calls themselves cost nothing: data are not there before they arrive. */
static void charge_wait(struct call call, const volatile void *address, int compare,
                        long double operand)
{
    if (call.entry != 0) {
        int64_t end = call.entry + later(network.cost[COST_WAIT], 0);
        int64_t arrival = arrival_for((const void *)address, compare, operand, end);
        if (network.cost[COST_WAIT] >= 0 || arrival > end) {
            busy_until(COST_WAIT, arrival);
        }
    }
}

/* Returns what the test says. */
static int charge_test(struct call call, const volatile void *address, int compare,
                       long double operand, int value)
{
    if (call.entry != 0 && network.simulated) {
        if (value) {
            simulated_set(arrival_for((const void *)address, compare, operand, call.entry));
        }
        bool again = simulated_polls();
        simulated_waits();
        if (again && !value) {
            return value; /* how often a PE looks in vain depends on real time */
        }
    } else if (call.entry != 0 && value) {
        value = arrival_for((const void *)address, compare, operand, call.entry) == call.entry;
    }
    charge(call, COST_TEST);
    return value;
}

#define WAIT(name, type)                                                                           \
    INTERPOSE(shmem_##name##_wait_until, (volatile type * address, int compare, type operand),     \
              (address, compare, operand), simulated_waits();                                      \
              while (network.simulated && !shmem_##name##_test((type *)address, compare, operand)) \
                  simulated_yield(),                                                               \
              charge_wait(call, address, compare, (long double)operand))                           \
    INTERPOSE_VALUE(int, shmem_##name##_test,                                                      \
                    (volatile type * address, int compare, type operand),                          \
                    (address, compare, operand), NOTHING,                                          \
                    value = charge_test(call, address, compare, (long double)operand, value))

TRUTH_WAIT_TYPES(WAIT)

/* Names of versions before 1.4. */
#define WAIT_OLD(name, type)                                                                       \
    INTERPOSE(name, (volatile type * address, type operand), (address, operand), NOTHING,          \
              charge_wait(call, address, SHMEM_CMP_NE, (long double)operand))

WAIT_OLD(shmem_wait, long)
WAIT_OLD(shmem_short_wait, short)
WAIT_OLD(shmem_int_wait, int)
WAIT_OLD(shmem_long_wait, long)
WAIT_OLD(shmem_longlong_wait, long long)

/* ---- Locks ---- */

/* Who asks first by the simulated clock gets it first. */
static void ask(struct call call)
{
    if (call.entry != 0) {
        simulated_turn();
        simulated_waits();
    }
}

/* A lock is held until clear_lock returns. */
static void release(struct call call, const volatile long *lock)
{
    if (call.entry != 0) {
        simulated_turn();
    }
    if (call_costs(call, COST_CLEAR_LOCK)) {
        lock_release_at(lock, call.entry + network.cost[COST_CLEAR_LOCK]);
    }
}

/* The cost of an acquisition counts from the moment when the lock was free. */
static void charge_acquisition(struct call call, enum cost cost, const volatile long *lock)
{
    if (call_costs(call, cost)) {
        busy_until(cost, later(call.entry, lock_released(lock)) + network.cost[cost]);
    }
}

static void charge_test_lock(struct call call, const volatile long *lock, bool held)
{
    if (held) {
        charge(call, COST_TEST_LOCK);
    } else {
        charge_acquisition(call, COST_TEST_LOCK, lock);
    }
}

#define LOCK (volatile long *lock)

INTERPOSE(shmem_set_lock, LOCK, (lock), ask(call), charge_acquisition(call, COST_SET_LOCK, lock))
INTERPOSE(shmem_clear_lock, LOCK, (lock), release(call, lock), charge(call, COST_CLEAR_LOCK))
INTERPOSE_VALUE(int, shmem_test_lock, LOCK, (lock), ask(call),
                charge_test_lock(call, lock, value != 0))
