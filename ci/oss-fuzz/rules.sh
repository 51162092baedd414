#!/bin/bash
# The rules by which OSS-Fuzz refuses a build (base-runner/bad_build_check and test_all.py), and a
# few of ours, on one fuzzer: ci/oss-fuzz/rules.sh FUZZER SCRATCH, with FUZZING_ENGINE and SANITIZER
# set and $OUT moved to where the fuzzer lies now. Prints "ok RULE" or "BAD RULE: what and why".
#
#   names         A-Z a-z 0-9 _ - alone
#   architecture  an ELF file for x86-64
#   libraries     none that the runner lacks
#   sanitizer     as many calls of its runtime as a whole build has, and none of another's
#   instrumented  the engine sees new coverage
#   starts        the engine's first inputs pass
#   moved         starts here too, and not only where it was built
#   dictionary    the engine can read it
#   options       sections that ClusterFuzz knows
#   seeds         there is a corpus beside it
#   limits        each seed passes within 25 s and 2560 MB
#   covered       coverage builds: the seeds cover something
set -u
. ci/oss-fuzz/image.sh
f=$1 name=${1##*/} there=${1%/*} scratch=$2
engine=$FUZZING_ENGINE sanitizer=$SANITIZER
mkdir -p "$scratch/seeds"
log=$scratch/log seeds=$scratch/seeds
rss=2560 seconds=${LIMIT:-25}

ok() { echo "ok $1"; }
bad() { echo "BAD $1: $engine $sanitizer $name: $2"; }
# judge RULE WHY COMMAND...
judge() { if "${@:3}"; then ok "$1"; else bad "$1" "$2"; fi; }
# In a folder that is not the one of the build, with nothing of the build in the environment.
run() { (cd "$there" && runner && timeout 900 "$@" </dev/null >"$log" 2>&1); }
tail_of() { grep -vE '^(INFO|#)' "$log" | tail -n "${1:-3}" | tr '\n' ';'; }

# Calls by which bad_build_check tells one sanitizer from another, and, which it does not look at,
# those outside the runtimes: theirs alone would do for its limits.
is_pure() {
    objdump -dC "$f" | awk '
        /^[0-9a-f]+ </ { inside = $0 ~ /<(__)?_?_?(asan|msan|ubsan|sanitizer|interceptor)/ }
        !/call/ { next }
        /<__asan/ { a++ }
        /<__msan/ { m++ }
        /<__ubsan/ { u++ }
        /<__dfsan/ { d++ }
        !inside && /<__(asan_(report|load|store)|msan_warning|ubsan_handle)/ { own++ }
        END { print a + 0, m + 0, u + 0, d + 0, own + 0 }' >"$scratch/calls"
    read -r a m u d own <"$scratch/calls"
    case $sanitizer in
    address) [ "$a" -ge 1000 ] && [ "$m" -le 3 ] && [ "$u" -le 200 ] ;;
    memory) [ "$m" -ge 1000 ] && [ "$a" = 0 ] && [ "$u" -le 200 ] ;;
    undefined) [ "$u" -ge 168 ] && [ "$a" = 0 ] && [ "$m" -le 3 ] ;;
    *) own=1 ;;
    esac && [ "$d" = 0 ] && [ "$own" -gt 0 ]
}

known='linux-vdso|ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+'
has_strange() {
    readelf -d "$f" | sed -nE 's/.*NEEDED.*\[(.*)\.so.*/\1/p' | grep -vxE "$known" >"$scratch/lib"
}

starts_libfuzzer() {
    local dict=
    [ ! -f "$f.dict" ] || dict=-dict=$f.dict
    run "$f" $dict -rss_limit_mb=$rss -timeout="$seconds" -seed=1337 -runs=4
    if grep -q "ParseDictionaryFile: error" "$log"; then
        bad dictionary "$(tail_of)"
        run "$f" -seed=1337 -runs=4
    elif [ -n "$dict" ]; then
        ok dictionary
    fi
    if grep -q "Done 4 runs" "$log"; then
        ok starts
    elif (cp -r "$there" "$scratch/back" && cd "$scratch" && was=$(cat "$there/../was") &&
        mkdir -p "$was" && cp -r "$there"/. "$was" && there=$was &&
        run "$was/$name" -runs=4 && rm -rf "$was"); then
        bad moved "starts in the folder of its build alone"
    else
        bad starts "$(tail_of)"
    fi
    [ "$sanitizer" = coverage ] ||
        judge instrumented "the engine sees no coverage" \
            sh -c "! grep -q 'no interesting inputs were found' '$log'"
}

starts_afl() {
    local pid i
    mkdir -p "$scratch/in" && echo input >"$scratch/in/i"
    (
        cd "$there" && runner
        unset MSAN_OPTIONS
        export ASAN_OPTIONS=$ASAN_OPTIONS:abort_on_error=1:symbolize=0:detect_leaks=0
        export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_FORKSRV_INIT_TMOUT=30000
        export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
        exec timeout -s INT 35 afl-fuzz -i "$scratch/in" -o "$scratch/afl" -t 5000+ -m none \
            -- "$f" </dev/null >"$log" 2>&1
    ) &
    pid=$!
    for ((i = 0; i < 350; i++)); do
        ! grep -q "All set and ready to roll" "$log" 2>/dev/null || break
        kill -0 $pid 2>/dev/null || break
        sleep 0.1
    done
    kill -INT $pid 2>/dev/null
    wait $pid 2>/dev/null
    judge starts "$(tail_of)" \
        sh -c "grep -q 'All set and ready to roll' '$log' &&
               ! grep -qE 'target binary (crashed|terminated)' '$log'"
    judge instrumented "AFL++ sees no map" sh -c "! grep -qi 'no instrumentation' '$log'"
}

runs_seeds() {
    case $engine in
    libfuzzer) LLVM_PROFILE_FILE=$scratch/p run "$f" -rss_limit_mb=$rss -timeout="$seconds" \
        -runs=0 "$seeds" ;;
    *) find "$seeds" -type f -print0 | (cd "$there" && runner &&
        timeout $((seconds * 8)) xargs -0 "$f" >"$log" 2>&1) ;;
    esac
}

covers() {
    llvm-profdata-$clang merge -sparse "$scratch/p" -o "$scratch/prof" 2>"$log" &&
        llvm-cov-$clang report -instr-profile="$scratch/prof" "$f" 2>"$log" |
        awk '$1 == "TOTAL" && $2 > $3 { ok = 1 } END { exit !ok }'
}

judge names "a name with other characters" grep -qxE '[A-Za-z0-9_-]+' <<<"$name"
judge architecture "not for x86-64" sh -c "readelf -h '$f' | grep -q X86-64"
if has_strange; then bad libraries "$(tr '\n' ' ' <"$scratch/lib")"; else ok libraries; fi
if is_pure; then ok sanitizer; else
    bad sanitizer "mixed or missing: $a of asan, $m of msan, $u of ubsan, $d of dfsan; $own outside"
fi
case $engine in
libfuzzer) starts_libfuzzer ;;
afl) starts_afl ;;
*) if run "$f"; then ok starts; else bad starts "$(tail_of)"; fi ;;
esac
[ ! -f "$f.options" ] ||
    judge options "an unknown section" \
        sh -c "! grep -E '^\[' '$f.options' | grep -vxE '\[(libfuzzer|asan|msan|ubsan|env)\]'"
if ! unzip -qo "${f}_seed_corpus.zip" -d "$seeds" 2>/dev/null || [ -z "$(ls -A "$seeds")" ]; then
    bad seeds "no seed corpus"
    exit
fi
ok seeds
if runs_seeds; then ok limits; else bad limits "$(tail_of 6)"; fi
[ "$sanitizer" != coverage ] || judge covered "the seeds cover nothing" covers
rm -rf "$scratch"
