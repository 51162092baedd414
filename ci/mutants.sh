#!/bin/bash
# Do the oracles bite? Each ci/mutants/TARGET/NAME.patch plants one bug: a sentence that says what
# it breaks, then a -p1 unified diff. It is applied to a copy of the tree, its object is rebuilt,
# and the corpus of TARGET is replayed alone: that must fail. A patch that survives, does not apply,
# does not build, or changes no object is a failure.
#
#   ci/mutants.sh [TARGET | NAME]      ends with "N passed, N failed"
#   KEEP=1 ci/mutants.sh ...           takes what was seen into ci/mutants/kills.tsv
#
# build/mutants/kills.tsv has a line for each that fell: patch, killer, file, inputs replayed.
# Which of several checks is the first may change with the corpus; but an invariant that kills a bug
# by the kept list must kill one in a run of all.
set -eu
cd "$(dirname "$0")/.."
. ci/stop.sh
. ci/tree.sh
root=$PWD base=$PWD/build/mutants
stop_second "$base"
rm -rf "$base"
mkdir -p "$base"
wanted=${1:-}
tree_patches ci/mutants "$wanted"
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
    local patch=$1 tree=$2 id=${1#ci/mutants/} why status=0 where who inputs
    id=${id%.patch}
    why=$(tree_apply "$root/$patch" "$base/clean" "$tree" mutant "build/mutant/fuzz_${id%%/*}") || {
        echo "STALE    $id $why"
        return
    }
    (cd "$tree" && timeout 300 "build/mutant/fuzz_${id%%/*}" -1 >log 2>&1) || status=$?
    where=$(grep -oE -m 1 '^corpus/[^:]*' "$tree/log" || true)
    if [ "$status" = 0 ]; then
        echo "SURVIVED $id: $(head -n 1 "$patch")"
    elif [ "$status" -le 2 ] && [ -n "$where" ]; then
        who=$(killer "$tree/log")
        inputs=$(sed -nE 's/^([0-9]+) inputs until .*/\1/p' "$tree/log")
        echo "killed   $id by $who in $where"
        [[ $who != WB_ASSERT* ]] || who=${who%:*} # its line moves with every edit
        printf '%s\t%s\t%s\t%s\n' "$id" "$who" "${where#corpus/}" "${inputs:--}" >>"$kills"
    else
        echo "BROKEN   $id: the replay ended with status $status: $(tail -n 1 "$tree/log")"
    fi
}

# Invariants that kill by the kept list and not in this run of all. Lines of that list whose first
# field is no patch name a test that kills, and stand as they are.
lost() {
    [ -f "$kept" ] && [ -z "$wanted" ] || return 0
    awk -F '\t' 'FILENAME == ARGV[1] { seen[$2]; next }
        /^#/ || $1 ~ /\.c$/ || $2 !~ /^[A-Z]+-[0-9]+$/ || $2 in seen || told[$2]++ { next }
        { print "LOST     " $2 ": kills no bug any more, not even " $1 }' "$kills" "$kept"
}

# Takes the lines of this run into the kept list; patches that survived, or are gone, leave it.
keep() {
    local id line
    [ -f "$kept" ] || : >"$kept"
    sed 's|^ci/mutants/||; s|\.patch$||' <<<"$patches" >"$base/judged"
    {
        awk -F '\t' 'NR == FNR { judged[$1]; next } !($1 in judged)' "$base/judged" "$kept" |
            while IFS= read -r line; do
                id=${line%%$'\t'*}
                [[ $line != '#'* && $id != *.c && ! -f ci/mutants/$id.patch ]] || echo "$line"
            done
        cat "$kills"
    } | LC_ALL=C sort >"$base/kept"
    cp "$base/kept" "$kept.new" && mv "$kept.new" "$kept" # whole or not at all
}

kills=$base/kills.tsv kept=ci/mutants/kills.tsv
: >"$kills"
tree_judge_all judge
LC_ALL=C sort -o "$kills" "$kills"
lost | tee -a "$base/verdicts"
[ -z "${KEEP:-}" ] || keep
tree_sum killed
