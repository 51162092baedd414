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
mkdir -p "$logs" || exit 2
passed=0 failed=0 left=0

# add NAME STATUS LOG SECONDS: takes the counts of a log into the sum.
add() {
    local name=$1 status=$2 log=$3 p f n
    read -r p f < <(awk '/^[0-9]+ passed, [0-9]+ failed$/ { p = $1; f = $3 }
        END { print p + 0, f + 0 }' "$log")
    n=$(grep -c '^NOT RUN ' "$log")
    [ "$status" = 0 ] || [ "$f" -gt 0 ] || f=1
    if [ $((p + f + n)) = 0 ]; then
        f=1
        echo "no test was run" >>"$log"
    fi
    passed=$((passed + p)) failed=$((failed + f)) left=$((left + n))
    printf '  %-16s %5d passed, %d failed%s  (%d s)\n' "$name" "$p" "$f" \
        "$([ "$n" = 0 ] || echo ", $n not run")" "$4"
    grep '^NOT RUN ' "$log" | sed 's/^/    /'
    [ "$f" = 0 ] || {
        echo "    ---- $log"
        tail -n 60 "$log" | sed 's/^/    /'
        echo "    ----"
    }
}

# piece NAME COMMAND...
piece() {
    local name=$1 begin=$SECONDS status=0
    shift
    [ ! -t 1 ] || printf '  %-16s ...\r' "$name"
    "$@" >"$logs/$name.log" 2>&1 </dev/null || status=$?
    add "$name" "$status" "$logs/$name.log" $((SECONDS - begin))
}

[ $# -gt 0 ] || piece check ci/check.sh
[ $# -gt 0 ] || set -- ""
for script in ci/all/*.sh; do
    name=$(basename "$script" .sh)
    for prefix in "$@"; do
        [[ $name != "$prefix"* ]] || {
            piece "$name" "$script"
            break
        }
    done
done
[ $((passed + failed)) -gt 0 ] || failed=1
echo "$left not run"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
