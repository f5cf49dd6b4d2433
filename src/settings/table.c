/* The rows of the table of settings; table.h says how to add one. */
#include "settings/table.h"

/* The engine keeps the times of all repetitions in memory: 8 MB for each PE that reports. */
#define MOST_REPETITIONS 1000000
/* More rounds would take days even with pauses of a second. */
#define MOST_ROUNDS 100000
#define LONGEST_SECONDS 1e9
/* More than any page size, and small enough that sizes cannot overflow. */
#define LARGEST_ALIGNMENT (1 << 30)

const struct setting_word setting_clock_sync_words[] = {
    {"default", "none where all PEs have one clock, else hca"},
    {"none", NULL},
    {"linear", NULL},
    {"ring", NULL},
    {"tree", NULL},
    {"hca", NULL},
    {NULL, NULL}};

const struct setting_word setting_window_rule_words[] = {
    {"classic", "SKaMPI's own"},
    {"mpiperf", "MPIPerf's"},
    {"round_time", "ReproMPI's"},
    {"dissemination", "no windows; PEs start after a barrier of the engine's own"},
    {NULL, NULL}};

const struct setting_word setting_arrival_words[] = {{"none", NULL},
                                                     {"one", "the last rank"},
                                                     {"linear", "rank i by its share i/(n-1)"},
                                                     {NULL, NULL}};

const struct setting_word setting_verify_words[] = {
    {"last", "before the timed repetitions, after the last one, and once more"},
    {"every", "after each repetition, with data of its own"},
    {NULL, NULL}};

static const struct setting_word stop_rule_words[] = {
    {"standard_error", "SKaMPI's own, see set_max_relative_standard_error()"},
    {"median_ci", "the median's confidence interval is narrow enough, twice in a row, after at "
                  "least 30 valid repetitions"},
    {NULL, NULL}};

static const struct setting_word run_time_words[] = {
    {"local", "the longest time of a PE"},
    {"global", "from the common start to the last finish"},
    {NULL, NULL}};

static const struct setting_word cache_state_words[] = {
    {"warm", NULL}, {"cold", NULL}, {NULL, NULL}};

static const struct setting_word mpiperf_stop_words[] = {
    {"count", NULL}, {"error", NULL}, {NULL, NULL}};

static const struct setting_word source_placement_words[] = {
    {"default", "as \"heap\""},
    {"heap", "the symmetric heap; of MPI alone: pages"},
    {"malloc", "as malloc() returns it: alignments do not count, buffers do not cycle"},
    {"pages", "small pages of its own"},
    {"huge", "huge pages"},
    {"static", "a static object"},
    {"mpi_alloc_mem", "MPI_Alloc_mem()"},
    {"node", "small pages of the NUMA node of set_buffer_node()"},
    {"atomics_remote", "shmem_malloc_with_hints() with SHMEM_MALLOC_ATOMICS_REMOTE"},
    {"signal_remote", "the same with SHMEM_MALLOC_SIGNAL_REMOTE"},
    {NULL, NULL}};

static const struct setting_word target_placement_words[] = {
    {"default", "as the source, or the symmetric heap where OpenSHMEM needs that"},
    {"heap", NULL},
    {"malloc", NULL},
    {"pages", NULL},
    {"huge", NULL},
    {"static", NULL},
    {"mpi_alloc_mem", NULL},
    {"node", NULL},
    {"atomics_remote", NULL},
    {"signal_remote", NULL},
    {NULL, NULL}};

const struct setting_word setting_file_data_words[] = {{"native", "as in memory"},
                                                       {"internal", "the library's own"},
                                                       {"external32", "MPI's portable one"},
                                                       {NULL, NULL}};

#define MEMBER(name) offsetof(struct settings, name)

const struct setting setting_rows[] = {
    /* ---- How long, how often, how exactly ---- */
    {"set_min_repetitions", "n", SETTING_INT, MEMBER(min_repetitions), .initial = 8, .low = 1,
     .high = MOST_REPETITIONS, .help = "valid repetitions needed before a measurement may stop"},
    {"set_max_repetitions", "n", SETTING_INT, MEMBER(max_repetitions), .initial = 33, .low = 1,
     .high = MOST_REPETITIONS,
     .help = "valid repetitions after which a measurement stops, whatever its error"},
    {"set_max_relative_standard_error", "x", SETTING_REAL, MEMBER(max_relative_standard_error),
     .initial = 0.10,
     .help = "a measurement stops once its standard error is at most this fraction of the mean"},
    {"set_stop_rule", "rule", SETTING_WORD, MEMBER(stop_rule), .initial = STOP_STANDARD_ERROR,
     .words = stop_rule_words, .alone = "standard_error",
     .instead = "set_max_relative_standard_error()", .help = "when a measurement may stop"},
    {"set_stop_rule", "width", SETTING_REAL, MEMBER(median_width), .initial = 0.05, .open = true,
     .optional = true, .help = "of the interval, as a fraction of the median"},
    {"set_stop_rule", "p", SETTING_REAL, MEMBER(median_confidence), .initial = 0.95, .high = 1,
     .open = true, .optional = true, .help = "confidence of the interval"},
    {"set_max_time", "seconds", SETTING_REAL, MEMBER(max_time), .high = LONGEST_SECONDS,
     .unit = "s",
     .help = "a measurement stops after the batch in which it has taken this long; 0: never"},
    {"set_precision", "x", SETTING_REAL, MEMBER(precision), .high = 1,
     .help = "times are measured until the 95 % interval of the median, and of what is subtracted, "
             "is within this fraction of the median, such as 0.02; 0: set_stop_rule() decides"},
    {"set_precision", "seconds", SETTING_REAL, MEMBER(point_time), .initial = 1,
     .high = LONGEST_SECONDS, .open = true, .unit = "s", .optional = true,
     .help = "after which a measurement stops, even if it is not yet this precise"},
    {"set_rounds", "n", SETTING_INT, MEMBER(rounds), .initial = 1, .low = 1, .high = MOST_ROUNDS,
     .help = "what follows is measured n times, again in shuffled order after the end of the "
             "script"},
    {"set_rounds", "seconds", SETTING_REAL, MEMBER(rounds_spread), .initial = ROUNDS_SPREAD_DEFAULT,
     .initially = "the time limit, or 2 s a round", .high = LONGEST_SECONDS, .unit = "s",
     .optional = true, .help = "over which all rounds are spread"},
    {"set_launch_difference", "x", SETTING_REAL, MEMBER(launch_difference),
     .initial = LAUNCH_DIFFERENCE_KNOWN,
     .initially = "what 5 or more files of --known show, else 0.01", .high = 1,
     .help =
         "standard deviation of medians from launch to launch, as a fraction of the median, that "
         "prediction intervals allow for; skampi campaign coverage measures it"},
    {"set_levels", "flag", SETTING_FLAG, MEMBER(levels), .identifies = true,
     .help = "1: where times lie on several levels, each is reported with its share of the time, "
             "and the result is the one that takes most of it"},
    {"set_warm_up", "n", SETTING_INT, MEMBER(warm_up), .initial = 1, .low = 1,
     .high = MOST_REPETITIONS, .help = "repetitions before each measurement that are not timed"},
    {"set_adaptive_warm_up", "flag", SETTING_FLAG, MEMBER(adaptive_warm_up), .initial = 1,
     .help = "1: repetitions before a steady state, as a test finds it, are left out; 0: all "
             "count"},
    {"set_controls", "flag", SETTING_FLAG, MEMBER(controls), .initial = 1,
     .help = "1: short operations around each batch tell which state the machine is in; 0: none"},
    {"set_max_nr_node_times", "n", SETTING_INT, MEMBER(max_nr_node_times), .initial = 16,
     .help = "columns of single PEs in a result line, at most"},
    {"set_unit", "x", SETTING_REAL, MEMBER(unit), .initial = 1e6, .open = true, .names_unit = true,
     .help = "reported unit: \"ns\", \"us\", \"ms\", \"s\", or units per second, such as 1e9"},
    {"set_max_outstanding", "n", SETTING_INT, MEMBER(max_outstanding), .identifies = true,
     .initial = 16, .low = 1, .help = "operations that are posted before they are completed"},
    {"set_sk_tasks", "n", SETTING_INT, MEMBER(sk_tasks), .identifies = true,
     .help = "PEs sampled by the _SK functions; 0: all"},
    {"set_arrival_skew", "who", SETTING_WORD, MEMBER(arrival), .identifies = true,
     .initial = ARRIVAL_TOGETHER, .words = setting_arrival_words,
     .help = "who comes late to a collective routine that starts by the clock"},
    {"set_arrival_skew", "seconds", SETTING_REAL, MEMBER(arrival_skew), .identifies = true,
     .unit = "s", .help = "by how much"},
    {"set_autorefine_factor", "x", SETTING_REAL, MEMBER(autorefine_factor), .initial = 2, .low = 1,
     .help = "autorefine measures up to this many times the points of the plain loop"},
    {"set_autorefine_tolerance", "x", SETTING_REAL, MEMBER(autorefine_tolerance), .initial = 0.05,
     .help = "autorefine stops where it predicts the curve within this fraction"},

    /* ---- Starts ---- */
    {"set_window_rule", "rule", SETTING_WORD, MEMBER(window.rule), .initial = WINDOW_CLASSIC,
     .words = setting_window_rule_words, .help = "how the starts of repetitions are chosen"},
    {"set_time_slice", "seconds", SETTING_REAL, MEMBER(window.slice), .initial = 0.1, .unit = "s",
     .help = "round_time: for one measurement"},
    {"set_mpiperf_discarded", "n", SETTING_INT, MEMBER(window.discarded), .initial = 4, .low = 1,
     .help = "mpiperf: runs of stage 0, which are left out"},
    {"set_mpiperf_runs", "n", SETTING_INT, MEMBER(window.runs), .initial = 8, .low = 1,
     .help = "mpiperf: runs of each later stage"},
    {"set_mpiperf_invalid_share", "x", SETTING_REAL, MEMBER(window.invalid_share), .initial = 0.25,
     .high = 1, .open = true,
     .help = "mpiperf: when a larger share of a stage is invalid, the window is chosen anew"},
    {"set_mpiperf_growth", "x", SETTING_REAL, MEMBER(window.growth), .initial = 1.1, .low = 1,
     .open = true, .help = "mpiperf: a window is this many times as wide as needed"},
    {"set_mpiperf_stop", "rule", SETTING_FLAG, MEMBER(window.stop_by_error),
     .words = mpiperf_stop_words, .help = "mpiperf: what ends a measurement"},
    {"set_mpiperf_max_runs", "n", SETTING_INT, MEMBER(window.max_runs), .initial = 100, .low = 1,
     .help = "mpiperf, by count: stop after more runs than this"},
    {"set_mpiperf_enough_valid", "n", SETTING_INT, MEMBER(window.enough_valid), .initial = 30,
     .low = 1, .help = "mpiperf, by count: or after more valid runs than this"},
    {"set_mpiperf_relative_error", "x", SETTING_REAL, MEMBER(window.relative_error),
     .initial = 0.05,
     .help = "mpiperf, by error: stop when the standard error is this fraction of the mean"},
    {"set_mpiperf_least_valid", "n", SETTING_INT, MEMBER(window.least_valid), .initial = 10,
     .low = 2, .help = "mpiperf, by error: valid runs needed"},
    {"set_mpiperf_trim", "x", SETTING_REAL, MEMBER(window.trim), .identifies = true,
     .initial = 0.25, .high = 0.5, .open = true,
     .help = "mpiperf: share of the times left out at each end; the result is the mean of the "
             "others"},
    {"set_mpiperf_confidence", "p", SETTING_REAL, MEMBER(window.confidence), .initial = 0.95,
     .high = 1, .open = true, .help = "mpiperf: confidence of the interval of that mean"},
    {"set_clock_sync", "algorithm", SETTING_WORD, MEMBER(clock.algorithm), .identifies = true,
     .initial = CLOCK_SYNC_DEFAULT, .words = setting_clock_sync_words,
     .help = "how clocks are synchronized"},
    {"set_clock_patience", "n", SETTING_INT, MEMBER(clock.patience), .initial = 100, .low = 1,
     .help = "an exchange of clock readings ends n round trips after its best one"},
    {"set_clock_fit_points", "n", SETTING_INT, MEMBER(clock.fit_points), .initial = 20, .low = 1,
     .help = "hca: offsets that a drift is fitted to"},
    {"set_clock_fit_exchanges", "n", SETTING_INT, MEMBER(clock.fit_exchanges), .initial = 10,
     .low = 1, .help = "hca: round trips for each of these offsets"},
    {"set_clock_spread", "seconds", SETTING_REAL, MEMBER(clock.spread), .initial = 0.2, .unit = "s",
     .help = "hca: over which these offsets are spread"},
    {"set_clock_long_spread", "seconds", SETTING_REAL, MEMBER(clock.long_spread), .initial = 1,
     .unit = "s", .help = "hca: over which they are spread where they seem to show a drift"},
    {"choose_real_synchronization", NULL, SETTING_WORD, MEMBER(synchronization),
     .initial = SYNCHRONIZE_WINDOW, .help = "PEs start together at a given time (windows)"},
    {"choose_barrier_synchronization", NULL, SETTING_WORD, MEMBER(synchronization),
     .initial = SYNCHRONIZE_BARRIER, .help = "PEs start after a barrier"},
    {"choose_no_synchronization", NULL, SETTING_WORD, MEMBER(synchronization),
     .initial = SYNCHRONIZE_NONE, .help = "PEs start when they are ready"},
    {"set_run_time", "what", SETTING_WORD, MEMBER(run_time), .initial = RUN_TIME_LOCAL,
     .words = run_time_words, .help = "what the time of a repetition is"},
    {"set_max_window", "seconds", SETTING_REAL, MEMBER(max_window), .initial = 10, .open = true,
     .unit = "s", .help = "a measurement fails when its window would have to be wider"},
    {"set_watchdog", "seconds", SETTING_REAL, MEMBER(watchdog), .initial = 120, .unit = "s",
     .help = "the job ends after this long without progress; 0: never"},

    /* ---- Buffers and caches ---- */
    {"set_skampi_buffer", "bytes", SETTING_BYTES, MEMBER(buffer_bytes), .initial = 1 << 20,
     .unit = "bytes",
     .help = "size of the buffer; without it, a measurement that needs more gets more, outside of "
             "loops to ..."},
    {"set_send_buffer_alignment", "bytes", SETTING_BYTES, MEMBER(send_alignment),
     .identifies = true, .initial = 32, .low = 1, .high = LARGEST_ALIGNMENT, .unit = "bytes",
     .help = "of the send buffer: its address is a multiple of this but not of twice this"},
    {"set_send_buffer_alignment", "offset", SETTING_BYTES, MEMBER(send_offset), .identifies = true,
     .high = LARGEST_ALIGNMENT, .unit = "bytes", .optional = true,
     .help = "that is added to this address"},
    {"set_recv_buffer_alignment", "bytes", SETTING_BYTES, MEMBER(receive_alignment),
     .identifies = true, .initial = 32, .low = 1, .high = LARGEST_ALIGNMENT, .unit = "bytes",
     .help = "of the receive buffer: its address is a multiple of this but not of twice this"},
    {"set_recv_buffer_alignment", "offset", SETTING_BYTES, MEMBER(receive_offset),
     .identifies = true, .high = LARGEST_ALIGNMENT, .unit = "bytes", .optional = true,
     .help = "that is added to this address"},
    {"set_buffer_placement", "source", SETTING_WORD, MEMBER(source_placement), .identifies = true,
     .initial = PLACEMENT_DEFAULT, .words = source_placement_words,
     .help = "kind of memory that the send buffer lies in"},
    {"set_buffer_placement", "target", SETTING_WORD, MEMBER(target_placement), .identifies = true,
     .initial = PLACEMENT_DEFAULT, .optional = true, .words = target_placement_words,
     .help = "kind of memory that the receive buffer lies in"},
    {"set_buffer_node", "node", SETTING_INT, MEMBER(placement_node), .identifies = true,
     .high = 127, .help = "NUMA node of buffers that are placed on one"},
    {"set_cache_size", "bytes", SETTING_BYTES, MEMBER(cache_bytes), .identifies = true,
     .unit = "bytes",
     .help = "cold caches: also walk through this much memory; 0: only flush what is used (where "
             "that cannot be done, walk through the size of the last-level cache)"},
    {"switch_buffer_cycling_on", NULL, SETTING_FLAG, MEMBER(buffer_cycling), .initial = 1,
     .help = "repetitions walk through the buffer if it holds two"},
    {"switch_buffer_cycling_off", NULL, SETTING_FLAG, MEMBER(buffer_cycling), .identifies = true,
     .initial = 0, .help = "repetitions use the same part of the buffer"},
    {"set_cache_state", "state", SETTING_WORD, MEMBER(cache_state), .identifies = true,
     .initial = CACHE_WARM, .words = cache_state_words,
     .help = "of the caches when a repetition starts"},
    {"set_verify", "which", SETTING_WORD, MEMBER(verify), .identifies = true,
     .initial = VERIFY_LAST, .words = setting_verify_words, .help = "when data are verified"},
    {"set_mpi_alloc_mem_info", "info", SETTING_INFO, MEMBER(memory_info),
     .initially = "MPI_INFO_NULL",
     .help = "what MPI_Alloc_mem gets when it allocates memory for windows"},

    /* ---- Files ---- */
    {"set_io_working_dir", "directory", SETTING_TEXT, MEMBER(file_directory), .identifies = true,
     .initial_text = ".", .readable = true,
     .help = "where files of MPI-IO are measured; all PEs must reach it"},
    {"set_io_datarep", "representation", SETTING_WORD, MEMBER(file_data), .identifies = true,
     .initial = FILE_DATA_NATIVE, .words = setting_file_data_words, .readable = true,
     .help = "how files store data"},
    {"set_io_atomicity", "flag", SETTING_FLAG, MEMBER(file_atomic), .identifies = true,
     .readable = true, .help = "1: accesses to files are atomic (MPI_File_set_atomicity)"},
    {"set_io_preallocation", "flag", SETTING_FLAG, MEMBER(file_preallocated), .identifies = true,
     .readable = true,
     .help = "1: files get their space before they are written, which is not timed"},
    {"set_io_unique_open", "flag", SETTING_FLAG, MEMBER(file_unique), .identifies = true,
     .readable = true, .help = "1: files are opened with MPI_MODE_UNIQUE_OPEN"},
    {"set_io_file_sync", "flag", SETTING_FLAG, MEMBER(file_synced), .identifies = true,
     .initial = 1, .readable = true,
     .help = "1: writing includes MPI_File_sync, after which the data are on the storage device"},
};
const size_t setting_row_count = sizeof setting_rows / sizeof *setting_rows;
