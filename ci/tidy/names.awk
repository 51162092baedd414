# The prefix tells the layer; a typedef is a function pointer and ends in _fn. Reads the names of
# all files in one column, then the code: a function of targets/ opens with the first word of a file
# of its folder, of the folder, or with fuzz_. What core/base/race.h declares, sim defines.
BEGIN {
    prefix["core"] = "wb_"
    prefix["sim"] = "sim_|wb_race_|LLVMFuzzer|afl_custom_"
    prefix["ref"] = "ref_"
    prefix["oracles"] = "inv_"
    capitals["core"] = "WB_"
    capitals["sim"] = "SIM_"
    capitals["ref"] = capitals["oracles"] = "INV_|REF_|ORACLES_|FUZZ_CHECK"
}
{
    l = layer($1)
    stem = dir = $1
    sub(/.*\//, "", stem)
    sub(/[_.].*/, "", stem)
    sub(/\/[^\/]*$/, "", dir)
    folder = dir
    sub(/.*\//, "", folder)
}
NF == 1 {
    stems[dir] = stems[dir] stem "(_|$)|"
    next
}
{ wanted = l in prefix ? prefix[l] : stems[dir] folder "_|fuzz_|LLVMFuzzer|afl_custom_|main$" }
$3 ~ /^[A-Za-z_][^;={]*\(/ && $3 !~ /(^| )static |^typedef / && !after_static {
    name = substr($3, 1, index($3, "(") - 1)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[a-zL]/ && name !~ "^(" wanted ")")
        breach("names: " name " needs the prefix of its layer or file")
}
{ after_static = $3 ~ /^static / && $3 !~ /[(;={]/ }
$3 ~ /^ *typedef/ && $3 !~ /_fn\)/ { breach("names: no typedef but function pointers in _fn") }
l in prefix && $1 ~ /h$/ && $3 ~ /^(struct|enum|union) [A-Za-z0-9_]+ \{/ {
    split($3, word, " ")
    if (word[2] !~ "^(" wanted ")")
        breach("names: " word[2] " needs the prefix of its layer")
}
l in prefix && $1 ~ /h$/ && $3 ~ /^ *# *define/ {
    name = $3
    sub(/^ *# *define */, "", name)
    sub(/[ (].*/, "", name)
    if (name !~ "^(" capitals[l] ")")
        breach("names: macro " name " needs the prefix of its layer")
}
