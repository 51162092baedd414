#!/bin/bash
# How soon does fuzzing find a bug? Each ci/hunt/TARGET/NAME.patch (form: see ci/mutants.sh) is built into the fuzzer of TARGET
# and hunted from an empty corpus with the seeds 1 to 5. A find is a report that names an id. Executions to find are the same
# on every machine; a bug that more than two of the five seeds miss is a failure.
#   ci/hunt.sh [TARGET | NAME]         writes ci/hunt/TARGET.md when all its bugs were found; ends with "N passed, N failed"
#   RUNS=2000000                       executions a seed may take
set -eu
cd "$(dirname "$0")/.."
. ci/tree.sh
name=${1:-} root=$PWD base=$PWD/build/hunts workers=2 runs=${RUNS:-2000000}
rm -rf "$base"
mkdir -p "$base"

patches=$(find ci/hunt -name '*.patch' 2>/dev/null | LC_ALL=C sort)
[ -z "$name" ] || patches=$(grep -E "^ci/hunt/($name/[^/]*|[^/]*/$name)\.patch$" <<<"$patches" || true)
[ -n "$patches" ] || {
    echo "hunt: no patch${name:+ \`$name\'} in ci/hunt" >&2
    exit 2
}
targets=$(cut -d / -f 3 <<<"$patches" | sort -u)
tree_make hunt $(for t in $targets; do echo "build/hunt/fuzz_$t"; done)
tree_copy "$root" "$base/clean" hunt

# seek TREE TARGET SEED: "executions id" when found, else nothing.
seek() {
    local log=$1/log.$3 id
    local how="-max_len=16384 -mutate_depth=5" # as `bed fuzz` runs them: wire, scenario
    ! grep -q FUZZ_SCENARIO "targets/fuzz_$2.c" || how="-max_len=4096 -mutate_depth=3"
    mkdir -p "$1/found.$3"
    (cd "$1" && "build/hunt/fuzz_$2" -seed="$3" -runs="$runs" $how -print_final_stats=1 \
        -artifact_prefix="found.$3/" "found.$3" >"$log" 2>&1) || true
    id=$(grep -aoE -m 1 'ASSERTION FAILED: (WB_ASSERT [^ ]+|[A-Z]+-[0-9]+)|ERROR: AddressSanitizer: [a-z-]+|runtime error:' "$log" |
        sed -E 's/ASSERTION FAILED: //; s/ERROR: AddressSanitizer:/asan/; s/runtime error:/ubsan/')
    [ -z "$id" ] || echo "$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log") $id"
}

# hunt PATCH TREE: appends one row to the table of its target.
hunt() {
    local patch=$1 tree=$2 id=${1#ci/hunt/} t why seed row
    id=${id%.patch} t=${id%%/*}
    why=$(tree_apply "$root/$patch" "$base/clean" "$tree" hunt "build/hunt/fuzz_$t") || {
        echo "STALE  $id $why"
        return
    }
    for seed in 1 2 3 4 5; do seek "$tree" "$t" $seed; done | sort -n >"$tree/found"
    row=$(awk -v name="${id#*/}" -v what="$(head -n 1 "$patch")" '
        { n++; runs[n] = $1; $1 = ""; sub(/^ /, ""); if (!($0 in by)) { by[$0]; ids = ids (ids == "" ? "" : ", ") $0 } }
        END { if (n >= 3) printf "| %s | %s | %s | %d | %d | %s |\n", name, what, ids, runs[3], runs[1], n == 5 ? runs[5] : "not found" }' "$tree/found")
    if [ -n "$row" ]; then
        echo "$row" >>"$base/$t.rows"
        echo "found  $id: median $(awk -F ' \\| ' '{ print $4 " executions, by " $3 }' <<<"$row")"
    else
        echo "MISSED $id by $((5 - $(wc -l <"$tree/found"))) of 5 seeds: $(head -n 1 "$patch")"
    fi
}

work() {
    local i=0 patch
    for patch in $patches; do
        i=$((i + 1))
        [ $((i % workers)) != "$1" ] || hunt "$patch" "$base/$1" | tee -a "$base/verdicts"
    done
}
for k in $(seq 0 $((workers - 1))); do work "$k" & done
wait

for t in $targets; do
    [ -s "$base/$t.rows" ] || continue
    {
        echo "Planted bugs in the core, hunted by \`fuzz_$t\` from an empty corpus: executions to find, seeds 1 to 5, at most"
        echo "$runs each (\`make hunt NAME=$t\` writes this table)."
        echo
        echo "| bug | what it breaks | found by | median | least | most |"
        echo "|---|---|---|---:|---:|---:|"
        LC_ALL=C sort "$base/$t.rows"
    } >"$base/$t.md"
    cat "$base/$t.md"
    [ "$(find "ci/hunt/$t" -name '*.patch' | wc -l)" != "$(wc -l <"$base/$t.rows")" ] || cp "$base/$t.md" "ci/hunt/$t.md"
done
passed=$(grep -c '^found ' "$base/verdicts" || true)
failed=$(($(wc -l <<<"$patches") - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
