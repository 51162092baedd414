#!/bin/bash
# The determinism certificate: every entry of the corpus runs to the same trace hash whatever built
# the program, with fresh memory that holds other bytes, in another order, and with addresses that
# the system draws or does not. One test each.
#
#   ci/certify.sh [VARIANT...]      gcc, clang and asan unless told; the first one is the measure
set -u
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- gcc clang asan
measure=build/certificate-$1
passed=0 failed=0

# certify NAME COMMAND...: runs the tool so, against the measure.
certify() {
    local name=$1 said
    shift
    if said=$("$@" --check "$measure" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s runs otherwise than %s:\n%s\n' "$name" "$measure" "$said"
    fi
}

for v in "$@"; do
    make --no-print-directory -s -j2 V="$v" "build/$v/bed" || exit 2
done
"build/$1/bed" certify --write "$measure" || exit 2
fixed=
setarch -R true 2>/dev/null && fixed=1
for v in "$@"; do
    certify "$v" "build/$v/bed" certify --fill 165
    certify "$v, in reverse" "build/$v/bed" certify --fill 0 --reverse
    [ -z "$fixed" ] || certify "$v, addresses fixed" setarch -R "build/$v/bed" certify --fill 90
done
[ -n "$fixed" ] || echo "NOT RUN with fixed addresses: setarch -R is refused here"
echo "$(wc -l <"$measure") inputs are the same in $passed ways"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
