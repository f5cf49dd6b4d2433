#!/bin/sh
#flux: --job-name=skampi
#flux: --nodes=2
#flux: --exclusive
#flux: --time-limit=1h
#flux: --output=skampi-{{id}}.log
# A campaign of skampi as a job of Flux: flux batch skampi.flux, or skampi-job flux ... --submit, which
# also computes the time to ask for. docs/tools/skampi-job.md describes the variables that say what is measured.
set -eu

# An instance that no other Flux has started is no job.
flux_attribute() {
    ! flux getattr jobid >/dev/null 2>&1 || flux getattr "$1"
}

scheduler=flux
job=$(flux_attribute jobid | LC_ALL=C tr -cd 'A-Za-z0-9')
job=${job:-none}
folder=$PWD

scheduler_node_count() {
    flux_attribute size
}

scheduler_nodes() {
    flux_attribute hostlist
}

scheduler_cores() {
    [ "$job" = none ] || job_cores_here
}

scheduler_launcher() {
    echo flux
}

# Whole seconds; "infinity" without limit.
scheduler_seconds_left() {
    [ "$job" = none ] || job_seconds "$(flux job timeleft 2>/dev/null || :)"
}

# Flux runs a copy of this file from another folder.
for SKAMPI_JOBS in "${SKAMPI_JOBS:-}" "$(dirname "$0")" "$folder" "$folder/scripts/jobs" \
    "$(dirname "$(command -v skampi || echo .)")/../share/skampi/scripts/jobs"; do
    # shellcheck source=scripts/jobs/common.sh
    [ ! -f "$SKAMPI_JOBS/common.sh" ] || { . "$SKAMPI_JOBS/common.sh" && job_run; } # which does not return
done
echo "skampi-job: error: set SKAMPI_JOBS to the folder scripts/jobs of skampi" >&2
exit 2
