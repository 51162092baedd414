#!/bin/bash
# All of OSS-Fuzz that can be had without docker: each rule seen to refuse, each engine with each of
# its sanitizers, run_tests.sh with ten functions broken in turn, and the example of ADOPT.md.
set -u
cd "$(dirname "$0")/../.." || exit 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for step in ci/oss-fuzz/test_local.sh "ci/ossfuzz-local.sh all" ci/oss-fuzz/test_example.sh; do
    echo "---- $step"
    $step 2>&1 || true
done | tee "$log"
echo "NOT RUN i386: a program for it does not link here (no libc6-dev-i386)"
echo "NOT RUN the images of OSS-Fuzz themselves, and so their newer clang: no docker"
echo "NOT RUN honggfuzz and Centipede themselves: not in Debian; stand-ins with their contracts did"
awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3; n++ }
    END {
        f += n < 3 # one did not come to its end
        print p + 0 " passed, " f + 0 " failed"
        exit f > 0
    }' "$log"
