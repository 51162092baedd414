#!/bin/bash
# What it costs to join the demand of a track, and changes of windows: instructions, allocations,
# bytes moved, sizes and time; how each figure is taken: ci/bench/README.md. What comes out alike
# each time is held against ci/bench/windows.tsv: what got worse by more than 2 % is printed so.
#
#   BENCH_SAVE=1    writes that file anew
#   BASE=rev        also six pinned pairs against that revision, in both orders by turns, and as
#                   many of this one against itself
set -eu
cd "$(dirname "$0")/../.."
out=build/bench/windows program=build/release/bench_windows saved=ci/bench/windows.tsv
rm -rf "$out" && mkdir -p "$out"
worktree=

die() {
    echo "bench: $*" >&2
    exit 2
}
clean() { [ -z "$worktree" ] || git worktree remove --force "$worktree" >/dev/null 2>&1 || true; }
trap clean EXIT
trap 'exit 2' INT TERM

# build DIR VARIANT
build() {
    local target=build/$2/bench_windows
    make -C "$1" --no-print-directory -s -j2 V="$2" "$target" >"$out/make.log" 2>&1 || {
        tail -n 20 "$out/make.log" >&2
        die "bench_windows does not build in $1"
    }
}

# collect PROGRAM: `CASE INSTRUCTIONS` of each dump that callgrind leaves.
collect() {
    rm -f "$out"/callgrind*
    valgrind -q --tool=callgrind --callgrind-out-file="$out/callgrind" --collect-atstart=no \
        "$1" instructions >"$out/valgrind.log" 2>&1 || {
        tail -n 20 "$out/valgrind.log" >&2
        die "callgrind could not count"
    }
    find "$out" -name 'callgrind.*' | sort -t . -k 2n | xargs awk '
        /^desc: Trigger: Client Request:/ { name = $NF }
        /^totals:/ && name != "" { print name, $2; name = "" }'
}

# A join is a 64th of what was counted; a change of a window stands for itself.
judge() {
    awk '
        function figure(name, metric, value, unit, bar,    max) {
            max = bar
            gsub(/[^0-9.]/, "", max)
            printf("bench windows %s %s %.10g %s %s %s\n", name, metric, value, unit,
                bar == "" ? "-" : bar, bar != "" && value > max + 0 ? "short" : "ok")
        }
        {
            if ($1 ~ /^add\//) {
                figure($1, "instructions", $2, "instructions", "")
                next
            }
            cost = $2 / 64
            bar = ""
            if ($1 ~ /^(same|live)\// || $1 ~ /^peak/)
                bar = "<=800"
            else if ($1 ~ /^demand-same\//)
                bar = "<=800"
            else if ($1 ~ /^demand-(open|wide|near|random)\/10000v\//)
                bar = "<=1400"
            else if ($1 ~ /^(demand-apart|open|wide|near|random|apart)\/10000v\/1c/)
                bar = "~1400"
            figure($1, "instructions", cost, "instructions/join", bar)
            if ($1 ~ /^(same|live)\/.*\/1c$/) {
                shape = $1
                sub(/\/.*/, "", shape)
                if ($1 ~ /\/1v\//)
                    alone[shape] = cost
                else
                    figure($1, "of-one-viewer", cost / alone[shape], "ratio", "<=1.1")
            }
        }'
}

# The figures NAME of a program's times, on processor 1 when there is one.
times() {
    local pin=()
    [ "$(nproc)" -lt 2 ] || pin=(taskset -c 1)
    "${pin[@]}" "$1" times | awk '{ print $3, $5 }'
}

# pairs A B LABEL: six pairs AB, BA, ...; of each case the median of B over A and its range.
pairs() {
    local i first second
    for i in 1 2 3 4 5 6; do
        if [ $((i % 2)) = 1 ]; then first=$1 second=$2; else first=$2 second=$1; fi
        times "$first" >"$out/first"
        times "$second" >"$out/second"
        if [ $((i % 2)) = 1 ]; then paste -d ' ' "$out/first" "$out/second"; else
            paste -d ' ' "$out/second" "$out/first"
        fi
    done >"$out/pairs"
    awk '{ print $1, $4 / $2 }' "$out/pairs" | sort -k 1,1 -k 2g | awk -v label="$3" '
        function done() {
            if (n > 0)
                printf("bench windows %s time-%s %.4f of-base[%.4f..%.4f] - ok\n", name, label,
                    (v[3] + v[4]) / 2, v[1], v[n])
        }
        $1 != name { done(); name = $1; n = 0 }
        { v[++n] = $2 }
        END { done() }'
}

# What both trees print alike, side by side.
beside() {
    awk '
        NR == FNR { before[$1, $2] = $3; next }
        ($1, $2) in before { print "beside:", $1, $2, before[$1, $2], "->", $3 }' "$1" "$2"
}

build . release
build . counted
"$program" counts >"$out/counts" || die "counts ended early"
build/counted/bench_windows costs >"$out/costs" || die "costs ended early"
cat "$out/counts" "$out/costs"
collect "$program" >"$out/instructions"
judge <"$out/instructions" | tee "$out/judged"
"$program" times || die "times ended early"
steady() { awk '$1 == "bench" { print $3 "\t" $4 "\t" $5 }' "$@" | LC_ALL=C sort; }
steady "$out/counts" "$out/costs" "$out/judged" >"$out/steady"
[ -z "${BENCH_SAVE:-}" ] || cp "$out/steady" "$saved"
[ ! -f "$saved" ] || awk -F '\t' '
    NR == FNR { before[$1, $2] = $3; next }
    ($1, $2) in before && $3 > before[$1, $2] * 1.02 {
        print "worse: " $1 " " $2 " " $3 ", was " before[$1, $2]
    }' "$saved" "$out/steady"
[ -n "${BASE:-}" ] || exit 0
worktree=$PWD/build/bench/windows-base
git worktree prune
git worktree add --force --detach "$worktree" "$BASE" >/dev/null 2>&1 || die "no revision $BASE"
build "$worktree" release
build "$worktree" counted
base=$worktree/build/release/bench_windows
"$base" counts >"$out/base-counts" || die "the base's counts ended early"
"$worktree/build/counted/bench_windows" costs >"$out/base-costs" ||
    die "the base's costs ended early"
collect "$base" >"$out/base-instructions"
judge <"$out/base-instructions" >"$out/base-judged"
steady "$out/base-counts" "$out/base-costs" "$out/base-judged" >"$out/base-steady"
beside "$out/base-steady" "$out/steady"
pairs "$base" "$program" ab
pairs "$program" "$program" aa
