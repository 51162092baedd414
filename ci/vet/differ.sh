#!/bin/bash
# Looks for a difference that the corpus does not hold: fuzzes one target of the two sides of the
# last `make vet`, by coverage of the new core, and vets what it finds. Stops at the first, so it is
# of use when the vet itself finds nothing unreviewed.
#
#   ci/vet/differ.sh TARGET [SECONDS]      exit 0 nothing, 1 a difference, 2 could not run
#
#   VET_OLD, VET_NEW     other sides than those of the last vet
set -u
cd "$(dirname "$0")/../.." || exit 2
target=${1:-} seconds=${2:-60} work=build/vet/differ/${1:-none}
cannot() {
    echo "differ: $*" >&2
    exit 2
}
[ -d "corpus/$target" ] && [ -n "$target" ] || cannot "which target? one of" $(ls corpus)
old=${VET_OLD:-build/vet/old.so} new=${VET_NEW:-build/vet/new.so}
[ -f "$old" ] && [ -f "$new" ] || cannot "make vet BASE=REVISION comes first"
make --no-print-directory -s build/bed "build/vet/fuzz_vet_$target" || cannot "does not build"
rm -rf "$work" && mkdir -p "$work/seeds" "$work/corpus" || exit 2
build/bed vet --target "$target" --expected "" --seeds "$work/seeds" "$old" "$new" ||
    exit 2
export VET_OLD=$old VET_NEW=$new
"build/vet/fuzz_vet_$target" -seed=1 -max_total_time="$seconds" -max_len=4096 -timeout=5 \
    -artifact_prefix="$work/" "$work/corpus" "$work/seeds" >"$work/log" 2>&1
ended=$?
found=$(find "$work" -maxdepth 1 -name 'crash-*' -o -maxdepth 1 -name 'timeout-*' | head -n 1)
grep -E '^(DIFFERS|ASSERTION|stat::number_of|Done)' "$work/log"
if [ -z "$found" ]; then
    [ $ended = 0 ] || cannot "the fuzzer ended with $ended: $(tail -n 1 "$work/log")"
    exit 0
fi
echo "input: $found"
build/bed vet --target "$target" --input "$found" --state "$work" "$old" "$new"
exit 1
