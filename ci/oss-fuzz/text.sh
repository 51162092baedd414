#!/bin/bash
# What an engine found, as a text of the corpus: ci/oss-fuzz/text.sh TOOL TARGET FILE. TOOL is a
# `bed`. To an engine the first byte of a wire input is its configuration; in a corpus it is stated.
set -eu
tool=$1 target=$2 file=$3
cd "$(dirname "$0")/../.."
if grep -q FUZZ_SCENARIO "targets/fuzz_$target.c"; then
    "$tool" show --target "$target" "$file"
else
    od -An -v -tx1 -w32 "$file" | awk '
        NR == 1 { print "# What an engine found.\n# config: " $1; $1 = "" }
        { sub(/^ +/, ""); if ($0 != "") print }'
fi
