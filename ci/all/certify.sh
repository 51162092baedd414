#!/bin/bash
# The determinism certificate over everything that is built: both compilers at -O0, -O2 and -O3, and
# the sanitizers. Variants that are for this alone are made here; they yield at atomics as the
# others do, which release and tsan do not.
set -u
cd "$(dirname "$0")/../.." || exit 2
make() {
    command make "$@" CC_gcc-O0=gcc 'CF_gcc-O0=-O0 -DWB_COUNTED -w' \
        CC_gcc-O3=gcc 'CF_gcc-O3=-O3 -DNDEBUG -w' \
        CC_clang-O3=clang-19 'CF_clang-O3=-O3 -DNDEBUG -w'
}
export -f make
ci/certify.sh gcc clang asan msan cov gcc-O0 gcc-O3 clang-O3
