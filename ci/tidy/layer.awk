# What the other programs of this folder share.
BEGIN { FS = "\t" }

# The layer a file belongs to.
function layer(file) {
    if (file ~ /^oracles\/ref_/)
        return "ref"
    if (file ~ /^oracles\/watch\//)
        return "watch"
    if (file ~ /^targets\/(fuzz_|[a-z]+\/)/ && file !~ /^targets\/(bed|driver|live)\//)
        return "fuzz"
    return substr(file, 1, index(file, "/") - 1)
}

function breach(rule) {
    print $1 ":" $2 ": " rule
}
