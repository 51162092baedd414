#!/bin/bash
# `make check`, then every script of ci/all/, each a piece of its own that takes longer than a
# commit should wait. A name is a registration. A script ends in "N passed, N failed", alone on a
# line; what it could not run it says in lines that open with "NOT RUN " and give the reason: they
# are repeated and counted here, since what was left out in silence passes for tested.
#
#   ci/check-all.sh [PIECE...]      these scripts of ci/all/ alone, by prefix, without `make check`
set -u
cd "$(dirname "$0")/.." || exit 2
logs=build/check-all
. ci/stop.sh
. ci/pieces.sh
stop_second $logs
mkdir -p "$logs" || exit 2

# piece NAME COMMAND...
piece() {
    local name=$1 log=$logs/$1.log begin=$SECONDS status=0
    shift
    [ ! -t 1 ] || printf '  %-16s ...\r' "$name"
    "$@" >"$log" 2>&1 </dev/null &
    wait $! || status=$?
    pieces_add "$name" "$status" $((SECONDS - begin)) "$log" $(pieces_count "$log" last)
    [ "$bad" = 0 ] || {
        echo "    ---- $log"
        tail -n 60 "$log" | grep -v '^ *NOT RUN ' | sed 's/^/    /'
        echo "    ----"
    }
}

if [ $# = 0 ]; then
    piece check ci/check.sh
    echo "    NOT RUN make hunt: it takes hours"
    echo "    NOT RUN make bench: its bars are for a machine that does nothing else"
    left=$((left + 2))
    set -- ""
fi
for script in ci/all/*.sh; do
    name=$(basename "$script" .sh)
    for prefix in "$@"; do
        [[ $name != "$prefix"* ]] || {
            piece "$name" "$script"
            break
        }
    done
done
pieces_end
