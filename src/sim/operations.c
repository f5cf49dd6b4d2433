/* The stages of puts, gets and atomics. */
#include "sim/state.h"

#include "base/memory.h"

#define MOST_ELEMENTS 65536 /* of a strided put whose elements are messages */

static inline bool is_put(const struct operation *operation)
{
    return operation->op.kind == OP_PUT;
}

/* ---- What calls take, by the model ---- */

static inline bool is_atomic(const struct op *op)
{
    return op->kind == OP_ATOMIC || op->flags & OP_FETCHING;
}

static inline enum cost_class class_of(const struct op *op)
{
    if (is_atomic(op))
        return COST_ATOMIC;
    if (op->kind == OP_PUT)
        return op->flags & OP_BLOCKING ? COST_PUT : COST_PUT_NBI;
    return op->flags & OP_BLOCKING ? COST_GET : COST_GET_NBI;
}

/* What a put, get or atomic of this many bytes takes. */
static inline struct phases phases_of_bytes(const struct replay *replay, const struct step *step,
                                            uint64_t bytes)
{
    const struct op *op = step->op;
    const bool atomic = is_atomic(op);
    const struct way *bus = replay_bus(replay, step->thread, op->peer);
    const struct message message = {
        .bus = bus,
        .way = way_of(bus, class_of(op), bytes),
        .bytes = bytes,
        .kind = atomic               ? MESSAGE_ATOMIC
                : op->kind == OP_PUT ? MESSAGE_PUT
                                     : MESSAGE_GET,
        .blocking = op->flags & OP_BLOCKING,
        .fetching = op->flags & OP_FETCHING,
        .busy = atomic ? replay_busy(replay, step->thread, op->peer) : 0,
    };
    return replay->options.model->takes(&message);
}

/* Whether the elements of a strided call go one by one. */
static bool goes_each(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    const struct way *way = replay_bus(replay, step->thread, op->peer);
    return (op->kind == OP_PUT ? way->iput_each : way->iget_each) && op->place > 1 &&
           op->flags & OP_BLOCKING;
}

static inline struct phases phases_of(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (__builtin_expect(op->place > 1, 0) && op->kind != OP_FETCHES && goes_each(replay, step)) {
        const struct phases one = phases_of_bytes(replay, step, op->bytes / op->place);
        return sim_phases_in_a_row(&one, op->place, op->kind != OP_PUT);
    }
    return phases_of_bytes(replay, step, op->bytes);
}

/* ---- Ends of operations ---- */

static inline int node_of(const struct replay *replay, uint32_t thread)
{
    return (int)replay->threads[thread].node;
}

/* Where the data of a put or get come from, and where they go. */
static inline uint32_t source_of(const struct operation *operation)
{
    return is_put(operation) ? operation->thread : operation->op.peer;
}

static inline uint32_t target_of(const struct operation *operation)
{
    return is_put(operation) ? operation->op.peer : operation->thread;
}

/* The number of an operation's event. */
static inline uint32_t event_of(const struct replay *replay, uint32_t number)
{
    return (uint32_t)replay->run->thread_count + number;
}

/* The thread whose interface sends the messages of a thread. */
static inline uint32_t sender_of(const struct replay *replay, uint32_t thread)
{
    return replay->options.model->one_interface ? replay_pe(replay, thread) : thread;
}

/* ---- Operations that are under way ---- */

static void append(struct operations *operations, struct operation_list *list, uint32_t number)
{
    operations->of[number].next = 0;
    if (list->first)
        operations->of[list->last - 1].next = number + 1;
    else
        list->first = number + 1;
    list->last = number + 1;
}

/* When its next stage is an event. The links say when they have carried shared data. */
static void plan(struct replay *replay, uint32_t number)
{
    const struct operation *operation = &replay->operations.of[number];
    if (operation->at > LAST_TIME)
        replay_too_late(replay, operation->thread);
    if (operation->stage != STAGE_SENT)
        queue_set(&replay->queue, event_of(replay, number), operation->at);
}

/* From now on it is under way. Returns its number. */
static uint32_t keep(struct replay *replay, const struct operation *operation)
{
    struct operations *operations = &replay->operations;
    uint32_t number = operations->unused - 1;
    if (operations->unused) {
        operations->unused = operations->of[number].next;
    } else {
        memory_extend(operations->of, operations->count, &operations->room);
        number = (uint32_t)operations->count++;
    }
    operations->of[number] = *operation;
    queue_grow(&replay->queue, event_of(replay, (uint32_t)operations->room));
    open_of(replay, operation->thread, operation->op.context)->count++;
    return number;
}

/* ---- Interfaces, where links are shared ---- */

/* The next operation that waits gets the interface. */
static void pass_on(struct replay *replay, uint32_t thread)
{
    struct interface *interface = &replay->waiting[sender_of(replay, thread)];
    uint32_t next = interface->list.first;
    interface->busy = next;
    if (!next)
        return;
    struct operation *operation = &replay->operations.of[next - 1];
    interface->list.first = operation->next;
    interface->fences -= operation->op.kind == OP_FENCE;
    operation->at = replay->now;
    plan(replay, next - 1);
}

/* Whether an operation has to wait for those before it. Atomics only wait for fences. */
static inline bool must_queue(const struct replay *replay, uint32_t thread, bool atomic)
{
    if (__builtin_expect(!replay->waiting, 1))
        return false;
    const struct interface *interface = &replay->waiting[sender_of(replay, thread)];
    return interface->busy && (!atomic || interface->fences);
}

static void queue_up(struct replay *replay, const struct operation *operation)
{
    struct interface *interface = &replay->waiting[sender_of(replay, operation->thread)];
    append(&replay->operations, &interface->list, keep(replay, operation));
    interface->fences += operation->op.kind == OP_FENCE;
}

/* ---- Stages ---- */

static inline void next(struct operation *operation, enum stage stage, int64_t at)
{
    operation->stage = (uint8_t)stage;
    operation->at = at;
}

/* The caller goes on, if it has waited for this part of the operation. */
static inline void returns(struct operation *operation, int64_t at)
{
    if (operation->leaves == UNKNOWN)
        operation->leaves = at;
}

static inline void delayed(struct operation *operation, int64_t waited)
{
    if (operation->leaves == UNKNOWN)
        operation->waited += waited;
}

/* Whether the library of the caller has to handle the answer. */
static inline bool is_answered(const struct replay *replay, const struct operation *operation)
{
    return operation->library && replay->libraries->receive;
}

/* A put's data are sent to its target, of a get or atomic a request. */
static inline void send(struct replay *replay, struct operation *operation)
{
    const struct phases *takes = &operation->takes;
    int64_t begin = operation->start + takes->issue;
    if (!operation->atomic || takes->gap > 0) {
        struct thread *sender = &replay->threads[sender_of(replay, operation->thread)];
        begin = later(begin, sender->interface);
        if (!is_put(operation))
            sender->interface = begin + takes->gap;
    }
    operation->ready = begin + takes->request;
    if (operation->atomic) {
        next(operation, STAGE_ARRIVE, later(operation->ready, context_floor(replay, operation)));
        context_note(replay, operation, operation->at, 0);
        return;
    }
    next(operation, is_put(operation) ? STAGE_WIRE : STAGE_ARRIVE, operation->ready);
}

static inline void wire(struct replay *replay, struct operation *operation, uint32_t number)
{
    int from = node_of(replay, source_of(operation)), to = node_of(replay, target_of(operation));
    int64_t takes = operation->takes.wire;
    operation->stage = STAGE_SENT;
    if (__builtin_expect(operation->shares, 0))
        links_share(&replay->links, number, from, to, operation->at, takes);
    else
        operation->at = takes + links_reserve(&replay->links, from, to, operation->ready, takes);
}

static inline void sent(struct replay *replay, struct operation *operation, uint32_t number)
{
    const struct phases *takes = &operation->takes;
    int64_t at = operation->at, begun = operation->shares ? operation->ready : at - takes->wire;
    delayed(operation, at - takes->wire - operation->ready);
    if (__builtin_expect(operation->shares, 0))
        sim_shares_remove(&replay->links.shares, number);
    if (!is_put(operation)) {
        if (takes->returns == RETURNS_ARRIVED && !is_answered(replay, operation))
            returns(operation, at + takes->flight);
        next(operation, STAGE_ANSWER, at + takes->flight + takes->acknowledge);
        return;
    }
    struct thread *sender = &replay->threads[sender_of(replay, operation->thread)];
    sender->interface = later(begun + takes->gap, at);
    if (__builtin_expect(sender->interface > LAST_TIME, 0))
        replay_too_late(replay, operation->thread);
    if (takes->returns == RETURNS_SENT)
        returns(operation, at);
    next(operation, STAGE_ARRIVE, later(at + takes->flight, context_floor(replay, operation)));
    context_note(replay, operation, operation->at, 0);
    if (__builtin_expect(operation->shares, 0))
        pass_on(replay, operation->thread);
}

/* Begins to handle something at `at`, or when what came earlier has been handled (ps). Returns the
 * begin. */
static inline int64_t handle(int64_t *busy, int64_t at, int64_t takes)
{
    int64_t begin = later(at, *busy);
    *busy = begin + takes;
    return begin;
}

/* A write that threads wait for has arrived. */
static void tell_waiting(struct replay *replay, uint32_t number, int64_t arrival)
{
    struct slot *slot = &replay->waits.slots[number];
    slot->arrival = arrival;
    while (slot->waiter) {
        uint32_t waiter = slot->waiter - 1;
        slot->waiter = replay->threads[waiter].next;
        replay_wake(replay, waiter);
    }
}

/* When the target of an operation begins to send its answer, which is ready at `at` (ps). Its
 * interface sends one message after the other. Without libraries, it sends at once: then an
 * operation is replayed when it begins, before messages that its target sends earlier. */
static inline int64_t send_answer(struct replay *replay, struct operation *operation, int64_t at)
{
    if (!operation->library || operation->takes.back == 0)
        return at;
    int64_t *interface = &replay->threads[operation->op.peer].interface;
    int64_t begin = handle(interface, at, operation->takes.back);
    delayed(operation, begin - at);
    return begin;
}

static inline void arrive(struct replay *replay, struct operation *operation)
{
    const struct phases *takes = &operation->takes;
    const uint32_t pe = operation->op.peer;
    int64_t at = operation->at, begin = at;
    if (operation->atomic && !takes->received) { /* what serves atomics there is busy */
        if (__builtin_expect(!replay->served, 0))
            replay->served = memory_zeroed((size_t)replay->run->pes, sizeof *replay->served);
        begin = handle(&replay->served[pe], at, takes->receive);
    } else if (operation->atomic || takes->receive > 0) {
        begin = handle(&replay->libraries->of[pe].busy, at, takes->receive);
    }
    int64_t done = begin + takes->receive;
    if (operation->atomic) {
        next(operation, STAGE_ANSWER, send_answer(replay, operation, done) + takes->flight);
    } else if (is_put(operation)) {
        if (takes->returns == RETURNS_ARRIVED && !is_answered(replay, operation))
            returns(operation, done);
        next(operation, STAGE_ANSWER, send_answer(replay, operation, done) + takes->acknowledge);
    } else {
        operation->ready = send_answer(replay, operation, done);
        next(operation, STAGE_WIRE, operation->ready);
    }
    delayed(operation, begin - at);
    if (operation->slot != NO_SLOT)
        tell_waiting(replay, operation->slot, done);
}

static inline void answer(struct replay *replay, struct operation *operation)
{
    int64_t known = operation->at;
    if (__builtin_expect(is_answered(replay, operation), 0)) {
        struct library *library = &replay->libraries->of[replay_pe(replay, operation->thread)];
        known = handle(&library->busy, known, operation->takes.answer) + operation->takes.answer;
    }
    if (__builtin_expect(known > LAST_TIME, 0))
        replay_too_late(replay, operation->thread);
    context_note(replay, operation, 0, known);
    returns(operation, known);
    operation->stage = STAGE_OVER;
}

/* Executes stages until one is an event, or all are over. number is that of an operation that is
 * under way. */
static inline __attribute__((always_inline)) void go(struct replay *replay,
                                                     struct operation *operation, uint32_t number)
{
    for (;;) {
        switch ((enum stage)operation->stage) {
        case STAGE_SEND:
            send(replay, operation);
            break;
        case STAGE_WIRE:
            wire(replay, operation, number);
            break;
        case STAGE_SENT:
            sent(replay, operation, number);
            break;
        case STAGE_ARRIVE:
            arrive(replay, operation);
            break;
        case STAGE_ANSWER:
            answer(replay, operation);
            break;
        case STAGE_OVER:
            return;
        }
        bool links = operation->stage == STAGE_WIRE || operation->stage == STAGE_SENT;
        if (__builtin_expect(links && operation->shares, 0) ||
            (__builtin_expect(operation->library, 0) &&
             (operation->stage == STAGE_ARRIVE ||
              (operation->stage == STAGE_ANSWER && replay->libraries->receive))))
            return;
    }
}

/* An operation that is under way goes on. */
static void go_on(struct replay *replay, uint32_t number)
{
    struct operation operation = replay->operations.of[number];
    bool blocked = operation.leaves == UNKNOWN, queued = operation.stage == STAGE_SEND;
    if (operation.op.kind == OP_FENCE) {
        context_fence(replay, operation.thread, operation.op.context);
        operation.stage = STAGE_OVER;
    }
    go(replay, &operation, number);
    if (queued && !(operation.shares && is_put(&operation)))
        pass_on(replay, operation.thread);
    if (operation.stage == STAGE_OVER) {
        replay->operations.of[number].next = replay->operations.unused;
        replay->operations.unused = number + 1;
        context_ends(replay, &operation);
    } else {
        replay->operations.of[number] = operation;
        plan(replay, number);
    }
    if (blocked && operation.leaves != UNKNOWN) { /* the caller, which waits for that, goes on */
        replay->rests[operation.thread].leaves = operation.leaves;
        replay->rests[operation.thread].waited = operation.waited;
        replay_wake(replay, operation.thread);
    }
}

/* ---- Libraries ---- */

struct libraries *libraries_open(const struct machine *machine, const struct model *model,
                                 size_t pes)
{
    const struct sim_machine_has has = sim_machine_has(machine);
    const bool receive = model->receives && has.receiving;
    if (!receive && !has.inside)
        return NULL;
    struct libraries *libraries = memory_zeroed(1, sizeof *libraries + pes * sizeof *libraries->of);
    libraries->receive = receive;
    libraries->asks = receive && has.asking;
    return libraries;
}

void libraries_close(struct libraries *libraries)
{
    if (!libraries)
        return;
    free(libraries->peers);
    table_free(&libraries->pairs);
    free(libraries);
}

static bool asks(const struct replay *replay, uint32_t thread, uint32_t peer)
{
    return replay->libraries->asks && replay_bus(replay, thread, peer)->asks;
}

/* Whether libraries take part in a put, get or atomic. */
static bool needs_library(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (op->peer == replay_pe(replay, step->thread))
        return false;
    if (op->kind != OP_PUT && serves_inside(replay, op->peer))
        return true;
    if (!replay->libraries->receive)
        return false;
    const struct way *bus = replay_bus(replay, step->thread, op->peer),
                     *way = way_of(bus, class_of(op), op->bytes);
    return way->receive > 0 || way->answer > 0 || asks(replay, step->thread, op->peer) ||
           way_interrupts(bus);
}

/* Whether all threads of a PE that has not ended compute at `at` (ps). */
static bool is_outside(const struct replay *replay, uint32_t pe, int64_t at)
{
    if (at <= replay->libraries->of[pe].attentive)
        return false;
    for (int64_t thread = pe; thread >= 0; thread = sim_run_next(replay->run, thread)) {
        const uint32_t state = replay->threads[thread].state;
        if (state != THREAD_CALLS && state != THREAD_BEGIN && state != THREAD_JOIN &&
            !(state == THREAD_ENDED && thread > pe))
            return false;
    }
    return true;
}

/* A message arrives at `at` (ps). If one of its PEs computes then, it computes so much longer. */
static void interrupt(struct replay *replay, uint32_t pe, const struct way *way, int64_t at)
{
    struct library *library = &replay->libraries->of[pe];
    if (!way_interrupts(way) || at <= library->called || !is_outside(replay, pe, at))
        return;
    library->lost += way->interrupt + (library->interrupted ? 0 : way->first_interrupt);
    library->interrupted = true;
}

void sim_operation_computes(struct replay *replay, uint32_t pe, int64_t burst)
{
    struct library *library = &replay->libraries->of[pe];
    if (burst > library->trailing && library->trailing > 0) {
        library->lost += library->trailing;
        library->interrupted = true;
    }
    library->trailing = 0;
}

int64_t sim_operation_lost(struct replay *replay, uint32_t pe)
{
    struct library *library = &replay->libraries->of[pe];
    int64_t lost = library->lost;
    library->lost = 0;
    library->interrupted = library->interrupted && lost;
    return lost;
}

void sim_operation_event(struct replay *replay, uint32_t number)
{
    struct operation *operation = &replay->operations.of[number];
    bool answered = operation->stage == STAGE_ANSWER;
    uint32_t caller = replay_pe(replay, operation->thread), target = operation->op.peer;
    if (operation->stage == STAGE_SENT) /* the links have told when */
        operation->at = replay->now;
    if (answered || (operation->stage == STAGE_ARRIVE && operation->library)) {
        uint32_t pe = answered ? caller : target;
        if (!answered) {
            const struct way *way = replay_bus(replay, operation->thread, target);
            interrupt(replay, caller, way, operation->at);
            interrupt(replay, target, way, operation->at);
        }
        if (serves_inside(replay, pe) && is_outside(replay, pe, operation->at)) {
            append(&replay->operations, &replay->libraries->of[pe].waiting, number);
            return;
        }
    }
    go_on(replay, number);
}

/* A library works in a call from `from` (ps) on, and first handles what waits for that. */
static void handle_waiting(struct replay *replay, uint32_t thread, int64_t from)
{
    struct library *library = &replay->libraries->of[replay_pe(replay, thread)];
    const struct thread *self = &replay->threads[thread];
    uint32_t next = library->waiting.first;
    library->busy = later(library->busy, from);
    if (!next)
        return;
    library->waiting.first = 0;
    uint32_t station = path_station(&replay->paths, thread, self->time, self->hop);
    path_keep(&replay->paths, station);
    while (next) {
        uint32_t number = next - 1;
        struct operation *operation = &replay->operations.of[number];
        next = operation->next;
        if (operation->stage == STAGE_ARRIVE)
            delayed(operation, self->time - operation->at);
        operation->at = self->time;
        if (operation->leaves == UNKNOWN && operation->stage == STAGE_ARRIVE)
            replay_follow(replay, operation->thread, self->path_compute, station);
        go_on(replay, number);
    }
    path_drop(&replay->paths, station);
}

/* ---- What a quiet asks ---- */

/* Empties the list of PEs that a quiet asks: nothing is open any more. */
static void forget_peers(struct libraries *libraries, struct open_operations *open)
{
    for (uint32_t next = open->peers; next; next = libraries->peers[next - 1].next)
        libraries->peers[next - 1].listed = false;
    open->peers = 0;
}

/* Adds the target to the PEs that a quiet asks, while something of the context is open. */
static void note_peer(struct replay *replay, const struct operation *operation)
{
    struct libraries *libraries = replay->libraries;
    const struct {
        uint32_t pe, context, peer;
    } pair = {replay_pe(replay, operation->thread), operation->op.context, operation->op.peer};
    size_t number = table_number(&libraries->pairs, &pair, sizeof pair);
    struct asked_peer *peer = memory_element(libraries->peers, number, &libraries->peer_room);
    peer->peer = operation->op.peer;
    struct open_operations *open = open_of(replay, operation->thread, operation->op.context);
    if (open->count == 1)
        forget_peers(libraries, open);
    if (peer->listed)
        return;
    peer->next = open->peers;
    peer->listed = true;
    open->peers = (uint32_t)number + 1;
}

static struct departure begin(struct replay *, const struct step *, int64_t from, uint32_t slot);

/* A blocked quiet asks all PEs to which something of its context may be open. Returns when it has
 * sent these messages, or, if it asks nobody, when the call begins. */
static int64_t ask_all(struct replay *replay, uint32_t thread)
{
    struct libraries *libraries = replay->libraries;
    int64_t start = replay->threads[thread].time;
    if (!libraries->asks)
        return start;
    unsigned context = replay->threads[thread].blocked_on;
    struct op question = {.kind = OP_PUT, .context = context & UINT16_MAX};
    const struct step step = {thread, &question, start};
    int64_t at = later(start, libraries->of[replay_pe(replay, thread)].busy);
    /* A question does not list its target again, which still is. */
    for (uint32_t next = open_of(replay, thread, context)->peers; next;
         next = libraries->peers[next - 1].next) {
        question.peer = libraries->peers[next - 1].peer;
        at = begin(replay, &step, at, NO_SLOT).leaves;
    }
    forget_peers(libraries, open_of(replay, thread, context));
    return at;
}

/* ---- Calls ---- */

bool sim_operation_enter(struct replay *replay, uint32_t thread, const struct op *op)
{
    const bool library = __builtin_expect(replay->libraries != NULL, 0);
    if (library && call_serves(op, replay_pe(replay, thread))) {
        const struct step step = {thread, op, replay->threads[thread].time};
        /* A call with a request takes its PE some time before it waits for the answer. */
        bool asks = op->kind == OP_GET || op->kind == OP_ATOMIC;
        handle_waiting(replay, thread, step.start + (asks ? phases_of(replay, &step).issue : 0));
    }
    if (!context_blocks(replay, thread, op))
        return false;
    if (library)
        handle_waiting(replay, thread, ask_all(replay, thread));
    return true;
}

void sim_operation_last(struct replay *replay, uint32_t thread)
{
    if (replay->libraries)
        handle_waiting(replay, thread, replay->threads[thread].time);
}

/* What its parts take. Where no library has work to do, its work is a part of the way. */
static inline void find_times(struct replay *replay, const struct step *step,
                              struct operation *operation)
{
    struct phases *takes = &operation->takes;
    *takes = phases_of(replay, step);
    if (!operation->library && (takes->receive || takes->answer)) {
        *(is_put(operation) ? &takes->acknowledge : &takes->flight) += takes->answer;
        if (!operation->atomic) {
            takes->flight += takes->receive;
            takes->receive = 0;
        }
        takes->answer = 0;
        takes->received = false;
    }
    if (takes->returns == RETURNS_ISSUED)
        operation->leaves = operation->start + takes->issue;
    if (__builtin_expect(replay->waiting != NULL, 0) && !operation->atomic) {
        operation->shares = links_are_shared(&replay->links, node_of(replay, source_of(operation)),
                                             node_of(replay, target_of(operation)), takes->wire);
    }
}

/* Begins a put, get or atomic of which only one message is made. */
static inline struct departure begin(struct replay *replay, const struct step *step, int64_t from,
                                     uint32_t slot)
{
    struct operation operation;
    operation.op = *step->op;
    operation.start = operation.at = from;
    operation.leaves = UNKNOWN;
    operation.waited = 0;
    operation.thread = step->thread;
    operation.slot = slot;
    operation.stage = STAGE_SEND;
    operation.atomic = is_atomic(step->op);
    operation.library =
        __builtin_expect(replay->libraries != NULL, 0) && needs_library(replay, step);
    operation.shares = false;
    find_times(replay, step, &operation);
    if (__builtin_expect(must_queue(replay, step->thread, operation.atomic), 0)) {
        queue_up(replay, &operation);
    } else {
        go(replay, &operation, 0);
        if (__builtin_expect(operation.stage == STAGE_OVER, 1))
            return (struct departure){operation.leaves, operation.waited};
        plan(replay, keep(replay, &operation));
        if (operation.shares && is_put(&operation))
            replay->waiting[sender_of(replay, step->thread)].busy = true;
    }
    /* It may still be open when the call has returned. */
    if (operation.library && (is_put(&operation) || operation.leaves != UNKNOWN) &&
        asks(replay, step->thread, step->op->peer))
        note_peer(replay, &operation);
    return (struct departure){operation.leaves, operation.waited};
}

uint64_t sim_operation_times(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    bool each = __builtin_expect(op->place > 1, 0) && op->kind == OP_PUT && replay->libraries &&
                op->place <= MOST_ELEMENTS && goes_each(replay, step) &&
                needs_library(replay, step);
    return each ? op->place : 1;
}

/* The slot of those who wait for what an operation writes, or NO_SLOT. */
static inline uint32_t slot_of_write(struct replay *replay, const struct step *step)
{
    if (__builtin_expect(!replay->waits.next, 1) ||
        (step->op->kind != OP_PUT && step->op->kind != OP_ATOMIC))
        return NO_SLOT;
    const struct thread *self = &replay->threads[step->thread];
    uint32_t *next = &replay->waits.next[step->thread].write;
    struct slot *slot = &replay->waits.slots[*next];
    if (slot->writer != step->thread || slot->ordinal != replay_ordinal(replay, step->thread))
        return NO_SLOT;
    slot->compute = self->path_compute;
    slot->hop = path_station(&replay->paths, step->thread, self->time, self->hop);
    path_keep(&replay->paths, slot->hop);
    return (*next)++;
}

struct departure sim_operation_make(struct replay *replay, const struct step *step, int64_t from,
                                    uint64_t times)
{
    uint32_t slot = times > 1 ? NO_SLOT : slot_of_write(replay, step);
    if (__builtin_expect(sim_operation_times(replay, step) == 1, 1))
        return begin(replay, step, from, slot);
    struct op op = *step->op;
    op.bytes /= op.place;
    op.place = 1;
    return begin(replay, &(struct step){step->thread, &op, step->start}, from, slot);
}

void sim_operation_fence(struct replay *replay, const struct step *step)
{
    if (!must_queue(replay, step->thread, false)) {
        context_fence(replay, step->thread, step->op->context);
        return;
    }
    queue_up(replay,
             &(struct operation){
                 .op = *step->op, .start = step->start, .thread = step->thread, .slot = NO_SLOT});
}
