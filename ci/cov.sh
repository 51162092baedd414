#!/bin/bash
# What the committed corpus alone covers of core/: lines and branches of each file, each folder, and
# of the folders of protocols together (`bar`: 98 per cent of lines, 95 of branches), held against
# ci/floors.txt (name, per cent of lines, per cent of branches). Floors only rise: FLOORS=1 raises
# them to what is covered now. What only a bug of our own could reach is counted apart, by the rules
# in ci/cov/count.awk. Each branch that is missed stands in ci/cov/missed.tsv with the reason, and
# only those: FLOORS=1 takes out what is missed no more. Exit 1 when a floor is missed or lacks, or
# that list is not right; build/cov/missed has all.
set -eu
cd "$(dirname "$0")/.."
out=build/cov floors=ci/floors.txt listed=ci/cov/missed.tsv
targets=$(ls targets/fuzz_*.c | sed 's|targets/fuzz_||; s|\.c$||' | grep -vx canary)
programs=$(for t in $targets; do echo "$out/fuzz_$t"; done)
log=$(make --no-print-directory -s -j2 V=cov $programs 2>&1) || {
    echo "$log" >&2
    exit 2
}

# Counters live in a mapped file (%c), so that the children of a replay count too, however they end.
rm -f $out/*.profraw
for t in $targets; do
    LLVM_PROFILE_FILE="$out/$t-%c.profraw" "$out/fuzz_$t" >"$out/$t.log" 2>&1 || {
        cat "$out/$t.log"
        echo "cov: the corpus of $t does not pass" >&2
        exit 1
    }
done
llvm-profdata-19 merge -sparse $out/*.profraw -o $out/all.profdata
objects=$(printf -- '-object %s ' $programs)
llvm-cov-19 export -format=lcov ${objects#-object } -instr-profile=$out/all.profdata \
    $(ls core/*/*.[ch]) >$out/all.lcov
: >$out/covered >$out/missed
awk -v covered=$out/covered -v missed=$out/missed -f ci/cov/count.awk $out/all.lcov
LC_ALL=C sort -o $out/covered $out/covered
LC_ALL=C sort -o $out/missed $out/missed

[ -e $floors ] || : >$floors
awk -v floors=$floors -v listed=$listed -v raise="${FLOORS:-}" \
    -f ci/cov/judge.awk $floors $listed $out/covered $out/missed || status=$?
if [ -n "${FLOORS:-}" ]; then
    LC_ALL=C sort -o $floors.new $floors.new
    mv $floors.new $floors # whole or not at all
    mv $listed.new $listed
    [ ! -f ci/README.md ] || ci/table.sh
fi
exit "${status:-0}"
