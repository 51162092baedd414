#!/bin/bash
# Only by name: it takes a quarter of an hour, and judges a decision, not a commit.
# How many executions do libFuzzer and AFL++ need to find a bug that takes both connections: with
# records of 4 bytes and of 8, with our mutator and without? The bugs are ci/bench/mutator/*.patch,
# planted in a copy of the tree. One line a figure; how it is taken: ci/bench/README.md.
#
#   SEEDS=9 RUNS=200000 AFL_RUNS=100000    how many, and executions that one of them may take
set -eu
cd "$(dirname "$0")/../.."
seeds=${SEEDS:-9} runs=${RUNS:-200000} afl_runs=${AFL_RUNS:-100000}
records=126 # the longest input: the same ops, whatever the size of a record
bugs=$(ls ci/bench/mutator | sed 's/[.]patch$//')
root=$PWD out=$PWD/build/bench/mutator
rm -rf "$out"
mkdir -p "$out/tree" "$out/start"
head -c 8 /dev/zero >"$out/start/header" # the happy path

die() {
    echo "bench: $*" >&2
    exit 2
}

# build NAME SIZE VARIANT PROGRAM [FLAG...]: a program of the copy, as $out/NAME. No sanitizers:
# a verdict is a trap, and executions are what counts. A plain one has the engine's own mutations.
build() {
    local log made=build/$3-$2/$4 mutator=$out/tree/targets/driver/mutate_engine.c
    rm -f "$out/tree/$made"
    [[ $1 != *plain ]] || mv "$mutator" "$out/"
    log=$(make --no-print-directory -s -C "$out/tree" V="$3" B="build/$3-$2" \
        CC_"$3"="clang-19 -DSIM_RECORD=$2" CF_"$3"="-O2 -w ${*:5}" "$made" 2>&1) || {
        echo "$log" >&2
        die "$made does not build"
    }
    cp "$out/tree/$made" "$out/$1"
    [[ $1 != *plain ]] || mv "$out/mutate_engine.c" "$mutator"
}

build_all() {
    local size bug fuzz=fuzz_reply_boundary
    cp -a Makefile core sim oracles targets "$out/tree"
    cp -a core "$out/core"
    for size in 4 8; do
        build sound-$size-plain $size hunt $fuzz
        build mutate-$size.so $size so mutate_reply_boundary.so -fPIC -DSIM_MUTATE_AFL
    done
    for bug in $bugs; do
        rm -rf "$out/tree/core"
        cp -a "$out/core" "$out/tree/core"
        (cd "$out/tree" &&
            GIT_CEILING_DIRECTORIES=$out git apply "$root/ci/bench/mutator/$bug.patch") ||
            die "$bug.patch does not apply"
        touch "$out"/tree/core/reply/*
        for size in 4 8; do
            build "$bug-libfuzzer-$size-plain" $size hunt $fuzz
            build "$bug-libfuzzer-$size-mutator" $size hunt $fuzz
            [ $bug != any-block ] || build $bug-afl-$size $size afl $fuzz
        done
    done
}

# verdict FILE BUG SIZE EXECUTIONS: what a run comes to: its executions to the find, `miss`, or
# `stopped` by an input that fails without the bug too, which says nothing about the bug.
verdict() {
    local log=$out/replay.log
    if [ ! -f "$1" ]; then
        echo miss
    elif "$out/sound-$3-plain" "$1" >"$log" 2>&1 &&
        ! "$out/$2-libfuzzer-$3-plain" "$1" >"$log" 2>&1 &&
        grep -q 'ASSERTION FAILED: RPL-' "$log"; then
        echo "$4"
    else
        echo stopped
    fi
}

# libfuzzer BUG SIZE HOW SEED, and afl: the verdict on one run.
libfuzzer() {
    local dir=$out/runs/$1-libfuzzer-$2-$3-$4 depth=5 # libFuzzer's own; 3 is that of `bed fuzz`
    [ "$3" = plain ] || depth=3
    mkdir -p "$dir/queue"
    "$out/$1-libfuzzer-$2-$3" -seed="$4" -runs="$runs" -max_len=$((8 + records * $2)) \
        -mutate_depth=$depth -print_final_stats=1 -artifact_prefix="$dir/" "$dir/queue" \
        "$out/start" >"$dir/log" 2>&1 || true
    verdict "$(echo "$dir"/crash-*)" "$1" "$2" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log")"
}

# AFL++ looks up only now and then whether it is to stop: the name of the find tells when it came.
afl() {
    local dir=$out/runs/$1-afl-$2-$3-$4 found
    mkdir -p "$dir"
    (
        [ "$3" = plain ] || export AFL_CUSTOM_MUTATOR_LIBRARY="$out/mutate-$2.so" \
            AFL_CUSTOM_MUTATOR_ONLY=1
        AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 AFL_NO_UI=1 \
            AFL_BENCH_UNTIL_CRASH=1 afl-fuzz -i "$out/start" -o "$dir" -s "$4" -E "$afl_runs" \
            -t 5000 -G $((8 + records * $2)) -- "$out/$1-afl-$2" >"$dir/log" 2>&1 </dev/null
    ) || true
    [ -f "$dir/default/fuzzer_stats" ] || die "AFL++ could not run: $(tail -n 1 "$dir/log")"
    found=$(find "$dir/default/crashes" -name 'id:*' | LC_ALL=C sort | head -n 1)
    verdict "$found" "$1" "$2" "$(sed -E 's/.*,execs:([0-9]+).*/\1/' <<<"$found")"
}

# measure BUG ENGINE SIZE HOW CAP: the runs, and their figures; a miss counts as the cap. A run that
# was stopped is replaced by that of the next seed.
measure() {
    local case=$1-$2-$3-$4 seed=0 counted=0 n
    while [ $counted -lt "$seeds" ]; do
        seed=$((seed + 1))
        [ $seed -le $((2 * seeds)) ] || die "$case: half of the runs stop at something else"
        n=$("$2" "$1" "$3" "$4" $seed)
        [ "$n" != stopped ] || continue
        counted=$((counted + 1))
        echo "${n/miss/$5} $n"
    done >"$out/$case.seeds"
    sort -n "$out/$case.seeds" >"$out/$case.runs"
    awk -v name="$case" -v seeds="$seeds" '
        { n[NR] = $1; misses += $2 == "miss" }
        END {
            print "bench mutator", name, "median", n[int((NR + 1) / 2)], "executions - ok"
            print "bench mutator", name, "worst", n[NR], "executions - ok"
            print "bench mutator", name, "misses", misses + 0, "of-" seeds " - ok"
        }' "$out/$case.runs"
}

# sooner CASE CASE: of all pairs of a run of the one and a run of the other, in how many the first
# one finds sooner. Half of them: no difference. With 9 runs each, 18 to 63 of 81 are chance (95 %).
sooner() {
    awk -v name="$1 sooner-than-$2" '
        FILENAME == ARGV[1] { n[FNR] = $1; next }
        { for (i in n) { pairs++; won += n[i] < $1 ? 1 : n[i] == $1 ? 0.5 : 0 } }
        END { print "bench mutator", name, won + 0, "of-" pairs "-pairs - ok" }
    ' "$out/$1.runs" "$out/$2.runs"
}

# compare BUG ENGINE CAP HOW...: both sizes, each way.
compare() {
    local how case=$1-$2
    for how in "${@:4}"; do
        measure "$1" "$2" 4 "$how" "$3"
        measure "$1" "$2" 8 "$how" "$3"
        sooner "$case-8-$how" "$case-4-$how"
    done
    [ $# -lt 5 ] || sooner "$case-4-mutator" "$case-4-plain"
}

build_all
compare large-value libfuzzer "$runs" mutator plain
compare large-block libfuzzer "$runs" mutator # plain finds it too seldom to compare
compare any-block afl "$afl_runs" mutator plain
