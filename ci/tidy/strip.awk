# C code without comments and with empty strings: file, line number and code between tabs.
FNR == 1 { inside = 0 }
{
    s = $0
    out = ""
    while (s != "") {
        if (inside) {
            if (!match(s, /\*\//))
                break
            s = substr(s, RSTART + 2)
            inside = 0
        } else if (match(s, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\/.*|\/\*/)) {
            mark = substr(s, RSTART, 1)
            inside = substr(s, RSTART, 2) == "/*"
            out = out substr(s, 1, RSTART - 1) (mark == "/" ? "" : mark mark)
            s = substr(s, RSTART + RLENGTH)
        } else {
            out = out s
            s = ""
        }
    }
    print FILENAME "\t" FNR "\t" out
}
