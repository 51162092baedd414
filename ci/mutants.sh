#!/bin/bash
# Do the oracles bite? Each ci/mutants/TARGET/NAME.patch plants one bug: a sentence that says what it breaks, then a -p1
# unified diff. It is applied to a copy of the tree, its object is rebuilt, and the corpus of TARGET is replayed alone: that
# must fail. A patch that survives, does not apply, does not build, or changes no object is a failure.
#   ci/mutants.sh [TARGET | NAME]      one line each: killed TARGET/NAME by ID in FILE; ends with "N passed, N failed"
set -eu
cd "$(dirname "$0")/.."
. ci/tree.sh
name=${1:-} root=$PWD base=$PWD/build/mutants workers=2
rm -rf "$base"
mkdir -p "$base"

patches=$(find ci/mutants -name '*.patch' 2>/dev/null | LC_ALL=C sort)
[ -z "$name" ] || patches=$(grep -E "^ci/mutants/($name/[^/]*|[^/]*/$name)\.patch$" <<<"$patches" || true)
[ -n "$patches" ] || {
    echo "mutants: no patch${name:+ \`$name\'} in ci/mutants" >&2
    exit 2
}
targets=$(cut -d / -f 3 <<<"$patches" | sort -u)

# Built once, and sound: a corpus that fails without a bug would kill everything.
tree_make mutant $(for t in $targets; do echo "build/mutant/fuzz_$t"; done)
for t in $targets; do
    "build/mutant/fuzz_$t" -1 >"$base/sound.log" 2>&1 || {
        cat "$base/sound.log"
        echo "mutants: the corpus of $t fails without a planted bug"
        echo "0 passed, 1 failed"
        exit 1
    }
done
tree_copy "$root" "$base/clean" mutant

# What the replay said was broken: an invariant, an assertion of the core, a signal, or what the file states.
killer() {
    local id
    id=$(grep -oE -m 1 'ASSERTION FAILED: (WB_ASSERT [^ ]+|[A-Z]+-[0-9]+)' "$1" | sed 's/ASSERTION FAILED: //')
    [ -n "$id" ] || id=$(grep -oE -m 1 'ends as WB_[A-Z_]+|another story|mark not reached' "$1" || true)
    [ -n "$id" ] || id=$(grep -oE -m 1 '(signal|exit) [0-9]+$|timeout$' "$1" || true)
    echo "${id:-no id}"
}

# judge PATCH TREE: prints the verdict on one planted bug.
judge() {
    local patch=$1 tree=$2 id=${1#ci/mutants/} why status=0
    id=${id%.patch}
    why=$(tree_apply "$root/$patch" "$base/clean" "$tree" mutant "build/mutant/fuzz_${id%%/*}") || {
        echo "STALE    $id $why"
        return
    }
    (cd "$tree" && timeout 120 "build/mutant/fuzz_${id%%/*}" -1 >log 2>&1) || status=$?
    case $status in
    0) echo "SURVIVED $id: $(head -n 1 "$patch")" ;;
    1) echo "killed   $id by $(killer "$tree/log") in $(sed -nE 's/^(corpus\/[^:]*): .*/\1/p' "$tree/log" | head -n 1)" ;;
    *) echo "BROKEN   $id: the replay ended with status $status: $(tail -n 1 "$tree/log")" ;;
    esac
}

# Worker K takes every K-th patch.
work() {
    local i=0 patch
    for patch in $patches; do
        i=$((i + 1))
        [ $((i % workers)) != "$1" ] || judge "$patch" "$base/$1" | tee -a "$base/verdicts"
    done
}
for k in $(seq 0 $((workers - 1))); do work "$k" & done
wait

passed=$(grep -c '^killed ' "$base/verdicts" || true)
failed=$(($(wc -l <<<"$patches") - passed))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
