#!/bin/bash
# Generated mutants of core/, all in one build: which does the corpus kill? ci/mutate/README.md.
#
#   ci/mutate.sh [FILE...]   these files of core/, or all. FLOORS=1 writes the result into
#                            ci/mutate.tsv; STAGES=c looks at the corpus alone
#   ci/mutate.sh check       functions that are not as in ci/mutate.tsv, and 150 mutants drawn by
#                            the commit: no more may live than did; "N passed, N failed"
#   ci/mutate.sh sound       the tool's own test
#
# Exit 1: a file is under its floor or has none, a claim is wrong, a drawn input fails without a
# mutant; 2: it could not run.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
work=build/mutate table=build/mutate/src/mutants.tsv ids=build/mutate/ids
results=${RESULTS:-build/mutate/results.tsv} kept=${KEPT:-ci/mutate.tsv}
make="make --no-print-directory -s -j2"

say() { [ ! -t 2 ] || echo "mutate: $*" >&2; }

build() {
    say build
    mkdir -p $work
    $make $work/plant || exit 2
    $work/plant $work/src core/*/*.h core/*/*.c || exit 2
    $make mutate-programs || exit 2
    world=${WORLD:-$(find core corpus sim oracles targets ci/mutate -type f ! -name '*.md' \
        ! -name '*.tsv' ! -name '*.awk' ! -name '*.sh' | sort | xargs sha1sum | sha1sum |
        cut -c 1-10)}
    modes=$($make mutate-modes)
    # The last worlds are enough.
    if [ -f "$results" ] && [ "$(wc -l <"$results")" -gt 100000 ]; then
        tail -n 50000 "$results" >"$results.new" && mv "$results.new" "$results"
    fi
}

# run STAGES FUZZ-RUNS: the mutants whose numbers are read.
run() {
    # shellcheck disable=SC2086
    $work/runner $table "$results" "$world" "$1" "$2" $modes || return
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# same_code HASH ID FILE: is the code of this mutant the one without it?
same_code() {
    local hash=$1 id=$2 file=$3 of f n object answer=same
    case $file in
    *.h) of=$(grep -l "#include \"$file\"" core/*/*.c) ;;
    *) of=$file ;;
    esac
    for f in $of; do
        for n in 0 "$id"; do
            object=$work/same/$hash.${f//\//-}.$n.o
            [ "$n" = 0 ] && [ -f "$object" ] && continue
            gcc -std=c11 -D_GNU_SOURCE -I$work/src -I. -include ci/mutate/schema.h -O2 -w \
                -DWB_COUNTED -DWB_RACE -DMUTATE_FIXED="$n" -c -o "$object.$id" \
                "$work/src/$f" && mv "$object.$id" "$object"
        done
        cmp -s "$object" "$work/same/$hash.${f//\//-}.0.o" || answer=other
        rm -f "$object"
        [ $answer = same ] || break
    done
    [ -n "$of" ] || answer=other
    printf '%s\t%s\t%s\n' "$hash" "$id" $answer
}

# Of those of $ids that no run of the corpus kills. An answer holds as long as the planted file
# and all headers do.
compare() {
    local headers
    headers=$(cat $work/src/core/*/*.h | sha1sum)
    mkdir -p $work/same
    touch $work/same.tsv
    cut -f 2 $table | sort -u | while read -r file; do
        printf '%s\t%s\n' "$({ echo "$headers"; cat "$work/src/$file"; } | sha1sum |
            cut -c 1-12)" "$file"
    done >$work/hashes.tsv
    awk -F '\t' -v world="$world" '
        FILENAME == ARGV[1] { chosen[$1]; next }
        FILENAME == ARGV[2] { hash[$2] = $1; next }
        FILENAME == ARGV[3] { known[$1, $2]; next }
        FILENAME == ARGV[4] { if ($1 == world) end[$2, $3, $5] = $7 == "fuzz" ? "fuzz" : $6; next }
        $1 in chosen && end[$2, $3, $7] != "" && end[$2, $3, $7] != "killed" &&
            !((hash[$2], $1) in known) { print hash[$2], $1, $2 }
        ' $ids $work/hashes.tsv $work/same.tsv "$results" $table >$work/same.todo
    say "objects of $(grep -c . $work/same.todo) mutants"
    export -f same_code
    export work
    xargs -r -n 3 -P 2 bash -c 'same_code "$1" "$2" "$3"' same <$work/same.todo >>$work/same.tsv
    rm -f $work/same/*.o
}

# judge PROGRAM: what the programs of ci/mutate/ make of it all.
judge() {
    local program=$1
    shift
    awk -f ci/mutate/read.awk -f ci/mutate/show.awk -f "ci/mutate/$program.awk" -v world="$world" \
        -v chosen="$*" -v next_kept=$work/next.tsv -v list=$work/survivors.txt \
        -v aside=$work/apart.txt -v drawn=$ids -v raise="${FLOORS:-}" \
        $table "$results" $work/hashes.tsv $work/same.tsv ci/mutate/equivalent.tsv "$kept" \
        oracles/inv_*.h
}

# All of functions that are not as in the table, and so many by the commit's hash.
draw() {
    local seed
    seed=$(git rev-parse --short=12 HEAD 2>/dev/null || echo 1)
    awk -F '\t' 'FILENAME == ARGV[1] { kept[$1, $2, $3]; next }
        !(($2, $3, $4) in kept) { print $1 }' "$kept" $table
    cut -f 1 $table | shuf -n "${DRAWN:-150}" --random-source=<(yes "$seed") || true
}

# Without fuzz runs more seem to change nothing, and a score is higher than it is.
[ -z "${FLOORS:-}" ] || [ -z "${STAGES:-}" ] || {
    echo "mutate: floors are of all stages" >&2
    exit 2
}
mode=${1:-all}
case $mode in
check)
    build
    ids=$work/drawn
    draw | sort -un >$ids
    run cs "${RUNS:-20000}" <$ids
    compare
    judge check
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
        n == 0 || $2 in want { print $1 }' $table >$ids
    status=0
    run "${STAGES:-csmf}" "${RUNS:-20000}" <$ids || status=$?
    [ $status -le 1 ] || exit 2
    compare
    judge report "$@" || status=$?
    if [ -n "${FLOORS:-}" ]; then
        cp $work/next.tsv "$kept.new" && mv "$kept.new" "$kept" # whole or not at all
        [ ! -f ci/README.md ] || ci/table.sh
    fi
    exit $status
    ;;
esac
