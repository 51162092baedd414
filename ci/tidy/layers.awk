# Reads #include lines: file, line number, line. Core includes core only, and so on upwards; nothing
# includes targets.
BEGIN {
    may["core"] = "core"
    may["sim"] = "core|sim"
    may["ref"] = may["oracles"] = may["watch"] = "core|oracles"
    may["fuzz"] = may["targets"] = "core|sim|oracles|targets"
    may["ci"] = may["targets"] "|ci"
    system_of_core = "stdbool|stddef|stdint|string|bsd/sys/tree|bsd/sys/queue"
    besides["core/base/base.c"] = "|stdio|stdlib"
    besides["core/base/mem.c"] = "|stdlib"
    besides["core/base/atomic.h"] = "|stdatomic"
    besides["core/base/probe.h"] = "|sys/sdt" # where a build asks for it
}
{
    l = layer($1)
    path = $3
    sub(/^[^<"]*[<"]/, "", path)
    sub(/[>"].*/, "", path)
}
$3 ~ /"/ {
    if (path !~ "^(" may[l] ")/")
        breach("layers: " l " may not include " path)
    if (system("test -f " path) != 0)
        breach("layers: " path " is not a path from the root")
    own = $1
    sub(/\.c$/, ".h", own)
    if (!($1 in seen) && own != $1 && path != own && system("test -f " own) == 0)
        breach("layers: the own header comes first")
}
$3 !~ /"/ && l == "core" && path !~ "^(" system_of_core besides[$1] ")\\.h$" {
    breach("layers: core may not use <" path ">")
}
{ seen[$1] }
