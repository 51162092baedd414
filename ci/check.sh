#!/bin/bash
# Everything that must pass, piece by piece: one line each with its count, failures in full, what
# was not run and why, and the sum on the last line. A piece that runs no test and does not say why
# is a failure. Logs stay in build/check/.
# `ci/check.sh PIECE...` runs these alone, by prefix.
set -u
cd "$(dirname "$0")/.." || exit 2
logs=build/check
. ci/stop.sh
. ci/pieces.sh
stop_second $logs
rm -rf "$logs" && mkdir -p "$logs" || exit 2
only=("$@")
make="make --no-print-directory -s -j2"
targets=$(ls targets/fuzz_*.c 2>/dev/null | sed 's|targets/fuzz_||; s|\.c$||' | grep -vx canary)
tests=$(ls targets/test_*.c 2>/dev/null | sed 's|targets/||; s|\.c$||')

# What judges our core says nothing of another subject that is linked in its place.
is_apart() {
    [ "${SUBJECT:-targets/subject/core.c}" != targets/subject/core.c ] &&
        [[ ! $1 =~ ^(build|tests|soak) ]]
}

is_wanted() {
    local prefix
    for prefix in "${only[@]}"; do
        [[ $1 != "$prefix"* ]] || return 0
    done
    [ ${#only[@]} = 0 ]
}

# run NAME FUNCTION [ARGUMENT...]: keeps what it says in a log, its status and seconds beside it.
run() {
    local name=$1 begin=$SECONDS status=0
    shift
    is_wanted "$name" && ! is_apart "$name" || return 0
    [ ! -t 1 ] || printf '  %-16s ...\r' "$name"
    "$@" >"$logs/$name.log" 2>&1 </dev/null &
    wait $! || status=$?
    echo "$status $((SECONDS - begin))" >"$logs/$name.end"
}

# tell NAME: takes the counts of a piece that was run and prints its line.
tell() {
    local log=$logs/$1.log status seconds
    is_wanted "$1" || return 0
    if is_apart "$1"; then
        echo "    NOT RUN $1: it is of our core, and SUBJECT is another"
        left=$((left + 1))
        return
    fi
    read -r status seconds <"$logs/$1.end"
    pieces_add "$1" "$status" "$seconds" "$log" $(pieces_count "$log")
    grep -E '^[0-9]+ interleavings in all' "$log" | sed 's/^/    /'
    [ "$bad" -gt 0 ] || return 0
    echo "    ---- $log"
    grep -vE '^\[(=|  PASS| RUN|       OK)|^  (CC|LD) |^killed |^NOT RUN ' "$log" | sed 's/^/    /'
    echo "    ----"
}

piece() { run "$@"; tell "$1"; }

# One test each: the programs of a variant are built without a warning.
build() {
    local variant=$1
    shift
    $make V="$variant" "$@" && echo "1 passed, 0 failed"
}

# Every cmocka program of a variant, one after the other; all run even when one fails.
run_tests() {
    local variant=$1 status=0 t
    shift
    $make V="$variant" all || return 1
    for t in "$@"; do
        "build/$variant/$t" || {
            echo "$t: exit status $? under $variant"
            status=1
        }
    done
    return $status
}

# Programs with real threads of their own, under the checker of data races; the first report ends
# one.
run_threaded() {
    local t status=0
    export TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0
    $make V=tsan $(printf 'build/tsan/%s ' "$@") || return 1
    for t in "$@"; do
        "build/tsan/$t" || {
            echo "$t: exit status $? under tsan"
            status=1
        }
    done
    return $status
}

tidy() {
    ci/tidy.sh && echo "$(grep -c '^rule_' ci/tidy.sh) passed, 0 failed"
}

# Failing works: a broken invariant reaches the replay, libFuzzer and AFL++'s driver, each with the
# id.
canary() {
    local p=0 f=0 command v
    for v in gcc fuzz afl; do
        $make V=$v build/$v/fuzz_canary || return 1
    done
    printf '\0fail' >"$logs/canary"
    for command in "build/gcc/fuzz_canary corpus/canary" "build/fuzz/fuzz_canary $logs/canary" \
        "build/afl/fuzz_canary $logs/canary"; do
        if $command >"$logs/canary.out" 2>&1; then
            echo "$command: exit status 0, though the canary must fail"
            f=$((f + 1))
        elif ! grep -q 'BED-006' "$logs/canary.out"; then
            echo "$command: failed without naming BED-006:"
            cat "$logs/canary.out"
            f=$((f + 1))
        else
            p=$((p + 1))
        fi
    done
    echo "$p passed, $f failed"
}

# soak_one TARGET SEED: says what it found, or leaves TARGET.ok.
soak_one() {
    local t=$1 runs=20000
    mkdir -p "$logs/soak/$t"
    if "build/fuzz/fuzz_$t" -seed="$2" -runs=$runs -max_len=4096 \
        -artifact_prefix="$logs/soak/$t-" "$logs/soak/$t" >"$logs/soak/$t.log" 2>&1; then
        : >"$logs/soak/$t.ok"
    else
        echo "fuzz_$t -seed=$2 -runs=$runs found something:"
        tail -n 60 "$logs/soak/$t.log"
    fi
}

# A short run of each fuzzer from the commit's own seed, so that every commit explores other inputs,
# the same each time; two at once.
soak() {
    local seed n
    seed=$((0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1) + 1))
    $make V=fuzz $(for t in $targets; do echo "build/fuzz/fuzz_$t"; done) || return 1
    export -f soak_one
    export logs
    echo $targets | xargs -n 1 -P 2 bash -c 'soak_one "$1" '$seed soak
    n=$(ls "$logs"/soak/*.ok 2>/dev/null | wc -l)
    echo "$n passed, $(($(wc -w <<<"$targets") - n)) failed"
}

pieces=$(sed -nE 's/^ *(piece|tell) ([a-z-]+).*/\2/p; s/^\[.*\|\| tell (tests-tsan)$/\1/p' "$0")
for p in "${only[@]}"; do
    grep -q "^$p" <<<"$pieces" || { echo "check: no piece \`$p'; there are" $pieces >&2; exit 2; }
done
# What printed commands call; a failure shows below as that of the gcc variant.
$make build/bed >/dev/null 2>&1
piece tidy tidy
piece tidy-rules ci/test_tidy.sh
piece ratchets ci/test_ratchets.sh
piece cov-rules ci/test_cov.sh
piece check-rules ci/test_check.sh
piece tree-rules ci/test_tree.sh
piece afl-rules ci/test_afl.sh
piece build-clang build clang all
piece build-release build release all
piece build-fuzz build fuzz $(for t in canary $targets; do echo "build/fuzz/fuzz_$t"; done)
piece build-afl build afl $(for t in canary $targets; do echo "build/afl/fuzz_$t"; done)
threaded=$(for t in $tests; do
    ! grep -qE '^#include <(pthread|threads)\.h>' "targets/$t.c" || echo "$t"
done)
# Two at once, of about the same length; what follows msan fills the time that asan takes longer.
# Pages of HTML are no matter of uninitialised memory, and programs that try all of something read
# no other memory than the corpus does.
{
    [ -z "$threaded" ] || run tests-tsan run_threaded $threaded
    run floors ci/cov.sh
    run vet ci/test_vet.sh
} &
run tests-gcc run_tests gcc $tests
wait
tell tests-gcc
[ -z "$threaded" ] || tell tests-tsan
tell floors
tell vet
run tests-asan run_tests asan $tests &
run tests-msan run_tests msan $(grep -vxE 'test_(report|trace_html|race|window_all)' <<<"$tests")
run certificate ci/certify.sh
run soak soak
wait
tell tests-asan
tell tests-msan
tell certificate
tell soak
piece canary canary
piece oss-fuzz ci/ossfuzz-local.sh libfuzzer address
piece mutants ci/mutants.sh
piece mutate ci/mutate.sh check
pieces_end
