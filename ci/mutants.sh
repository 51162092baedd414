#!/bin/bash
# Do the oracles bite? Each ci/mutants/TARGET/NAME.patch plants one bug: a sentence that says what
# it breaks, then a -p1 unified diff. It is applied to a copy of the tree, its object is rebuilt,
# and the corpus of TARGET is replayed alone: that must fail. A patch that survives, does not apply,
# does not build, or changes no object is a failure.
#
#   ci/mutants.sh [TARGET | NAME]      ends with "N passed, N failed"
set -eu
cd "$(dirname "$0")/.."
. ci/tree.sh
root=$PWD base=$PWD/build/mutants
rm -rf "$base"
mkdir -p "$base"
tree_patches ci/mutants "${1:-}"
tree_make mutant

# A corpus that fails without a bug would kill everything.
for t in $targets; do
    "build/mutant/fuzz_$t" -1 >"$base/sound.log" 2>&1 || {
        cat "$base/sound.log"
        echo "mutants: the corpus of $t fails without a planted bug"
        echo "0 passed, 1 failed"
        exit 1
    }
done
tree_copy "$root" "$base/clean" mutant
rm -f "$base"/clean/build/mutant/fuzz_* # linked anew for each patch; copying them would cost more

# What the replay said was broken: an invariant, an assertion of the core, a signal, or what the
# file states. A corpus that can no longer be read is a failure too, of the bed's own use of it.
killer() {
    {
        grep -oE -m 1 'ASSERTION FAILED: (WB_ASSERT [^ ]+|[A-Z]+-[0-9]+)' "$1" |
            sed 's/ASSERTION FAILED: //'
        grep -oE -m 1 'ends as WB_[A-Z_]+|another story|mark not reached' "$1"
        grep -oE -m 1 '(signal|exit) [0-9]+$|timeout$' "$1"
        echo "its reading"
    } | head -n 1
}

judge() {
    local patch=$1 tree=$2 id=${1#ci/mutants/} why status=0 where
    id=${id%.patch}
    why=$(tree_apply "$root/$patch" "$base/clean" "$tree" mutant "build/mutant/fuzz_${id%%/*}") || {
        echo "STALE    $id $why"
        return
    }
    (cd "$tree" && timeout 120 "build/mutant/fuzz_${id%%/*}" -1 >log 2>&1) || status=$?
    where=$(grep -oE -m 1 '^corpus/[^:]*' "$tree/log" || true)
    if [ "$status" = 0 ]; then
        echo "SURVIVED $id: $(head -n 1 "$patch")"
    elif [ "$status" -le 2 ] && [ -n "$where" ]; then
        echo "killed   $id by $(killer "$tree/log") in $where"
    else
        echo "BROKEN   $id: the replay ended with status $status: $(tail -n 1 "$tree/log")"
    fi
}

tree_judge_all judge
tree_sum killed
