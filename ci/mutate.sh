#!/bin/bash
# Generated mutants of core/, all in one build: which does the corpus kill? ci/mutate/README.md.
#
#   ci/mutate.sh [FILE...]   these files of core/, or all; exit 1 when one is under its floor.
#                            FLOORS=1 writes the result into ci/mutate.tsv; STAGES=c looks at
#                            the corpus alone
#   ci/mutate.sh check       functions that changed since ci/mutate.tsv, and 150 mutants drawn by
#                            the commit: none may live that was killed; "N passed, N failed"
#   ci/mutate.sh sound       the tool's own test
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
work=build/mutate table=build/mutate/src/mutants.tsv results=build/mutate/results.tsv
kept=ci/mutate.tsv
make="make --no-print-directory -s -j2"

say() { [ ! -t 2 ] || echo "mutate: $*" >&2; }

build() {
    say build
    mkdir -p $work
    $make $work/plant
    $work/plant $work/src core/*/*.h core/*/*.c
    $make mutate-programs
    world=${WORLD:-$(find core corpus sim oracles targets ci/mutate -type f ! -name '*.md' \
        ! -name '*.tsv' | sort | xargs sha1sum | sha1sum | cut -c 1-10)}
    modes=$($make mutate-modes)
}

# run STAGES FUZZ-RUNS: the mutants whose numbers are read.
run() {
    # shellcheck disable=SC2086
    $work/runner $table $results "$world" "$1" "$2" $modes
}

# same_code ID FILE: is the code of this mutant the one without it?
same_code() {
    local id=$1 file=$2 hash of f n answer=same
    hash=$(sha1sum <"$work/src/$file" | cut -c 1-12)
    case $file in
    *.h) of=$(grep -l "#include \"$file\"" core/*/*.c) ;;
    *) of=$file ;;
    esac
    for f in $of; do
        for n in 0 "$id"; do
            f_n=$work/same/$hash.${f//\//-}.$n.o
            [ "$n$(ls "$f_n" 2>/dev/null)" = "0$f_n" ] ||
                gcc -std=c11 -D_GNU_SOURCE -I$work/src -I. -include ci/mutate/schema.h -O2 -w \
                    -DWB_COUNTED -DWB_RACE -DMUTATE_FIXED="$n" -c \
                    -o "$f_n.$id" "$work/src/$f" && mv "$f_n.$id" "$f_n"
        done
        cmp -s "$f_n" "$work/same/$hash.${f//\//-}.0.o" || answer=other
        rm -f "$f_n"
        [ $answer = same ] || break
    done
    [ -n "$of" ] || answer=other
    printf '%s\t%s\t%s\n' "$hash" "$id" $answer
}

# Those that live, and those that only a fuzz run kills. Known answers are kept by the planted file.
compare() {
    say "objects of those that live"
    mkdir -p $work/same
    touch $work/same.tsv
    awk -F '\t' -v world="$world" '
        FILENAME == ARGV[1] {
            if ($1 == world && $6 != "killed" && $6 != "same")
                lives[$2, $3, $5]
            next
        }
        ($2, $3, $7) in lives { print $1, $2 }' $results $table |
        while read -r id file; do
            hash=$(sha1sum <"$work/src/$file" | cut -c 1-12)
            grep -q "^$hash	$id	" $work/same.tsv || echo "$id $file"
        done >$work/same.todo
    export -f same_code
    export work
    xargs -r -n 2 -P 2 bash -c 'same_code "$1" "$2"' same <$work/same.todo >>$work/same.tsv
    awk '{ print $2 }' FS='\t' $table | sort -u | while read -r file; do
        printf '%s\t%s\n' "$(sha1sum <"$work/src/$file" | cut -c 1-12)" "$file"
    done >$work/hashes.tsv
}

report() {
    awk -f ci/mutate/read.awk -f ci/mutate/report.awk -v world="$world" -v chosen="$*" \
        -v next_kept=$work/next.tsv -v list=$work/survivors.txt \
        $table $results $work/hashes.tsv $work/same.tsv ci/mutate/equivalent.tsv $kept \
        oracles/inv_*.h
}

# Which mutants a commit draws: 150 by its hash, and all of functions that are not as in the table.
draw() {
    local seed
    seed=$(git rev-parse --short=12 HEAD 2>/dev/null || echo 1)
    awk -F '\t' 'FILENAME == ARGV[1] { kept[$1, $2, $3]; next }
        !(($2, $3, $4) in kept) { print $1 }' $kept $table
    cut -f 1 $table | shuf -n 150 --random-source=<(yes "$seed") || true
}

mode=${1:-all}
case $mode in
check)
    build
    draw | sort -un >$work/drawn
    run cs 0 <$work/drawn
    awk -f ci/mutate/check.awk -v world="$world" $work/drawn $table $kept ci/mutate/equivalent.tsv \
        $results
    ;;
sound) exec ci/mutate/sound.sh ;;
*)
    build
    for file in "$@"; do
        grep -q "	$file	" $table || {
            echo "mutate: no mutant in $file" >&2
            exit 2
        }
    done
    awk -F '\t' -v files="$*" 'BEGIN { n = split(files, f, " "); for (i in f) want[f[i]] }
        n == 0 || $2 in want { print $1 }' $table >$work/ids
    run "${STAGES:-csmf}" "${RUNS:-20000}" <$work/ids
    compare
    status=0
    report "$@" || status=$?
    [ -z "${FLOORS:-}" ] || cp $work/next.tsv $kept
    exit $status
    ;;
esac
