# What OSS-Fuzz would refuse in a project.yaml, a line each; silent when it is sound. By its
# infra/presubmit.py, infra/constants.py and the page "Setting up a new project".
#
#   awk -f yaml.awk [-v lite=1] project.yaml      lite: ClusterFuzzLite's, which mails to nobody
function refuse(what) {
    print "  " FILENAME ": " what
    refused = 1
}
function allow(keys, values, n, names, i) {
    n = split(keys, names, " ")
    for (i = 1; i <= n; i++)
        allowed[names[i]] = values
}
function value(v) {
    gsub(/^[ "']+|[ "']+$/, "", v)
    sub(/:$/, "", v) # an entry of a list that has options below it
    if (v == "")
        return
    given[key]++
    if (key in allowed && v !~ "^(" allowed[key] ")$")
        refuse(key " cannot be `" v "'")
}
BEGIN {
    allow("language", "c|c\\+\\+|go|javascript|jvm|python|ruby|rust|swift")
    allow("sanitizers", "address|memory|undefined|none|thread|hwaddress|coverage|introspector")
    allow("fuzzing_engines", "libfuzzer|afl|honggfuzz|centipede|none")
    allow("architectures", "x86_64|i386|aarch64")
    allow("base_os_version", "legacy|ubuntu-20-04|ubuntu-24-04")
    allow("blackbox disable_remediation disable_remediation_pre_review disabled", "true|false")
    allow("file_github_issue run_tests selective_unpack", "[Tt]rue|[Ff]alse")
    allow("builds_per_day", "[1-4]")
    allow("primary_contact auto_ccs vendor_ccs", "[^ @]+@[^ @]+\\.[^ @]+")
    allow("homepage help_url", "https?://[^ ]+")
    allow("main_repo", "(https?|git|ssh)://[^ ]+|git@[^ ]+")
    allow("coverage_extra_args indexer labels view_restrictions", ".*")
}
{ sub(/(^|[ \t])#.*/, "") }
/^[^ \t-]/ {
    key = $0
    sub(/:.*/, "", key)
    if ($0 !~ /:/ || !(key in allowed))
        refuse("an unknown key `" key "'")
    if (key in seen)
        refuse(key " stands twice")
    seen[key] = 1
    rest = $0
    sub(/^[^:]*:[ \t]*/, "", rest)
    if (rest ~ /^\[.*\]$/) {
        n = split(substr(rest, 2, length(rest) - 2), list, ",")
        for (i = 1; i <= n; i++)
            value(list[i])
    } else {
        value(rest)
    }
    next
}
/^[ \t]*- / {
    sub(/^[ \t]*- +/, "")
    value($0)
}
END {
    n = split("language main_repo" (lite ? "" : " homepage primary_contact"), must, " ")
    for (i = 1; i <= n; i++)
        if (!given[must[i]])
            refuse("no " must[i])
    exit refused
}
