#!/bin/bash
# Gathers what the report shows into build/report/data/ and has `bed report` write
# build/report/index.html. What was measured by other commands (make cov, make mutants, make bench,
# make vet, ...) is taken as they left it; a part that was not is said so on the page.
#
#   ci/report/report.sh              all of it; fuzzers that were not built anew since, and ran as
#                                    often as RUNS asks, are not run
#   ci/report/report.sh fuzz         runs the fuzzers again: RUNS=20000 executions, from the corpus
#                                    and from nothing
#   ci/report/report.sh page         the page alone, from what was gathered
set -eu
cd "$(dirname "$0")/../.."
out=build/report data=build/report/data runs=${RUNS:-20000}
case $runs in
"" | *[!0-9]* | 0* | ??????????*)
    echo "report: RUNS=$runs: a number of executions from 1 to 999999999" >&2
    exit 2
    ;;
esac
mkdir -p "$data"
# A copy: whoever builds meanwhile links that one anew.
bed=$out/bed
cp -L build/bed $bed
targets=$(ls targets/fuzz_*.c | sed 's|targets/fuzz_||; s|\.c$||' | grep -vx canary)

die() {
    echo "report: $*" >&2
    exit 2
}

# take FROM TO: what another command left, or nothing.
take() {
    if [ -e "$1" ]; then cp "$1" "$data/$2"; else rm -f "$data/$2"; fi
}

# ---- fuzzing ------------------------------------------------------------------------------------

# curve TARGET ORIGIN LOG SECONDS: a line for the run, and one for each step of its coverage. What
# libFuzzer counts includes the corpus that it begins with.
curve() {
    awk -v name="$1" -v origin="$2" -v seconds="$4" -v OFS='\t' '
        $1 ~ /^#[0-9]+$/ && $3 == "cov:" {
            n = substr($1, 2)
            if ($4 != last) print "step", name, origin, n, $4
            last = $4
            at = n
        }
        /^stat::number_of_executed_units:/ { runs = $2 }
        $2 == "DONE" { units = $8; sub("/.*", "", units) }
        END {
            if (at != "") print "step", name, origin, runs, last
            speed = seconds > 0 ? int(runs / seconds) : 0
            print "run", name, origin, runs, speed, last, units
        }' "$3"
}

# The corpus as bytes, once for each file.
assemble() {
    local f n=0
    rm -rf "$out/seeds/$1" && mkdir -p "$out/seeds/$1"
    for f in corpus/"$1"/*/*; do
        n=$((n + 1))
        $bed asm --target "$1" -o "$out/seeds/$1/$n" "$f"
    done
}

# one TARGET ORIGIN [FOLDER]: a run of libFuzzer, by CPU seconds: others may share the processor.
one() {
    local log=$out/fuzz/$1.$2.log
    rm -rf "$out/fuzz/$1.found" && mkdir -p "$out/fuzz/$1.found"
    TIMEFORMAT='%U %S'
    { time "build/fuzz/fuzz_$1" -seed=1 -runs="$runs" -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$out/fuzz/$1-" "$out/fuzz/$1.found" ${3:+"$3"} >"$log" 2>&1; } \
        2>"$log.time" || {
        tail -n 30 "$log" >&2
        echo "report: the fuzzer of $1 found something: $log" >&2
    }
    rm -rf "$out/fuzz/$1.found"
}

# kept TARGET: its log is of this fuzzer and of as many executions as are asked for.
kept() {
    [ "$out/fuzz/$1.nothing.log.time" -nt "build/fuzz/fuzz_$1" ] &&
        [ "$(cat "$out/fuzz/$1.runs" 2>/dev/null)" = "$runs" ]
}

fuzz() {
    local t log old=0 ran=0
    log=$(make --no-print-directory -s -j2 V=fuzz $(printf 'build/fuzz/fuzz_%s ' $targets) 2>&1) ||
        die "the fuzzers do not build: $log"
    mkdir -p "$out/fuzz"
    for t in $targets; do
        if [ "${1:-}" != all ] && kept "$t"; then
            old=$((old + 1))
            continue
        fi
        ran=$((ran + 1))
        rm -f "$out/fuzz/$t.runs"
        [ ! -t 1 ] || printf '  %-16s ...\r' "$t"
        assemble "$t"
        one "$t" corpus "$out/seeds/$t"
        one "$t" nothing
        rm -rf "$out/seeds/$t"
        echo "$runs" >"$out/fuzz/$t.runs"
    done
    echo "report: $ran targets fuzzed, $old kept, RUNS=$runs"
}

curves() {
    local t origin log
    for t in $targets; do
        for origin in corpus nothing; do
            log=$out/fuzz/$t.$origin.log
            [ ! -s "$log.time" ] ||
                curve "$t" $origin "$log" "$(tail -n 1 "$log.time" | awk '{ print $1 + $2 }')"
        done
    done
}

# ---- what others measured -----------------------------------------------------------------------

planted() {
    local f
    for f in ci/mutants/*/*.patch ci/hunt/*/*.patch; do
        printf '%s\t%s\n' "${f#ci/}" "$(sed -n 1p "$f")"
    done | sed 's/\.patch\t/\t/'
}

# bench NAME CASE METRIC VALUE UNIT BAR ok|short, between tabs; of these logs.
figures() {
    cat "$@" 2>/dev/null </dev/null | awk -v OFS='\t' '
        $1 == "bench" && NF == 8 { print $2, $3, $4, $5, $6, $7, $8 }'
}

# A soak runs for hours: its last counts, beside those of the short runs.
soaked() {
    local f t
    for f in build/check/soak/*.log; do
        [ -e "$f" ] || continue
        t=$(basename "$f" .log) t=${t#fuzz_}
        case " $(echo $targets) " in *" $t "*) ;; *) continue ;; esac
        awk -v name="$t" -v OFS='\t' '
            $1 ~ /^#[0-9]+$/ && $3 == "cov:" { n = substr($1, 2); cov = $4 }
            END { if (n != "") print name, n, cov }' "$f"
    done
}

facts() {
    printf 'revision\t%s\n' "$(git rev-parse --short=10 HEAD 2>/dev/null || echo unknown)"
    printf 'subject\t%s\n' "$(git log -1 --format=%s 2>/dev/null || echo -)"
    printf 'date\t%s\n' "$(date -u '+%Y-%m-%d %H:%M')"
    printf 'changed\t%s\n' "$(git status --porcelain 2>/dev/null | grep -c . || true)"
    grep -lE '^SUMMARY: ' "$out"/fuzz/*.log 2>/dev/null | while read -r log; do
        printf 'found\t%s %s\n' "$(basename "$log" | sed 's/\..*//')" \
            "$(grep -oE -m 1 'ASSERTION FAILED: [^ ]+' "$log" | sed 's/.*: //')"
    done
}

gather() {
    curves >"$data/fuzz.tsv"
    planted >"$data/planted.tsv"
    figures build/bench/*.log >"$data/bench.tsv"
    soaked >"$data/soak.tsv"
    { facts && ci/report/looks.sh $bed $targets; } >"$data/facts.tsv"
    take ci/bench/history.tsv history.tsv
    take ci/mutants/kills.tsv kills.tsv
    [ -e "$data/kills.tsv" ] || take build/mutants/kills.tsv kills.tsv
    take ci/mutate.tsv mutate.tsv
    take build/cov/covered covered.txt
    take ci/floors.txt floors.txt
    take build/vet/last.json vet.json
}

page() {
    $bed report --data "$data" -o "$out/index.html"
    echo "report: $out/index.html, $(($(stat -c %s "$out/index.html") / 1024)) KiB"
}

case "${1:-}" in
"")
    fuzz
    gather
    page
    ;;
fuzz)
    fuzz all
    gather
    page
    ;;
page)
    gather
    page
    ;;
*) die "there is no part $1" ;;
esac
