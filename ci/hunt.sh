#!/bin/bash
# How soon does fuzzing find a bug? Each ci/hunt/TARGET/NAME.patch (form: see ci/mutants.sh) is
# built into the fuzzer of TARGET and hunted from an empty corpus with the seeds 1 to 5. A find is a
# report that names an id, of an input that passes without the bug. Executions to find are the same
# on every machine; a bug that more than two of the five seeds miss is a failure. When all bugs of a
# target were found, ci/hunt/TARGET.md is written.
#
#   ci/hunt.sh [TARGET | NAME]         ends with "N passed, N failed"
#   RUNS=2000000                       executions that a seed may take
set -eu
cd "$(dirname "$0")/.."
. ci/stop.sh
. ci/tree.sh
root=$PWD base=$PWD/build/hunts runs=${RUNS:-2000000}
stop_second "$base"
rm -rf "$base"
mkdir -p "$base"
tree_patches ci/hunt "${1:-}"
tree_make hunt
tree_copy "$root" "$base/clean" hunt

# seek TREE TARGET SEED: "executions id" when found, else nothing. An input that fails without the
# bug too says nothing about the bug: TREE/unsound has it.
seek() {
    local log=$1/log.$3 id how="-max_len=16384 -mutate_depth=5" # as `bed fuzz`: wire, scenario
    ! grep -q FUZZ_SCENARIO "targets/fuzz_$2.c" || how="-max_len=4096 -mutate_depth=3"
    mkdir -p "$1/found.$3"
    (cd "$1" && "build/hunt/fuzz_$2" -seed="$3" -runs="$runs" $how -print_final_stats=1 \
        -artifact_prefix="found.$3/" "found.$3" >"$log" 2>&1) || true
    id=$(sed -nE 's/.*ASSERTION FAILED: (WB_ASSERT [^ ]+|[A-Z]+-[0-9]+).*/\1/p
        s/.*ERROR: AddressSanitizer: ([a-z-]+).*/asan \1/p
        s/.*runtime error: .*/ubsan/p' "$log" | head -n 1)
    [ -n "$id" ] || return 0
    if (cd "$1" && timeout 60 "$base/clean/build/hunt/fuzz_$2" "found.$3"/crash-* \
        >>"$log" 2>&1); then
        echo "$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log") $id"
    else
        echo "seed $3, $id" >>"$1/unsound"
    fi
}

# The row of a bug, from the lines of `seek`, fewest executions first.
row() {
    awk -v name="$1" -v what="$2" '
        {
            runs[NR] = $1
            sub(/^[0-9]+ /, "")
            if (!($0 in seen)) ids = ids (ids == "" ? "" : ", ") $0
            seen[$0]
        }
        END {
            most = NR == 5 ? runs[5] : "not found"
            if (NR >= 3)
                printf "| %s | %s | %s | %d | %d | %s |\n", name, what, ids, runs[3], runs[1], most
        }'
}

hunt() {
    local patch=$1 tree=$2 id=${1#ci/hunt/} t why seed found
    id=${id%.patch} t=${id%%/*}
    why=$(tree_apply "$root/$patch" "$base/clean" "$tree" hunt "build/hunt/fuzz_$t") || {
        echo "STALE  $id $why"
        return
    }
    for seed in 1 2 3 4 5; do seek "$tree" "$t" $seed; done | sort -n >"$tree/found"
    found=$(row "${id#*/}" "$(head -n 1 "$patch")" <"$tree/found")
    if [ -e "$tree/unsound" ]; then
        echo "UNSOUND $id: what was found fails without it too: $(head -n 1 "$tree/unsound")"
    elif [ -n "$found" ]; then
        echo "$found" >>"$base/$t.rows"
        echo "found  $id: $(awk -F ' [|] ' '{ print $4 " executions, by " $3 }' <<<"$found")"
    else
        echo "MISSED $id by $((5 - $(wc -l <"$tree/found"))) of 5 seeds: $(head -n 1 "$patch")"
    fi
}

tree_judge_all hunt
for t in $targets; do
    [ -s "$base/$t.rows" ] || continue
    {
        echo "Planted bugs in the core, hunted by \`fuzz_$t\` from an empty corpus: executions to"
        echo "find, seeds 1 to 5, at most $runs each (\`make hunt NAME=$t\` writes this table)."
        echo
        echo "| bug | what it breaks | found by | median | least | most |"
        echo "|---|---|---|---:|---:|---:|"
        LC_ALL=C sort "$base/$t.rows"
    } >"$base/$t.md"
    cat "$base/$t.md"
    all=$(find "ci/hunt/$t" -name '*.patch' | wc -l)
    [ "$(wc -l <"$base/$t.rows")" != "$all" ] || {
        cp "$base/$t.md" "ci/hunt/$t.md.new" && mv "ci/hunt/$t.md.new" "ci/hunt/$t.md"
    }
done
tree_sum found
