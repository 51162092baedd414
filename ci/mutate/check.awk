# The drawn mutants against ci/mutate.tsv: of a function that is as it was, what lives must stand
# there as living, apart, or as what only the slow modes kill; one that changed or is new may have
# no more that live than it had.

function is_alive(key,   s) {
    s = sort_of(key)
    return s == "survived" || s == "unreached" || s == "fuzz"
}

function read_kept(   i, j, k, part, names) {
    for (i = 1; i <= kept_count; i++) {
        if (kept[i] ~ /^#/ || split(kept[i], part, FS) < 8)
            continue
        k = part[1] SUBSEP part[2]
        is_kept[k]
        kept_hash[k] = part[3]
        for (j = split(part[6] " " part[7] " " part[8], names, " "); j > 0; j--)
            known[k, names[j]]
        gsub(/-( |$)/, "", part[7])
        gsub(/-( |$)/, "", part[8])
        allowed[k] = split(part[7] " " part[8], names, " ")
    }
}

# What can be done about it.
function advise(path) {
    print "  A case in corpus/ that it changes; or, if no run can show it, a line in"
    print "  ci/mutate/equivalent.tsv; or, to let it live: make mutate NAME=" path " FLOORS=1"
    print ""
}

END {
    read_kept()
    while ((getline id < drawn) > 0)
        want[id]
    for (i = 1; i <= count; i++) {
        key = order[i]
        k = fn[key]
        if (!(id_of[key] in want))
            continue
        total++
        if (end[key] == "") {
            print "no verdict: " file[key] ":" line[key] " " name[key]
            failed++
        } else if (end[key] == "killed" && key in claim) {
            show(key, "claimed equivalent, but killed by " by[key] " in " where[key], "/dev/stdout")
            failed++
        } else if (is_alive(key) && kept_hash[k] == hash[k] && !((k, name[key]) in known)) {
            show(key, end[key] ", and was killed before", "/dev/stdout")
            advise(file[key])
            failed++
        } else if (is_alive(key) && kept_hash[k] != hash[k])
            living[k]++
    }
    for (i = 1; i <= fn_count; i++) {
        k = fns[i]
        if (living[k] <= allowed[k] + 0)
            continue
        split(k, part, SUBSEP)
        print part[2] " of " part[1] (k in is_kept ? " changed, and " : " is new, and ") \
            living[k] " of its mutants live (before: " allowed[k] + 0 "):\n"
        for (j = 1; j <= count; j++) {
            if (fn[order[j]] == k && is_alive(order[j]) && !((k, name[order[j]]) in known))
                show(order[j], end[order[j]], "/dev/stdout")
        }
        advise(part[1])
        failed++
    }
    print total - failed " passed, " failed + 0 " failed"
    exit failed > 0
}
