# Sourced: what the images of OSS-Fuzz hand to build.sh, with Debian's compilers in place of theirs.
# Flags: infra/base-images/base-builder of google/oss-fuzz (ubuntu-24-04.Dockerfile, compile,
# compile_ENGINE), and clang-flags.txt of google/fuzztest for Centipede.
#
# What runs here: libfuzzer x {address, undefined, memory, coverage, introspector}, afl x address;
# for honggfuzz and centipede, which Debian has not, an engine of our own that keeps their contract.
clang=19
# Called by make, that one's flags and choices are not those of the image.
unset HANDED HANDED_CC HANDED_CXX HANDED_CXXFLAGS MAKEFLAGS MFLAGS MAKELEVEL V SUBJECT FUZZERS

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
    coverage | none) ;;
    *) return 1 ;;
    esac
}

# stand_in ENGINE: builds it; half of it is C++, as of the real ones, so that a link with $CC fails.
stand_in() {
    mkdir -p "$work/engine" && clang-$clang -O1 "-DIS_${1^^}" -c ci/oss-fuzz/stand_in.c \
        -o "$work/engine/c.o" &&
        clang++-$clang -O1 -x c++ -c - -o "$work/engine/cxx.o" <<<"
            extern \"C\" unsigned char *stand_in_room(unsigned long n)
            {
                return new unsigned char[n];
            }
            extern \"C\" void stand_in_leave(unsigned char *room)
            {
                delete[] room;
            }" && rm -f "$work/$1.a" && ar rcs "$work/$1.a" "$work/engine/c.o" "$work/engine/cxx.o"
}

# image ENGINE SANITIZER: sets the environment. The folder $work holds it all.
image() {
    local engine=$1 sanitizer=$2 cov=-fsanitize=fuzzer-no-link tolerated w
    export FUZZING_ENGINE=$engine SANITIZER=$sanitizer ARCHITECTURE=x86_64 FUZZING_LANGUAGE=c
    export SRC=$work/src OUT=$work/out WORK=$work/work HOME=$work/home
    export CC=clang-$clang CXX=clang++-$clang LIB_FUZZING_ENGINE=-fsanitize=fuzzer
    case $engine in
    libfuzzer) ;;
    afl)
        CC=afl-clang-fast CXX=afl-clang-fast++ cov=
        LIB_FUZZING_ENGINE=/usr/lib/afl/libAFLDriver.a
        export AFL_QUIET=1
        ;;
    honggfuzz)
        cov=-fsanitize-coverage=trace-pc-guard,indirect-calls,trace-cmp
        LIB_FUZZING_ENGINE=$work/honggfuzz.a
        ;;
    centipede) # libraries among the flags, at each call of the compiler
        cov="-fsanitize-coverage=trace-loads -fno-builtin -O2 -gline-tables-only"
        cov+=" -fsanitize-coverage=trace-pc-guard,pc-table,trace-cmp -ldl -lrt -lpthread"
        LIB_FUZZING_ENGINE=$work/centipede.a
        ;;
    *) return 1 ;;
    esac
    [ "$sanitizer" != coverage ] ||
        cov="-fprofile-instr-generate -fcoverage-mapping -pthread -Wl,--no-as-needed -Wl,-ldl
            -Wl,-lm -Wno-unused-command-line-argument"
    for w in incompatible-function-pointer-types int-conversion deprecated-declarations \
        implicit-function-declaration implicit-int unknown-warning-option vla-cxx-extension; do
        tolerated+=" -Wno-error=$w"
    done
    CFLAGS="-O1 -fno-omit-frame-pointer -gline-tables-only$tolerated"
    CFLAGS+=" -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $(flags_of "$sanitizer") $cov" || return 1
    CFLAGS=$(echo $CFLAGS)
    CXXFLAGS=${CFLAGS/ -fno-sanitize=function/}
    export CFLAGS CXXFLAGS
    [ "$sanitizer" != introspector ] ||
        export AR=llvm-ar-$clang NM=llvm-nm-$clang RANLIB=llvm-ranlib-$clang
}

# The environment in which ClusterFuzz runs a fuzzer.
runner() {
    local common=symbolize=1:dedup_token_length=3:handle_abort=1:handle_segv=1:handle_sigill=1
    export ASAN_OPTIONS=$common:quarantine_size_mb=10:detect_leaks=1:alloc_dealloc_mismatch=0
    ASAN_OPTIONS+=:detect_stack_use_after_return=1:allocator_may_return_null=1:strict_memcmp=1
    ASAN_OPTIONS+=:check_malloc_usable_size=0:detect_odr_violation=0:max_uar_stack_size_log=16
    export MSAN_OPTIONS=$common UBSAN_OPTIONS=$common:silence_unsigned_overflow=1:print_stacktrace=1
    unset OUT SRC WORK CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE AR NM RANLIB
}

# offline COMMAND...: without a network. Who may not leave it as he is may do so in a user namespace
# of his own; where neither is allowed, tell_offline says what ran with it.
if unshare -n true 2>/dev/null; then
    apart="unshare -n"
elif unshare -c -n true 2>/dev/null; then
    apart="unshare -c -n"
else
    apart=
fi
offline() { $apart "$@"; }
tell_offline() {
    [ -n "$apart" ] || echo "NOT RUN offline: unshare gives this user no network namespace; $1"
}

# sources FROM TO: copies what git has of them, or, where it says nothing, all but .git and build/.
sources() {
    local list=$work/list
    git -C "$1" ls-files -z >"$list" 2>/dev/null && [ -s "$list" ] ||
        (cd "$1" && find . \( -path ./build -o -path ./.git \) -prune -o \
            \( -type f -o -type l \) -print0) >"$list"
    mkdir -p "$2" && tar -C "$1" --null -T "$list" --ignore-failed-read -cf - 2>/dev/null |
        tar xf - -C "$2"
    rm -f "$list"
}
