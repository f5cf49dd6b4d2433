/*
 * Accounts of a bank that are spread over the PEs. A transfer takes the locks of both branches,
 * gets the two balances, and puts the new ones. Each transfer has the number of a receipt, which is
 * drawn from PE 0, where the largest amount so far stands, too.
 */
#include "app.h"

#define BRANCHES 8 /* each has a lock */

struct bank {
    long accounts, days;
    long *balance; /* of the accounts of this PE: the n-th lies on PE n % PEs */
    long *lock;    /* of each branch */
    long *receipts, *largest;
};

struct transfer {
    long from, to; /* accounts, of different branches */
    uint64_t amount;
};

/* A value after many days: day by day as a bank does, or by repeated squaring for the check. */
static uint64_t grown(uint64_t value, long days)
{
    for (long day = 0; day < days; day++)
        value = value * UINT64_C(6364136223846793005) + 12345;
    return value;
}

static uint64_t grown_at_once(uint64_t value, long days)
{
    uint64_t factor = UINT64_C(6364136223846793005), addend = 12345;
    for (; days > 0; days /= 2) {
        if (days % 2)
            value = value * factor + addend;
        addend = addend * factor + addend;
        factor *= factor;
    }
    return value;
}

static struct transfer transfer_of(const struct bank *bank, long index)
{
    uint64_t random = app_random(1, (uint64_t)index);
    struct transfer transfer = {.from = (long)(random % (uint64_t)bank->accounts),
                                .amount = app_random(2, (uint64_t)index)};
    long further = 1 + (long)((random >> 32) % (BRANCHES - 1));
    transfer.to = (transfer.from + further) % bank->accounts;
    return transfer;
}

static void change(const struct app *app, const struct bank *bank, long account, long by)
{
    long *balance = &bank->balance[account / app->pes];
    int pe = (int)(account % app->pes);
    CALL(shmem_long_p)(balance, CALL(shmem_long_g)(balance, pe) + by, pe);
}

static void keep_largest(const struct bank *bank, long amount)
{
    long known = CALL(shmem_long_atomic_fetch)(bank->largest, 0);
    while (known < amount) {
        long found = CALL(shmem_long_atomic_compare_swap)(bank->largest, known, amount, 0);
        if (found == known)
            break;
        known = found;
    }
}

/* Makes the transfer; returns the number of its receipt. */
static long execute(const struct app *app, const struct bank *bank, struct transfer transfer)
{
    long amount = (long)(grown(transfer.amount, bank->days) >> 44);
    long one = transfer.from % BRANCHES, other = transfer.to % BRANCHES;
    long *first = &bank->lock[one < other ? one : other];
    long *second = &bank->lock[one < other ? other : one];
    CALL(shmem_set_lock)(first);
    if (first != second)
        CALL(shmem_set_lock)(second);
    change(app, bank, transfer.from, -amount);
    change(app, bank, transfer.to, amount);
    CALL(shmem_quiet)();
    if (first != second)
        CALL(shmem_clear_lock)(second);
    CALL(shmem_clear_lock)(first);
    keep_largest(bank, amount);
    return CALL(shmem_long_atomic_fetch_add)(bank->receipts, 1, 0);
}

static uint64_t checksum_of(long account, long balance)
{
    return app_random((uint64_t)balance, (uint64_t)account);
}

/* Computes the result of all PEs on one PE, without communication. */
static uint64_t expected(const struct app *app, const struct bank *bank, long steps)
{
    long *balance = calloc((size_t)bank->accounts, sizeof *balance), largest = 0;
    if (!balance)
        app_fail(app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < steps; i++) {
        struct transfer transfer = transfer_of(bank, i);
        long amount = (long)(grown_at_once(transfer.amount, bank->days) >> 44);
        balance[transfer.from] -= amount;
        balance[transfer.to] += amount;
        largest = amount > largest ? amount : largest;
    }
    uint64_t sum = (uint64_t)largest + (uint64_t)steps;
    for (long i = 0; i < bank->accounts; i++)
        sum += checksum_of(i, balance[i]);
    free(balance);
    return sum;
}

int main(int argc, char **argv)
{
    long steps = 400;
    struct bank bank = {.accounts = 64, .days = 20000};
    const struct app_option options[] = {
        {"size", &bank.accounts, BRANCHES, 1L << 30, "accounts of all PEs"},
        {"steps", &steps, 0, LONG_MAX / 2, "transfers of all PEs together"},
        {"days", &bank.days, 0, LONG_MAX / 2, "days of interest: computation of a transfer"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("bank", argv, options);
    if (app.pe == 0)
        printf("bank: %ld accounts, %ld transfers, %ld days, %d PEs\n", bank.accounts, steps,
               bank.days, app.pes);

    bank.balance = app_memory(&app, (size_t)(bank.accounts / app.pes + 1) * sizeof *bank.balance);
    bank.lock = app_memory(&app, BRANCHES * sizeof *bank.lock);
    bank.receipts = app_memory(&app, sizeof *bank.receipts);
    bank.largest = app_memory(&app, sizeof *bank.largest);
    CALL(shmem_barrier_all)();

    long last = -1, wrong = 0;
    for (long i = app.pe; i < steps; i += app.pes) {
        long receipt = execute(&app, &bank, transfer_of(&bank, i));
        wrong += receipt <= last || receipt >= steps;
        last = receipt;
    }
    CALL(shmem_barrier_all)();

    uint64_t mine = (uint64_t)wrong + (uint64_t)*bank.receipts + (uint64_t)*bank.largest;
    for (long i = app.pe; i < bank.accounts; i += app.pes)
        mine += checksum_of(i, bank.balance[i / app.pes]);
    uint64_t sum = app_sum(&app, mine);
    return app_end(&app, sum, app.pe == 0 ? expected(&app, &bank, steps) : 0);
}
