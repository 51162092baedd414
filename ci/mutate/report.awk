# What became of the mutants, file by file; those that live, as differences, into `list`, those
# apart into `aside`; the next ci/mutate.tsv into `next_kept`.

function is_wanted(path) {
    return wanted == 0 || path in want
}

function percent(part, whole) {
    return whole == 0 ? 100 : int(1000 * part / whole) / 10
}

BEGIN {
    why_apart["identical"] = "the object code is the same"
    why_apart["same"] = "changes no trace"
}

END {
    printf "" > list
    printf "" > aside
    for (i = 1; i <= count; i++) {
        key = order[i]
        if (!is_wanted(file[key]))
            continue
        s = sort_of(key)
        n[file[key], s]++
        f[fn[key], s]++
        f[fn[key], "all"]++
        sum[s]++
        if (s == "killed" && stage[key] == "modes")
            slow[fn[key]] = slow[fn[key]] " " name[key]
        if (s == "identical" || s == "claimed" || s == "same") {
            apart[fn[key]] = apart[fn[key]] " " name[key]
            show(key, s == "claimed" ? "claimed: " claim[key] : why_apart[s], aside)
        } else if (s != "killed") {
            lives[fn[key]] = lives[fn[key]] " " name[key]
            show(key, s == "fuzz" ? "killed by a fuzz run alone: " where[key] : s, list)
        }
    }
    bad = tell_files() + judge_claims()
    keep()
    print sum["survived"] + sum["unreached"] + sum["fuzz"] " live, as differences in " list "; " \
        sum["identical"] + 0 " have the same object code, " sum["same"] + 0 \
        " change no trace, " sum["claimed"] + 0 " are claimed: " aside
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
        bad += p in floor ? score < floor[p] : raise == ""
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
    print "# ci/mutate.sh, FLOORS=1: file, *, mutants, killed, floor; file, function, hash," \
        > next_kept
    print "# mutants, killed, those apart, those only modes kill, those that live." > next_kept
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
