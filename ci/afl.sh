#!/bin/sh
# Fuzzes one target with AFL++ for some seconds, from its committed corpus: ci/afl.sh TARGET
# SECONDS. The target is the same file as everywhere, linked with AFL++'s driver (persistent, shared
# memory). What it finds stays in build/afl/found/TARGET. Exit 1 when something was found;
# `build/bed run --target TARGET FILE` replays it.
set -eu
cd "$(dirname "$0")/.."
target=$1 seconds=$2
make="make --no-print-directory -s -j2"
$make V=afl "build/afl/fuzz_$target" >&2
$make V=so "build/so/mutate_$target.so" >&2
$make build/bed >&2

seeds=build/afl/seeds/$target out=build/afl/found/$target
rm -rf "$seeds" "$out"
mkdir -p "$seeds" "$out"
n=0
for f in $(find "corpus/$target" -type f | LC_ALL=C sort); do
    n=$((n + 1))
    build/bed asm --target "$target" -o "$seeds/$n" "$f"
done
[ "$n" -gt 0 ] || : >"$seeds/empty"

export AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1
# Scenarios are mutated by ops alone; wire inputs keep AFL++'s own mutations.
if grep -q FUZZ_SCENARIO "targets/fuzz_$target.c"; then
    export AFL_CUSTOM_MUTATOR_LIBRARY="$PWD/build/so/mutate_$target.so" AFL_CUSTOM_MUTATOR_ONLY=1
fi
[ -t 1 ] || export AFL_NO_UI=1
dict=corpus/$target.dict
afl-fuzz -i "$seeds" -o "$out" -V "$seconds" -G 4096 $([ ! -f "$dict" ] || echo "-x $dict") \
    -- "build/afl/fuzz_$target" >"$out/log" 2>&1 </dev/null || {
    tail -n 20 "$out/log" >&2
    exit 2
}
stat() { sed -nE "s/^$1 *: //p" "$out/default/fuzzer_stats"; }
echo "$target: $(stat execs_done) executions, $(stat execs_per_sec) a second," \
    "$(stat edges_found) edges, stability $(stat stability)," \
    "$(stat saved_crashes) crashes, $(stat saved_hangs) hangs"
[ "$(stat saved_crashes)" = 0 ] || {
    ls "$out"/default/crashes/id*
    exit 1
}
