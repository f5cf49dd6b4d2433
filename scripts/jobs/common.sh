# What skampi.slurm, skampi.pbs, skampi.lsf and skampi.flux share; each sources it and calls job_run. POSIX sh.
# docs/tools/skampi-job.md describes the variables SKAMPI_... The file that sources it has set scheduler,
# job and folder, and defined the functions scheduler_...
# shellcheck shell=sh disable=SC2154

job_say() {
    printf 'skampi-job: %s\n' "$1" >&2
}

job_fail() {
    job_say "error: $1"
    exit 2
}

# job_number NAME VALUE: refuses what is not a whole number above 0.
job_number() {
    case $2 in
    '' | *[!0-9]* | 0*) job_fail "$1=$2: give a whole number above 0" ;;
    esac
    [ "${#2}" -le 9 ] || job_fail "$1=$2: too large"
}

job_dry() {
    [ "${SKAMPI_DRY:-0}" != 0 ] && [ -n "${SKAMPI_DRY:-}" ]
}

# job_seconds TEXT: seconds of [D-][H:]M:S as schedulers write it; nothing for other texts, such as
# UNLIMITED.
job_seconds() {
    printf '%s\n' "$1" | awk '
        /^([0-9]+-)?[0-9]+(:[0-9]+)*$/ {
            days = 0
            if (split($0, whole, "-") == 2) { days = whole[1]; $0 = whole[2] }
            n = split($0, part, ":")
            if (n > 3) exit
            if (n == 1 && days > 0) { printf "%d\n", days * 86400 + part[1] * 3600; exit }
            seconds = 0
            for (i = 1; i <= n; i++) seconds = seconds * 60 + part[i]
            if (days > 0 && n == 2) seconds *= 60 # D-H:M
            printf "%d\n", days * 86400 + seconds
        }'
}

# Physical cores of this machine: hardware threads of one core would disturb each other.
job_cores_here() {
    cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l)
    [ "$cores" -gt 0 ] || cores=$(nproc 2>/dev/null || echo 1)
    echo "$cores"
}

# The smallest whole number not below $1 / $2.
job_ceiling() {
    echo $((($1 + $2 - 1) / $2))
}

# Powers of two from 2 to all PEs, and these.
job_pes_default() {
    most=$((nodes * cores))
    pes=2
    list=
    while [ "$pes" -lt "$most" ]; do
        list="$list $pes"
        pes=$((pes * 2))
    done
    echo "$list $most"
}

# Launcher, placement, and the command line: NODES of them have PEs, EACH as many. Placements:
#   block   one on each core, filling one node after the other
#   cyclic  one on each core, one on each node in turn
#   node    one on each node
# Slurm's Pack fills nodes one after the other also where the number does not divide; jsrun has one resource set a PE.
job_templates() {
    cat <<'TEXT'
srun block srun --nodes=NODES --ntasks={pes} --distribution=block:block,Pack --cpu-bind=cores --kill-on-bad-exit=1
srun cyclic srun --nodes=NODES --ntasks={pes} --distribution=cyclic:block --cpu-bind=cores --kill-on-bad-exit=1
srun node srun --nodes=NODES --ntasks={pes} --ntasks-per-node=1 --cpu-bind=cores --kill-on-bad-exit=1
oshrun block oshrun -np {pes} --map-by core --bind-to core
oshrun cyclic oshrun -np {pes} --map-by node --bind-to core
oshrun node oshrun -np {pes} --map-by ppr:1:node --bind-to core
mpirun block mpirun -np {pes} --map-by core --bind-to core
mpirun cyclic mpirun -np {pes} --map-by node --bind-to core
mpirun node mpirun -np {pes} --map-by ppr:1:node --bind-to core
mpiexec block mpiexec -n {pes} -ppn EACH -bind-to core
mpiexec cyclic mpiexec -n {pes} -ppn 1 -bind-to core
mpiexec node mpiexec -n {pes} -ppn 1 -bind-to core
jsrun block jsrun --nrs {pes} --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host EACH --bind packed:1 --launch_distribution packed
jsrun cyclic jsrun --nrs {pes} --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host EACH --bind packed:1 --launch_distribution cyclic
jsrun node jsrun --nrs {pes} --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host EACH --bind packed:1 --launch_distribution cyclic
flux block flux run --nodes=NODES --ntasks={pes} --taskmap=block --setopt=cpu-affinity=per-task
flux cyclic flux run --nodes=NODES --ntasks={pes} --taskmap=cyclic --setopt=cpu-affinity=per-task
flux node flux run --nodes=NODES --ntasks={pes} --taskmap=block --setopt=cpu-affinity=per-task
TEXT
}

# job_launch PES PLACEMENT: the template of a command line that starts this number of PEs for the launcher in use. The
# number is part of it, since it also decides the number of nodes.
job_launch() {
    case $2 in
    block) on=$(job_ceiling "$1" "$cores") each=$(($1 < cores ? $1 : cores)) ;;
    cyclic) on=$nodes each=$(job_ceiling "$1" "$nodes") ;;
    node) on=$1 each=1 ;;
    esac
    job_templates | sed -n "/^$launcher $2 / { s///; s/NODES/$on/; s/EACH/$each/; p; }"
}

# job_possible PES PLACEMENT: whether that can be, and is another one than block.
job_possible() {
    case $2 in
    block) [ "$1" -le $((nodes * cores)) ] ;;
    cyclic) [ "$nodes" -gt 1 ] && [ "$1" -gt "$nodes" ] && [ "$1" -le $((nodes * cores)) ] ;;
    node) [ "$nodes" -gt 1 ] && [ "$cores" -gt 1 ] && [ "$1" -le "$nodes" ] ;;
    *) job_fail "SKAMPI_PLACEMENTS=$SKAMPI_PLACEMENTS: $2: give some of block, cyclic and node" ;;
    esac
}

# job_note FILE COMMAND...: what the command says, if it is there.
job_note() {
    file=$1
    shift
    command -v "$1" >/dev/null 2>&1 || return 0
    if job_dry; then
        job_say "would note: $*"
        return 0
    fi
    # Some ask networks or drivers that may hang.
    if command -v timeout >/dev/null 2>&1; then
        timeout 60 "$@" >"$system/$file" 2>&1 </dev/null || :
    else
        "$@" >"$system/$file" 2>&1 </dev/null || :
    fi
}

# Where and how this job runs, into files of the campaign's directory.
job_capture() {
    system=$SKAMPI_RESULTS/system/$scheduler-$job
    job_dry || mkdir -p "$system" || job_fail "$system: cannot be made"
    job_note uname.txt uname -a
    job_note lscpu.txt lscpu
    job_note numactl.txt numactl --hardware
    job_note ucx_info.txt ucx_info -v -d
    job_note ompi_info.txt ompi_info --all --parsable
    job_note oshmem_info.txt oshmem_info
    job_note nvidia-smi.txt nvidia-smi
    job_note ibv_devinfo.txt ibv_devinfo
    job_note git.txt git -C "$folder" log -1 --format='%H %cI %s'
    if job_dry; then
        job_say "would note: modules, ulimit, variables of the scheduler and of libraries, nodes"
        return
    fi
    # shellcheck disable=SC3045 # known to every sh in use
    ulimit -a >"$system/ulimit.txt" 2>&1 || :
    # The scheduler's variables without what may be secret.
    env | LC_ALL=C sort | grep -E '^(SLURM|PBS|LSB|LSF|FLUX|NCPUS|SKAMPI|UCX|OMPI_MCA|SHMEM|SMA|MPICH|FI|PMIX_MCA)_' |
        grep -Evi '^[^=]*(JWT|TOKEN|SECRET|PASSW|KEY|CRED|COOKIE)' >"$system/variables.txt" || :
    printf '%s\n' "${LOADEDMODULES:-}" | tr : '\n' >"$system/modules.txt"
    scheduler_nodes >"$system/nodes.txt" 2>/dev/null || :
    "$skampi" --version >"$system/skampi.txt" 2>&1 || :
}

# job_tool NAME: the script of that name beside these files' folder, else the one in PATH.
job_tool() {
    if [ -x "$SKAMPI_JOBS/../$1" ]; then
        echo "$SKAMPI_JOBS/../$1"
    else
        command -v "$1" || job_fail "$1 is not in PATH: set SKAMPI_JOBS to the folder scripts/jobs of skampi"
    fi
}

# What the user may set, checked; the rest of the variables are this file's own.
job_settings() {
    : "${SKAMPI_SCRIPT:=quickstart.ski}" "${SKAMPI_LAUNCHES:=10}" "${SKAMPI_PLACEMENTS:=block cyclic node}"
    : "${SKAMPI_MARGIN:=120}" "${SKAMPI_OPTIONS:=}" "${SKAMPI_ARGUMENTS:=}"
    name=${SKAMPI_SCRIPT##*/}
    : "${SKAMPI_RESULTS:=$folder/${name%.ski}.campaign}"
    case $SKAMPI_RESULTS in
    /*) ;;
    *) SKAMPI_RESULTS=$folder/$SKAMPI_RESULTS ;;
    esac
    nodes=${SKAMPI_NODES:-$(scheduler_node_count)}
    cores=${SKAMPI_CORES:-$(scheduler_cores)}
    if [ -z "$nodes" ]; then
        job_dry || job_fail "no job of $scheduler: submit this file, or look at it with SKAMPI_DRY=1"
        nodes=2
        job_say "no job of $scheduler: assuming $nodes nodes; SKAMPI_NODES says another number"
    fi
    [ -n "$cores" ] || cores=$(job_cores_here)
    job_number SKAMPI_NODES "$nodes"
    job_number SKAMPI_CORES "$cores"
    job_number SKAMPI_LAUNCHES "$SKAMPI_LAUNCHES"
    [ "$SKAMPI_MARGIN" = 0 ] || job_number SKAMPI_MARGIN "$SKAMPI_MARGIN"
    : "${SKAMPI_PES:=$(job_pes_default)}"
    launcher=${SKAMPI_LAUNCHER:-$(scheduler_launcher)}
    case $launcher in
    srun | oshrun | mpirun | mpiexec | jsrun | flux) ;;
    *) job_fail "SKAMPI_LAUNCHER=$launcher: give srun, oshrun, mpirun, mpiexec, jsrun or flux" ;;
    esac
}

# job_program: SKAMPI_PROGRAM, which must be there if it is set; else that of the checkout or of the
# prefix to which these files belong, else that in PATH.
job_program() {
    if [ -n "${SKAMPI_PROGRAM:-}" ]; then
        command -v "$SKAMPI_PROGRAM" || job_fail "SKAMPI_PROGRAM=$SKAMPI_PROGRAM: there is no such program"
        return
    fi
    for candidate in "$SKAMPI_JOBS/../../skampi" "$SKAMPI_JOBS/../../../../bin/skampi"; do
        if [ -f "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return
        fi
    done
    command -v skampi || job_fail "skampi is not in PATH: set SKAMPI_PROGRAM"
}

# Adds "-c NAME:pes=...,launch=..." for each number of PEs and placement to the campaign's command
# line, which is kept in the positional parameters, and runs it instead of this shell, so that
# it gets the scheduler's signals.
job_run() {
    job_settings
    campaign=$(job_tool skampi-campaign) || exit
    skampi=$(job_program) || exit
    job_say "$nodes nodes of $cores cores, by $launcher; results in $SKAMPI_RESULTS"

    set -- -o "$SKAMPI_RESULTS" -k "$SKAMPI_LAUNCHES" --program "$skampi"
    left=$(scheduler_seconds_left) # nothing where the job has no limit
    [ -z "$left" ] || set -- "$@" --time-limit $((left > SKAMPI_MARGIN ? left - SKAMPI_MARGIN : 0))
    ! job_dry || set -- "$@" --dry-run
    found=
    for pes in $SKAMPI_PES; do
        job_number SKAMPI_PES "$pes"
        for placement in $SKAMPI_PLACEMENTS; do
            job_possible "$pes" "$placement" || continue
            found=yes
            template="$(job_launch "$pes" "$placement")${SKAMPI_LAUNCHER_OPTIONS:+ $SKAMPI_LAUNCHER_OPTIONS}"
            set -- "$@" -c "p$pes-$placement:pes=$pes,launch=$template"
        done
    done
    [ -n "$found" ] ||
        job_fail "SKAMPI_PES=$SKAMPI_PES: none fits on $nodes nodes of $cores cores placed as $SKAMPI_PLACEMENTS"
    # Lists of words, as SKAMPI_PES is.
    # shellcheck disable=SC2086
    set -- "$@" $SKAMPI_OPTIONS "$SKAMPI_SCRIPT" ${SKAMPI_ARGUMENTS:+--} $SKAMPI_ARGUMENTS

    job_capture
    cd "$folder" || job_fail "$folder: no such folder"
    exec "$campaign" "$@"
}
