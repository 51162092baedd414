# Sourced by ci/mutants.sh and ci/hunt.sh: planted bugs, one patch a file, each applied to a copy of
# the tree and built there. Objects come along with their times, so that make rebuilds only what the
# patch touches.

# tree_patches FOLDER NAME: sets `patches`, those of the target or patch NAME or all, and `targets`.
tree_patches() {
    local wanted="$1/.*"
    [ -z "$2" ] || wanted="$1/($2/[^/]*|[^/]*/$2)"
    patches=$(find "$1" -name '*.patch' 2>/dev/null | grep -E "^$wanted\.patch$" | LC_ALL=C sort)
    [ -n "$patches" ] || {
        echo "$1: there is no patch $2" >&2
        exit 2
    }
    targets=$(cut -d / -f 3 <<<"$patches" | sort -u)
}

# tree_make VARIANT: builds the programs of `targets` in this tree, quietly unless that fails.
tree_make() {
    local log
    mkdir -p build
    log=$(make --no-print-directory -s -j2 V="$1" \
        $(for t in $targets; do echo "build/$1/fuzz_$t"; done) 2>&1) || {
        echo "$log" >&2
        exit 2
    }
}

# tree_copy FROM TO VARIANT [-l]: TO becomes FROM with the objects of one variant. The corpus is
# shared; with -l all files are, by hard links: git, the compiler and the linker make new ones.
tree_copy() {
    rm -rf "$2"
    mkdir -p "$2/build"
    (cd "$1" && cp -a ${4:-} Makefile core sim oracles targets "$2")
    ln -s "$(readlink -f "$1/corpus")" "$2/corpus"
    cp -a ${4:-} "$1/build/$3" "$2/build/"
}

# tree_apply PATCH CLEAN TREE VARIANT PROGRAM: TREE becomes CLEAN with the patch, built. Says on
# stdout why it cannot. The ceiling keeps git from taking the copy for a folder of the repository
# around it, whose files it would look for.
tree_apply() {
    local patch=$1 clean=$2 tree=$3 variant=$4 program=$5 log o
    tree_copy "$clean" "$tree" "$variant" -l
    touch "$tree/stamp"
    log=$(cd "$tree" && GIT_CEILING_DIRECTORIES=$(dirname "$tree") git apply "$patch" 2>&1) || {
        echo "does not apply: $(head -n 1 <<<"$log")"
        return 1
    }
    log=$(make --no-print-directory -s -C "$tree" V="$variant" "$program" 2>&1) || {
        echo "does not build: $(grep -m 1 -E 'error|undefined' <<<"$log" || tail -n 1 <<<"$log")"
        return 1
    }
    for o in $(cd "$tree" && find "build/$variant" -name '*.o' -newer stamp); do
        cmp -s "$tree/$o" "$clean/$o" || return 0
    done
    echo "changes no object of $program"
    return 1
}

# tree_judge_all FUNCTION: calls it with each patch and a folder for its tree, on two processors,
# and keeps what it prints in $base/verdicts.
tree_judge_all() {
    local k
    : >"$base/verdicts"
    for k in 0 1; do
        for patch in $(awk -v k=$k 'NR % 2 == k' <<<"$patches"); do
            "$1" "$patch" "$base/$k" | tee -a "$base/verdicts"
        done &
    done
    wait
}

# tree_sum WORD: the closing line; passed are the patches whose one verdict opens with WORD, and
# each that opens with LOST is a failure of its own.
tree_sum() {
    awk -v word="$1" '
        FILENAME == ARGV[1] {
            lost += $1 == "LOST"
            sub(/:$/, "", $2)
            said[$2]++
            good[$2] += $1 == word
            next
        }
        {
            sub(/^ci\/[a-z]+\//, "")
            sub(/\.patch$/, "")
            if (said[$0] != 1) print "NO VERDICT " $0 ": " said[$0] + 0 " of them"
            if (said[$0] == 1 && good[$0]) passed++
            else failed++
        }
        END {
            print passed + 0 " passed, " failed + lost " failed"
            exit failed + lost > 0
        }' "$base/verdicts" - <<<"$patches"
}
