#!/usr/bin/env bash
# Records a day of the simulated family, as the page receives it, into a folder of static files that replays it: make demo.
#   deploy/demo/record.sh FOLDER [HOURS]
# DEMO_SPEED: how much faster than the real clock that day passes. The usual 60 needs the whole machine.
set -euo pipefail
# All programs share one clock, which libfaketime keeps.
if [ -z "${FAKETIME_SHARED-}" ]; then
    export TMPDIR=/dev/shm TZ=UTC FAKETIME_DONT_RESET=1 DEMO_RECORDING DEMO_HOURS=${2:-12}
    DEMO_RECORDING=$(realpath -m -- "$1")
    speed=${DEMO_SPEED:-60}
    echo "Recording $DEMO_HOURS hours at $speed times their speed ..." >&2
    exec faketime -f "@2026-11-28 07:00:00 x$speed" "$0"
fi
export DEMO_CLOCK=$LD_PRELOAD
unset LD_PRELOAD
exec "$(dirname "$0")/run.sh"
