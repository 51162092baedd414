# What became of the mutants, file by file; those that live, as differences, into `list`; the next
# ci/mutate.tsv into `next_kept`. Reads the table, the results, hashes of planted files, which
# objects are the same, what is claimed equivalent, the last ci/mutate.tsv, and the invariants.
BEGIN {
    FS = OFS = "\t"
    wanted = split(chosen, names, " ")
    for (i in names)
        want[names[i]]
}

# ---- the files ----

FILENAME == ARGV[1] {
    key = $2 SUBSEP $3 SUBSEP $7
    order[++count] = key
    file[key] = $2; fn[key] = $2 SUBSEP $3; of[$2, $1] = key; name[key] = $7
    line[key] = $5; at[key] = $8; len[key] = $9; before[key] = $10; after[key] = $11
    if (!(fn[key] in hash)) {
        fns[++fn_count] = fn[key]
        hash[fn[key]] = $4
    }
    if (!($2 in mutants))
        files[++file_count] = $2
    mutants[$2]++
    next
}
FILENAME == ARGV[2] {
    key = $2 SUBSEP $3 SUBSEP $5
    if ($1 != world || hash[$2, $3] != $4)
        next
    end[key] = $6; stage[key] = $7; by[key] = $8; where[key] = $9
    if ($6 == "killed" && $8 ~ /^[A-Z]+-[0-9]+$/)
        kills[$2, $3, $8]++
    next
}
FILENAME == ARGV[3] { planted[$2] = $1; path_of[$1] = $2; next }
FILENAME == ARGV[4] {
    if ($1 in path_of && $3 == "same")
        identical[of[path_of[$1], $2]]
    next
}
FILENAME == ARGV[5] {
    if ($0 !~ /^#/ && NF >= 4) {
        claim[$1, $2, $3] = $NF
        claims[++claim_count] = $1 SUBSEP $2 SUBSEP $3
    }
    next
}
FILENAME == ARGV[6] {
    kept[++kept_count] = $0
    if ($2 == "*")
        floor[$1] = $5
    next
}
{
    if (match($0, /X\([A-Z]+, *[0-9]+,/)) {
        id = substr($0, RSTART + 2, RLENGTH - 3)
        gsub(/, */, "-", id)
        text = substr($0, RSTART + RLENGTH)
        if (text !~ /"/)
            getline text
        sub(/^[^"]*"/, "", text)
        sub(/".*/, "", text)
        sentence[id] = text
    }
}

# ---- sums ----

function is_wanted(path) {
    return wanted == 0 || path in want
}

function sort_of(key) {
    if (end[key] == "killed")
        return stage[key] == "fuzz" ? "fuzz" : "killed"
    if (key in claim)
        return "claimed"
    if (key in identical)
        return "identical"
    return end[key]
}

function percent(part, whole) {
    return whole == 0 ? 100 : int(1000 * part / whole) / 10
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
function show(key, why,   text, row, path, a, b, rest) {
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
        name[key], why, row, substr(text, a, at[key] + 1 - a) after[key] rest > list
    printf "  nearest: %s\n\n", nearest(key) > list
}

END {
    printf "" > list
    for (i = 1; i <= count; i++) {
        key = order[i]
        if (!is_wanted(file[key]))
            continue
        s = sort_of(key)
        n[file[key], s]++
        f[fn[key], s]++
        f[fn[key], "all"]++
        if (s == "killed" && stage[key] == "modes")
            slow[fn[key]] = slow[fn[key]] " " name[key]
        if (s == "identical" || s == "claimed" || s == "same")
            apart[fn[key]] = apart[fn[key]] " " name[key]
        if (s == "survived" || s == "unreached" || s == "fuzz") {
            lives[fn[key]] = lives[fn[key]] " " name[key]
            show(key, s == "fuzz" ? "killed by a fuzz run alone: " where[key] : s)
        }
    }
    for (i = 1; i <= count; i++) {
        if (is_wanted(file[order[i]]) && sort_of(order[i]) == "same")
            show(order[i], "changes no trace")
    }
    bad = tell_files() + judge_claims()
    keep()
    exit bad > 0
}

function tell_files(   i, p, whole_of, strict, score, bad) {
    printf "%-32s %7s %7s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "file", "mutants", "killed", \
        "ident", "same", "claim", "unrch", "fuzz", "lives", "score", "strict", "floor"
    for (i = 1; i <= file_count; i++) {
        p = files[i]
        if (!is_wanted(p))
            continue
        strict = mutants[p] - n[p, "identical"] - n[p, "claimed"]
        whole_of = strict - n[p, "same"]
        score = percent(n[p, "killed"], whole_of)
        reached[p] = score
        printf "%-32s %7d %7d %6d %6d %6d %6d %6d %6d %6.1f %6.1f %6s%s\n", p, mutants[p], \
            n[p, "killed"], n[p, "identical"], n[p, "same"], n[p, "claimed"], n[p, "unreached"], \
            n[p, "fuzz"], n[p, "survived"], score, percent(n[p, "killed"], strict), \
            p in floor ? floor[p] : "-", p in floor && score < floor[p] ? "  UNDER" : ""
        bad += p in floor && score < floor[p]
    }
    return bad
}

# A claim holds as long as its mutant is there and lives.
function judge_claims(   i, c, part, bad) {
    for (i = 1; i <= claim_count; i++) {
        c = claims[i]
        split(c, part, SUBSEP)
        if (!is_wanted(part[1]))
            continue
        if (!(c in file)) {
            print "claimed equivalent, but there is no such mutant: " part[1], part[2], part[3]
            bad++
        } else if (end[c] == "killed") {
            print "claimed equivalent, but killed by " by[c] " in " where[c] ": " part[1], part[3]
            bad++
        }
    }
    return bad
}

# Files that were not run stay as they were; a floor never falls.
function keep(   i, p, k, part, f_sum, rows) {
    print "# What ci/mutate.sh found, by FLOORS=1: file, *, mutants, killed, floor; and file," \
        > next_kept
    print "# function, hash, mutants, killed, those apart, those only modes kill, those that live." \
        > next_kept
    for (i = 1; i <= kept_count; i++) {
        split(kept[i], part, FS)
        if (kept[i] !~ /^#/ && !is_wanted(part[1]) && part[1] in mutants)
            print kept[i] > next_kept
    }
    for (i = 1; i <= file_count; i++) {
        p = files[i]
        if (is_wanted(p))
            print p, "*", mutants[p], n[p, "killed"] + 0, \
                (p in floor && floor[p] > reached[p] ? floor[p] : reached[p]) > next_kept
    }
    for (i = 1; i <= fn_count; i++) {
        k = fns[i]
        split(k, part, SUBSEP)
        if (is_wanted(part[1]))
            print part[1], part[2], hash[k], f[k, "all"], f[k, "killed"] + 0, \
                cut(apart[k]), cut(slow[k]), cut(lives[k]) > next_kept
    }
    close(next_kept)
}

function cut(names) {
    sub(/^ /, "", names)
    return names == "" ? "-" : names
}
