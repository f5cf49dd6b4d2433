/* The table of causes. docs/waits.md explains them. */
#include "trace/explain/causes.h"

const struct cause_row cause_rows[CAUSES] = {
    [CAUSE_BARRIER] = {"wait at barrier", "{who} wait{s} in {where} for {whom}",
                       "give the late PE less work, or put off the barrier until it is needed",
                       "make the late PE communicate less, or by nonblocking calls"},
    [CAUSE_COLLECTIVE] = {"imbalance before a collective", "{who} wait{s} in {where} for {whom}",
                          "divide the work before the collective more evenly",
                          "make the late PE communicate less, or by nonblocking calls"},
    [CAUSE_WRITER] = {"late writer", "{who} wait{s} in {where} for {call} of {whom}{at}",
                      "send earlier: compute what others wait for first",
                      "send earlier, before other communication"},
    [CAUSE_LOCK] = {"lock queue", "{who} wait{s} in {where} for the lock of {whom}",
                    "compute outside of the lock, or use several locks",
                    "replace the lock by an atomic, or use several locks"},
    [CAUSE_PROGRESS] = {"late progress", "{who} wait{s} in {where} for {whom}",
                        "let the library progress by itself, or call it while you compute",
                        "let the library progress by itself"},
    [CAUSE_ATOMIC] = {"contended atomic", "{who} wait{s} in {where} for atomics of others",
                      "count on each PE and add up, or spread the variable",
                      "count on each PE and add up, or spread the variable"},
    [CAUSE_QUIET] = {"needless quiet", "{who} wait{s} in {where} after each put",
                     "call quiet once, after the last put", "call quiet once, after the last put"},
    [CAUSE_TRANSFER] = {"communication", "{who} spend{s} it in {where} itself",
                        "send less, or larger messages, or compute meanwhile",
                        "send less, or larger messages, or compute meanwhile"},
};
