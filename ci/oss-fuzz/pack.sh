#!/bin/bash
# What make oss-fuzz lays beside a fuzzer in $OUT: ci/oss-fuzz/pack.sh TOOL TARGET... The seed
# corpus as bytes, zipped; the dictionary of its ops and messages; the options. TOOL is a `bed` that
# runs on this machine. The same corpus gives the same files.
set -eu
cd "$(dirname "$0")/../.."
tool=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# How many configurations a file of the corpus states, and its path; each is a seed.
seeds_of() {
    find "corpus/$1" -type f | LC_ALL=C sort | xargs -d '\n' awk '
        function tell() { if (path != "") print n, path }
        FNR == 1 { tell(); path = FILENAME; n = 1; told = 0 }
        /^# config:/ && !told { n = NF - 2; told = 1 }
        END { tell() }'
}

for t in "$@"; do
    mkdir -p "$work/$t"
    seeds_of "$t" | while read -r n f; do
        name=${f#corpus/"$t"/}
        for ((i = 0; i < n; i++)); do
            "$tool" asm --target "$t" --config "$i" -o "$work/$t/${name//\//-}-$i" "$f"
        done
    done
    "$tool" dict --target "$t" >"$work/dict" 2>/dev/null || rm -f "$work/dict"
    rm -f "$OUT/fuzz_$t.dict"
    [ ! -s "$work/dict" ] || cp "$work/dict" "$OUT/fuzz_$t.dict"
    max=16384
    ! grep -q FUZZ_SCENARIO "targets/fuzz_$t.c" || max=4096
    printf '[libfuzzer]\nmax_len = %d\n' "$max" >"$OUT/fuzz_$t.options"
    (cd "$work/$t" && touch -d 2000-01-01 -- * && LC_ALL=C ls | zip -q -X -@ "$work/$t.zip")
    mv "$work/$t.zip" "$OUT/fuzz_${t}_seed_corpus.zip"
done
