# Sourced by ci/mutants.sh and ci/hunt.sh: copies of the tree in which one patch at a time is applied and built.
# Objects come along with their times, so that make rebuilds only what the patch touches.

# tree_make VARIANT PROGRAM...: builds in this tree, quietly unless it fails.
tree_make() {
    local variant=$1 log
    shift
    mkdir -p build
    log=$(make --no-print-directory -s -j2 V="$variant" "$@" 2>&1) || {
        echo "$log" >&2
        return 2
    }
}

# tree_copy FROM TO VARIANT: TO becomes FROM with the objects of one variant.
tree_copy() {
    rm -rf "$2"
    mkdir -p "$2/build"
    (cd "$1" && cp -a Makefile core sim oracles targets corpus "$2")
    cp -a "$1/build/$3" "$2/build/"
}

# tree_apply PATCH CLEAN TREE VARIANT PROGRAM: TREE becomes CLEAN with the patch, built. Says why not on stdout.
tree_apply() {
    local patch=$1 clean=$2 tree=$3 variant=$4 program=$5 log o
    tree_copy "$clean" "$tree" "$variant"
    touch "$tree/stamp"
    # The ceiling keeps git from taking the copy for a folder of the repository around it, whose files it would look for.
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
