# Sourced by ci/check.sh and ci/check-all.sh: what the logs of their pieces come to.
passed=0 failed=0 left=0

# pieces_count LOG [last]: the closing lines of cmocka and "N passed, N failed", added up or the
# last of them. A program that stops without a closing line is counted by its exit status.
pieces_count() {
    awk -v last="${2:-}" '
        /^\[  PASSED  \] [0-9]+ test/ { p += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { f += $4 }
        last != "" && /^[0-9]+ passed, [0-9]+ failed$/ { p = f = 0 }
        /^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
        END { print p + 0, f + 0 }' "$1"
}

# pieces_left LOG: a line "NOT RUN what: why" for each that it has, indented or not, and for each
# test that cmocka skipped; why is what that one printed last.
pieces_left() {
    awk '
        sub(/^ *NOT RUN /, "NOT RUN ")
        /^\[  SKIPPED \] [a-z_0-9]+$/ && $4 !~ /^[0-9]/ && !told[$4]++ {
            print "NOT RUN " $4 ": " (before ~ /^\[|^$/ ? "skipped" : before)
        }
        { before = $0 }' "$1"
}

# pieces_add NAME STATUS SECONDS LOG PASSED FAILED: takes a piece into the sum, prints its line and
# what it did not run, and leaves in `bad` how much of it failed. One that ran nothing, and does not
# say why, is a failure.
pieces_add() {
    local name=$1 status=$2 log=$4 p=$5 n
    bad=$6
    pieces_left "$log" >"$log.left"
    n=$(wc -l <"$log.left")
    [ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    if [ $((p + bad + n)) = 0 ]; then
        bad=1
        echo "no test was run" >>"$log"
    fi
    passed=$((passed + p)) failed=$((failed + bad)) left=$((left + n))
    printf '  %-16s %5d passed, %d failed%s  (%d s)\n' "$name" "$p" "$bad" \
        "$([ "$n" = 0 ] || echo ", $n not run")" "$3"
    sed 's/^/    /' "$log.left"
}

# pieces_end: the last lines, and the exit status.
pieces_end() {
    [ $((passed + failed)) -gt 0 ] || failed=1
    echo "$left not run"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
