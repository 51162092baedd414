#!/bin/bash
# How fast the targets run over ci/bench/inputs/TARGET, and what memory they hold on to; how each
# figure is taken: ci/bench/README.md. One line a figure; exit 2 when something cannot be measured.
set -eu
cd "$(dirname "$0")/../.."
inputs=ci/bench/inputs out=build/bench/targets
engine_seconds=${ENGINE_SECONDS:-8} executions=${EXECUTIONS:-1000000}
targets=$(ls targets/fuzz_*.c | sed 's|targets/fuzz_||; s|\.c$||' | grep -vx canary)
measured=$(for t in $targets; do [ ! -d "$inputs/$t" ] || echo "$t"; done)
hunted="reply_boundary reply_wire"
bed=build/bench/bed
rm -rf "$out" && mkdir -p "$out"

die() {
    echo "bench: $*" >&2
    exit 2
}

# bar TARGET METRIC: the bar, with the side of it that is good; "-" when there is none.
bar() {
    case "$1 $2" in
    "reply_boundary speed" | "bytes speed" | "frame_chunking speed") echo ">=12000" ;;
    "group speed" | "pool speed" | "cache speed") echo ">=12000" ;;
    "announce speed") echo "~12000" ;;
    "ingest speed") echo ">=15000" ;;
    "frame_race speed") echo ">=4000" ;;
    *" speed") echo ">=60000" ;;
    "reply_wire mean-input" | "reply_classic mean-input" | "ingest mean-input") echo "<=256" ;;
    "announce_wire mean-input") echo "<=128" ;;
    "reply_boundary least-ops" | "frame_chunking least-ops" | "announce least-ops") echo ">=64" ;;
    *" growth") echo "<=1024" ;;
    *" peak-memory") echo "<=512" ;;
    *" stability") echo ">=100" ;;
    *) echo - ;;
    esac
}

# figure TARGET METRIC VALUE UNIT: the line.
figure() {
    local limit
    limit=$(bar "$1" "$2")
    awk -v name="$1 $2" -v value="$3" -v unit="$4" -v limit="$limit" 'BEGIN {
        bound = substr(limit, 3) + 0
        if (limit ~ /^>=/) good = value + 0 >= bound
        else if (limit ~ /^<=/) good = value + 0 <= bound
        else if (limit ~ /^~/) good = value + 0 >= substr(limit, 2) + 0
        else good = 1
        print "bench targets", name, value, unit, limit, good ? "ok" : "short"
    }'
}

# figures TARGET FILE: a line for each `METRIC VALUE UNIT` of the file.
figures() {
    local metric value unit
    [ -s "$2" ] || die "$1: nothing was measured"
    while read -r metric value unit; do
        figure "$1" "$metric" "$value" "$unit"
    done <"$2"
}

build() {
    local log
    log=$(make --no-print-directory -s -j2 V="$1" "${@:2}" 2>&1) || {
        echo "$log" >&2
        die "the variant $1 does not build"
    }
}

# replay TARGET [OPTION...]: what `bed bench` says.
replay() {
    local name=$1 log=$out/$1.replay
    shift
    "$bed" bench --target "$name" "$@" "$inputs/$name" >"$log" || {
        cat "$log" >&2
        die "$name: the inputs could not be measured"
    }
    figures "$name" "$log"
}

# The inputs as bytes, for the engines.
assemble() {
    local f n=0
    mkdir -p "$out/$1.bytes"
    for f in "$inputs/$1"/*; do
        n=$((n + 1))
        "$bed" asm --target "$1" -o "$out/$1.bytes/$n" "$f"
    done
}

# libFuzzer in CPU seconds, since whatever else runs takes wall time from it, and its peak memory.
libfuzzer() {
    local log=$out/$1.libfuzzer seconds n
    mkdir -p "$out/$1.found"
    TIMEFORMAT='%U %S'
    { time "build/fuzz/fuzz_$1" -seed=1 -max_total_time="$engine_seconds" -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="$out/$1-" "$out/$1.found" "$out/$1.bytes" \
        >"$log" 2>&1; } 2>"$log.time" || {
        tail -n 40 "$log" >&2
        die "$1: libFuzzer found something"
    }
    seconds=$(awk '{ print $1 + $2 }' "$log.time")
    n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    figure "$1" libfuzzer "$(awk -v n="$n" -v s="$seconds" 'BEGIN { printf "%d", n / s }')" \
        executions/s
    figure "$1" peak-memory "$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")" MB
}

afl() {
    local log=$out/$1.afl stats
    AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 \
        afl-fuzz -i "$out/$1.bytes" -o "$out/$1.queue" -s 1 -t 5000 -V "$engine_seconds" -G 4096 \
        -- "build/afl/fuzz_$1" >"$log" 2>&1 </dev/null || {
        tail -n 20 "$log" >&2
        die "$1: AFL++ could not run"
    }
    stats=$out/$1.queue/default/fuzzer_stats
    stat() { sed -nE "s/^$1 *: *([0-9.]+)%?\$/\1/p" "$stats"; }
    figure "$1" afl "$(stat execs_per_sec)" executions/s
    figure "$1" stability "$(stat stability)" %
}

[ -n "$measured" ] || die "$inputs holds no inputs"
build bench build/bench/bed
build fuzz $(for t in $hunted; do echo "build/fuzz/fuzz_$t"; done)
build afl $(for t in $hunted; do echo "build/afl/fuzz_$t"; done)
deliveries=$(sed -n 's/^#define WIRE_DELIVERIES *\([0-9]*\).*/\1/p' targets/reply/wire.h)
intakes=$(sed -n 's/^#define INTAKE_DELIVERIES *\([0-9]*\).*/\1/p' targets/media/intake.h)
answers=$(sed -n 's/^#define ANSWER_DELIVERIES *\([0-9]*\).*/\1/p' targets/answer/answer.h)
for t in $measured; do
    case $t in
    reply_wire | reply_classic) replay "$t" --deliveries "$deliveries" ;;
    ingest) replay "$t" --deliveries "$intakes" ;;
    announce_wire) replay "$t" --deliveries "$answers" ;;
    *) replay "$t" ;;
    esac
done
# Scenarios in which nearly every op is a whole request: beside the others, without a bar.
"$bed" bench --target reply_boundary "$inputs/reply_boundary.dense" >"$out/dense" ||
    die "the dense scenarios could not be measured"
sed 's/^/dense-/' "$out/dense" >"$out/dense.named"
figures reply_boundary "$out/dense.named"
# Memory does not mind company: this one runs beside the engines, on the other processor.
replay reply_boundary --growth "$executions" >"$out/growth" 2>"$out/growth.log" &
growth=$!
trap 'kill $growth 2>/dev/null || true' EXIT
for t in $hunted; do
    assemble "$t"
    libfuzzer "$t"
    afl "$t"
done
wait $growth || {
    cat "$out/growth.log" >&2
    exit 2
}
trap - EXIT
cat "$out/growth"
