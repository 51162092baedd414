#!/bin/bash
# An OSS-Fuzz build without docker: builds as its images do, offline, then applies the rules by
# which it refuses a build, and a few of ours.
#
#   ci/ossfuzz-local.sh                        libfuzzer x address
#   ci/ossfuzz-local.sh ENGINE SANITIZER       libfuzzer: address undefined memory coverage
#                                              introspector; afl: address; honggfuzz and centipede,
#                                              by a stand-in that keeps their contract: address
#   ci/ossfuzz-local.sh all                    every one of them
#   TREE=folder                                another copy of the sources (for the tests of this)
#
# Ends with "N passed, N failed". Flags: infra/base-images/base-builder of google/oss-fuzz, with
# Debian's clang-19; rules: base-runner/bad_build_check and test_all.py.
set -u
cd "$(dirname "$0")/.." || exit 2
tree=${TREE:-$PWD}
clang=19
passed=0 failed=0
work=$(mktemp -d /var/tmp/ossfuzz.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "BAD $*"
}
# verdict WHAT COMMAND...
verdict() { if "${@:2}"; then good; else bad "$1"; fi; }

checked=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return
checked+=,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
flags_of() {
    case $1 in
    address) echo "-fsanitize=address -fsanitize-address-use-after-scope" ;;
    memory) echo "-fsanitize=memory -fsanitize-memory-track-origins" ;;
    undefined)
        echo "-fsanitize=$checked,unsigned-integer-overflow -fno-sanitize-recover=$checked" \
            "-fno-sanitize=function"
        ;;
    introspector) echo "-O0 -flto -fno-inline-functions -fuse-ld=lld -g" ;;
    coverage) ;;
    esac
}

# Sets what build.sh finds in its environment.
image() {
    local engine=$1 sanitizer=$2 cov=-fsanitize=fuzzer-no-link
    export FUZZING_ENGINE=$engine SANITIZER=$sanitizer ARCHITECTURE=x86_64 FUZZING_LANGUAGE=c
    export SRC=$work/src OUT=$work/out WORK=$work/work
    export CC=clang-$clang CXX=clang++-$clang LIB_FUZZING_ENGINE=-fsanitize=fuzzer
    case $engine in
    afl)
        CC=afl-clang-fast CXX=afl-clang-fast++ cov=
        LIB_FUZZING_ENGINE=/usr/lib/afl/libAFLDriver.a
        export AFL_QUIET=1
        ;;
    honggfuzz | centipede)
        cov=-fsanitize-coverage=trace-pc-guard,indirect-calls,trace-cmp
        LIB_FUZZING_ENGINE=$work/stand-in.o
        ;;
    esac
    [ "$sanitizer" != coverage ] ||
        cov="-fprofile-instr-generate -fcoverage-mapping -Wno-unused-command-line-argument"
    CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only $(flags_of "$sanitizer") $cov"
    CFLAGS+=" -Wno-error=implicit-int -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
    CXXFLAGS=$CFLAGS
    export CFLAGS CXXFLAGS
    [ "$sanitizer" != introspector ] ||
        export AR=llvm-ar-$clang NM=llvm-nm-$clang RANLIB=llvm-ranlib-$clang
}

offline() { if unshare -n true 2>/dev/null; then unshare -n "$@"; else "$@"; fi; }

build() {
    (cd "$SRC/wirebed" && offline bash -eux "$SRC/build.sh") >"$work/build.log" 2>&1 </dev/null ||
        { tail -n 15 "$work/build.log" && return 1; }
}

calls() { objdump -d "$1" | grep -cE "callq? +[0-9a-f]+ <$2" || true; }

# Counts by which bad_build_check tells one sanitizer from another.
is_pure() {
    local a m u
    a=$(calls "$1" __asan) m=$(calls "$1" __msan) u=$(calls "$1" __ubsan)
    case $SANITIZER in
    address) [ "$a" -ge 1000 ] && [ "$m" -le 3 ] && [ "$u" -le 200 ] ;;
    memory) [ "$m" -ge 1000 ] && [ "$a" = 0 ] ;;
    undefined) [ "$u" -ge 168 ] && [ "$a" = 0 ] && [ "$m" -le 3 ] ;;
    *) true ;;
    esac || { echo "  asan $a, msan $m, ubsan $u calls" && return 1; }
}

export_runtime() {
    local common=symbolize=1:dedup_token_length=3
    export ASAN_OPTIONS=$common:handle_abort=1:quarantine_size_mb=10:detect_leaks=1
    ASAN_OPTIONS+=:detect_stack_use_after_return=1:allocator_may_return_null=1:strict_memcmp=1
    export MSAN_OPTIONS=$common UBSAN_OPTIONS=$common:silence_unsigned_overflow=1:print_stacktrace=1
}

# In a folder that it does not know, with nothing of the build in the environment.
run_there() { (cd "$where" && env -u OUT -u SRC -u WORK "$@" </dev/null); }

# Starts under its engine; runs all its seeds inside the limits of ClusterFuzz.
is_runnable() {
    local f=$1 seeds=$2 log=$work/run.log
    case $FUZZING_ENGINE-$SANITIZER in
    *-introspector) return 0 ;;
    libfuzzer-*)
        run_there "$f" -seed=1337 -runs=4 >"$log" 2>&1
        ! grep -q "no interesting inputs were found" "$log" &&
            grep -q "Done 4 runs" "$log" &&
            run_there "$f" -rss_limit_mb=2560 -timeout=25 -runs=0 "$seeds" >"$log" 2>&1
        ;;
    afl-*)
        mkdir -p "$work/in" && echo input >"$work/in/i"
        ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0 AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 \
            AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 timeout -s INT 8 \
            afl-fuzz -i "$work/in" -o "$work/afl" -t 5000+ -m none -- "$f" >"$log" 2>&1
        grep -q "All set and ready to roll" "$log" && ! grep -qE "target binary (cr|te)" "$log"
        ;;
    *) find "$seeds" -type f -print0 | run_there xargs -0 "$f" >"$log" 2>&1 ;;
    esac || { tail -n 5 "$log" && return 1; }
}

check_one() {
    local f=$1 b=${1##*/} seeds=$work/seeds
    [[ $b =~ ^[A-Za-z0-9_-]+$ ]] || { bad "$b: a name with other characters" && return; }
    verdict "$b: sanitizers are mixed or missing" is_pure "$f"
    rm -rf "$seeds" && mkdir "$seeds"
    if ! unzip -qo "$f"_seed_corpus.zip -d "$seeds" 2>/dev/null; then
        bad "$b: no seed corpus"
        return
    fi
    verdict "$b: does not start, or its seeds do not run" is_runnable "$f" "$seeds"
    verdict "$b: options of an unknown section" sh -c \
        "! grep -E '^\[' '$f.options' | grep -vqE '^\[(libfuzzer|asan|msan|ubsan|env)\]'"
}

# one ENGINE SANITIZER
one() {
    local engine=$1 sanitizer=$2 n=0 f
    rm -rf "$work"/{src,out,work,there} && mkdir -p "$work"/{src/wirebed,out,work,there/a} || exit 2
    where=$work/there/a
    (cd "$tree" && git ls-files -z | xargs -0 tar cf - 2>/dev/null) |
        tar xf - -C "$work/src/wirebed"
    cp "$tree"/ci/oss-fuzz/{build,run_tests}.sh "$work/src/"
    (image "$engine" "$sanitizer" && build) || {
        bad "$engine $sanitizer: the build fails"
        return
    }
    # The second build in the same tree is what replaying a cached build does.
    (image "$engine" "$sanitizer" && build) || bad "$engine $sanitizer: the second build fails"
    export_runtime
    FUZZING_ENGINE=$engine SANITIZER=$sanitizer
    mv "$work/out" "$where/out" # test_all.py moves it
    where=$where/out
    for f in "$where"/*; do
        [ -f "$f" ] && [ -x "$f" ] && grep -q LLVMFuzzerTestOneInput "$f" || continue
        n=$((n + 1))
        check_one "$f"
    done
    [ "$n" -gt 0 ] || bad "$engine $sanitizer: no fuzzer in OUT"
    echo "$engine $sanitizer: $n fuzzers"
}

# project.yaml has known keys only, and its image is that of the Dockerfile.
lint() {
    local yaml=$tree/ci/oss-fuzz/project.yaml known version
    known="architectures|auto_ccs|base_os_version|builds_per_day|coverage_extra_args|disabled"
    known+="|file_github_issue|fuzzing_engines|help_url|homepage|labels|language|main_repo"
    known+="|primary_contact|run_tests|sanitizers|selective_unpack|vendor_ccs|view_restrictions"
    version=$(sed -n 's/^base_os_version: *//p' "$yaml")
    ! grep -oE '^[a-z_]+' "$yaml" | grep -vxE "$known" &&
        grep -q '^main_repo:' "$yaml" &&
        grep -q "^FROM .*base-builder:$version\$" "$tree/ci/oss-fuzz/Dockerfile" &&
        [ "$(head -c 200 "$tree"/ci/oss-fuzz/build.sh | grep -c Copyright)" = 1 ]
}

# run_tests.sh passes offline in the built tree and leaves it as it was.
tests() {
    (cd "$work/src/wirebed" && git init -q . && git add -A && unset CC CXX CFLAGS CXXFLAGS &&
        export SRC=$work/src CC=clang-$clang &&
        offline bash "$SRC/run_tests.sh" >"$work/tests.log" 2>&1 && git diff --exit-code --stat) ||
        { tail -n 15 "$work/tests.log" && return 1; }
}

clang-$clang -O1 -c ci/oss-fuzz/stand_in.c -o "$work/stand-in.o" || exit 2
verdict "project.yaml, Dockerfile or licence" lint
case ${1:-} in
all)
    for s in address undefined memory coverage introspector; do one libfuzzer $s; done
    one afl address
    one honggfuzz address
    ;;
"") one libfuzzer address ;;
*) one "$1" "${2:?sanitizer}" ;;
esac
[ -n "${QUICK:-}" ] || verdict "run_tests.sh fails offline, or changes the tree" tests
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
