#!/bin/bash
# An OSS-Fuzz build without docker: builds as its images do, offline, twice in the same tree, then
# applies the rules by which it refuses a build, and a few of ours (ci/oss-fuzz/rules.sh and below).
#
#   ci/ossfuzz-local.sh                        libfuzzer x address
#   ci/ossfuzz-local.sh ENGINE SANITIZER ...   libfuzzer: address undefined memory coverage
#                                              introspector; afl, honggfuzz, centipede: address
#   ci/ossfuzz-local.sh all                    every one of them, and run_tests.sh with planted bugs
#   ci/ossfuzz-local.sh tests                  run_tests.sh alone
#   TREE=folder                                another copy of the sources (for the tests of this)
#   PLANTS=N                                   how many functions of the core are broken, one a run
#
# Rules of the whole, in what it prints: yaml, licence, renamed, build, repeat, sources, fuzzers,
# size, tests, tree, plants. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
tree=$(readlink -f "${TREE:-.}")
. ci/oss-fuzz/image.sh
. ci/oss-fuzz/lint.sh
. ci/oss-fuzz/tests.sh
passed=0 failed=0
work=$(mktemp -d /var/tmp/ossfuzz.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "BAD $1: $2"
}
# judge RULE WHAT COMMAND...
judge() { if "${@:3}"; then good; else bad "$1" "$2"; fi; }

# A fresh copy of the sources, as a commit has them.
take_sources() {
    local s=$work/src/wirebed
    rm -rf "$work"/{src,out,work,home,there}
    mkdir -p "$work"/{src,out,work,home,there} || exit 2
    sources "$tree" "$s"
    cp "$tree"/ci/oss-fuzz/{build,run_tests}.sh "$work/src/"
    printf '/build/\n' >"$s/.gitignore"
    (cd "$s" && git init -q . && git add -A &&
        git -c user.name=x -c user.email=x@x commit -qm x)
    # What packs the seeds is the same for each pair; the first one builds it.
    [ ! -d "$work/tool" ] || { mkdir -p "$s/build" && cp -a "$work/tool" "$s/build/"; }
}

build() {
    (cd "$SRC/wirebed" && offline bash -eux "$SRC/build.sh") >"$work/build.log" 2>&1 </dev/null ||
        { tail -n 15 "$work/build.log" && return 1; }
}

sums() { (cd "$work/out" && find . -type f | LC_ALL=C sort | xargs -d '\n' sha256sum) >"$work/$1"; }

# one ENGINE SANITIZER
one() {
    local engine=$1 sanitizer=$2 begin=$SECONDS built fuzzers p f
    take_sources
    case $engine in honggfuzz | centipede) stand_in "$engine" || exit 2 ;; esac
    (image "$engine" "$sanitizer") || {
        echo "ossfuzz-local: no $engine x $sanitizer" >&2
        exit 2
    }
    (image "$engine" "$sanitizer" && build) || {
        bad build "$engine $sanitizer: build.sh fails; it has no network"
        return
    }
    good
    built=$((SECONDS - begin))
    [ -d "$work/tool" ] || cp -a "$work/src/wirebed/build/tool" "$work/" 2>/dev/null
    sums first
    # The second build in the same tree is what replaying a cached build does.
    judge repeat "$engine $sanitizer: a second build.sh fails" \
        eval '(image "$engine" "$sanitizer" && build)'
    sums second
    judge repeat "$engine $sanitizer: a second build.sh changes OUT" \
        cmp "$work/first" "$work/second"
    judge sources "$engine $sanitizer: the build changes the sources" is_unchanged
    judge size "$engine $sanitizer: OUT has 10 GB" \
        [ "$(du -sm "$work/out" | cut -f 1)" -lt 10240 ]
    echo "$work/out" >"$work/there/was" # test_all.py moves it
    mv "$work/out" "$work/there/out"
    fuzzers=$(find "$work/there/out" -maxdepth 1 -type f -perm -100 | LC_ALL=C sort |
        while read -r f; do ! grep -q LLVMFuzzerTestOneInput "$f" || echo "$f"; done)
    if [ -z "$fuzzers" ]; then
        bad fuzzers "$engine $sanitizer: none in OUT"
        return
    fi
    good
    export FUZZING_ENGINE=$engine SANITIZER=$sanitizer
    xargs -d '\n' -P 2 -I @@ sh -c 'bash ci/oss-fuzz/rules.sh "$1" "$2/scratch/${1##*/}"' \
        rules @@ "$work" <<<"$fuzzers" >"$work/verdicts"
    rm -rf "$work/scratch"
    grep '^BAD' "$work/verdicts"
    p=$(grep -c '^ok' "$work/verdicts") f=$(grep -c '^BAD' "$work/verdicts")
    passed=$((passed + p)) failed=$((failed + f))
    echo "$engine $sanitizer: $(wc -l <<<"$fuzzers") fuzzers, $p rules kept, $f broken" \
        "(built in $built s, $((SECONDS - begin)) s in all)"
}

tell_offline "build.sh and run_tests.sh had it"
lints
case ${1:-} in
all)
    for s in address undefined memory coverage introspector; do one libfuzzer $s; done
    one afl address
    one honggfuzz address
    one centipede address
    tests
    ;;
tests) tests ;;
"") one libfuzzer address ;;
*)
    while [ $# -gt 0 ]; do
        one "$1" "${2:?sanitizer}"
        shift 2
    done
    ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
