# Sourced by ci/test_vet.sh and ci/all/vet.sh: tests of `bed vet`, and its patches.

# judge_begin FOLDER: the sides and trees of these tests lie there.
judge_begin() {
    root=$PWD work=$1 passed=0 failed=0 old=$1/old.so
    rm -rf "$work"
    mkdir -p "$work"
    make --no-print-directory -s -j2 V=side build/side/side.so
    make --no-print-directory -s build/bed
    cp build/side/side.so "$old"
    tree_copy "$root" "$work/clean" side
}

# judge NAME CONDITION...: one test.
judge() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $name"
        [ ! -f "$work/log" ] || sed 's/^/    /' "$work/log"
    fi
}
judge_end() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}

# vet OPTION...: its words in $work/log, its exit status in $status.
vet() {
    status=0
    build/bed vet --state "$work/state" --runs 200 --attempts 100 "$@" >"$work/log" 2>&1 ||
        status=$?
}
says() { grep -qF -- "$1" "$work/log"; }
ends() { [ $status = "$1" ]; }
# The ids that a vet names, but for what got cheaper or was broken before.
names() { grep -E '^(UNREVIEWED|reviewed|NO LONGER) ' "$work/log" | sed 's/.* //' | sort | xargs; }
head_of() { sed -n "s/^$2: //p" "ci/vet/patches/$1.patch"; }

# patched NAME: $work/NAME.so, and its tree in $work/tree. Its object is one of the bed's, so
# `changes no object` is a failure here too.
patched() {
    local why
    why=$(tree_apply "$root/ci/vet/patches/$1.patch" "$work/clean" "$work/tree" side \
        build/side/side.so) || {
        echo "$why" >"$work/log"
        judge "$1 is a patch" false
        return 1
    }
    cp "$work/tree/build/side/side.so" "$work/$1.so"
}

# judge_patch NAME: a patch reports what it should, and nothing else.
judge_patch() {
    local name=$1 reports id dearer
    patched "$name" || return 0
    reports=$(head_of "$name" reports)
    [ "$reports" != nothing ] || reports=
    vet --expected "" --target "$(head_of "$name" target)" "$old" "$work/$name.so"
    judge "$name ends as it should" ends $([ -z "$reports" ] && echo 0 || echo 1)
    for id in ${reports%...}; do
        judge "$name reports $id" says " $id"
    done
    [ "$reports" = "${reports%...}" ] || return 0
    dearer=$(xargs -n 1 <<<"$reports" | grep -v ':less:' | sort | xargs || true)
    judge "$name reports nothing else" [ "$(names)" = "$dearer" ]
}
