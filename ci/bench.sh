#!/bin/sh
# Runs ci/bench/NAME.sh, or all of them. Each builds what it measures and prints one line a figure:
#   bench NAME CASE METRIC VALUE UNIT BAR ok|short
# Exit 1 when a figure is short, when none was printed, or when a bench fails; 2 when there is no
# such bench.
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
[ -z "$name" ] || [ -x "ci/bench/$name.sh" ] || {
    echo "bench: there is no ci/bench/$name.sh; there are" \
        $(ls ci/bench/*.sh 2>/dev/null | sed 's|.*/||; s|\.sh$||') >&2
    exit 2
}
mkdir -p build/bench
status=0
for f in ci/bench/${name:-*}.sh; do
    log=build/bench/$(basename "$f" .sh).log
    { "$f" || echo "bench: $f failed"; } | tee "$log"
    grep -q '^bench [^:]*$' "$log" || echo "bench: $f printed no figure" | tee -a "$log"
    ! grep -qE '^bench:|^bench .* short$' "$log" || status=1
done
exit $status
