#!/bin/bash
# What fuzzing adds to the coverage of the corpus, with the custom mutator and without: AFL++ and
# honggfuzz have none on OSS-Fuzz. Scenario targets alone: inputs of wire targets are protocol
# bytes, and any engine mutates them with its own means. Each fuzzer runs so many executions from
# the committed corpus and from nothing; a row tells what of core/ the target reached, lines and
# branches. ci/cov/README.md.
#
#   ci/all/cov-mutator.sh [RUNS [TARGET...]]      20000 executions, all scenario targets
set -u
cd "$(dirname "$0")/../.." || exit 2
runs=${1:-20000}
shift $(($# > 0 ? 1 : 0))
work=build/cov-mutator out=build/covfuzz
scenarios=$(grep -l FUZZ_SCENARIO targets/fuzz_*.c | sed 's|targets/fuzz_||; s|\.c$||')
[ $# -gt 0 ] || set -- $scenarios
make --no-print-directory -s -j2 V=covfuzz CC_covfuzz=clang-19 ENG_covfuzz=-fsanitize=fuzzer \
    COV_covfuzz=-fsanitize=fuzzer-no-link \
    CF_covfuzz='-O1 -g -DWB_COUNTED -fprofile-instr-generate -fcoverage-mapping' \
    $(printf "$out/fuzz_%s $out/plain_%s " $(for t in "$@"; do echo "$t $t"; done)) || exit 2
make --no-print-directory -s -j2 V=gcc build/gcc/bed || exit 2
rm -rf "$work" && mkdir -p "$work"
passed=0 failed=0

# fuzz KIND TARGET FROM RUNS: one fuzzer, whose counters become FROM-KIND-TARGET.profraw.
fuzz() {
    local name=$3-$1-$2
    mkdir -p "$work/$name"
    if LLVM_PROFILE_FILE="$work/$name.profraw" "$out/$1_$2" -seed=1 -runs="$4" -max_len=16384 \
        -mutate_depth=3 -artifact_prefix="$work/$name-" "$work/$name" "$work/$3-$2" \
        >"$work/$name.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name found something:"
        tail -n 30 "$work/$name.log"
    fi
}

# reached NAME OBJECT PROFILES...: lines and branches of core/ that were, but for core/base, which
# the mutator runs too.
reached() {
    local name=$1 object=$2
    shift 2
    llvm-profdata-19 merge -sparse "$@" -o "$work/$name.profdata" &&
        llvm-cov-19 export -format=lcov "$object" -instr-profile="$work/$name.profdata" \
            $(ls core/*/*.[ch]) >"$work/$name.lcov" 2>/dev/null
    awk -v covered=/dev/stdout -v missed=/dev/null -f ci/cov/count.awk "$work/$name.lcov" |
        awk '$1 !~ /^core\/base\// { lines += $3; branches += $5 }
            END { printf " %5d %5d", lines, branches }'
}

printf 'lines and branches of core/ reached, %s executions\n' "$runs"
printf '%-16s %11s %11s %11s %11s %11s\n' target corpus mutator plain nothing+mut nothing+pln
for t in "$@"; do
    mkdir -p "$work/corpus-$t" "$work/nothing-$t"
    for f in corpus/"$t"/*/*; do
        part=$(basename "$(dirname "$f")")
        build/gcc/bed asm "$f" -o "$work/corpus-$t/$part-${f##*/}" || failed=$((failed + 1))
    done
    fuzz fuzz "$t" corpus 0
    mv "$work/corpus-fuzz-$t.profraw" "$work/alone-fuzz-$t.profraw"
    for from in corpus nothing; do
        fuzz fuzz "$t" $from "$runs"
        fuzz plain "$t" $from "$runs"
    done
    printf '%-16s' "$t"
    for kind in alone-fuzz corpus-fuzz corpus-plain nothing-fuzz nothing-plain; do
        reached "$kind-$t" "$out/${kind#*-}_$t" "$work/$kind-$t.profraw"
    done
    echo
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
