#!/bin/bash
# What make oss-fuzz lays beside a fuzzer in $OUT: ci/oss-fuzz/pack.sh TOOL TARGET... The seed
# corpus as bytes, zipped; the dictionary; the options. TOOL is a `bed` that runs on this machine.
set -eu
cd "$(dirname "$0")/../.."
tool=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for t in "$@"; do
    mkdir -p "$work/$t"
    find "corpus/$t" -type f | LC_ALL=C sort | while read -r f; do
        "$tool" asm --target "$t" -o "$work/$t/$(basename "$f").bin" "$f"
    done
    (cd "$work/$t" && LC_ALL=C ls | zip -q -X -@ "$work/$t.zip")
    mv "$work/$t.zip" "$OUT/fuzz_${t}_seed_corpus.zip"
    "$tool" dict "$t" >"$OUT/fuzz_$t.dict" 2>/dev/null || rm -f "$OUT/fuzz_$t.dict"
    printf '[libfuzzer]\nmax_len = 4096\n' >"$OUT/fuzz_$t.options"
done
