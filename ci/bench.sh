#!/bin/bash
# Runs ci/bench/NAME.sh, or all but those that say "Only by name". Each builds what it measures and
# prints one line a figure:
#   bench NAME CASE METRIC VALUE UNIT BAR ok|short
# A bar is >=N, <=N or =N; ~N for a figure that is not claimed, but that the row is short of when it
# is over (ci/bench/README.md says why for each); or - for what stands beside. Exit 1 when a claimed
# bar is not met; 2 when there is no such bench, when one fails, or when it printed no figure. The
# last line says how many rows are short of either.
set -u
cd "$(dirname "$0")/.." || exit 2
name=${1:-}
[ -z "$name" ] || [ -x "ci/bench/$name.sh" ] || {
    echo "bench: there is no ci/bench/$name.sh; there are" \
        $(ls ci/bench/*.sh 2>/dev/null | sed 's|.*/||; s|\.sh$||') >&2
    exit 2
}
mkdir -p build/bench
status=0 claimed=0 other=0
for f in ci/bench/${name:-*}.sh; do
    [ -n "$name" ] || ! grep -q '^# Only by name' "$f" || continue
    log=build/bench/$(basename "$f" .sh).log
    "$f" | tee "$log"
    if [ "${PIPESTATUS[0]}" != 0 ]; then
        echo "bench: $f failed" >&2
        status=2
    elif ! grep -qE '^bench .* (ok|short)$' "$log"; then
        echo "bench: $f printed no figure" >&2
        status=2
    fi
    claimed=$((claimed + $(grep -cE '^bench .* [<>=]+[0-9.]+ short$' "$log")))
    other=$((other + $(grep -cE '^bench .* ~[0-9.]+ short$' "$log")))
done
echo "$claimed short of a bar, $other of a figure that is not claimed"
[ $claimed = 0 ] || [ $status != 0 ] || status=1
exit $status
