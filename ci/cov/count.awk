# Reads what llvm-cov exports as lcov and tells two things apart that it counts as one: what a run
# can reach, and what only a bug of our own could. Apart stand
#   - conditions of WB_ASSERT, which hold;
#   - lines of WB_UNREACHABLE and the brace that closes a function behind one;
#   - the way past every case of a switch without `default`: the compiler checks that each value of
#     the enum has its case.
# Writes to `covered` a line a file: name, lines, hit, branches, hit, branches that stand apart; to
# `missed` a line each, tabs between: file, function, the line's text, what never was. The last is
# "unused" for a function that never ran (its text is then -), else the condition's number on that
# line and the outcome: "1 true".

# Keeps the text of a file, and which of its lines hold assertions and ends.
function read_source(f,   n, line, depth, i, c, from, kind) {
    kind = ""
    while ((getline line < f) > 0) {
        text[f, ++n] = line
        from = 1
        if (kind == "" && line !~ /^#/ && match(line, /WB_(ASSERT|UNREACHABLE)\(/)) {
            kind = substr(line, RSTART, 6) == "WB_ASS" ? "assert" : "end"
            from = RSTART
            depth = 0
        } else if (kind == "" && stands[f, n - 1] == "end" && line ~ /^ *}$/) {
            stands[f, n] = "end"
        }
        if (kind == "")
            continue
        stands[f, n] = kind
        for (i = from; kind != "" && i <= length(line); i++) {
            c = substr(line, i, 1)
            depth += (c == "(") - (c == ")")
            if (c == ")" && depth == 0) kind = ""
        }
    }
    close(f)
}

# How many conditions a line of a header has: there it is listed once for each file that uses it.
function conditions(line,   rest) {
    rest = line
    return gsub(/&&|\|\|/, "", rest) + 1
}

function trimmed(line) {
    gsub(/^[ \t]+|[ \t]+$/, "", line)
    gsub(/\t/, " ", line)
    return line
}

/^SF:/ {
    f = substr($0, 4)
    sub(/^.*\/core\//, "core/", f)
    if (!(f in known)) {
        known[f]
        read_source(f)
    }
}
/^FN:/ {
    split(substr($0, 4), at, ",")
    sub(/^.*:/, "", at[2])
    begins[f, at[1]] = at[2]
}
/^DA:/ {
    split(substr($0, 4), at, ",")
    if (!((f, at[1]) in lines) || lines[f, at[1]] < at[2]) lines[f, at[1]] = at[2]
    if (at[1] > last[f]) last[f] = at[1]
}
/^BRDA:/ {
    split(substr($0, 6), at, ",")
    number = at[2] + 1
    if (f ~ /\.h$/) number = at[2] % conditions(text[f, at[1]]) + 1
    key = f SUBSEP at[1] SUBSEP number SUBSEP (at[3] % 2 ? "false" : "true")
    if (!(key in branches) || branches[key] < at[4] + 0) branches[key] = at[4] + 0
    if (number > most[f, at[1]]) most[f, at[1]] = number
}

# A condition is written as the outcome that never came; in an unused function none is.
function judge_line(f, n,   b, key, way) {
    if ((f, n) in lines && stands[f, n] != "end" && text[f, n] !~ /^#/) {
        all[f]++
        hit[f] += lines[f, n] > 0
    }
    for (b = 1; b <= most[f, n]; b++)
        for (way = 1; way <= 2; way++) {
            key = f SUBSEP n SUBSEP b SUBSEP (way == 1 ? "true" : "false")
            if (!(key in branches)) continue
            if (stands[f, n] != "" || (way == 1 && text[f, n] ~ /^ *switch \(/)) {
                apart[f]++
                continue
            }
            ball[f]++
            bhit[f] += branches[key] > 0
            if (branches[key] == 0 && !unused)
                printf "%s\t%s\t%s\t%s\n", f, name, trimmed(text[f, n]), \
                    b " " (way == 1 ? "true" : "false") >missed
        }
}

END {
    for (f in known) {
        name = "-"
        unused = 0
        for (n = 1; n <= last[f]; n++) {
            if ((f, n) in begins) {
                name = begins[f, n]
                unused = lines[f, n] == 0
                if (unused) print f "\t" name "\t-\tunused" >missed
            }
            judge_line(f, n)
        }
        if (all[f] > 0) print f, all[f], hit[f] + 0, ball[f] + 0, bhit[f] + 0, apart[f] + 0 >covered
    }
}
