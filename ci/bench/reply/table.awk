# Rows of `bench_reply counts` against a real server as tables: a line for each case, a column for
# each way of reading it.
#   awk -f table.awk COUNTS
$1 == "bench" && $3 ~ /\/(unix|tcp)$/ && $4 ~ /^(syscalls|recv|poll|send)$/ {
    n = split($3, part, "/")
    over = part[n]
    way = part[2]
    for (i = 3; i < n; i++) way = way "/" part[i]
    if (!(part[1] in row)) cases[row[part[1]] = ++rows] = part[1]
    if (!((over, way) in column)) {
        column[over, way]
        ways[over, ++columns[over]] = way
    }
    figure[over, part[1], way, $4] = sprintf("%.1f", $5)
}

function cell(over, name, way, what) {
    if (!((over, name, way, "syscalls") in figure)) return "-"
    if (what == "all") return figure[over, name, way, "syscalls"]
    return figure[over, name, way, "recv"] "/" figure[over, name, way, "poll"] "/" \
        figure[over, name, way, "send"]
}

function has(over, name,    j) {
    for (j = 1; j <= columns[over]; j++)
        if ((over, name, ways[over, j], "syscalls") in figure) return 1
    return 0
}

function table(title, over, what,    i, j) {
    if (!columns[over] || (what == "split" && !split_known())) return
    printf "\n%s\n%-10s", title, "case"
    for (j = 1; j <= columns[over]; j++) printf " %*s", width(over, j), ways[over, j]
    print ""
    for (i = 1; i <= rows; i++) {
        if (!has(over, cases[i])) continue
        printf "%-10s", cases[i]
        for (j = 1; j <= columns[over]; j++)
            printf " %*s", width(over, j), cell(over, cases[i], ways[over, j], what)
        print ""
    }
}

function width(over, j) { return length(ways[over, j]) < 13 ? 13 : length(ways[over, j]) }
function split_known(    k) { for (k in figure) if (k ~ /recv$/) return 1; return 0 }

END {
    table("system calls an operation, unix", "unix", "all")
    table("system calls an operation, tcp", "tcp", "all")
    table("unix, split: recv / poll / send", "unix", "split")
}
