#!/bin/bash
# Does `make afl` bring home what it finds? In a copy of the tree, by hard links: a target whose
# seeds were taken away gets some back, which name what they reach and replay. Then a bug that 1 of
# 65,536 numbers shows is planted, and found from nothing, reduced, and named by its invariant.
set -u
cd "$(dirname "$0")/../.." || exit 2
# Seconds on a machine that does nothing else; the time is for one that does.
export EXECS=60000
seconds=90
passed=0 failed=0
judge() {
    if "${@:2}"; then passed=$((passed + 1)); else
        failed=$((failed + 1)) && echo "BAD $1"
    fi
}
# Built here first, so that what is built stays.
for v in afl/fuzz_varint so/mutate_varint.so asan/bed fuzz/fuzz_varint; do
    make --no-print-directory -s -j2 V="${v%%/*}" "build/$v" || exit 2
done
make --no-print-directory -s -j2 V=cmplog build/cmplog/fuzz_varint ||
    echo "NOT RUN CMPLOG: its build fails"
tree=$PWD/$(mktemp -d build/afl-tree.XXXXXX) || exit 2
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/build"
cp -al Makefile ci core sim oracles targets corpus "$tree/"
cp -al build/{afl,so,asan,fuzz,cmplog} "$tree/build/"
cd "$tree" || exit 2

find corpus/varint -type f | grep -v seeds/sizes.hex | xargs rm
KEEP=1 ci/afl.sh varint "$seconds"
judge "a sound target fails" [ $? = 0 ]
find corpus/varint/seeds -type f | grep -v /sizes.hex >kept
judge "nothing new was kept" [ -s kept ]
judge "a name does not say what it is for" sh -c '! grep -vE "/reaches-[a-z0-9-]+\.hex$" kept'
judge "what was kept does not replay" sh -c 'build/asan/bed run --target varint $(cat kept)'

sed -i 's/^    \*out = join(in->data\[0\] & 0x3f.*/&\n    *out ^= (uint16_t)*out == 0x6162;/' \
    core/base/varint.c
judge "the bug cannot be planted" grep -q 0x6162 core/base/varint.c
EMPTY=1 ci/afl.sh varint "$seconds"
judge "a planted bug was not found" [ $? = 1 ]
judge "what was found has no name" sh -c 'ls build/afl/found/varint/VAR-*.hex'
judge "what was found is not reduced" sh -c \
    '[ $(cat build/afl/found/varint/VAR-*.hex | grep -v "^#" | head -n 1 | wc -w) -le 8 ]'
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
