#!/bin/bash
# Facts for the report, a name and a value with a tab between: files that `make fuzz` kept, each
# with whether it fails as things stand; counts of the matrix that are above their ratchet.
#
#   ci/report/looks.sh BED TARGET...
set -eu
cd "$(dirname "$0")/../.."
bed=$1
shift
for t in "$@"; do
    for f in build/found/"$t"/*; do
        case ${f##*/} in *.log | *.dict) continue ;; esac
        [ -f "$f" ] || continue
        if timeout 60 "$bed" run --target "$t" "$f" >/dev/null 2>&1 </dev/null; then
            printf 'passing\t%s\n' "$f"
        else
            printf 'failing\t%s\n' "$f"
        fi
    done
done
{ "$bed" matrix 2>/dev/null </dev/null || true; } | sed -nE \
    's/^ +([a-z-]+) +([0-9]+), at most ([0-9]+): ABOVE.*/above\t\1 \2 \3/p'
