# Sourced by ci/ossfuzz-local.sh: run_tests.sh as the images call it, and what it must notice.

run_tests() {
    (
        export SRC=$1 CC=clang-$clang
        unset CXX CFLAGS CXXFLAGS OUT WORK LIB_FUZZING_ENGINE MAKEFLAGS MAKELEVEL
        offline timeout "${TESTS_LIMIT:-1200}" bash "$SRC/run_tests.sh"
    ) >"$2" 2>&1 </dev/null
}

# New files count too; what take_sources lets git ignore is build/ alone.
is_unchanged() {
    local changes
    changes=$(git -C "$work/src/wirebed" status --porcelain) || return 1
    [ -z "$changes" ] || { sed 's/^/  /' <<<"$changes" && return 1; }
}

# "file line name" of each function of core/, in an order that the commit draws. By house style a
# body opens at a line's start.
draw() {
    local commit
    commit=$(git -C "$tree" rev-parse HEAD 2>/dev/null || echo none)
    (cd "$work/src/wirebed" && awk '
        FNR == 1 { head = "" }
        /^\{/ && match(head, /[a-z_0-9]+\(/) {
            print FILENAME, FNR, substr(head, RSTART, RLENGTH - 1)
        }
        /^[a-z].*[,(){]$|^ +[a-z].*[,)]$/ { head = head $0; next }
        { head = "" }' $(find core -name '*.c' | LC_ALL=C sort)) |
        while read -r f; do echo "$(sha256sum <<<"$commit $f" | head -c 16) $f"; done |
        LC_ALL=C sort | cut -d ' ' -f 2-
}

# plant FILE LINE NAME: a tree in $work/plant, by hard links, whose function of that name aborts at
# once. Fails where that changes no object of the tests.
plant() {
    local p=$work/plant/wirebed o
    rm -rf "$work/plant" && mkdir "$work/plant" && cp -al "$work/src"/. "$work/plant/" || exit 2
    sed "$2s/.*/{ extern void abort(void); abort();/" "$p/$1" >"$work/planted" &&
        mv "$work/planted" "$p/$1"
    for o in $(cd "$p" && find build -path "*/${1%.c}.o"); do
        (export SRC=$work/plant && CC=clang-$clang make -s -C "$p" V=tool "$o") >"$work/plant.log" \
            2>&1 || { tail -n 3 "$work/plant.log" && exit 2; }
        ! cmp -s "$p/$o" "$work/src/wirebed/$o" || return 1
    done
    [ -n "$o" ]
}

# plants N: breaks N functions of core/, one a run of the tests, which must fail each time.
plants() {
    local n=0 file line name begin
    while read -r file line name; do
        [ "$n" -lt "$1" ] || break
        plant "$file" "$line" "$name" || continue
        n=$((n + 1)) begin=$SECONDS
        if run_tests "$work/plant" "$work/plant.log"; then
            bad plants "the tests pass though $name of $file aborts"
        else
            good
            echo "$name of $file aborts: noticed by" \
                "$(sed -nE 's/.*\*\*\* .*: ([^]]*)\] .*/\1/p' "$work/plant.log" | head -n 1)" \
                "($((SECONDS - begin)) s)"
        fi
    done < <(draw)
    [ "$n" = "$1" ] || bad plants "only $n functions of the core could be broken"
    rm -rf "$work/plant"
}

# run_tests.sh passes offline, twice, leaves the tree as it was, and notices that functions are
# broken.
tests() {
    local begin=$SECONDS
    take_sources
    if ! run_tests "$work/src" "$work/tests.log"; then
        tail -n 15 "$work/tests.log"
        bad tests "run_tests.sh fails; it has no network"
        return
    fi
    good
    echo "run_tests.sh: $((SECONDS - begin)) s"
    judge tree "run_tests.sh changes the tree" is_unchanged
    begin=$SECONDS
    judge tests "run_tests.sh fails the second time" run_tests "$work/src" "$work/tests.log"
    echo "run_tests.sh again: $((SECONDS - begin)) s"
    judge tree "run_tests.sh changes the tree the second time" is_unchanged
    plants "${PLANTS:-10}"
}
