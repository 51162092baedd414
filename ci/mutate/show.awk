# What became of a mutant, and how people are told. Comes behind read.awk, which has read all.

function sort_of(key) {
    if (end[key] == "killed")
        return stage[key] == "fuzz" ? "fuzz" : "killed"
    if (key in claim)
        return "claimed"
    if (key in identical)
        return "identical"
    return end[key]
}

function nearest(key,   i, k, best, n, part) {
    for (k in kills) {
        split(k, part, SUBSEP)
        if (part[1] SUBSEP part[2] == fn[key] && kills[k] > n) {
            n = kills[k]
            best = part[3]
        }
    }
    return best == "" ? "none: nothing of this function is killed by an invariant" \
                      : best " (kills " n " others here): " sentence[best]
}

# The lines that change, as they are and as the mutant has them.
function show(key, why, to,   text, row, path, a, b, rest) {
    path = file[key]
    if (!(path in whole)) {
        while ((getline row < path) > 0)
            whole[path] = whole[path] row "\n"
        close(path)
    }
    text = whole[path]
    a = at[key] + 1
    while (a > 1 && substr(text, a - 1, 1) != "\n")
        a--
    b = at[key] + len[key] + 1
    while (substr(text, b, 1) != "\n")
        b++
    row = substr(text, a, b - a)
    gsub(/\n/, "\n-", row)
    rest = substr(text, at[key] + len[key] + 1, b - at[key] - len[key] - 1)
    printf "%s:%d %s %s, %s\n-%s\n+%s\n", path, line[key], substr(fn[key], length(path) + 2), \
        name[key], why, row, substr(text, a, at[key] + 1 - a) after[key] rest > to
    printf "  nearest: %s\n\n", nearest(key) > to
}
