# Headers and calls that break determinism, portability, or the bounds of a buffer.
function calls(names) {
    return $3 ~ "(^|[^A-Za-z0-9_.>])(" names ")[ ]*\\("
}

BEGIN {
    system_headers = "time|signal|unistd|poll|threads|pthread|fcntl|sys/.*|netinet/.*|arpa/.*"
    never = "s?rand|random|strto[a-z]+|ato[ilf]|v?sprintf|strcpy|strcat|gets|alloca|assert"
    impure = "time|clock|gettimeofday|clock_gettime|[un]?[a-z]*sleep|getenv|getrandom|fork|socket" \
        "|pthread_[a-z_]+"
}
{
    l = layer($1)
    is_pure = l != "targets" && l != "ci" && l != "watch" # what a run consists of
}
$3 ~ /^ *# *include *<assert\.h>/ { breach("bans: assert.h; WB_ASSERT and FUZZ_CHECK stay on") }
$3 ~ /^ *# *if 0/ { breach("bans: code that is switched off") }
calls(never) { breach("bans: call") }
is_pure && $1 != "core/base/probe.h" && $3 ~ "^ *# *include *<(" system_headers ")\\.h>" {
    breach("bans: no clock, socket, thread or system header here")
}
is_pure && calls(impure) { breach("bans: a run depends on its input alone") }
is_pure && $1 !~ /^(core\/base\/mem|sim\/alloc)\.c$/ && calls("malloc|calloc|realloc|free") {
    breach("bans: memory comes from a struct wb_mem")
}
is_pure && $3 ~ /(^|[^A-Za-z0-9_])(float|double)([^A-Za-z0-9_]|$)/ {
    breach("bans: no floating point")
}
l == "ref" && $1 ~ /\.c$/ && calls("wb_[a-z0-9_]+") {
    breach("bans: a model calls nothing of the core")
}
(l == "core" || l == "ref") && $3 ~ /^static [^(]*[;=]/ && $3 !~ /const[ *]/ {
    breach("bans: no state outside of objects")
}
