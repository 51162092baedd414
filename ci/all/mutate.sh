#!/bin/bash
# All generated mutants of core/ against their floors (ci/mutate.sh), and the tool's own test.
set -u
cd "$(dirname "$0")/../.." || exit 2
passed=0 failed=0
for command in "ci/mutate.sh sound" ci/mutate.sh; do
    if $command; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
