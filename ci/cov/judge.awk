# Holds what is covered against the floors, and what is missed against the list of reasons.
#   awk -v floors=F -v listed=L -v raise= -f ci/cov/judge.awk F L COVERED MISSED
# Floors of a folder, and of the four that the bar is for, stand beside those of files. With `raise`
# F.new has the floors as they should be, and L.new the list without what is missed no more.

function percent(hit, all) { return all == 0 ? 100 : int(1000 * hit / all) / 10 }
function max(a, b) { return a > b ? a : b }

function add(name, all_, hit_, ball_, bhit_, apart_) {
    if (!(name in all)) order[++count] = name
    all[name] += all_
    hit[name] += hit_
    ball[name] += ball_
    bhit[name] += bhit_
    apart[name] += apart_
}

function row(name,   l, b, note) {
    l = percent(hit[name], all[name])
    b = percent(bhit[name], ball[name])
    note = ""
    if (name in lines && (l < lines[name] || b < branches[name])) {
        note = "  below its floor " lines[name] " " branches[name]
        bad++
    }
    if (!(name in lines)) {
        note = "  no floor yet"
        bad += raise == ""
    }
    printf "%-28s %5d/%-5d %5.1f%% %5d/%-5d %5.1f%% %5d%s\n", name, hit[name], all[name], l, \
        bhit[name], ball[name], b, apart[name], note
    if (raise != "")
        printf "%s %.1f %.1f\n", name, max(l, lines[name]), max(b, branches[name]) >(floors ".new")
    tested++
}

FILENAME == floors { lines[$1] = $2; branches[$1] = $3; next }
FILENAME == listed {
    text[FNR] = $0
    rows = FNR
    if ($0 ~ /^#/ || $0 == "") next
    n = split($0, cell, "\t")
    if (n != 5 || cell[5] == "") {
        print listed ":" FNR ": a row is file, function, line, what never was, and why"
        bad++
    }
    key = cell[1] "\t" cell[2] "\t" cell[3] "\t" cell[4]
    if (key in why) {
        print listed ":" FNR ": listed twice"
        bad++
    }
    why[key] = FNR
    next
}
FILENAME == ARGV[3] {
    add($1, $2, $3, $4, $5, $6)
    next
}
{
    if (!($0 in why) && !($0 in told)) {
        print "not listed in " listed ", with a reason, and missed:\n" $0
        bad++
    }
    told[$0]
}

END {
    files = count
    for (i = 1; i <= files; i++) {
        f = order[i]
        folder = f
        sub(/\/[^\/]*$/, "", folder)
        add(folder, all[f], hit[f], ball[f], bhit[f], apart[f])
        if (folder != "core/base") add("bar", all[f], hit[f], ball[f], bhit[f], apart[f])
    }
    printf "%-28s %16s %18s %5s\n", "file", "lines", "branches", "apart"
    for (i = 1; i <= count; i++) row(order[i])
    for (f in lines)
        if (!(f in all)) {
            print f ": has a floor and is not covered at all"
            bad++
        }
    for (key in why)
        if (!(key in told)) {
            print listed ":" why[key] ": is not missed any more, or its line reads otherwise" \
                (raise == "" ? ":" : ", and leaves the list:") "\n" text[why[key]]
            text[why[key]] = ""
            bad += raise == ""
        }
    for (i = 1; raise != "" && i <= rows; i++)
        if (text[i] != "") print text[i] >(listed ".new")
    for (key in told) tested++
    print tested - bad " passed, " bad + 0 " failed"
    exit bad > 0
}
